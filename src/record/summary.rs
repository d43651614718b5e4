//! The fold of a run's events: [`RunRecord`], bounded by the suite and never by the number of attempts.

use monban_scorers::Finding;
use serde::{Deserialize, Serialize};

use super::event::{RunEnd, RunStart};
use super::histogram::Histogram;

/// A run as its reports see it. `manifest.json` is this, as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRecord {
    /// What was fixed at the start.
    pub start: RunStart,
    /// How it ended; `None` while it runs or after a kill.
    pub end: Option<RunEnd>,
    /// One for each of `start.tasks`, in order.
    pub tasks: Vec<TaskRecord>,
    /// Attempts by outcome.
    pub counts: Counts,
    /// The figures of all exchanges.
    pub performance: Performance,
    /// Merged: one for each rule and fix, with a count and bounded evidence. The most severe first.
    pub findings: Vec<Finding>,
}

/// One task over its attempts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskRecord {
    /// Attempts by outcome.
    pub counts: Counts,
    /// Attempts whose intent passed (passed, or `server_fault`).
    pub intent_passed: u64,
    /// Attempts with a judged intent.
    pub intent_judged: u64,
    /// Why the first red attempt is red, in one line.
    pub why: String,
    /// The figures of this task.
    pub latency_us: Histogram,
    /// Time to first token, streamed exchanges.
    pub ttft_us: Histogram,
}

/// Attempts by outcome. `attempts` is the sum of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "each is the count of the outcome it is named after")]
pub struct Counts {
    pub tasks: u64,
    pub attempts: u64,
    pub passed: u64,
    pub failed: u64,
    pub truncated: u64,
    pub server_fault: u64,
    pub error: u64,
    pub skipped: u64,
}

/// passed / (passed + failed), with what it could be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rates {
    /// `None` when nothing was judged.
    pub pass: Option<f64>,
    /// Were everything unjudged a failure.
    pub pass_low: Option<f64>,
    /// Were everything unjudged a pass.
    pub pass_high: Option<f64>,
    /// Wilson's 95 % interval of `pass`.
    pub ci95: Option<[f64; 2]>,
    /// The rate on what the model wrote.
    pub intent: Option<f64>,
}

/// What the run amounts to; the order is the precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunVerdict {
    /// Too little was answered to say. Exit 4.
    Invalid,
    /// The red is the server's. Exit 3.
    Misconfigured,
    /// Complete answers, judged wrong. Exit 1.
    Fail,
    /// Exit 0.
    Pass,
}

/// The figures of all exchanges.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Performance {
    /// Whole answers.
    pub latency_us: Histogram,
    /// First token of any kind.
    pub ttft_us: Histogram,
    /// First reasoning token.
    pub ttft_reasoning_us: Histogram,
    /// First text token.
    pub ttft_text_us: Histogram,
    /// First tool token.
    pub ttft_tool_us: Histogram,
    /// Exchanges, answered or not.
    pub exchanges: u64,
    /// Exchanges without an answer.
    pub errors: u64,
    /// Retried tries.
    pub retries: u64,
    /// Tokens of all prompts.
    pub prompt_tokens: u64,
    /// Tokens generated.
    pub completion_tokens: u64,
    /// Microseconds spent generating those tokens (latency − TTFT where streamed, latency where not).
    pub generation_us: u64,
    /// Wall time of the asking, milliseconds.
    pub wall_ms: u64,
}
