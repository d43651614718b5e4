//! `rate_limited`: the endpoint or gateway refused the request for its rate.

use crate::diagnosis::{Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "rate_limited",
    kind: "unreachable_or_loading",
    summary: "The endpoint or gateway refused the request for its rate.",
    manual: "Looks at HTTP 429 and at LiteLLM's cooldown text. What was not answered is not scored.",
    explains: &[],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs.error_finding(&RULE)
}
