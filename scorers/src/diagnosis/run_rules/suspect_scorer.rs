//! `suspect_scorer`: a scorer fails every time, on answers that differ, across unrelated tasks.

use super::{RunRule, evidence, finding};
use crate::diagnosis::run::RunSignals;
use crate::diagnosis::{Blame, Confidence, Context, Finding};

pub(super) static RULE: RunRule = RunRule {
    id: "suspect_scorer",
    kind: "other",
    summary: "A scorer fails every time, on differing answers, across \
              unrelated tasks: suspect the suite before the model.",
    manual: "Needs at least six fails and no pass of one scorer, over at least four tasks, in attempts whose answers \
             arrived whole and differ, without a finding that blames the server. A model that is wrong everywhere is \
             possible, and rarer than a reference or an extraction that no answer can meet.",
    check,
};

const FAILS: u64 = 6;
const TASKS: usize = 4;

fn check(signals: &RunSignals, _context: &Context) -> Option<Finding> {
    let whole = signals.failed_unblamed >= FAILS
        && signals.failed_tasks.len() >= TASKS
        && signals.distinct_failures >= TASKS as u64;
    let (name, tally) =
        signals.scorers.iter().find(|(_, tally)| tally.pass == 0 && tally.fail >= FAILS).filter(|_| whole)?;
    let message = format!(
        "`{name}` failed all {} times over {} tasks, on answers that arrived whole and differ: suspect the scorer or \
         the suite's references before the model",
        tally.fail,
        signals.failed_tasks.len(),
    );
    let mut found = finding(&RULE, message);
    found.blame = Blame::Suite;
    found.confidence = Confidence::Low;
    found.count = tally.fail;
    let tasks = signals.failed_tasks.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    found.evidence.push(evidence("suite", tasks));
    found.fix.push("read one of these answers against its expectation (monban show)".to_owned());
    Some(found)
}
