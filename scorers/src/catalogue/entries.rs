//! The entries of the catalogue's files: families, engines, parser names, notes. Plain data, as the files have it.

use serde::Deserialize;

use super::version::Version;

/// Tool calls or reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FamilyKind {
    /// Tool-call markup.
    #[default]
    Tool,
    /// Reasoning markup.
    Reasoning,
}

/// The two kinds of parsers an engine has are the two kinds of families.
pub type ParserKind = FamilyKind;

/// A markup family: what its models write, and which parsers read it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Family {
    /// Tool calls or reasoning.
    #[serde(skip)]
    pub kind: FamilyKind,
    /// The name, `snake_case`.
    pub name: String,
    /// One line: what it looks like.
    pub looks_like: String,
    /// Raw text: a call of `get_weather`, or a thought and an answer.
    pub example: Option<String>,
    /// The example after the server stripped special tokens, where that is known.
    pub stripped: Option<String>,
    /// The family this is a variant of.
    pub variant_of: Option<String>,
    /// The family whose bytes these are: nothing in a text tells the two apart.
    pub same_bytes_as: Option<String>,
    /// The name the matrix has for it, where another.
    pub measured_as: Option<String>,
    /// Whether the delimiters are special tokens: `yes`, `no`, `unverified`, or which of them.
    pub special_tokens: String,
    /// Patterns of model ids that write it.
    pub models: Vec<String>,
    /// What it is confused with.
    pub confused_with: Vec<String>,
    /// The opening marker of reasoning.
    pub start: Option<String>,
    /// The closing marker of reasoning.
    pub end: Option<String>,
    /// Who writes the opening marker: `prompt`, `model`, `request` (the prompt, where asked for) or `varies`.
    pub opened_by: String,
    /// The same at length.
    pub opening: Option<String>,
    /// Whether its models think unasked: `on`, `off` or `varies`.
    pub thinking: String,
    /// The same at length.
    #[serde(rename = "default")]
    pub default_thinking: Option<String>,
    /// How thinking is switched.
    pub toggle: Option<String>,
    /// The shape of the reasoning matrix that it writes.
    pub shape: Option<String>,
    /// What else is known.
    pub note: Option<String>,
    vllm: Vec<String>,
    sglang: Vec<String>,
    tensorrt_llm: Vec<String>,
    atlas: Vec<String>,
}

impl Family {
    /// The engine's parsers that are made for it, the usual one first; empty for engines without parser names.
    #[must_use]
    pub fn parsers(&self, engine: &str) -> &[String] {
        match engine {
            "vllm" => &self.vllm,
            "sglang" => &self.sglang,
            "tensorrt_llm" => &self.tensorrt_llm,
            "atlas" => &self.atlas,
            _ => &[],
        }
    }

    /// The family's name in the matrix.
    #[must_use]
    pub fn measured_name(&self) -> &str {
        self.measured_as.as_deref().or(self.same_bytes_as.as_deref()).unwrap_or(&self.name)
    }
}

/// An engine or a gateway.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct EngineDef {
    /// The canonical name: `vllm`, `llama_cpp`, …
    pub id: String,
    /// How it spells itself.
    pub title: String,
    /// It answers for another engine.
    pub gateway: bool,
    /// Other spellings, lower case.
    pub aliases: Vec<String>,
    /// The flags that set a tool parser, `{}` for its name.
    pub tool_flags: Option<String>,
    /// The flags that set a reasoning parser, `{}` for its name.
    pub reasoning_flags: Option<String>,
    /// What to do where no flag names a tool parser.
    pub tool_advice: Option<String>,
    /// What to do where no flag names a reasoning parser.
    pub reasoning_advice: Option<String>,
    /// What a request with tools gets from a server without a tool parser.
    pub no_tools: Option<String>,
    /// What a parser name it does not know leads to.
    pub unknown_parser: Option<String>,
    /// Values of a parser flag that are no parser names.
    pub accepts: Vec<String>,
    /// It learns from the chat template that the prompt opens the reasoning block.
    pub reads_template: bool,
    pub(super) reasoning_fields: Vec<FieldNames>,
}

/// The keys reasoning comes under, from a version on.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct FieldNames {
    pub(super) since: Option<String>,
    pub(super) keys: Vec<String>,
}

/// A known fact.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Note {
    /// The engine's canonical name.
    pub engine: String,
    /// What it is about.
    pub topic: String,
    /// The fact.
    pub text: String,
    /// Where it was read.
    pub source: String,
}

/// A parser name of an engine.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ParserDef {
    /// The first checked version that has it; `None` where versions were not compared.
    pub since: Option<String>,
    /// The last checked version that has it, where it was removed.
    pub last: Option<String>,
    /// The first checked version that lacks it again.
    pub removed: Option<String>,
    /// What took its place.
    pub replaced_by: Option<String>,
    /// The spelling to prefer.
    pub preferred: Option<String>,
    /// Earlier or other spellings.
    pub also_spelled: Vec<String>,
    /// It comes in a file of its own, loaded by another flag.
    pub plugin: bool,
    /// The families it reads, the one it was made for first.
    pub reads: Vec<String>,
    /// The parser it acts like while the request does not switch thinking off: text is reasoning from the start.
    pub forced_like: Option<String>,
    /// Its markers are stripped before it sees them where the request offers no tools.
    pub blind_without_tools: bool,
    /// What else is known.
    pub note: Option<String>,
    /// The last checked version before it came.
    #[serde(skip)]
    pub(super) lacked_by: Option<Version>,
    /// `removed`, parsed.
    #[serde(skip)]
    pub(super) gone_by: Option<Version>,
}

impl ParserDef {
    /// Works out between which of the checked versions it lives.
    pub(super) fn date(&mut self, checked: &[String]) {
        let first = checked.iter().position(|version| Some(version) == self.since.as_ref());
        let before = first.and_then(|index| index.checked_sub(1)).and_then(|index| checked.get(index));
        self.lacked_by = before.and_then(|version| Version::parse(version));
        self.gone_by = self.removed.as_deref().and_then(Version::parse);
    }
}
