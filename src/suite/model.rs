//! What a suite means: [`Suite`], [`Task`], [`Tool`]. Every expectation is parsed and ready to judge.

use std::sync::Arc;

use monban_scorers::Expectation;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Whether answers are asked streamed, plain, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum StreamMode {
    /// Streamed.
    On,
    /// Plain.
    #[default]
    Off,
    /// One exchange of each; every expectation must hold on both.
    Both,
}

impl StreamMode {
    /// The modes of one attempt's exchanges, in the order asked.
    #[must_use]
    pub fn modes(self) -> &'static [monban_scorers::Mode] {
        use monban_scorers::Mode::{Plain, Stream};
        match self {
            Self::On => &[Stream],
            Self::Off => &[Plain],
            Self::Both => &[Stream, Plain],
        }
    }
}

/// A suite, read and understood.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Suite {
    /// kebab-case; part of run ids.
    pub name: String,
    /// Semantic version.
    pub version: String,
    /// One line.
    pub description: String,
    /// How its tasks are asked unless the command line says otherwise.
    pub stream: StreamMode,
    /// `builtin:smoke`, or the path as given.
    pub source: String,
    /// `sha256:` of what it asks and how it judges: not of its bytes, name or description.
    pub digest: String,
    /// The declared tools, in order.
    pub tools: Vec<Tool>,
    /// The tasks, in order; a dataset's rows where the dataset stands: after the written ones.
    pub tasks: Vec<Task>,
}

/// A tool as declared.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tool {
    /// The function's name.
    pub name: String,
    /// The declaration in the form it is sent in: `{"type": "function", "function": {…}}`.
    pub declaration: Value,
    /// Its size as JSON text, bytes: each task that offers it carries it.
    pub(super) size: usize,
    /// The parameters' schema, compiled; `None` where it is none.
    pub(super) validator: Option<Arc<jsonschema::Validator>>,
}

/// A task with everything resolved.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Task {
    /// Unique within the suite, stable: results are compared by it.
    pub id: String,
    /// For filters.
    pub tags: Vec<String>,
    /// How many attempts it gets.
    pub repeat: u32,
    /// The request body but for `model` and `stream`: defaults, overrides and tools merged.
    pub request: Map<String, Value>,
    /// The expectations as written.
    pub expect: Vec<Value>,
    /// The expectations, ready to judge; one for each of `expect`.
    pub expectations: Arc<[Expectation]>,
    /// Where it is written in the suite file, 1-based; a dataset's rows all share theirs.
    pub line: u32,
}
