//! `schema_refused`: the server cannot build a grammar from the schema that was sent.

use crate::diagnosis::{Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "schema_refused",
    kind: "other",
    summary: "The server cannot build a grammar from the schema that was sent.",
    manual: "Looks at grammar and schema errors of a 4xx.",
    explains: &[],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs.error_finding(&RULE)
}
