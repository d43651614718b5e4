//! `unsupported_parameter`: the gateway refuses a parameter that its route does not pass on.

use crate::diagnosis::{Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "unsupported_parameter",
    kind: "other",
    summary: "The gateway refuses a parameter that its route does not pass on.",
    manual: "Looks at LiteLLM's UnsupportedParamsError.",
    explains: &[],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs.error_finding(&RULE)
}
