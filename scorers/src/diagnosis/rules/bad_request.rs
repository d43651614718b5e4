//! `bad_request`: the server refuses the request as malformed.

use crate::diagnosis::{Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "bad_request",
    kind: "other",
    summary: "The server refuses the request as malformed.",
    manual: "Looks at HTTP 4xx that no more telling rule explains.",
    explains: &[],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs.error_finding(&RULE)
}
