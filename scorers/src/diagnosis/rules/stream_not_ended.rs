//! `stream_not_ended`: the answer is whole, and its stream never says that it is over.

use crate::completion::Mode;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "stream_not_ended",
    kind: "stream_only",
    summary: "The answer is whole, and its stream never says that it is over: no [DONE].",
    manual: "Looks at streams whose last chunk carries a finish_reason and behind which no [DONE] follows. The answer \
             is scored as it arrived; clients that wait for the end hang until they time out.",
    explains: &[],
    hides_intent: false,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.iter().find(|side| {
        let departs = |kind: &str| side.completion.deviates(kind);
        side.mode == Mode::Stream && departs("no_done") && !departs("stream_error") && !side.finish().is_empty()
    })?;
    let message = "the stream ends without [DONE] although the answer is whole: clients that wait for it hang";
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
            .severity(Severity::Warning)
            .evidence(facts, "finish_reason", side.finish())
            .ruled_out("the model: its answer arrived")
            .fix("compare with stream: false")
            .fix(advice::upgrade(facts))
            .done(),
    )
}
