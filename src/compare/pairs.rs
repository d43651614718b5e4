//! The paired attempts of two runs: same suite, task and attempt number, judged on both sides.

use monban_scorers::Outcome;
use serde::Serialize;

use super::side::Side;
use super::stats::{mcnemar_exact, repeat_z};

/// The most flips that are listed.
const LISTED: usize = 200;

/// What became of the pairs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Pairs {
    /// Attempts judged on both sides.
    pub judged: u64,
    /// Passed on both.
    pub both_passed: u64,
    /// Failed on both.
    pub both_failed: u64,
    /// Passed only in the first run.
    pub only_a: u64,
    /// Passed only in the second run.
    pub only_b: u64,
    /// Pairs in which a side was not judged (errors, truncation, server faults): no evidence either way.
    pub unjudged: u64,
    /// Exact McNemar over the judged pairs, two-sided.
    pub p: f64,
    /// Mean difference of the tasks' pass rates (second − first) and its standard error, where repeats tell the noise.
    pub repeats: Option<(f64, f64)>,
    /// The pairs that flipped, or are judged on one side only.
    pub flips: Vec<Flip>,
}

/// A pair whose outcomes differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flip {
    /// The suite.
    pub suite: String,
    /// The task.
    pub task: String,
    /// The attempt, from 0.
    pub attempt: u32,
    /// The outcome in the first run.
    pub a: Outcome,
    /// The outcome in the second run.
    pub b: Outcome,
}

impl Pairs {
    /// Pairs two runs.
    #[must_use]
    pub fn of(a: &Side, b: &Side) -> Self {
        let mut pairs = Self::default();
        let mut tasks = Vec::new();
        for (key, left) in &a.outcomes {
            let Some(right) = b.outcomes.get(key) else { continue };
            let mut rates = [(0, 0); 2];
            for (attempt, outcomes) in
                left.iter().filter_map(|(attempt, a)| Some((*attempt, [*a, *right.get(attempt)?])))
            {
                for (rate, outcome) in rates.iter_mut().zip(outcomes) {
                    rate.0 += u64::from(outcome == Outcome::Passed);
                    rate.1 += u64::from(is_judged(outcome));
                }
                pairs.count(key, attempt, outcomes);
            }
            tasks.push(rates);
        }
        pairs.p = mcnemar_exact(pairs.only_a, pairs.only_b);
        pairs.repeats = repeat_z(&tasks);
        pairs
    }

    fn count(&mut self, key: &(String, String), attempt: u32, [a, b]: [Outcome; 2]) {
        if is_judged(a) && is_judged(b) {
            self.judged += 1;
            *match (a, b) {
                (Outcome::Passed, Outcome::Passed) => &mut self.both_passed,
                (Outcome::Passed, _) => &mut self.only_a,
                (_, Outcome::Passed) => &mut self.only_b,
                _ => &mut self.both_failed,
            } += 1;
        } else {
            self.unjudged += 1;
        }
        if a != b && self.flips.len() < LISTED {
            self.flips.push(Flip { suite: key.0.clone(), task: key.1.clone(), attempt, a, b });
        }
    }
}

fn is_judged(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Passed | Outcome::Failed)
}
