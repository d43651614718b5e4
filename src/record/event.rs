//! The events of a run. They own their data; the journal **is** this stream, one JSON object a line.
//!
//! Externally tagged (`{"attempt_done": {…}}`): internally tagged enums cannot hold raw JSON.

use monban_scorers::completion::{Completion, Exchange, Timing, Usage};
use monban_scorers::diagnosis::{Context, Finding};
use monban_scorers::{Outcome, Scored};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "attempts are the common case")]
#[non_exhaustive]
pub enum Event {
    /// The run began: the first line of every journal.
    RunStart(RunStart),
    /// A run was taken up again.
    Resumed {
        /// When, RFC 3339.
        at: String,
    },
    /// An attempt has its outcome.
    AttemptDone(AttemptDone),
    /// A finding about the whole run or the endpoint, not one attempt.
    RunFinding(Finding),
    /// The run ended.
    RunEnd(RunEnd),
}

/// What is fixed when a run begins. Also the head of `manifest.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunStart {
    /// `YYYYMMDD-HHMMSS_<suite>_<profile-or-model>_<environment>_<6 random>`.
    pub run_id: String,
    /// This program's version.
    pub monban_version: String,
    /// When, RFC 3339, UTC.
    pub started: String,
    /// `harness` or `real:<label>`.
    pub environment: String,
    /// The base URL, without credentials.
    pub base_url: String,
    /// The model name sent.
    pub model: String,
    /// `direct`, `gateway:litellm`, …
    pub route: String,
    /// The engine as discovered.
    pub context: Context,
    /// How each fact of the engine was learned: `[{fact, value, source, confidence}]`.
    pub identity: Value,
    /// The profile as recorded: `{file, name, digest, axes, findings, parsed, lines}`; `Null` without one.
    pub profile: Value,
    /// The suites, in order.
    pub suites: Vec<SuiteRef>,
    /// The tasks of the plan, in order: what has to be asked.
    pub tasks: Vec<TaskRef>,
    /// What the run was asked to do, for `--resume` and `compare`: stream mode, concurrency, repeat, timeout, retries,
    /// rate, sampling overrides, filters.
    pub options: Value,
}

/// A suite by name, version and digest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SuiteRef {
    /// The suite's name.
    pub name: String,
    /// The suite's version.
    pub version: String,
    /// `sha256:…` of the suite's meaning (canonical JSON), not of its bytes.
    pub digest: String,
    /// Where it came from: a path, or `builtin:smoke`.
    pub source: String,
}

/// A task of the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskRef {
    /// Index into `suites`.
    pub suite: usize,
    /// The task's id.
    pub id: String,
    /// Its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How many attempts it gets.
    pub repeat: u32,
}

/// One attempt with everything that came over the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttemptDone {
    /// Index into `RunStart::tasks`.
    pub task: usize,
    /// 0-based attempt number.
    pub attempt: u32,
    /// The outcome.
    pub outcome: Outcome,
    /// Each expectation's verdicts.
    pub expectations: Vec<Scored>,
    /// Why, in one line; empty for a pass.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// What this attempt shows of faults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// For each exchange: timing and tokens as read.
    #[serde(default)]
    pub measures: Vec<Measure>,
    /// The wire.
    pub exchanges: Vec<Exchange>,
}

/// The figures of one exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measure {
    /// Whether a completion arrived.
    pub answered: bool,
    /// Whether it was streamed.
    pub streamed: bool,
    /// When what arrived.
    pub timing: Timing,
    /// The token counts.
    pub usage: Usage,
}

impl Measure {
    /// The figures of a completion.
    #[must_use]
    pub fn of(completion: &Completion) -> Self {
        Self {
            answered: true,
            streamed: completion.mode == Some(monban_scorers::Mode::Stream),
            timing: completion.timing,
            usage: completion.usage.unwrap_or_default(),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunEnd {
    /// When, RFC 3339, UTC.
    pub finished: String,
    /// Wall time of the asking, milliseconds (of this part of the run, when resumed).
    pub wall_ms: u64,
    /// `done`, `interrupted`, `circuit_open: <why>`.
    pub reason: String,
}

impl RunEnd {
    /// The reason of a run that its user ended.
    pub const INTERRUPTED: &str = "interrupted";
}
