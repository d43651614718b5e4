//! Whether tool calls can arrive at all: switch, parser and model.

use std::sync::OnceLock;

use monban_scorers::catalogue::ParserKind;
use regex::Regex;

use super::subject::{Subject, Wanted};
use super::{ProfileRule, rule};
use crate::diagnostic::{Diagnostic, Severity};

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule(
        "auto_tool_choice_missing",
        "vLLM answers requests with tools with 400 without --enable-auto-tool-choice and a parser",
        auto_missing,
    ),
    rule("tool_parser_missing", "tool calls are asked for and nothing parses them", parser_missing),
    rule("base_model_with_chat_flags", "the weights look like a base model, which has no chat template", base_model),
];

/// vLLM's Rust front end ignores the switch; Mistral's tokenizer mode and harmony models do without it.
fn exempt(s: &Subject<'_>) -> bool {
    s.profile.env_value("VLLM_USE_RUST_FRONTEND").is_some_and(|value| value.text != "0")
        || s.profile.value("tokenizer-mode") == Some("mistral")
        || s.harmony()
}

fn auto_missing(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    if s.engine != "vllm" || s.auto() || exempt(s) {
        return;
    }
    let rule = "auto_tool_choice_missing";
    if let Some(setting) = s.parser(ParserKind::Tool) {
        let message = "a tool parser without --enable-auto-tool-choice: requests with tools get 400";
        out.push(s.warning(rule, setting.span.clone(), message).fix("add --enable-auto-tool-choice"));
        return;
    }
    let capable = s.rule.is_some_and(|rule| !rule.tool_families.is_empty());
    // Where a model that thinks has no parser at all, one finding says so already.
    let silent = s.parser(ParserKind::Reasoning).is_some() || s.rule.is_some_and(|rule| rule.thinks() == "on");
    let severity = match s.tools() {
        Wanted::Yes => Severity::Warning,
        Wanted::Unknown if capable && !silent && s.profile.purpose.is_none() => Severity::Info,
        _ => return,
    };
    let message =
        "no tool flags: requests with tools get 400 unless their tool_choice is `none` (before 0.14, or forced)";
    let fix =
        s.advice(ParserKind::Tool).unwrap_or_else(|| "--enable-auto-tool-choice --tool-call-parser NAME".to_owned());
    out.push(s.found(severity, rule, s.absent(), message).fix(fix));
}

fn parser_missing(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let rule = "tool_parser_missing";
    let named = s.profile.value("tool-call-parser").is_some_and(|name| !name.is_empty() && name != "none");
    if named {
        return;
    }
    if s.engine == "vllm"
        && let Some(setting) = s.profile.get("enable-auto-tool-choice").filter(|_| s.auto())
        && s.profile.env_value("VLLM_USE_RUST_FRONTEND").is_none()
    {
        let message = "--enable-auto-tool-choice requires --tool-call-parser: vLLM does not start";
        out.push(s.error(rule, setting.span.clone(), message).maybe_fix(s.advice(ParserKind::Tool)));
    }
    if matches!(s.engine, "sglang" | "tensorrt_llm") && s.tools() == Wanted::Yes {
        let message = "tools are wanted and nothing parses them: the markup stays in the answer";
        out.push(s.warning(rule, s.absent(), message).maybe_fix(s.advice(ParserKind::Tool)));
    }
}

/// Families whose chat models say so in their name, and how.
const SAY_SO: &[(&str, &str)] = &[
    (r"gemma-?[234].*\d+b", r"(^|[-_])it([-_.]|$)|instruct|chat"),
    (r"llama-?[34].*\d+b", r"instruct|chat|(^|[-_])it([-_.]|$)|hermes|groq|distill|tulu|dolphin|nemotron"),
    (r"qwen-?(1\.5|2|2\.5)-?(vl|math|coder)?-?\d+(\.\d+)?b", r"instruct|chat|distill"),
    (r"^mistral-(7b|nemo|small)", r"instruct|chat|reasoning"),
];

fn patterns() -> &'static [(Option<Regex>, Option<Regex>)] {
    static PATTERNS: OnceLock<Vec<(Option<Regex>, Option<Regex>)>> = OnceLock::new();
    PATTERNS.get_or_init(|| {
        let compiled = |text: &str| Regex::new(&format!("(?i){text}")).ok();
        SAY_SO.iter().map(|(family, sign)| (compiled(family), compiled(sign))).collect()
    })
}

fn base_model(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(model) = s.profile.get("model") else { return };
    let flags = s.parser(ParserKind::Tool).is_some() || s.parser(ParserKind::Reasoning).is_some() || s.auto();
    if !flags || s.profile.get("chat-template").is_some() {
        return;
    }
    let cut = |text: &str| -> String { text.chars().take(500).collect() };
    let last = cut(model.value.trim_end_matches('/').rsplit('/').next().unwrap_or_default());
    let names: Vec<String> = s.profile.model_names().iter().map(|name| cut(name)).collect();
    let says_base = last.to_lowercase().split(['-', '_']).any(|part| part == "base" || part == "pt");
    let silent = patterns().iter().any(|(family, sign)| {
        let (Some(family), Some(sign)) = (family, sign) else { return false };
        family.is_match(&last) && !names.iter().any(|name| sign.is_match(name))
    });
    if says_base || silent {
        let message = format!("`{last}` looks like base weights: they have no chat template, yet chat flags are set");
        out.push(
            s.warning("base_model_with_chat_flags", model.span.clone(), message)
                .fix("serve the instruct checkpoint, or pass --chat-template"),
        );
    }
}
