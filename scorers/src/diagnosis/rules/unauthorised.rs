//! `unauthorised`: the key was missing or refused.

use crate::diagnosis::{Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "unauthorised",
    kind: "other",
    summary: "The key was missing or refused.",
    manual: "Looks at HTTP 401 and 403 and at the texts that go with them.",
    explains: &[],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs.error_finding(&RULE)
}
