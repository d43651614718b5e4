//! `server_error`: the server failed while answering.

use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "server_error",
    kind: "other",
    summary: "The server failed while answering.",
    manual: "Looks at HTTP 500, at texts of an engine that died, and at answers \
             whose finish_reason says that the server gave up (abort, error).",
    explains: &[],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs.error_finding(&RULE).or_else(|| gave_up(signs))
}

/// The server says itself that it broke off, and not why.
fn gave_up(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.iter().find(|side| ["abort", "error", "cancelled", "cancel"].contains(&side.finish()))?;
    if signs.error.is_some() {
        return None;
    }
    let message = format!("the server gave up in the middle of the answer: finish_reason {}", side.finish());
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
            .evidence(facts, "content", side.completion.text())
            .evidence(facts, "finish_reason", side.finish())
            .ruled_out("the model: it did not end here")
            .fix("read the server's log (memory, a cancelled or timed-out request); retry")
            .done(),
    )
}
