//! One model family's raw markup for tool calls and reasoning: recognise, parse, render.
//!
//! A dialect never repairs silently: what it had to mend is in [`Reread::repairs`].

use serde_json::{Map, Value};

use crate::completion::{Completion, Deviation};
use crate::request::Request;

/// A call in typed form, as a dialect parses and renders it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// The function's name.
    pub name: String,
    /// Its arguments, typed (guided by the declared schema where the markup has no types).
    pub arguments: Map<String, Value>,
    /// The id the markup carries, where it carries one.
    pub id: Option<String>,
}

/// What helps a reading: what was declared, and what is known of the model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// The request: declared tools and their schemas.
    pub request: Option<&'a Request>,
    /// The model id, where known: settles markup that several families share.
    pub model: Option<&'a str>,
}

/// How sure a recognition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// Only fits because a declared tool is named and its keys fit (bare JSON, pythonic, stripped tokens).
    Weak,
    /// Markers with part missing (stripped special tokens, damaged or only closing markers).
    Partial,
    /// The family's own markers, whole.
    Strong,
}

/// Markup found in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognition {
    /// The family (or the representative of families with the same bytes).
    pub family: &'static str,
    /// Byte range of the markup within the text.
    pub span: std::ops::Range<usize>,
    /// How sure.
    pub strength: Strength,
    /// The special tokens around it were stripped by the server.
    pub stripped: bool,
    /// The markup is damaged or unfinished; how.
    pub damage: Option<String>,
}

/// A text read in a dialect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// The text outside the markup, trimmed of the blank lines the markup leaves.
    pub text: String,
    /// What had to be mended: kinds as in [`Deviation`].
    pub repairs: Vec<Deviation>,
}

/// One family's tool-call markup.
#[derive(Clone, Copy)]
pub struct ToolDialect {
    /// The family's name in the catalogue.
    pub family: &'static str,
    /// Families that write the same bytes.
    pub same_as: &'static [&'static str],
    /// One line: what it looks like.
    pub looks_like: &'static str,
    /// Finds the markup in a text. Linear, never panics.
    pub recognise: fn(&str, &Hints<'_>) -> Option<Recognition>,
    /// Reads every call in a text. Linear, never panics. `None` when there is none to read.
    pub parse: fn(&str, &Hints<'_>) -> Option<Parsed>,
    /// What a model of the family writes for these calls.
    pub render: fn(&[Call]) -> String,
}

/// One family's reasoning markup.
#[derive(Clone, Copy)]
pub struct ReasoningDialect {
    /// The family's name in the catalogue.
    pub family: &'static str,
    /// One line: what it looks like.
    pub looks_like: &'static str,
    /// Splits a text into reasoning and answer. `None` when the family's markers are not in it.
    pub split: fn(&str) -> Option<Split>,
    /// What a model of the family writes; `prefilled` when the opening marker stands in the prompt.
    pub render: fn(reasoning: &str, answer: &str, prefilled: bool) -> String,
}

/// A text split into reasoning and answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// The family.
    pub family: &'static str,
    /// What was thought.
    pub reasoning: String,
    /// What was answered.
    pub answer: String,
    /// Only the closing marker was there (the opening one stood in the prompt).
    pub prefilled: bool,
    /// The closing marker never came.
    pub unclosed: bool,
    /// The special tokens around it were stripped by the server.
    pub stripped: bool,
}

/// A completion as the model wrote it: content, reasoning field and tool calls read together.
#[derive(Clone, Debug, PartialEq)]
pub struct Reread {
    /// The completion a right parser would have delivered.
    pub completion: Completion,
    /// The family whose tool markup was found, and where (`content`, `reasoning`, `tool_calls`).
    pub tool: Option<(Recognition, &'static str)>,
    /// The reasoning markup found in the text.
    pub reasoning: Option<Split>,
    /// What was done to get there: booked, never silent.
    pub repairs: Vec<Deviation>,
}

/// Re-reads a completion the way the model meant it. `None` when nothing in it calls for another reading.
///
/// Guards against false alarms: markup that quotes, that names no declared tool, or that stands in a code sample is left alone.
#[must_use]
pub fn reread(_completion: &Completion, _request: &Request, _hints: &Hints<'_>) -> Option<Reread> {
    None
}

/// The tool markup of a text: the strongest recognition over all dialects.
#[must_use]
pub fn recognise(_text: &str, _hints: &Hints<'_>) -> Option<Recognition> {
    None
}

/// Every tool dialect, in the order of the classifier. A test walks it.
pub static TOOL_DIALECTS: &[&ToolDialect] = &[];

/// Every reasoning dialect. A test walks it.
pub static REASONING_DIALECTS: &[&ReasoningDialect] = &[];
