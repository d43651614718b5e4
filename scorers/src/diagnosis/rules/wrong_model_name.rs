//! `wrong_model_name`: the server is up and does not serve the model that was asked for.

use crate::diagnosis::{Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "wrong_model_name",
    kind: "unreachable_or_loading",
    summary: "The server is up and does not serve the model that was asked for.",
    manual: "Looks at the error texts of vLLM, SGLang, llama.cpp and LiteLLM for an unknown model id.",
    explains: &[],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs.error_finding(&RULE)
}
