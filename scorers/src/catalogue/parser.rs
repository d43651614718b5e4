//! Parser names: which engine and version knows them, what they read, what was meant by one it does not know.

use super::data::catalogue;
use super::engine::engine_def;
use super::entries::{FamilyKind, ParserDef, ParserKind};
use super::version::Version;

/// Whether an engine's version knows a parser name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParserStatus {
    /// It does.
    Known,
    /// The name came later.
    NotYet {
        /// The first checked version that has it.
        since: &'static str,
    },
    /// The name was taken away.
    Removed {
        /// The first checked version without it.
        version: &'static str,
        /// What took its place.
        replacement: Option<&'static str>,
    },
    /// No version has such a name.
    Unknown {
        /// What was meant, as far as one can tell.
        nearest: Option<&'static str>,
    },
    /// Nothing is known of the engine's parser names, or it has none.
    NoNames,
}

/// The entry of a parser name.
#[must_use]
pub fn parser_def(engine: &str, kind: ParserKind, name: &str) -> Option<&'static ParserDef> {
    entry(engine, kind, name).map(|(_, def)| def)
}

/// The families a parser reads, the one it was made for first; empty for names that are not known.
#[must_use]
pub fn parser_families(engine: &str, kind: ParserKind, name: &str) -> &'static [String] {
    parser_def(engine, kind, name).map_or(&[], |def| &def.reads)
}

/// The family a tool parser was made for, else the one a reasoning parser of that name was: `hermes` reads `hermes_json`.
#[must_use]
pub fn parser_family(engine: &str, name: &str) -> Option<&'static str> {
    [FamilyKind::Tool, FamilyKind::Reasoning]
        .into_iter()
        .find_map(|kind| parser_families(engine, kind, name).first())
        .map(String::as_str)
}

/// Since which checked version an engine has a name; `None` where that is not known.
#[must_use]
pub fn exists_since(engine: &str, kind: ParserKind, name: &str) -> Option<&'static str> {
    parser_def(engine, kind, name)?.since.as_deref()
}

/// The names an engine's version knows, in alphabetical order; every name without a version.
#[must_use]
pub fn parser_names(engine: &str, kind: ParserKind, version: Option<&str>) -> Vec<&'static str> {
    let version = version.and_then(Version::parse);
    let names = table(engine, kind).into_iter().flatten();
    names.filter(|(_, def)| status_of(def, version) == ParserStatus::Known).map(|(name, _)| name.as_str()).collect()
}

/// Whether an engine's version knows a parser name. Without a version: whether any does.
#[must_use]
pub fn parser_status(engine: &str, kind: ParserKind, name: &str, version: Option<&str>) -> ParserStatus {
    let Some(table) = table(engine, kind).filter(|table| !table.is_empty()) else { return ParserStatus::NoNames };
    let accepted = engine_def(engine).is_some_and(|def| def.accepts.iter().any(|word| word == name));
    match table.get(name) {
        Some(def) => status_of(def, version.and_then(Version::parse)),
        None if accepted => ParserStatus::Known,
        None => ParserStatus::Unknown { nearest: nearest(engine, kind, name, version) },
    }
}

/// The status of a name at a version. Between two checked versions nobody looked: the name counts as known.
pub(super) fn status_of(def: &'static ParserDef, version: Option<Version>) -> ParserStatus {
    let Some(version) = version else { return ParserStatus::Known };
    if let (Some(removed), Some(gone_by)) = (&def.removed, def.gone_by)
        && gone_by <= version.released()
    {
        return ParserStatus::Removed { version: removed, replacement: def.replaced_by.as_deref() };
    }
    match &def.since {
        Some(since) if def.lacked_by.is_some_and(|before| version <= before) => ParserStatus::NotYet { since },
        _ => ParserStatus::Known,
    }
}

/// The name that was meant: renamed, spelled otherwise, another engine's, or mistyped.
fn nearest(engine: &str, kind: ParserKind, name: &str, version: Option<&str>) -> Option<&'static str> {
    let names = parser_names(engine, kind, version);
    let plain = plain(name);
    if plain.is_empty() || plain.len() > 60 {
        return None;
    }
    let respelled = names.iter().find(|known| {
        let def = parser_def(engine, kind, known);
        self::plain(known) == plain || def.is_some_and(|def| def.also_spelled.iter().any(|other| other == name))
    });
    respelled.copied().or_else(|| foreign(engine, kind, name, &names)).or_else(|| mistyped(&plain, &names))
}

/// This engine's parser for what another engine calls `name`.
fn foreign(engine: &str, kind: ParserKind, name: &str, names: &[&'static str]) -> Option<&'static str> {
    let others = catalogue().engines_with_parsers().filter(|other| *other != engine);
    let mut families = others.filter_map(|other| parser_families(other, kind, name).first());
    let family = families.next().and_then(|family| catalogue().family_of(kind, family))?;
    family.parsers(engine).iter().map(String::as_str).find(|own| names.contains(own))
}

fn mistyped(plain: &str, names: &[&'static str]) -> Option<&'static str> {
    let likeness = |name: &str| strsim::jaro_winkler(plain, &self::plain(name));
    names
        .iter()
        .copied()
        .map(|name| (likeness(name), name))
        .filter(|(score, _)| *score >= 0.84)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// A name without case and separators.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

type Table = std::collections::BTreeMap<String, ParserDef>;

fn table(engine: &str, kind: ParserKind) -> Option<&'static Table> {
    let tables = catalogue().parsers.get(engine)?;
    Some(if kind == FamilyKind::Tool { &tables.tool } else { &tables.reasoning })
}

pub(super) fn entry(engine: &str, kind: ParserKind, name: &str) -> Option<(&'static str, &'static ParserDef)> {
    table(engine, kind)?.get_key_value(name).map(|(name, def)| (name.as_str(), def))
}

/// The deprecated spelling of a parser's name, which older versions know alone.
pub(super) fn older_spelling(engine: &str, kind: ParserKind, name: &str) -> Option<&'static str> {
    let mut entries = table(engine, kind)?.iter();
    entries.find(|(_, def)| def.preferred.as_deref() == Some(name)).map(|(older, _)| older.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: ParserKind = FamilyKind::Tool;
    const REASONING: ParserKind = FamilyKind::Reasoning;

    #[track_caller]
    fn vllm(kind: ParserKind, name: &str, version: &str, expected: ParserStatus) {
        assert_eq!(parser_status("vllm", kind, name, Some(version)), expected, "{name} in {version}");
    }

    #[test]
    fn names_come_and_go() {
        vllm(TOOL, "gemma4", "0.11.2", ParserStatus::NotYet { since: "0.19.1" });
        vllm(TOOL, "gemma4", "0.19.1", ParserStatus::Known);
        vllm(TOOL, "gemma4", "0.20.1 (maintainer check)", ParserStatus::Known);
        vllm(TOOL, "minimax", "0.23.0", ParserStatus::Known);
        vllm(TOOL, "minimax", "0.24.0", ParserStatus::Removed { version: "0.24.0", replacement: None });
        vllm(TOOL, "glm4_moe", "0.10.1", ParserStatus::Removed { version: "0.10.1", replacement: Some("glm45") });
        vllm(TOOL, "glm45", "0.10.0", ParserStatus::NotYet { since: "0.10.1" });
        vllm(
            REASONING,
            "GptOss",
            "0.33.0",
            ParserStatus::Removed { version: "0.10.2", replacement: Some("openai_gptoss") },
        );
        vllm(TOOL, "gemma4", "not reported", ParserStatus::Known);
    }

    #[test]
    fn between_checked_versions_a_name_counts_as_known() {
        vllm(TOOL, "step3p5", "0.15.1", ParserStatus::Known);
        vllm(TOOL, "step3p5", "0.14.1", ParserStatus::NotYet { since: "0.16.0" });
        vllm(TOOL, "gemma4", "0.19.0rc1", ParserStatus::Known);
    }

    #[test]
    fn says_what_was_meant() {
        for (engine, name, nearest) in [
            ("vllm", "deepseekv3", Some("deepseek_v3")),
            ("vllm", "qwen25", Some("hermes")),
            ("vllm", "qwen3-coder", Some("qwen3_coder")),
            ("vllm", "hermse", Some("hermes")),
            ("sglang", "deepseek_v31", Some("deepseekv31")),
            ("sglang", "openai", Some("gpt-oss")),
            ("tensorrt_llm", "deepseekv3", Some("deepseek_v3")),
            ("vllm", "zzz", None),
            ("vllm", "", None),
        ] {
            let status = parser_status(engine, TOOL, name, None);
            assert_eq!(status, ParserStatus::Unknown { nearest }, "{engine} {name}");
        }
    }

    #[test]
    fn what_is_meant_exists_in_the_version() {
        let status = parser_status("vllm", TOOL, "gemma-4", Some("0.11.2"));
        assert_ne!(status, ParserStatus::Unknown { nearest: Some("gemma4") });
    }

    #[test]
    fn words_that_are_no_names() {
        assert_eq!(parser_status("sglang", TOOL, "auto", Some("0.5.23")), ParserStatus::Known);
        assert_eq!(parser_status("llama_cpp", TOOL, "hermes", None), ParserStatus::NoNames);
    }

    #[test]
    fn parsers_read_families() {
        assert_eq!(parser_family("vllm", "hermes"), Some("hermes_json"));
        assert_eq!(parser_family("sglang", "qwen25"), Some("hermes_json"));
        assert_eq!(parser_family("vllm", "deepseek_r1"), Some("think_start_in_prompt"));
        assert_eq!(parser_family("vllm", "granite"), Some("granite31_json"));
        assert_eq!(parser_family("vllm", "no_such"), None);
    }
}
