//! `answer_frame_in_text`: the closing tag of the answer's own frame arrives as text, in streams.

use crate::completion::Mode;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "answer_frame_in_text",
    kind: "stream_only",
    summary: "The closing tag of the answer's own frame (</answer>, </response>) arrives as text in the stream.",
    manual: "Looks at streamed answers beside reasoning that end with a closing tag whose opening one the parser took out: the \
             streaming path of the reasoning parser forgets the frame once the thoughts are over (Hunyuan, ERNIE).",
    explains: &["model_fault", "structured_output_ignored"],
    hides_intent: false,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.iter().find(|side| {
        let framed = |kind: &str| side.reread.is_some_and(|reread| reread.repairs.iter().any(|repair| repair.kind == kind));
        side.mode == Mode::Stream && side.has_reasoning() && framed("answer_frame")
    })?;
    let both = facts.sides.len() > 1;
    Some(
        Draft::new(&RULE, Blame::ServerBug, if both { Confidence::High } else { Confidence::Medium }, "the closing tag of the answer's frame stands in the streamed text, and its opening one was taken out: the streaming path of the reasoning parser stops half-way")
            .families(None, facts.launch.reasoning_parser.value())
            .evidence(facts, "stream", side.completion.text())
            .ruled_out("the model: it wrote the whole frame")
            .fix("use stream: false, or strip the tag at the client")
            .fix(advice::upgrade(facts))
            .done(),
    )
}
