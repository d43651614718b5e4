//! `reasoning_frame_in_text`: a piece of the frame around thoughts or answer arrives as text, in streams.

use crate::completion::Mode;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "reasoning_frame_in_text",
    kind: "stream_only",
    summary: "A piece of the frame around thoughts or answer (</answer>, \
              half of </think>) arrives as text in the stream.",
    manual: "Looks at streamed answers beside reasoning that end with a closing tag whose opening one the parser took \
             out: the streaming path of the reasoning parser forgets the frame once the thoughts are over (Hunyuan, \
             ERNIE). And at a closing tag whose first half ends the reasoning and whose second begins the text: tags \
             that take several tokens.",
    explains: &["model_fault", "structured_output_ignored"],
    hides_intent: false,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let mut streams = facts.sides.iter().filter(|side| side.mode == Mode::Stream && side.has_reasoning());
    let side = streams.find(|side| side.was_mended("answer_frame") || side.was_mended("tag_split"))?;
    let both = facts.sides.len() > 1;
    let says = match side.was_mended("tag_split") {
        true => {
            "the closing tag of the thoughts is cut in two: its first half \
             ends the reasoning, its second begins the streamed text"
        }
        false => {
            "the closing tag of the answer's frame stands in the streamed text, and its opening one was taken out: the \
             streaming path of the reasoning parser stops half-way"
        }
    };
    Some(
        Draft::new(&RULE, Blame::ServerBug, if both { Confidence::High } else { Confidence::Medium }, says)
            .families(None, facts.launch.reasoning_parser.value())
            .evidence(facts, "stream", side.completion.text())
            .ruled_out("the model: it wrote the whole frame")
            .fix("use stream: false, or strip the tag at the client")
            .fix(advice::upgrade(facts))
            .done(),
    )
}
