//! `wrong_reasoning_parser`: a reasoning parser runs, and it does not split this model's text.

use crate::diagnosis::causes::{ReasoningKind, ReasoningTrouble};
use crate::diagnosis::facts::Facts;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "wrong_reasoning_parser",
    kind: "wrong_reasoning_parser",
    summary: "A reasoning parser runs that does not split this model's text as it should.",
    manual: "A wrong parser leaves the thoughts in the text, or takes the whole answer for reasoning. Looks at \
             thoughts in the text although a parser is set; at an empty text with finish_reason stop and the answer in \
             the reasoning field; at another family's markers inside that field; at thoughts with only a closing tag \
             where the version's usual parser wants both; at a parser that keeps the thoughts in the text on purpose. \
             finish_reason length with reasoning alone is the budget, not the parser.",
    explains: &["structured_output_ignored", "stream_only", "finish_reason", "model_fault", "server_dropped_output"],
    hides_intent: false,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let Some(trouble) = &signs.reasoning else {
        return signs.error_finding(&RULE);
    };
    let side = trouble.side;
    if facts.reasoning_parser_is_named_for_model()
        && matches!(trouble.kind, ReasoningKind::WrongParser | ReasoningKind::AnswerTaken)
    {
        return Some(right_name(facts, trouble));
    }
    let says = says(&trouble.kind)?;
    let draft = Draft::new(&RULE, Blame::ServerConfig, trouble.confidence, format!("{says}: {}", trouble.seen))
        .families(side.thoughts().map(|split| split.family), facts.launch.reasoning_parser.value())
        .evidence(facts, "content", side.completion.text())
        .evidence(facts, "reasoning", side.completion.reasoning())
        .evidence(facts, "finish_reason", side.finish());
    let draft = match trouble.kind {
        ReasoningKind::ModesDiffer => draft.severity(Severity::Warning),
        ReasoningKind::AnswerTaken if side.completion.is_truncated() => draft
            .note("; what is taken from the empty text is invalid, and is not an answer of the model")
            .fix("switch thinking off for this request (chat_template_kwargs), or read the reasoning field"),
        ReasoningKind::AnswerTaken | ReasoningKind::Swallows => {
            draft.ruled_out("the budget: finish_reason is not length")
        }
        ReasoningKind::WantsOpening => {
            let names = facts.parsers_without_opening();
            draft.fixes(names.iter().map(|name| format!("--reasoning-parser {name} on this version, or upgrade")))
        }
        ReasoningKind::UnknownMarkers => {
            draft.fix("strip the thoughts in the client, or give the engine a plugin parser")
        }
        _ => draft.ruled_out("the model: its text is whole, thoughts and answer can be told apart"),
    };
    Some(draft.fixes(advice::reasoning_parser(facts, side.thoughts())).done())
}

/// What the parser does to this text, in words; `None` where that is no fault of it.
fn says(kind: &ReasoningKind) -> Option<&'static str> {
    Some(match kind {
        ReasoningKind::WrongParser => "the reasoning parser does not know this model's markers",
        ReasoningKind::KeepsThoughts => "this parser keeps thoughts in content on purpose",
        ReasoningKind::UnknownMarkers => "unknown think markers: no stock parser of this engine knows them",
        ReasoningKind::WantsOpening => {
            "the usual parser of this model wants both tags in this version, and the opening one stands in the prompt"
        }
        ReasoningKind::AnswerTaken => "the reasoning parser takes the answer for reasoning",
        ReasoningKind::Swallows => {
            "the reasoning parser is for another format, and delivers nothing of what this model writes"
        }
        ReasoningKind::ModesDiffer => "the reasoning parser is not this model's own",
        _ => return None,
    })
}

/// The parser named for this model is set already: another name mends nothing.
fn right_name(facts: &Facts<'_>, trouble: &ReasoningTrouble<'_>) -> Finding {
    let side = trouble.side;
    let parser = facts.launch.reasoning_parser.value().unwrap_or_default();
    let taken = trouble.kind == ReasoningKind::AnswerTaken;
    let says = if taken { "takes the answer for reasoning" } else { "does not split this text" };
    let message =
        format!("the reasoning parser {parser} is the model's own, and in this version it {says}: {}", trouble.seen);
    let draft = Draft::new(&RULE, Blame::ServerBug, trouble.confidence.min(Confidence::Medium), message)
        .families(side.thoughts().map(|split| split.family), Some(parser))
        .evidence(facts, "content", side.completion.text())
        .evidence(facts, "reasoning", side.completion.reasoning())
        .evidence(facts, "finish_reason", side.finish())
        .fix(advice::upgrade(facts));
    if !taken {
        return draft.ruled_out("the model: its text is whole, thoughts and answer can be told apart").done();
    }
    let thinking_off = facts.view.request.thinking == Some(false);
    draft
        .note(if thinking_off { "" } else { "; the model wrote no closing marker, which this parser waits for" })
        .ruled_out("the budget: finish_reason is not length")
        .fix(if facts.wants_json() {
            "retest the schema without --reasoning-parser, or with thinking off"
        } else {
            "read the reasoning field where the text is empty, or switch thinking off for this request"
        })
        .done()
}
