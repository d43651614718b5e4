//! From the exchanges of one attempt to its [`Outcome`]: delivered and intent verdicts side by side.

use serde::{Deserialize, Serialize};

use crate::completion::{Answer, Deviation, Exchange};
use crate::diagnosis::{Context, Finding};
use crate::request::Request;
use crate::scorer::{Expectation, Verdict};

/// One execution of a task, ready to judge.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// The task's id, for the evidence.
    pub task: &'a str,
    /// What was asked.
    pub request: &'a Request,
    /// The exchanges, in the order asked (streamed and plain; later: turns, judges).
    pub exchanges: &'a [Exchange],
    /// What must hold. Empty in `diagnose`, where only the fault is looked for.
    pub expectations: &'a [Expectation],
    /// What is known of the endpoint.
    pub context: &'a Context,
}

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A complete answer arrived and every expectation holds.
    Passed,
    /// A complete answer arrived and it is wrong.
    Failed,
    /// The answer was cut at the token budget.
    Truncated,
    /// What was delivered is wrong, what the model wrote is right.
    ServerFault,
    /// Nothing was answered.
    Error,
    /// Not asked.
    Skipped,
}

/// One expectation's two verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scored {
    /// The scorer's name (`not contains`, `any(contains, regex)` for combinations).
    pub scorer: String,
    /// On what the client got.
    pub delivered: Verdict,
    /// On what the model wrote. `None` when it is not known (no re-reading was possible or called for: then it is what was delivered).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<Verdict>,
}

/// The judgement of one attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The outcome.
    pub outcome: Outcome,
    /// Each expectation's verdicts, in order.
    pub scored: Vec<Scored>,
    /// What this attempt alone shows of faults.
    pub findings: Vec<Finding>,
    /// The answers as read, one for each exchange.
    pub answers: Vec<Answer>,
    /// What the re-reading did to recover the intent: booked, never silent.
    pub repairs: Vec<Deviation>,
}

/// Judges one attempt: reads the exchanges, scores what was delivered, re-reads where the wire shows a fault, scores
/// that too, and says what it shows.
#[must_use]
pub fn judge(attempt: &Attempt<'_>) -> Judgement {
    let answers: Vec<Answer> = attempt.exchanges.iter().map(crate::completion::read).collect();
    Judgement { outcome: Outcome::Error, scored: Vec::new(), findings: Vec::new(), answers, repairs: Vec::new() }
}
