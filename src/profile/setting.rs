//! One flag or key with its value and place: [`Setting`]; and what could not be read as meant: [`Fault`].

use std::ops::Range;

use serde::Serialize;

/// A text and where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// The text, without quotes.
    pub text: String,
    /// Its bytes in the file.
    pub span: Range<usize>,
}

impl Placed {
    /// A text at a place.
    #[must_use]
    pub fn new(text: impl Into<String>, span: Range<usize>) -> Self {
        Self { text: text.into(), span }
    }
}

/// Where a setting was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A key of its own.
    Field,
    /// A flag among `extra_args`.
    ExtraArg,
    /// A flag of a command line.
    Flag,
    /// A file of options beside the command (TensorRT-LLM's `--config`).
    Options,
}

/// One flag or key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The meaning, in the words all engines share: `max-model-len`. The name itself where nothing is known.
    pub key: String,
    /// The rest after a dot: `method` of `--speculative-config.method`.
    pub path: Option<String>,
    /// As written: `--tp`, `max_model_len`.
    pub name: String,
    /// The value in its one spelling (see [`super::FlagType::canonical`]); as written where it is no such value.
    pub value: String,
    /// What is wrong with the value's type.
    pub mistyped: Option<String>,
    /// Name and value.
    pub span: Range<usize>,
    /// The value alone; the name where it has none.
    pub value_span: Range<usize>,
    /// Whether the engine's table has the name.
    pub known: bool,
    /// Where it was written.
    pub origin: Origin,
}

/// Something that could not be read as it was surely meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which.
    pub kind: FaultKind,
    /// What it is about.
    pub text: String,
    /// Where.
    pub span: Range<usize>,
}

/// The kinds of [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// A list item that holds a flag and its value.
    ItemWithSpace,
    /// A word no flag takes.
    Stray,
    /// `-tool-call-parser`, `–tool-call-parser`.
    WrongDash,
    /// `\` with blanks behind it.
    BrokenContinuation,
    /// A quote that is never closed.
    Unclosed,
    /// A switch with a value.
    SwitchWithValue,
    /// A flag without the value it needs.
    NoValue,
    /// `--config=FILE`, which the engine does not expand.
    JoinedConfig,
}
