//! What the dialects speak of: [`Call`], [`ToolDialect`], [`ReasoningDialect`] and what they find. No logic beyond
//! accessors.

use std::fmt;
use std::ops::Range;

use serde_json::{Map, Value};

use super::ByteSet;
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
    /// The model's own format writes no types: a parser takes them from the schema, and may fail to.
    pub untyped: bool,
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
    pub span: Range<usize>,
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

/// What a grammar finds in a text: the markup, the calls in it, and what had to be mended.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// From the first to the last byte of markup.
    pub span: Range<usize>,
    /// How sure.
    pub strength: Strength,
    /// The special tokens around it were stripped by the server.
    pub stripped: bool,
    /// The markup is damaged or unfinished; how.
    pub damage: Option<String>,
    /// The calls that could be read, in order.
    pub calls: Vec<Call>,
    /// The bytes that are markup, in order, not overlapping.
    pub cuts: Vec<Range<usize>>,
    /// What had to be mended.
    pub repairs: Vec<Deviation>,
}

/// What must be there before a text can hold a piece of markup. By default nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// All these bytes.
    pub bytes: ByteSet,
    /// Declared tools.
    pub tools: bool,
}

/// A way to write calls into text. Linear in the text, never panics.
pub trait Grammar: fmt::Debug + Sync {
    /// Finds the markup and reads the calls in it. `None` when there is none.
    fn scan(&self, text: &str, hints: &Hints<'_>) -> Option<Scan>;
    /// What a text must hold to be worth scanning: one of these.
    fn needs(&self) -> Vec<Need> {
        vec![Need::default()]
    }
    /// What a model writes for these calls.
    fn render(&self, calls: &[Call]) -> String;
}

/// One family's tool-call markup.
#[derive(Clone, Copy, Debug)]
pub struct ToolDialect {
    /// The family's name in the catalogue.
    pub family: &'static str,
    /// Families that write the same bytes, or bytes that cannot be told apart; the representative first.
    pub same_as: &'static [&'static str],
    /// Lower-case parts of model ids that settle between families of the same bytes.
    pub models: &'static [&'static str],
    /// One line: what it looks like.
    pub looks_like: &'static str,
    /// How it reads and writes.
    pub grammar: &'static dyn Grammar,
}

/// One family's reasoning markup.
#[derive(Clone, Copy, Debug)]
pub struct ReasoningDialect {
    /// The family's name in the catalogue.
    pub family: &'static str,
    /// Families that write the same bytes; the representative first.
    pub same_as: &'static [&'static str],
    /// One line: what it looks like.
    pub looks_like: &'static str,
    /// How it reads and writes.
    pub grammar: &'static dyn Thinking,
}

/// A way to write reasoning and answer into one text. Linear in the text, never panics.
pub trait Thinking: fmt::Debug + Sync {
    /// Splits a text. `None` when the family's markers are not in it. The family is left empty.
    fn split(&self, text: &str) -> Option<Split>;
    /// What a text must hold to be worth splitting: one of these.
    fn needs(&self) -> Vec<Need> {
        vec![Need::default()]
    }
    /// What a model writes; `prefilled` when the opening marker stands in the prompt.
    fn render(&self, reasoning: &str, answer: &str, prefilled: bool) -> String;
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
