//! Pairs that fit by family and fail all the same in some versions: a table.

use std::sync::OnceLock;

use monban_scorers::catalogue::{ParserKind, Version};
use regex::Regex;

use super::subject::Subject;
use super::{ProfileRule, rule};
use crate::diagnostic::{Diagnostic, Severity};

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule(
        "parser_known_bad_for_checkpoint",
        "the parser fits the family but is known to fail on this model in some versions",
        known_bad,
    ),
    rule(
        "spec_decode_with_stream_tools",
        "speculative decoding is known to break streamed tool arguments in some versions",
        speculative,
    ),
    rule(
        "async_scheduling_with_tools",
        "asynchronous scheduling is known to break tool calls in some versions",
        asynchronous,
    ),
];

/// A parser that fails on a model before a version.
struct Bad {
    engine: &'static str,
    parser: &'static str,
    model: &'static str,
    before: &'static str,
    severity: Severity,
    why: &'static str,
}

const BAD: &[Bad] = &[
    Bad {
        engine: "vllm",
        parser: "qwen3_xml",
        model: r"qwen3[._-]?[5-9]",
        before: "0.32",
        severity: Severity::Warning,
        why: "an engine parser of its own before 0.32, with broken closing braces and lost think borders (vllm#51679)",
    },
    Bad {
        engine: "vllm",
        parser: "glm45",
        model: r"glm-?(4\.7|5)",
        // A running 0.32.0 reads them.
        before: "0.32",
        severity: Severity::Warning,
        why: "it loses calls without arguments of GLM-4.7 and newer (vllm#32436)",
    },
    Bad {
        engine: "vllm",
        parser: "hermes",
        model: r"granite-?4",
        before: "0.33",
        severity: Severity::Info,
        why: "it encodes arguments twice for Granite 4 (vllm PR#25729)",
    },
];

fn patterns() -> &'static [Option<Regex>] {
    static PATTERNS: OnceLock<Vec<Option<Regex>>> = OnceLock::new();
    PATTERNS.get_or_init(|| BAD.iter().map(|bad| Regex::new(&format!("(?i){}", bad.model)).ok()).collect())
}

fn known_bad(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(setting) = s.judged(ParserKind::Tool) else { return };
    for (bad, pattern) in BAD.iter().zip(patterns()) {
        let model: String = s.model.chars().take(500).collect();
        let concerned = bad.engine == s.engine
            && bad.parser == setting.value
            && pattern.as_ref().is_some_and(|pattern| pattern.is_match(&model))
            && s.before(bad.before) != Some(false);
        // Where the recipe's parser did not exist yet, this one was the way.
        let better = s.rule.and_then(|rule| rule.parser(s.engine, ParserKind::Tool)).filter(|better| {
            let since =
                monban_scorers::catalogue::exists_since(s.engine, ParserKind::Tool, better).and_then(Version::parse);
            s.version.is_none_or(|version| since.is_none_or(|since| since <= version))
        });
        if concerned && let Some(better) = better {
            let message =
                format!("`{}` is known to fail on {} before {}: {}", bad.parser, s.model, bad.before, bad.why);
            out.push(
                s.found(bad.severity, "parser_known_bad_for_checkpoint", setting.span.clone(), message)
                    .fix(format!("--tool-call-parser {better}, as the model's recipe has it")),
            );
        }
    }
}

fn tool_parser_in_use(s: &Subject<'_>) -> bool {
    s.engine == "vllm" && s.parser(ParserKind::Tool).is_some()
}

fn speculative(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(setting) = s.profile.any("speculative-config").or_else(|| s.profile.any("spec-method")) else { return };
    // Several tokens a chunk reach the parser at once (vllm#55082, #51697); what was read of 0.33 copes.
    if tool_parser_in_use(s) && s.before("0.33") != Some(false) {
        let message = "speculative decoding is known to break streamed tool arguments in some versions";
        out.push(
            s.info("spec_decode_with_stream_tools", setting.span.clone(), message)
                .fix("run the tool suite with --stream both; if only streamed calls break, try without"),
        );
    }
}

fn asynchronous(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(setting) = s.profile.get("async-scheduling").filter(|setting| setting.value == "true") else { return };
    if tool_parser_in_use(s) && s.before("0.11") != Some(false) {
        let message = "asynchronous scheduling is known to break tool calls before 0.11";
        out.push(
            s.info("async_scheduling_with_tools", setting.span.clone(), message).fix("try without --async-scheduling"),
        );
    }
}
