//! `no_reasoning_parser`: no reasoning parser runs, so the thoughts arrive as the answer.

use crate::diagnosis::causes::ReasoningKind;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "no_reasoning_parser",
    kind: "no_reasoning_parser",
    summary: "No reasoning parser runs: the thoughts arrive as a part of the answer.",
    manual: "Looks for a known family's thoughts in the text, whole or with only the closing marker, beside an empty \
             reasoning field; and at a thinking model that answers a schema at once although no parser is set, because \
             the grammar then begins with the first token.",
    explains: &[
        "structured_output_ignored",
        "finish_reason",
        "model_fault",
        "server_dropped_output",
        "gateway_rewrite",
    ],
    hides_intent: false,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.reasoning.as_ref()?;
    let side = trouble.side;
    let says = match trouble.kind {
        ReasoningKind::NoParser => "no reasoning parser is at work",
        ReasoningKind::Suppressed => "the server was started without a reasoning parser",
        _ => return None,
    };
    let split = side.thoughts();
    let call_behind = facts.may_call() && side.leak_place() == Some("content");
    let cut = side.at_cap() && split.is_none_or(|split| split.unclosed);
    let json_behind = split.is_some_and(|split| {
        serde_json::from_str::<serde_json::Value>(split.answer.trim()).is_ok_and(|value| value.is_object())
    });
    Some(
        Draft::new(&RULE, Blame::ServerConfig, trouble.confidence, format!("{says}: {}", trouble.seen))
            .note(if call_behind { "; the thoughts before the call keep the tool parser from seeing it" } else { "" })
            .note(if json_behind { "; there is valid JSON after the closing tag" } else { "" })
            .families(split.map(|split| split.family), facts.launch.reasoning_parser.value())
            .evidence(facts, "content", side.completion.text())
            .note(if cut { "; and the token cap ended the thoughts before there was an answer" } else { "" })
            .ruled_out(if cut {
                "the model: the cap cut it off while it was thinking"
            } else {
                "the model: its text is whole, thoughts and answer can be told apart"
            })
            .fixes(advice::reasoning_parser(facts, split))
            .fixes(cut.then(|| "raise max_tokens: the answer was not reached".to_owned()))
            .done(),
    )
}
