//! What flags an engine has: [`FlagTable`], read from `flags/*.toml` (which cite their sources).
//!
//! A table answers which flag a spelling means, of what type its value is, and in which versions it exists. It knows
//! nothing of files or rules.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use monban_scorers::catalogue::Version;
use serde::Deserialize;

use super::value::FlagType;

/// One engine's flags. Names are long, with dashes, without the leading ones: `max-model-len`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FlagTable {
    /// Whether every flag of the versions read is here.
    pub complete: bool,
    /// The versions read, oldest first.
    pub versions: Vec<String>,
    flag: BTreeMap<String, [String; 3]>,
    alias: BTreeMap<String, String>,
    means: BTreeMap<String, String>,
    range: BTreeMap<String, Vec<String>>,
    gone: BTreeMap<String, String>,
}

/// A flag a spelling stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'a> {
    /// Its name in this engine.
    pub name: &'a str,
    /// Its meaning in the words all engines share.
    pub key: &'a str,
    /// The switch is turned around: `--no-…`, or a flag that disables.
    pub negated: bool,
    /// The rest after a dot: `method` of `--speculative-config.method`.
    pub path: Option<String>,
}

/// Whether a flag exists in a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It does, or nothing says that it does not.
    There,
    /// The versions read on both sides lack it, and older ones have it.
    Removed,
    /// The versions read on both sides lack it, and newer ones have it.
    NotYet,
    /// Between two versions read, of which one has it.
    Unknown,
}

/// The tables by engine id.
const TABLES: &[(&str, &str)] = &[
    ("vllm", include_str!("flags/vllm.toml")),
    ("sglang", include_str!("flags/sglang.toml")),
    ("tensorrt_llm", include_str!("flags/tensorrt_llm.toml")),
    ("llama_cpp", include_str!("flags/llama_cpp.toml")),
    ("atlas", include_str!("flags/atlas.toml")),
];

/// The flags of an engine by its id (`vllm`, `llama_cpp`, …); an unknown engine has none.
#[must_use]
pub fn flag_table(engine: &str) -> Option<&'static FlagTable> {
    static PARSED: OnceLock<BTreeMap<&'static str, FlagTable>> = OnceLock::new();
    let tables = PARSED.get_or_init(|| {
        // A file that does not parse reads as empty; a test sees to it that none does.
        TABLES.iter().map(|(id, text)| (*id, toml::from_str(text).unwrap_or_default())).collect()
    });
    tables.get(engine)
}

impl FlagTable {
    /// The flag a spelling means: `tp`, `max_model_len`, `no-enable-prefix-caching`, `speculative-config.method`.
    #[must_use]
    pub fn find(&self, spelling: &str) -> Option<Found<'_>> {
        let plain = spelling.replace('_', "-");
        if let Some(found) = self.plain(&plain) {
            return Some(found);
        }
        if let Some((head, path)) = spelling.split_once('.')
            && let Some(found) = self.plain(&head.replace('_', "-"))
            && matches!(self.of(found.name), FlagType::Json | FlagType::Mm)
        {
            return Some(Found { path: Some(path.to_owned()), ..found });
        }
        let found = self.plain(plain.strip_prefix("no-")?)?;
        matches!(self.of(found.name), FlagType::Bool).then_some(Found { negated: !found.negated, ..found })
    }

    fn plain(&self, name: &str) -> Option<Found<'_>> {
        let name = self.alias.get(name).map_or(name, String::as_str);
        let (name, _) = self.flag.get_key_value(name)?;
        let means = self.means.get(name).map_or(name.as_str(), String::as_str);
        let (key, negated) = means.strip_prefix('!').map_or((means, false), |key| (key, true));
        Some(Found { name, key, negated, path: None })
    }

    /// The type of a flag's value.
    #[must_use]
    pub fn of(&self, name: &str) -> FlagType {
        self.flag.get(name).map_or(FlagType::Str, |row| FlagType::parse(&row[0]))
    }

    /// The default in the newest version that has the flag; empty where it is none or is decided at start.
    #[must_use]
    pub fn default_of(&self, name: &str) -> &str {
        self.flag.get(name).map_or("", |row| row[2].as_str())
    }

    /// The bounds the engine checks: `[">0", "<=1"]`.
    #[must_use]
    pub fn range_of(&self, name: &str) -> &[String] {
        self.range.get(name).map_or(&[], Vec::as_slice)
    }

    /// What took the flag's place.
    #[must_use]
    pub fn successor(&self, name: &str) -> Option<&str> {
        self.gone.get(name).map(String::as_str)
    }

    /// The engine's own name of a meaning: `context-length` for `max-model-len` in SGLang.
    #[must_use]
    pub fn name_of<'a>(&'a self, key: &'a str) -> Option<&'a str> {
        let meaning = |(name, means): (&'a String, &'a String)| (means == key).then_some(name.as_str());
        self.means.iter().find_map(meaning).or_else(|| self.flag.contains_key(key).then_some(key))
    }

    /// The flag that turns a meaning off: `disable-radix-cache` for `enable-prefix-caching` in SGLang.
    #[must_use]
    pub fn name_of_negated(&self, key: &str) -> Option<&str> {
        self.means.iter().find_map(|(name, means)| (means.strip_prefix('!') == Some(key)).then_some(name.as_str()))
    }

    /// Every name, and every other spelling longer than three letters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.flag.keys().chain(self.alias.keys().filter(|name| name.len() > 3)).map(String::as_str)
    }

    /// The versions read that have the flag.
    #[must_use]
    pub fn versions_of(&self, name: &str) -> Vec<&str> {
        let row = self.flag.get(name).map_or("", |row| row[1].as_str());
        self.versions
            .iter()
            .zip(row.bytes())
            .filter(|(_, bit)| *bit == b'1')
            .map(|(version, _)| version.as_str())
            .collect()
    }

    /// Whether a flag exists in a version; without one, in the newest read.
    #[must_use]
    pub fn presence(&self, name: &str, version: Option<Version>) -> Presence {
        let Some(row) = self.flag.get(name) else { return Presence::There };
        let bits: Vec<bool> = row[1].bytes().map(|bit| bit == b'1').collect();
        let read: Vec<Version> = self.versions.iter().filter_map(|text| Version::parse(text)).collect();
        if bits.len() != read.len() || bits.is_empty() {
            return Presence::There;
        }
        let at = version.map_or(read.len(), |version| read.partition_point(|known| *known <= version));
        let before = at.checked_sub(1).map(|i| bits[i]);
        let exact = at.checked_sub(1).is_some_and(|i| version.is_none_or(|version| read[i] == version));
        let after = bits.get(at).copied();
        match (before, after) {
            (Some(true), Some(false)) if !exact => Presence::Unknown,
            (Some(true), _) | (None, _) => Presence::There,
            (Some(false), Some(true)) if !exact => Presence::Unknown,
            (Some(false), _) if bits[..at].contains(&true) => Presence::Removed,
            (Some(false), _) => Presence::NotYet,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vllm() -> &'static FlagTable {
        flag_table("vllm").unwrap()
    }

    #[test]
    fn every_table_parses_and_is_coherent() {
        for (id, text) in TABLES {
            let table: FlagTable = toml::from_str(text).unwrap_or_else(|error| panic!("{id}: {error}"));
            assert!(!table.flag.is_empty(), "{id}");
            for (name, row) in &table.flag {
                assert_eq!(row[1].len(), table.versions.len(), "{id}: {name}");
                assert!(FlagType::known(&row[0]), "{id}: {name}: {}", row[0]);
            }
            for target in table.alias.values().chain(table.means.keys()).chain(table.range.keys()) {
                let target = target.strip_prefix("no-").unwrap_or(target);
                assert!(table.flag.contains_key(target), "{id}: {target}");
            }
        }
        assert!(vllm().flag.len() >= 365);
    }

    #[test]
    fn spellings_lead_to_the_flag() {
        let key = |spelling: &str| vllm().find(spelling).map(|found| (found.key.to_owned(), found.negated));
        assert_eq!(key("tp"), Some(("tensor-parallel-size".to_owned(), false)));
        assert_eq!(key("max_model_len"), Some(("max-model-len".to_owned(), false)));
        assert_eq!(key("no-enable-prefix-caching"), Some(("enable-prefix-caching".to_owned(), true)));
        assert_eq!(key("no-max-model-len"), None);
        assert_eq!(vllm().find("speculative-config.method").unwrap().path.as_deref(), Some("method"));
        let sglang = flag_table("sglang").unwrap();
        assert_eq!(sglang.find("context_length").unwrap().key, "max-model-len");
        assert!(sglang.find("disable-radix-cache").unwrap().negated);
    }

    #[test]
    fn presence_is_by_version() {
        let at = |name: &str, version: &str| vllm().presence(name, Version::parse(version));
        assert_eq!(at("swap-space", "0.10.2"), Presence::There);
        assert_eq!(at("swap-space", "0.33.0"), Presence::Removed);
        assert_eq!(at("swap-space", "0.20.0"), Presence::Unknown);
        assert_eq!(at("enable-reasoning", "0.11.0"), Presence::Removed);
        assert_eq!(at("default-chat-template-kwargs", "0.10.0"), Presence::NotYet);
        assert_eq!(at("default-chat-template-kwargs", "0.25.1"), Presence::There);
        assert_eq!(at("tool-call-parser", "0.9.0"), Presence::There);
        assert_eq!(vllm().presence("swap-space", None), Presence::Removed);
    }
}
