//! The catalogue's files as types, parsed once. Main type: [`Catalogue`].
//!
//! A file that does not parse reads as empty, so that nothing here can panic; a test sees to it that none does.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::entries::{EngineDef, Family, FamilyKind, Note, ParserDef};
use super::model::ModelRule;

/// Everything but the matrices and the patterns.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Catalogue {
    /// The families of tool-call markup.
    pub tools: Vec<Family>,
    /// The families of reasoning markup.
    pub reasoning: Vec<Family>,
    /// Which model wants which parsers, the first match decides.
    pub models: Vec<ModelRule>,
    /// The engines and gateways.
    pub engines: Vec<EngineDef>,
    /// Known facts.
    pub notes: Vec<Note>,
    /// The versions whose parser names were read, oldest first, by engine.
    pub versions: BTreeMap<String, Vec<String>>,
    /// Parser names by engine.
    pub(super) parsers: BTreeMap<String, ParserTables>,
}

/// An engine's parsers of both kinds.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ParserTables {
    pub(super) tool: BTreeMap<String, ParserDef>,
    pub(super) reasoning: BTreeMap<String, ParserDef>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FamiliesFile {
    tool: Vec<Family>,
    reasoning: Vec<Family>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ModelsFile {
    rule: Vec<ModelRule>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct EnginesFile {
    engine: Vec<EngineDef>,
    note: Vec<Note>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ParsersFile {
    versions: BTreeMap<String, Vec<String>>,
    #[serde(flatten)]
    engines: BTreeMap<String, ParserTables>,
}

/// The embedded files, by name.
pub(super) const FAMILIES: &str = include_str!("../../catalogue/families.toml");
pub(super) const MODELS: &str = include_str!("../../catalogue/models.toml");
pub(super) const ENGINES: &str = include_str!("../../catalogue/engines.toml");
pub(super) const PARSERS: &str = include_str!("../../catalogue/parsers.toml");

/// Reads an embedded file.
pub(super) fn read<T: DeserializeOwned + Default>(text: &str) -> T {
    toml::from_str(text).unwrap_or_default()
}

impl Catalogue {
    /// Reads the embedded files, or says what is wrong with them.
    pub(super) fn load() -> Result<Self, toml::de::Error> {
        let mut families: FamiliesFile = toml::from_str(FAMILIES)?;
        families.reasoning.iter_mut().for_each(|family| family.kind = FamilyKind::Reasoning);
        let engines: EnginesFile = toml::from_str(ENGINES)?;
        let mut parsers: ParsersFile = toml::from_str(PARSERS)?;
        for (engine, tables) in &mut parsers.engines {
            let checked = parsers.versions.get(engine).map_or(&[][..], Vec::as_slice);
            tables.tool.values_mut().chain(tables.reasoning.values_mut()).for_each(|def| def.date(checked));
        }
        let models: ModelsFile = toml::from_str(MODELS)?;
        Ok(Self {
            tools: families.tool,
            reasoning: families.reasoning,
            models: models.rule,
            engines: engines.engine,
            notes: engines.note,
            versions: parsers.versions,
            parsers: parsers.engines,
        })
    }

    /// The family called `name`; of two with one name the tool family.
    #[must_use]
    pub fn family(&self, name: &str) -> Option<&Family> {
        self.families().find(|family| family.name == name)
    }

    /// The family of a kind called `name`.
    #[must_use]
    pub fn family_of(&self, kind: FamilyKind, name: &str) -> Option<&Family> {
        self.families().find(|family| family.kind == kind && family.name == name)
    }

    /// Every family: tool calls, then reasoning.
    pub fn families(&self) -> impl Iterator<Item = &Family> {
        self.tools.iter().chain(&self.reasoning)
    }

    /// The engines whose parsers have names, in the order of their names.
    pub fn engines_with_parsers(&self) -> impl Iterator<Item = &str> {
        self.parsers.keys().map(String::as_str)
    }
}

/// The facts, parsed when first asked for.
///
/// ```
/// let family = monban_scorers::catalogue::catalogue().family("gemma4").expect("known");
/// assert_eq!(family.parsers("vllm"), ["gemma4"]);
/// ```
#[must_use]
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(|| Catalogue::load().unwrap_or_default())
}
