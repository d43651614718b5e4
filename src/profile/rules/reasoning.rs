//! The reasoning parser against what the model writes, thinking and not.

use monban_scorers::Mode;
use monban_scorers::catalogue::{
    Catalogue, Family, ParserKind, SplitOutcome, catalogue, parser_families, reasoning_outcome, shape_of,
};

use super::subject::{Subject, Wanted};
use super::{ProfileRule, rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::profile::setting::Setting;

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule(
        "reasoning_parser_missing",
        "a model that thinks is served without a reasoning parser: thoughts land in the answer",
        missing,
    ),
    rule(
        "reasoning_parser_family_mismatch",
        "the reasoning parser splits another format than the model writes",
        mismatch,
    ),
    rule("append_think_parser", "the parser leaves thoughts in the answer on purpose", append),
    rule(
        "reasoning_parser_with_thinking_off",
        "thinking is off by default, and the parser then takes the answer for thought",
        off,
    ),
];

/// What a model writes when it does not think.
const PLAIN: &str = "no_thinking_plain";

fn missing(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    if !matches!(s.engine, "vllm" | "sglang" | "tensorrt_llm") {
        return;
    }
    let asked = s.known.needs.is_some_and(|needs| needs.reasoning > 0);
    let thinks = s.rule.map_or(asked, |rule| {
        (rule.thinks() == "on" || asked) && rule.parser(s.engine, ParserKind::Reasoning).is_some()
    });
    let given = s.profile.value("reasoning-parser").is_some_and(|name| !matches!(name, "" | "none" | "None"));
    if !thinks || given || s.thinking_off() || (s.engine == "vllm" && s.harmony()) {
        return;
    }
    let severity = if asked || (s.engine == "vllm" && s.auto()) { Severity::Error } else { Severity::Warning };
    let who = if s.model.is_empty() { "the model" } else { &s.model };
    let message = format!(
        "{who} thinks, but no reasoning parser is set: thoughts land in the answer, and a schema forbids thinking"
    );
    out.push(
        s.found(severity, "reasoning_parser_missing", s.absent(), message).maybe_fix(s.advice(ParserKind::Reasoning)),
    );
}

fn mismatch(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let (Some(setting), Some(rule)) = (s.judged(ParserKind::Reasoning), s.rule) else { return };
    let parser = setting.value.as_str();
    if rule.parser(s.engine, ParserKind::Reasoning) == Some(parser) || appends(parser) {
        return;
    }
    let found = match rule.reasoning_family.as_deref() {
        Some(family) => against_family(s, setting, family),
        None => against_silence(s, setting),
    };
    out.extend(found.map(|found| found.maybe_fix(s.advice(ParserKind::Reasoning))));
}

/// A model that thinks in a family's format.
fn against_family(s: &Subject<'_>, setting: &Setting, family: &str) -> Option<Diagnostic> {
    let parser = setting.value.as_str();
    let shape = shape_of(family)?;
    let outcome = |shape: &str, parser: &str, version: Option<&str>, thinking| {
        reasoning_outcome(s.engine, version, shape, parser, thinking, Mode::Plain).map(|(outcome, _)| outcome)
    };
    let right = |outcome: SplitOutcome| outcome.is_right();
    let now = outcome(shape, parser, s.version_text.as_deref(), None);
    if now.is_some_and(|now| !right(now)) || (now.is_none() && !same_marker(s, parser, family)) {
        let message = format!("`{parser}` does not split what {} writes ({family})", s.model);
        let severity = if same_marker(s, parser, family) { Severity::Warning } else { Severity::Error };
        return Some(s.found(severity, "reasoning_parser_family_mismatch", setting.span.clone(), message));
    }
    if s.version.is_none()
        && s.engine == "vllm"
        && outcome(shape, parser, Some("0.16.0"), None).is_some_and(|then| !right(then))
    {
        let message = format!("`{parser}` does not split what {} writes ({family}) before about 0.17", s.model);
        return Some(s.warning("reasoning_parser_family_mismatch", setting.span.clone(), message));
    }
    // Thinking switched off by the request: the recipe's parser copes, this one takes the answer for thought.
    let always = ["thinking", "-r1", "qwq"].iter().any(|sign| s.model.to_lowercase().contains(sign));
    let recipe = s.rule?.parser(s.engine, ParserKind::Reasoning)?;
    let switched_off =
        |parser: &str| outcome(PLAIN, parser, s.version_text.as_deref(), Some(false)).map(answer_arrives);
    if !always && switched_off(parser) == Some(false) && switched_off(recipe) == Some(true) {
        let message =
            format!("with thinking switched off, `{parser}` takes the whole answer of {} for thought", s.model);
        return Some(s.warning("reasoning_parser_family_mismatch", setting.span.clone(), message));
    }
    None
}

/// A model that does not think.
fn against_silence(s: &Subject<'_>, setting: &Setting) -> Option<Diagnostic> {
    let rule = s.rule?;
    let known = !rule.tool_families.is_empty();
    let (outcome, _) =
        reasoning_outcome(s.engine, s.version_text.as_deref(), PLAIN, &setting.value, None, Mode::Plain)?;
    // A refusal says more of the measured tokenizer than of the model's.
    let judged = known && outcome != SplitOutcome::Refuse;
    (judged && rule.thinks() == "never" && !answer_arrives(outcome)).then(|| {
        let message = format!("{} does not think: `{}` takes its whole answer for thought", s.model, setting.value);
        s.error("reasoning_parser_family_mismatch", setting.span.clone(), message).fix("drop the reasoning parser")
    })
}

/// Whether the answer stands in the content.
fn answer_arrives(outcome: SplitOutcome) -> bool {
    use monban_scorers::catalogue::Part;
    match outcome {
        SplitOutcome::Split { content, .. } => matches!(content, Part::Answer | Part::Raw | Part::Rest),
        _ => false,
    }
}

/// Whether the parser's family and the model's end thoughts with the same marker.
fn same_marker(s: &Subject<'_>, parser: &str, family: &str) -> bool {
    let end = |name: &str| find(catalogue(), name).and_then(|family| family.end.as_deref());
    let own = end(family);
    parser_families(s.engine, ParserKind::Reasoning, parser)
        .iter()
        .any(|reads| reads == family || (own.is_some() && end(reads) == own))
}

fn find<'a>(catalogue: &'a Catalogue, name: &str) -> Option<&'a Family> {
    catalogue.reasoning.iter().find(|family| family.name == name)
}

fn appends(parser: &str) -> bool {
    parser.contains("append_think") || parser.contains("append-think")
}

fn append(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(setting) = s.parser(ParserKind::Reasoning).filter(|setting| appends(&setting.value)) else { return };
    let message = format!("`{}` leaves thoughts in the answer and never fills the reasoning field", setting.value);
    out.push(
        s.warning("append_think_parser", setting.span.clone(), message).maybe_fix(s.advice(ParserKind::Reasoning)),
    );
}

fn off(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(setting) = s.judged(ParserKind::Reasoning).filter(|_| s.thinking_off() && s.tools() != Wanted::No) else {
        return;
    };
    let result =
        reasoning_outcome(s.engine, s.version_text.as_deref(), PLAIN, &setting.value, Some(false), Mode::Plain);
    if result.is_some_and(|(outcome, _)| !answer_arrives(outcome)) {
        let message =
            format!("thinking is off by default here, and `{}` then takes the whole answer for thought", setting.value);
        out.push(
            s.error("reasoning_parser_with_thinking_off", setting.span.clone(), message)
                .fix("drop the reasoning parser, or the default that switches thinking off"),
        );
    }
}
