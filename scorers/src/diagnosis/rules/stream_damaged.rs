//! `stream_damaged`: events of the stream arrived in pieces that no client can read.

use crate::completion::Mode;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "stream_damaged",
    kind: "stream_only",
    summary: "Events of the stream arrived in pieces that no client can read.",
    manual: "Looks at streams that came to their end and hold lines that are no event, or \
             events whose data is no whole JSON: a proxy that cuts the body by size \
             instead of by event, or rewrites it. What stood in them is lost to clients.",
    explains: &["stream_not_ended"],
    hides_intent: true,
    check,
};

/// What damage is booked as when the answer is read.
const DAMAGE: &[&str] = &["chunk_not_json", "truncated_json", "sse_unknown_line"];

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let streams = facts.sides.iter().filter(|side| side.mode == Mode::Stream && side.completion.stream_error.is_none());
    let (side, damage) = streams.into_iter().find_map(|side| {
        let damage = side.completion.deviations.iter().find(|deviation| DAMAGE.contains(&deviation.kind.as_str()))?;
        Some((side, damage))
    })?;
    let (blame, who) = match facts.server().gateway.as_deref() {
        Some(gateway) => (Blame::Gateway, format!("; {gateway} stands between")),
        None => (Blame::ServerBug, String::new()),
    };
    let message =
        format!("the stream holds pieces that are no whole event: what stood in them is lost to clients{who}");
    Some(
        Draft::new(&RULE, blame, Confidence::Medium, message)
            .severity(if facts.something_failed() { Severity::Error } else { Severity::Warning })
            .evidence(facts, &damage.place, &damage.detail)
            .evidence(facts, "content", side.completion.text())
            .ruled_out("the model: it does not frame events")
            .fix("compare with stream: false, and with a call to the engine directly")
            .fix(advice::upgrade(facts))
            .done(),
    )
}
