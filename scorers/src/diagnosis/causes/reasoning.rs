//! Why reasoning and answer do not arrive apart: [`ReasoningTrouble`], decided once for an attempt from both modes.
//!
//! The kinds exclude each other; each rule of the reasoning parser's asks for its kind and puts it into words.

use super::beginnings::begins_as_thoughts;
use crate::completion::Mode;
use crate::diagnosis::Confidence;
use crate::diagnosis::facts::{CallState, Facts, Known, Side};
use crate::dialects::Split;

/// A budget this small is meant for the answer alone: the reasoning in it is the answer.
const TINY_BUDGET: u64 = 2;

/// Frames that no engine puts around thoughts: whose they are.
const REFRAMED: &[(&str, &str)] = &[
    ("open_webui_details", "the thoughts stand in the text in Open WebUI's own frame"),
    ("escaped_think", "the thoughts stand in the text between tags escaped for HTML, which no engine does"),
];

/// What keeps reasoning and answer from arriving apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningKind {
    /// No parser runs: the thoughts stand in the text.
    NoParser,
    /// A parser for other markers runs.
    WrongParser,
    /// The parser keeps the thoughts in the text on purpose.
    KeepsThoughts,
    /// No parser of this engine knows these markers.
    UnknownMarkers,
    /// The usual parser of this model wants an opening marker in this version, and the prompt holds it.
    WantsOpening,
    /// The parser takes the whole answer for reasoning.
    AnswerTaken,
    /// The parser, for a format with channels of its own, takes the whole text and delivers nothing.
    Swallows,
    /// A stop sequence of the request ended the thoughts.
    Stopped,
    /// Thoughts alone, and the server says that the answer ended there.
    OnlyThoughts,
    /// A parser runs on a model that does not reason.
    Unneeded,
    /// The model called a tool before it closed its thoughts.
    CallInThoughts,
    /// Two layers split the reasoning.
    DoubleSplit,
    /// The parser picks its start from the request, which does not say that the model thinks.
    Undeclared,
    /// Only the streamed answer is wrong, as far as can be seen.
    StreamStart,
    /// The model's own parser splits in one mode, and leaves the thoughts in the text in the other.
    OneMode,
    /// The thoughts were counted apart, and a gateway put them back into the text.
    MergedBack,
    /// The schema's grammar began with the first token and forbade the thoughts.
    Suppressed,
    /// The split differs between the modes.
    ModesDiffer,
}

/// The trouble of an attempt.
#[derive(Clone, Debug)]
pub struct ReasoningTrouble<'a> {
    /// What it is.
    pub kind: ReasoningKind,
    /// The side that shows it best.
    pub side: Side<'a>,
    /// How sure.
    pub confidence: Confidence,
    /// What was seen, as a clause.
    pub seen: String,
    /// A rule that would explain the same answer as well.
    pub or: Option<&'static str>,
}

/// The trouble with the reasoning of an attempt, if any.
#[must_use]
pub(in crate::diagnosis) fn assess<'a>(facts: &Facts<'a>) -> Option<ReasoningTrouble<'a>> {
    let thinking_aloud = facts.sides.iter().find_map(|side| Some((*side, side.thoughts()?)));
    if let Some((side, split)) = thinking_aloud {
        return thoughts_in_text(facts, side, split);
    }
    if let Some(side) = facts.sides.iter().find(|side| side.call_state() == CallState::InReasoning) {
        return Some(call_in_reasoning(facts, *side));
    }
    if let Some(side) = facts.sides.iter().find(|side| side.thoughts_in_reasoning().is_some()) {
        let seen = "thoughts and answer stand together in the reasoning field, with markers its parser does not know";
        return Some(trouble(ReasoningKind::AnswerTaken, *side, Confidence::High, seen));
    }
    swallowed(facts)
        .or_else(|| facts.sides.iter().find_map(|side| answer_in_reasoning(facts, *side)))
        .or_else(|| modes_differ(facts))
        .or_else(|| suppressed(facts))
        .or_else(|| unfinished(facts))
}

fn trouble<'a>(
    kind: ReasoningKind,
    side: Side<'a>,
    confidence: Confidence,
    seen: impl Into<String>,
) -> ReasoningTrouble<'a> {
    ReasoningTrouble { kind, side, confidence, seen: seen.into(), or: None }
}

fn shape(split: &Split) -> &'static str {
    if split.stripped {
        "the thoughts stand in the text, their markers stripped"
    } else if split.prefilled && split.reasoning.trim().is_empty() {
        "a closing thinking tag stands in the text, and no thoughts before it"
    } else if split.prefilled {
        "the thoughts stand in the text with only a closing tag behind them"
    } else if split.reasoning.trim().is_empty() {
        "an empty pair of thinking tags stands in the text"
    } else {
        "the thoughts stand in the text between their tags"
    }
}

fn thoughts_in_text<'a>(facts: &Facts<'a>, side: Side<'a>, split: &Split) -> Option<ReasoningTrouble<'a>> {
    if facts.thoughts_were_asked_for(side.completion.text(), split) {
        return None;
    }
    let seen = shape(split);
    if side.has_reasoning() {
        return (!facts.wants_json() && !split.stripped)
            .then(|| trouble(ReasoningKind::WrongParser, side, Confidence::Low, seen));
    }
    if let Some((_, seen)) = REFRAMED.iter().find(|(family, _)| *family == split.family) {
        return Some(trouble(ReasoningKind::MergedBack, side, Confidence::High, *seen));
    }
    if facts.server().gateway.is_some() && side.completion.usage.and_then(|usage| usage.reasoning_tokens) > Some(0) {
        return Some(trouble(ReasoningKind::MergedBack, side, Confidence::Medium, seen));
    }
    let undeclared = split.prefilled && facts.thinking_undeclared();
    let (kind, confidence, or) = match &facts.launch.reasoning_parser {
        Known::Absent => (ReasoningKind::NoParser, Confidence::High, None),
        Known::Is(parser) if parser.contains("append") => (ReasoningKind::KeepsThoughts, Confidence::High, None),
        Known::Is(_) if split_elsewhere(facts) => (ReasoningKind::OneMode, Confidence::High, None),
        Known::Is(_) if undeclared => (ReasoningKind::Undeclared, Confidence::High, None),
        Known::Is(_) => (ReasoningKind::WrongParser, Confidence::High, None),
        Known::Unknown if facts.no_parser_knows(split.family) => {
            (ReasoningKind::UnknownMarkers, Confidence::Medium, None)
        }
        Known::Unknown if undeclared => (ReasoningKind::Undeclared, Confidence::Medium, None),
        Known::Unknown if facts.server().gateway.is_some() && carried_apart(facts) => {
            (ReasoningKind::OneMode, Confidence::Medium, None)
        }
        Known::Unknown if calls_differ(facts) => (ReasoningKind::WrongParser, Confidence::High, None),
        Known::Unknown if !split.prefilled && !split.stripped && facts.opening_is_put_back() => {
            (ReasoningKind::KeepsThoughts, Confidence::Medium, Some("no_reasoning_parser"))
        }
        Known::Unknown if split.prefilled && facts.usual_parser_wants_opening() => {
            (ReasoningKind::WantsOpening, Confidence::Medium, Some("no_reasoning_parser"))
        }
        Known::Unknown => (ReasoningKind::NoParser, Confidence::Medium, Some("wrong_reasoning_parser")),
    };
    Some(ReasoningTrouble { or, ..trouble(kind, side, confidence, seen) })
}

/// The model's own parser runs, and another mode carries thoughts and text apart.
fn split_elsewhere(facts: &Facts<'_>) -> bool {
    carried_apart(facts) && facts.reasoning_parser_is_named_for_model()
}

/// A mode carries thoughts and text apart.
fn carried_apart(facts: &Facts<'_>) -> bool {
    let apart = |side: &Side<'_>| {
        side.has_reasoning() && side.thoughts().is_none() && !side.completion.text().trim().is_empty()
    };
    facts.sides.iter().any(apart)
}

/// One mode delivers calls and the other does not: a parser that hands on different texts, not none.
fn calls_differ(facts: &Facts<'_>) -> bool {
    let mut states = facts.sides.iter().map(|side| side.completion.tool_calls.is_empty());
    states.next().is_some_and(|first| states.any(|other| other != first))
}

fn call_in_reasoning<'a>(facts: &Facts<'a>, side: Side<'a>) -> ReasoningTrouble<'a> {
    let family = side.leak().map(|(found, _)| found.family).unwrap_or_default();
    let before = side.leak().and_then(|(found, _)| side.completion.reasoning().get(..found.start)).unwrap_or_default();
    let seen = "call found inside the reasoning field";
    let (kind, confidence) = if facts.model().reasons == Some(false) {
        (ReasoningKind::Unneeded, Confidence::High)
    } else if facts.parser_takes_plain_text() {
        (ReasoningKind::AnswerTaken, Confidence::High)
    } else if facts.reasoning_parser_is_the_models() == Some(true) {
        (ReasoningKind::CallInThoughts, Confidence::High)
    } else if facts.launch.reasoning_parser.value().is_some() || facts.foreign_markers(&side) {
        (ReasoningKind::AnswerTaken, Confidence::High)
    } else if facts.view.request.thinking == Some(false) || before.trim().is_empty() || !facts.thinks_in_tags(family) {
        (ReasoningKind::AnswerTaken, Confidence::Medium)
    } else {
        (ReasoningKind::CallInThoughts, Confidence::Medium)
    };
    trouble(kind, side, confidence, seen)
}

/// Tokens billed and every field empty, where the configured parser is known to do that.
fn swallowed<'a>(facts: &Facts<'a>) -> Option<ReasoningTrouble<'a>> {
    let side = facts.sides.iter().find(|side| side.is_phantom() && !side.has_reasoning())?;
    let kind = if facts.model().reasons == Some(false) { ReasoningKind::Unneeded } else { ReasoningKind::Swallows };
    let seen = format!(
        "{} completion tokens, and text, calls and reasoning empty, finish_reason {}",
        side.tokens().unwrap_or_default(),
        side.finish()
    );
    facts.reasoning_parser_swallows().then(|| trouble(kind, *side, Confidence::High, seen))
}

fn answer_in_reasoning<'a>(facts: &Facts<'a>, side: Side<'a>) -> Option<ReasoningTrouble<'a>> {
    if !side.has_reasoning() || side.completion.stream_error.is_some() {
        return None;
    }
    // Thoughts and a text apart: the model closed its thoughts itself, whatever its name says. Calls are no text: a parser
    // that takes untagged text hands calls on.
    if facts.model().reasons == Some(false) && facts.sides.iter().all(|side| side.completion.text().trim().is_empty()) {
        return Some(trouble(
            ReasoningKind::Unneeded,
            side,
            Confidence::High,
            "text arrived in the reasoning field of a model that does not reason",
        ));
    }
    let elsewhere = facts.sides.iter().any(|other| !other.is_silent());
    if !side.is_silent() || elsewhere || side.finish() == "tool_calls" {
        return None;
    }
    let tiny = facts.view.request.max_tokens.is_some_and(|max| max <= TINY_BUDGET);
    if side.at_cap() && !tiny || side.is_phantom() || facts.view.request.ends_with_result() {
        return None;
    }
    let seen = if tiny {
        "the answer is in the reasoning field: the budget is meant for the answer alone, and it was taken for reasoning"
    } else {
        "the answer is in the reasoning field and the text is empty, with finish_reason stop"
    };
    let (kind, confidence) = if facts.has_stop() {
        (ReasoningKind::Stopped, Confidence::Medium)
    } else if facts.launch.double_reasoning {
        (ReasoningKind::DoubleSplit, Confidence::High)
    } else if facts.wants_json() && !side.completion.reasoning().contains(['{', '[']) && !facts.foreign_markers(&side) {
        (ReasoningKind::OnlyThoughts, Confidence::Medium)
    } else if starts_in_thoughts(facts, &side) {
        (ReasoningKind::StreamStart, Confidence::Medium)
    } else {
        let sure =
            tiny || facts.view.request.thinking == Some(false) || facts.wants_json() || facts.foreign_markers(&side);
        (ReasoningKind::AnswerTaken, if sure { Confidence::High } else { Confidence::Medium })
    };
    Some(trouble(kind, side, confidence, seen))
}

/// Only a stream was seen, thinking is off, and the parser is not known to take plain answers for reasoning.
fn starts_in_thoughts(facts: &Facts<'_>, side: &Side<'_>) -> bool {
    side.mode == Mode::Stream
        && facts.sides.len() == 1
        && facts.view.request.thinking == Some(false)
        && facts.reasoning_parser_is_the_models() != Some(false)
        && !facts.parser_takes_plain_text()
}

/// vLLM's own parsers split alike in both modes (0.32.0, every family tried); a parser for a neighbouring format often
/// does not.
fn modes_differ<'a>(facts: &Facts<'a>) -> Option<ReasoningTrouble<'a>> {
    let [first, second] = facts.sides.as_slice() else { return None };
    let (one, two) = (first.completion.reasoning(), second.completion.reasoning());
    let same_but_blanks = one != two && one.trim() == two.trim();
    (same_but_blanks && facts.server().is("vllm") && facts.server().gateway.is_none()).then(|| {
        trouble(
            ReasoningKind::ModesDiffer,
            *second,
            Confidence::Low,
            "the plain and the streamed answer split the same text at different places (blanks go to either side): \
             this parser was made for a neighbouring format",
        )
    })
}

/// A thinking model answers a schema at once, and the launch line names no reasoning parser.
fn suppressed<'a>(facts: &Facts<'a>) -> Option<ReasoningTrouble<'a>> {
    let side = facts.sides.first()?;
    let applies = facts.wants_json()
        && facts.view.request.thinking != Some(false)
        && facts.launch.reasoning_parser == Known::Absent
        && side.completion.reasoning.is_none()
        && !side.is_silent()
        && facts.server().is("vllm")
        && facts.model().reasons == Some(true)
        && facts.model().thinks_unasked;
    applies.then(|| {
        trouble(
            ReasoningKind::Suppressed,
            *side,
            Confidence::Medium,
            "a thinking model answered a schema at once: without a reasoning parser thinking was suppressed by the \
             grammar, which begins with the first token",
        )
    })
}

/// The prompt opens the thoughts, no parser runs, and the answer is cut before it closes them: all of the text is thoughts.
fn unfinished<'a>(facts: &Facts<'a>) -> Option<ReasoningTrouble<'a>> {
    let side =
        facts.sides.iter().find(|side| side.at_cap() && !side.is_silent() && side.completion.tool_calls.is_empty())?;
    let unsplit = match facts.launch.reasoning_parser {
        Known::Absent => true,
        Known::Unknown => begins_as_thoughts(side.completion.text()),
        Known::Is(_) => false,
    };
    let applies = unsplit
        && facts.view.request.thinking != Some(false)
        && !facts.wants_json()
        && !side.has_reasoning()
        && facts.model().thinks_unasked
        && facts.prompt_opens_thoughts();
    let seen = "this model's template opens the thoughts in the prompt, and the text was cut before it closed them";
    applies.then(|| trouble(ReasoningKind::NoParser, *side, Confidence::Medium, seen))
}
