//! `wrong_path`: the path or method does not exist on this server.

use crate::diagnosis::{Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "wrong_path",
    kind: "other",
    summary: "The path or method does not exist on this server.",
    manual: "Looks at 404 and 405 answers that name no model.",
    explains: &[],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs.error_finding(&RULE)
}
