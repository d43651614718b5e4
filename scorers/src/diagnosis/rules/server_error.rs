//! `server_error`: the server failed while answering.

use crate::diagnosis::{Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "server_error",
    kind: "other",
    summary: "The server failed while answering.",
    manual: "Looks at HTTP 500 and at texts of an engine that died.",
    explains: &[],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs.error_finding(&RULE)
}
