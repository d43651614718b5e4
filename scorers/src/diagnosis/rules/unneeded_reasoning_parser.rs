//! `unneeded_reasoning_parser`: a reasoning parser runs on a model that does not reason.

use crate::diagnosis::causes::ReasoningKind;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "unneeded_reasoning_parser",
    kind: "unneeded_reasoning_parser",
    summary: "A reasoning parser runs on a model that does not reason, and takes its answers.",
    manual: "Looks at text in the reasoning field of a model the catalogue knows not to reason. Parsers that take \
             untagged text for reasoning leave such a model without any answer, or without its calls.",
    explains: &[
        "wrong_reasoning_parser",
        "profile_conflict",
        "structured_output_ignored",
        "finish_reason",
        "stream_only",
        "server_dropped_output",
    ],
    hides_intent: false,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let Some(trouble) = signs.reasoning.as_ref().filter(|found| found.kind == ReasoningKind::Unneeded) else {
        return at_start(signs);
    };
    let message =
        format!("a reasoning parser runs on a model that does not reason ({}): {}", facts.model().id, trouble.seen);
    Some(
        Draft::new(&RULE, Blame::ServerConfig, trouble.confidence, message)
            .families(None, facts.launch.reasoning_parser.value())
            .evidence(facts, "reasoning", trouble.side.completion.reasoning())
            .evidence(facts, "finish_reason", trouble.side.finish())
            .fix("drop --reasoning-parser for this model")
            .done(),
    )
}

/// The server does not start for the parser of a model that needs none.
fn at_start(signs: &Signs<'_>) -> Option<Finding> {
    let mut finding = signs.error_finding_as("wrong_reasoning_parser", &RULE)?;
    if signs.facts.model().reasons != Some(false) {
        return None;
    }
    finding.message.push_str("; this model does not reason, and needs none");
    Some(finding)
}
