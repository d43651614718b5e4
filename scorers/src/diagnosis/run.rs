//! What a whole run shows and no attempt alone does: [`RunSignals`], folded attempt by attempt, and [`run_findings`].
//!
//! The accumulators are counters: memory follows the number of tasks (bounded), never the attempts.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::run_rules::RUN_RULES;
use super::{Context, Finding};
use crate::completion::Completion;
use crate::fnv::Fnv;
use crate::judge::{Judgement, Outcome, Scored};
use crate::request::{Request, ToolChoice};
use crate::scorer::Verdict;

/// How many tasks are remembered by name.
const TASKS: usize = 256;
/// How many models are remembered by name.
const MODELS: usize = 8;
/// How many scorers are remembered by name.
const SCORERS: usize = 64;

/// What is counted over the attempts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSignals {
    /// Attempts seen.
    pub attempts: u64,
    /// Attempts with an answer.
    pub answered: u64,
    /// Attempts that passed.
    pub passed: u64,
    /// Attempts that failed on a whole answer, without any finding that blames the server.
    pub failed_unblamed: u64,
    /// The tasks of those, a bounded number of them.
    pub failed_tasks: BTreeSet<String>,
    /// How often each scorer passed and failed on what was delivered.
    pub scorers: BTreeMap<String, Tally>,
    /// Attempts that failed on all their expectations though their answers differ: how many distinct answers.
    pub distinct_failures: u64,
    /// Attempts with tools left to the model's choice, where a call was wanted.
    pub auto: CallTally,
    /// Attempts with a forced call.
    pub forced: CallTally,
    /// Attempts with tools whose prompt is shorter than the tools alone.
    pub tools_unseen: u64,
    /// Attempts with tools whose prompt tokens are known.
    pub tools_counted: u64,
    /// Prompt tokens of the same messages with and without tools, by a digest of the messages: bounded.
    pub prompts: BTreeMap<u64, Prompts>,
    /// The model that the requests name.
    pub asked_model: Option<String>,
    /// The models that the answers name, and how often: a bounded number of them.
    pub models: BTreeMap<String, u64>,
    /// The last answer's digest, to tell a constant answer from several.
    pub last_failure: u64,
}

/// Passes and fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Passes.
    pub pass: u64,
    /// Fails.
    pub fail: u64,
}

/// What came of attempts with tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTally {
    /// A proper call arrived.
    pub called: u64,
    /// Prose arrived, with no sign of a call.
    pub prose: u64,
}

/// Prompt tokens of the same messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompts {
    /// With tools.
    pub with: Option<u64>,
    /// Without.
    pub without: Option<u64>,
}

impl RunSignals {
    /// Counts one attempt.
    pub fn add(&mut self, task: &str, request: &Request, judgement: &Judgement) {
        self.attempts += 1;
        let completions: Vec<&Completion> = judgement.answers.iter().filter_map(|answer| answer.completion()).collect();
        let Some(first) = completions.first() else { return };
        self.answered += 1;
        self.add_models(request, &completions);
        self.passed += u64::from(judgement.outcome == Outcome::Passed);
        self.add_verdicts(judgement);
        if judgement.outcome == Outcome::Failed && !super::blames_server(&judgement.findings) {
            self.failed_unblamed += 1;
            let mut digest = Fnv::default();
            digest.add(first.text().as_bytes());
            let digest = digest.0;
            self.distinct_failures += u64::from(digest != self.last_failure);
            self.last_failure = digest;
            if self.failed_tasks.len() < TASKS {
                self.failed_tasks.insert(task.to_owned());
            }
        }
        self.add_calls(request, judgement, first);
        self.add_prompt(request, first);
    }

    fn add_models(&mut self, request: &Request, completions: &[&Completion]) {
        if self.asked_model.is_none() {
            self.asked_model = request.field("model").and_then(|model| model.as_str()).map(short);
        }
        for name in completions.iter().filter_map(|completion| completion.model.as_deref()) {
            if let Some(count) = self.models.get_mut(name) {
                *count += 1;
            } else if !name.is_empty() && self.models.len() < MODELS {
                *self.models.entry(short(name)).or_default() += 1;
            }
        }
    }

    fn add_verdicts(&mut self, judgement: &Judgement) {
        for scored in &judgement.scored {
            if !self.scorers.contains_key(&scored.scorer) && self.scorers.len() >= SCORERS {
                continue;
            }
            let tally = self.scorers.entry(scored.scorer.clone()).or_default();
            match scored.delivered {
                Verdict::Pass => tally.pass += 1,
                Verdict::Fail(_) => tally.fail += 1,
                Verdict::NotScored(_) => {}
            }
        }
    }

    fn add_calls(&mut self, request: &Request, judgement: &Judgement, first: &Completion) {
        if request.tools.is_empty() || first.is_truncated() {
            return;
        }
        let wanted = judgement.scored.iter().any(|scored| scored.scorer.starts_with("tool_call"));
        let tally = match request.tool_choice {
            Some(ToolChoice::Required | ToolChoice::Named(_)) => &mut self.forced,
            None | Some(ToolChoice::Auto) if wanted => &mut self.auto,
            _ => return,
        };
        if first.tool_calls.is_empty() {
            // Prose that was right to come says nothing.
            let missed = |scored: &Scored| {
                scored.scorer.starts_with("tool_call") && matches!(scored.delivered, Verdict::Fail(_))
            };
            if !judgement.scored.iter().any(missed) {
                return;
            }
            tally.prose += u64::from(judgement.findings.is_empty() && !first.is_empty_answer());
        } else {
            tally.called += 1;
        }
    }

    fn add_prompt(&mut self, request: &Request, first: &Completion) {
        let Some(tokens) = first.usage.and_then(|usage| usage.prompt_tokens).filter(|tokens| *tokens > 0) else {
            return;
        };
        if !request.tools.is_empty() {
            let tools = request.field("tools").map(|tools| tools.to_string().len()).unwrap_or_default();
            self.tools_counted += 1;
            self.tools_unseen += u64::from(tokens < (tools / 6) as u64);
        }
        let key = request.conversation();
        if self.prompts.len() < TASKS || self.prompts.contains_key(&key) {
            let prompts = self.prompts.entry(key).or_default();
            let place = if request.tools.is_empty() { &mut prompts.without } else { &mut prompts.with };
            *place = Some(tokens);
        }
    }
}

/// As much of a hostile name as is kept.
fn short(name: &str) -> String {
    name.chars().take(200).collect()
}

/// The findings about the run as a whole.
#[must_use]
pub fn run_findings(signals: &RunSignals, context: &Context) -> Vec<Finding> {
    RUN_RULES.iter().filter_map(|rule| (rule.check)(signals, context)).collect()
}
