//! `content_duplicates_reasoning`: text and reasoning are one and the same.

use crate::diagnosis::facts::Side;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "content_duplicates_reasoning",
    kind: "other",
    summary: "The same text arrives as answer and as reasoning: something on the way copied one into the other.",
    manual: "Looks at a text that equals the reasoning beside it. In a cut answer the \
             text is unfinished thoughts; in a whole one the model did not think. \
             Servers and gateways that fill an empty text from the reasoning do this. A short answer \
             that was billed for more than one copy is the model's own, thought and said.",
    explains: &["gateway_rewrite", "server_dropped_output"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts
        .sides
        .iter()
        .find(|side| side.has_reasoning() && side.completion.text().trim() == side.completion.reasoning().trim())
        .filter(|side| !written_twice(side))?;
    let gateway = facts.server().gateway.is_some();
    let which = if side.at_cap() {
        "the answer was cut before there was one, and the text holds the thoughts"
    } else {
        "one of the two is a copy"
    };
    let message = format!("text and reasoning are the same: {which}");
    Some(
        Draft::new(&RULE, if gateway { Blame::Gateway } else { Blame::ServerBug }, Confidence::Medium, message)
            .severity(Severity::Warning)
            .families(None, facts.launch.reasoning_parser.value())
            .evidence(facts, "content", side.completion.text())
            .ruled_out("the model: it wrote this once")
            .fix(if gateway {
                "call the engine directly with the same request".to_owned()
            } else {
                advice::upgrade(facts)
            })
            .fix("send the thinking switch the server's parser goes by (chat_template_kwargs)")
            .done(),
    )
}

/// More tokens than one copy can take, a character each and the end of the turn: the model thought what it said.
fn written_twice(side: &Side<'_>) -> bool {
    let most = side.completion.text().trim().chars().count() as u64 + 1;
    !side.at_cap() && side.billed().is_some_and(|tokens| tokens > most + 2)
}
