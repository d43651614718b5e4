//! `multimodal_limit`: more images (or other media) than the server takes, or a server that takes none.

use crate::diagnosis::{Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "multimodal_limit",
    kind: "other",
    summary: "More images (or other media) than the server takes, or a server that takes none.",
    manual: "Looks at the limit texts of vLLM, SGLang and llama.cpp.",
    explains: &[],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs.error_finding(&RULE)
}
