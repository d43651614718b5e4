//! Chat templates and tokenizer modes against parsers: what the model is told decides what it writes.

use std::sync::OnceLock;

use monban_scorers::catalogue::{ParserKind, notes, parser_families, parser_names};
use regex::Regex;

use super::subject::{Subject, Wanted};
use super::{ProfileRule, rule};
use crate::diagnostic::{Diagnostic, Severity};

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule("tool_template_missing", "the model's own template does not tell it of tools, and none is passed", missing),
    rule(
        "template_parser_mismatch",
        "the chat template passed may make the model write another format than the parser reads",
        mismatch,
    ),
    rule(
        "mistral_tokenizer_mode",
        "Mistral's parser needs Mistral's tokenizer, config and weights format together",
        mistral,
    ),
    rule("jinja_missing", "llama-server refuses tools without its Jinja templates", jinja),
];

/// Models whose own template has no (or an unusable) tool section in vLLM, and how bad that is.
/// Source: vLLM's docs/features/tool_calling.md and examples/tool_chat_template_*.jinja.
const NEED_ONE: &[(&str, Severity)] = &[
    (r"gemma-?[23]", Severity::Error),
    (r"deepseek-?v3($|[^.\d])|deepseek-?r1", Severity::Warning),
    (r"phi-?4-mini|xlam|internlm-?2|toolace", Severity::Warning),
];

/// Models for which passing an example template is the documented way.
const USE_ONE: &str = r"gemma|deepseek-?(v3(\.1)?($|[^.\d])|r1)|llama-?[34]|granite|hermes-?2|internlm|phi-?4|xlam|toolace|mistral|mixtral|qwen-?(1|2)|minimax-?m1";

fn needs() -> &'static [(Option<Regex>, Severity)] {
    static PATTERNS: OnceLock<Vec<(Option<Regex>, Severity)>> = OnceLock::new();
    PATTERNS.get_or_init(|| {
        NEED_ONE.iter().map(|(text, severity)| (Regex::new(&format!("(?i){text}")).ok(), *severity)).collect()
    })
}

fn uses_one(model: &str) -> bool {
    static PATTERN: OnceLock<Option<Regex>> = OnceLock::new();
    PATTERN
        .get_or_init(|| Regex::new(&format!("(?i){USE_ONE}")).ok())
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(model))
}

fn cut(text: &str) -> String {
    text.chars().take(500).collect()
}

/// A tool parser that reads what the model writes, or one the model is made to write for.
fn parser_fits(s: &Subject<'_>, parser: &str) -> bool {
    s.rule.is_none_or(|rule| {
        let own = parser_families(s.engine, ParserKind::Tool, parser);
        rule.tool_families.is_empty() || rule.tool_families.iter().any(|family| own.contains(family))
    })
}

fn missing(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(parser) =
        s.parser(ParserKind::Tool).filter(|_| s.engine == "vllm" && s.profile.get("chat-template").is_none())
    else {
        return;
    };
    // A wrong parser is the first thing to mend.
    if !parser_fits(s, &parser.value) || s.model.to_lowercase().contains("distill") {
        return;
    }
    let model = cut(&s.model);
    let hit = needs().iter().find(|(pattern, _)| pattern.as_ref().is_some_and(|pattern| pattern.is_match(&model)));
    if let Some((_, severity)) = hit {
        let message = format!("the template {model} ships with does not tell it of tools: pass one that does");
        let fix = notes("vllm", "").find(|note| note.text.contains("tool_chat_template")).map_or(
            "--chat-template examples/tool_chat_template_….jinja",
            |_| "--chat-template examples/tool_chat_template_….jinja (vLLM ships them)",
        );
        out.push(s.found(*severity, "tool_template_missing", parser.span.clone(), message).fix(fix));
    }
}

fn mismatch(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    if !matches!(s.engine, "vllm" | "sglang") {
        return;
    }
    let (Some(parser), Some(template)) = (s.parser(ParserKind::Tool), s.profile.get("chat-template")) else { return };
    let file = template.value.rsplit('/').next().unwrap_or_default();
    if !file.ends_with(".jinja") && !file.ends_with(".jinja2") {
        return;
    }
    let (first, last) = if template.span.start < parser.span.start { (template, parser) } else { (parser, template) };
    let span = first.span.start..last.span.end;
    // A wrong parser is the first thing to mend.
    if !parser_fits(s, &parser.value) {
        return;
    }
    if let Some(other) = named_in(s, file)
        && !shares_family(s, other, &parser.value)
    {
        let message = format!("`{file}` makes the model write for `{other}`, but `{}` reads it", parser.value);
        out.push(
            s.warning("template_parser_mismatch", span, message)
                .fix(format!("--tool-call-parser {other}, or the template for `{}`", parser.value)),
        );
        return;
    }
    let own_directory = !s.model.is_empty() && template.value.starts_with(s.model.trim_end_matches('/'));
    if s.rule.is_some_and(|rule| !rule.tool_families.is_empty()) && !uses_one(&cut(&s.model)) && !own_directory {
        let message = format!(
            "{} has a format of its own; `{file}` may make it write another than `{}` reads",
            s.model, parser.value
        );
        out.push(
            s.warning("template_parser_mismatch", span, message)
                .fix("drop --chat-template unless the model's card asks for this file"),
        );
    }
}

/// The tool parser whose name stands in a template's file name: the longest, without regard to `_` and `-`.
fn named_in(s: &Subject<'_>, file: &str) -> Option<&'static str> {
    let plain = |text: &str| text.replace(['_', '-', '.'], "").to_lowercase();
    let file = plain(file.split(".jinja").next().unwrap_or_default());
    parser_names(s.engine, ParserKind::Tool, None)
        .into_iter()
        .filter(|name| name.len() > 4 && file.contains(&plain(name)))
        .max_by_key(|name| name.len())
}

fn shares_family(s: &Subject<'_>, one: &str, other: &str) -> bool {
    let families = |name| parser_families(s.engine, ParserKind::Tool, name);
    one == other || families(one).iter().any(|family| families(other).contains(family))
}

fn mistral(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    if s.engine != "vllm" {
        return;
    }
    let parser = s
        .parser(ParserKind::Tool)
        .or_else(|| s.parser(ParserKind::Reasoning))
        .filter(|parser| parser.value == "mistral");
    let mode = s.profile.get("tokenizer-mode");
    let rule = "mistral_tokenizer_mode";
    if let (Some(_), Some(mode)) = (parser, mode.filter(|mode| matches!(mode.value.as_str(), "hf" | "slow"))) {
        let message =
            format!("the mistral parser expects Mistral's tokenizer for v11 and newer models, not `{}`", mode.value);
        out.push(
            s.error(rule, mode.span.clone(), message)
                .fix("--tokenizer-mode mistral --config-format mistral --load-format mistral"),
        );
        return;
    }
    let is = |key: &str| s.profile.value(key) == Some("mistral");
    let others = ["config-format", "load-format"];
    let told = others.iter().filter(|key| is(key)).count();
    if let Some(setting) = others.iter().find_map(|key| s.profile.get(key).filter(|_| is(key)))
        && (told == 1 || !is("tokenizer-mode"))
    {
        let message = "tokenizer mode, config format and load format of Mistral belong together";
        out.push(
            s.warning(rule, setting.span.clone(), message)
                .fix("--tokenizer-mode mistral --config-format mistral --load-format mistral"),
        );
    }
}

/// The first build with Jinja on, about: llama.cpp#17524, the end of November 2025.
const JINJA_BY_DEFAULT: u32 = 7_190;

fn jinja(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    if s.engine != "llama_cpp" || s.tools() == Wanted::No {
        return;
    }
    let wanted = s.tools() == Wanted::Yes;
    let fix = "--jinja";
    match s.profile.get("jinja") {
        Some(setting) if setting.value == "false" => {
            let severity = if wanted { Severity::Error } else { Severity::Warning };
            let message = "--no-jinja: requests with tools get 500";
            out.push(s.found(severity, "jinja_missing", setting.span.clone(), message).fix(fix));
        }
        Some(_) => {}
        None => {
            let build = s.known.engine_version.as_deref().and_then(build);
            let severity = match build {
                Some(build) if build >= JINJA_BY_DEFAULT => return,
                Some(_) if wanted => Severity::Error,
                Some(_) => Severity::Warning,
                None => Severity::Info,
            };
            let message =
                format!("builds before about {JINJA_BY_DEFAULT} (November 2025) refuse tools without --jinja");
            out.push(s.found(severity, "jinja_missing", s.absent(), message).fix(fix));
        }
    }
}

/// A build's number: 4369 of `4369 (21ae3b9b)`, of `b4369`.
fn build(text: &str) -> Option<u32> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let digits: String = text[start..].chars().take_while(char::is_ascii_digit).collect();
    let dated = text[start + digits.len()..].starts_with('-');
    digits.parse().ok().filter(|build| *build > 1_000 && !dated)
}
