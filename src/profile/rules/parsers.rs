//! Tool and reasoning parsers by name and version, and the tool parser against the model's family.

use monban_scorers::catalogue::{
    MatrixOutcome, ParserKind, ParserStatus, Version, outcome, parser_families, parser_status, parsers_reading,
};

use super::subject::{MODES, Subject, Wanted};
use super::{ProfileRule, rule};
use crate::diagnostic::Diagnostic;
use crate::profile::setting::Setting;

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule(
        "tool_parser_family_mismatch",
        "the tool parser reads another family's markup than the model writes",
        mismatch,
    ),
    rule("unknown_parser", "no version of the engine has a parser of that name", unknown),
    rule("removed_parser", "the engine's version no longer has the parser", removed),
    rule("parser_needs_newer_engine", "the parser came in a later version of the engine", too_new),
];

const KINDS: [ParserKind; 2] = [ParserKind::Tool, ParserKind::Reasoning];

fn mismatch(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let (Some(setting), Some(rule)) = (s.judged(ParserKind::Tool), s.rule) else { return };
    // Distilled models call tools the way of the model they were distilled into, if at all.
    if rule.tool_families.is_empty() || s.model.to_lowercase().contains("distill") {
        return;
    }
    let parser = setting.value.as_str();
    let families = || rule.tool_families.iter().map(String::as_str);
    let recommended = rule.parser(s.engine, ParserKind::Tool) == Some(parser);
    if recommended || families().any(|family| reads(s, family, parser)) {
        return;
    }
    let written = families().next().unwrap_or_default();
    let read = parser_families(s.engine, ParserKind::Tool, parser).first().map_or("another format", String::as_str);
    let message = format!("`{parser}` reads {read}, but {} writes {written}: its tool calls are lost", s.model);
    out.push(
        s.error("tool_parser_family_mismatch", setting.span.clone(), message).maybe_fix(s.advice(ParserKind::Tool)),
    );
}

/// Whether a parser reads a family: made for it, or measured to.
fn reads(s: &Subject<'_>, family: &str, parser: &str) -> bool {
    let version = s.version_text.as_deref();
    if parser_families(s.engine, ParserKind::Tool, parser).iter().any(|own| own == family)
        || parsers_reading(s.engine, family, version).contains(&parser)
    {
        return true;
    }
    MODES.iter().all(|&mode| {
        outcome(s.engine, version, family, parser, mode, false).is_some_and(|seen| seen.outcome == MatrixOutcome::Ok)
    })
}

/// Every parser named, with its kind and what the engine's version makes of the name.
fn named<'a>(s: &Subject<'a>) -> Vec<(ParserKind, &'a Setting, ParserStatus)> {
    KINDS
        .into_iter()
        .filter_map(|kind| {
            let plugin = if kind == ParserKind::Tool { "tool-parser-plugin" } else { "reasoning-parser-plugin" };
            let setting = s.parser(kind).filter(|_| s.profile.value(plugin).is_none_or(str::is_empty))?;
            let status = parser_status(s.engine, kind, &setting.value, s.version_text.as_deref());
            Some((kind, setting, status))
        })
        .collect()
}

fn unknown(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    for (kind, setting, status) in named(s) {
        let ParserStatus::Unknown { nearest } = status else { continue };
        let message = format!("{} has no {} called `{}`", s.engine_title(), word(kind), setting.value);
        let fix = nearest.map(|name| format!("did you mean `{name}`?")).or_else(|| s.advice(kind));
        out.push(s.error("unknown_parser", setting.span.clone(), message).maybe_fix(fix));
    }
}

fn removed(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    for (kind, setting, status) in named(s) {
        let ParserStatus::Removed { version, replacement } = status else { continue };
        if s.version.is_none() {
            continue;
        }
        let message =
            format!("{} no longer has the {} `{}` (gone by {version})", s.engine_title(), word(kind), setting.value);
        let fix = replacement.map(|name| format!("`{name}` took its place")).or_else(|| s.advice(kind));
        out.push(s.error("removed_parser", setting.span.clone(), message).maybe_fix(fix));
    }
}

fn too_new(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    for (kind, setting, status) in named(s) {
        let ParserStatus::NotYet { since } = status else { continue };
        let message =
            format!("{} does not have the {} `{}` yet: it does not start", s.engine_title(), word(kind), setting.value);
        out.push(
            s.error("parser_needs_newer_engine", setting.span.clone(), message).fix(format!("{since} or newer has it")),
        );
    }
    // None is named because there is none to name.
    if s.tools() == Wanted::Yes
        && s.parser(ParserKind::Tool).is_none()
        && let Some(parser) = s.rule.and_then(|rule| rule.parser(s.engine, ParserKind::Tool))
        && let Some(since) = monban_scorers::catalogue::exists_since(s.engine, ParserKind::Tool, parser)
        && let (Some(version), Some(first)) = (s.version.or_else(|| as_of(s)), Version::parse(since))
        && version < first
    {
        let message = format!("`{parser}`, which reads {}, is first seen in {since}", s.model);
        out.push(s.info("parser_needs_newer_engine", s.absent(), message).fix(format!("{since} or newer has it")));
    }
}

fn word(kind: ParserKind) -> &'static str {
    if kind == ParserKind::Tool { "tool parser" } else { "reasoning parser" }
}

/// vLLM's newest release in a month, for reports that give a date and no version. Source: the releases' dates.
const RELEASES: &[(&str, &str)] = &[
    ("2025-01", "0.7.0"),
    ("2025-02", "0.7.3"),
    ("2025-03", "0.8.2"),
    ("2025-04", "0.8.5"),
    ("2025-06", "0.9.1"),
    ("2025-07", "0.10.0"),
    ("2025-09", "0.10.2"),
    ("2025-10", "0.11.0"),
    ("2025-12", "0.12.0"),
];

/// The version a date stands for; `None` outside the table, where nothing follows from it.
fn as_of(s: &Subject<'_>) -> Option<Version> {
    let text = s.known.engine_version.as_deref().filter(|_| s.engine == "vllm")?;
    RELEASES.iter().find(|(month, _)| text.contains(month)).and_then(|(_, version)| Version::parse(version))
}
