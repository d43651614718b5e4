//! `deltas_repeated`: the stream says everything twice, or each delta holds all that came before it.

use crate::completion::Mode;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "deltas_repeated",
    kind: "stream_only",
    summary: "The stream says everything twice, or each delta holds all that came before it.",
    manual: "Looks at streams whose deltas come in equal pairs, or each of which begins with the whole of the last \
             one: clients append what arrives, so the text doubles or piles up. A proxy that sends each event twice, \
             or a server that streams the text so far.",
    explains: &["model_fault", "degenerate_text", "structured_output_ignored"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let found =
        |kind: &str| facts.sides.iter().find(|side| side.mode == Mode::Stream && side.completion.deviates(kind));
    let (side, seen) = match (found("deltas_in_pairs"), found("deltas_cumulative")) {
        (Some(side), _) => (side, "each delta of the stream comes twice: clients append both"),
        (None, Some(side)) => {
            (side, "each delta of the stream holds the whole text so far: clients append it to what they have")
        }
        (None, None) => return None,
    };
    let (blame, who) = match facts.server().gateway.as_deref() {
        Some(gateway) => (Blame::Gateway, format!("; {gateway} stands between")),
        None => (Blame::ServerBug, String::new()),
    };
    Some(
        Draft::new(&RULE, blame, Confidence::High, format!("{seen}{who}"))
            .evidence(facts, "stream", side.completion.text())
            .ruled_out("the model: it wrote the text once")
            .fix("compare with stream: false, and with a call to the engine directly")
            .fix(advice::upgrade(facts))
            .done(),
    )
}
