//! `stopped_in_thoughts`: a stop sequence of the request ended the answer while the model was still thinking.

use crate::diagnosis::causes::ReasoningKind;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Finding, Rule, Severity, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "stopped_in_thoughts",
    kind: "other",
    summary: "A stop sequence of the request ended the answer while the model was still thinking.",
    manual: "Looks at reasoning without text under finish_reason stop where the request names stop sequences: engines \
             look for them in the thoughts too. Without stop sequences the same answer speaks of the reasoning parser.",
    explains: &["structured_output_ignored", "server_dropped_output", "wrong_tool_parser"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.reasoning.as_ref().filter(|found| found.kind == ReasoningKind::Stopped)?;
    let stop = facts.view.request.field("stop").map(ToString::to_string).unwrap_or_default();
    let message =
        format!("a stop sequence ({stop}) ended the answer inside the thoughts: the text is empty, finish_reason stop");
    Some(
        Draft::new(&RULE, Blame::Request, trouble.confidence, message)
            .severity(Severity::Warning)
            .evidence(facts, "reasoning", trouble.side.completion.reasoning())
            .fix("drop stop for thinking models, or name sequences that thoughts do not hold")
            .done(),
    )
}
