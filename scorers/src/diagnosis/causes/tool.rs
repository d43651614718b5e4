//! Why calls do not arrive: [`ToolTrouble`], decided once for an attempt from both modes together.
//!
//! The kinds exclude each other; each rule of the tool parser's asks for its kind and puts it into words.

use crate::completion::Mode;
use crate::diagnosis::Confidence;
use crate::diagnosis::facts::{CallState, Facts, Side};
use crate::dialects::PADDED;
use crate::request::ToolChoice;

/// What keeps the calls from arriving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// A parser for another family runs.
    WrongParser,
    /// The right parser's name is set, and it does not do its work.
    RightParserFails,
    /// No parser runs.
    NoParser,
    /// A parser is named, and not switched on.
    SwitchedOff,
    /// A forced call was answered as raw JSON: the flags are missing, and this version does not say so.
    ForcedUnparsed,
    /// A code fence around the call keeps the right parser from seeing it.
    Fenced,
    /// The launch line's template speaks another format than the model's own, which the parser reads.
    TemplateOverride,
    /// The parser is right, and the tokenizer mode keeps it from working.
    TokenizerMode,
    /// A gateway stands between, and either of the two may be at fault.
    Gateway,
    /// The history holds tool turns, and this request declares no tools.
    ToolsNotSent,
    /// No tools were declared: the client teaches a format of its own, or the model has the habit.
    Untaught,
    /// Whole markup around JSON that is none.
    BrokenCall,
    /// The arguments in the markup are a JSON string holding an object.
    Doubled,
    /// One mode delivers the call, the other loses it.
    OneMode,
    /// The parser saw a call, and lost it.
    LostInParser,
    /// The history's call ids are not of the form this model's parser wants.
    HistoryIds,
    /// The server threw away what was generated, and no parser explains it.
    Dropped,
}

/// The trouble of an attempt.
#[derive(Clone, Debug)]
pub struct ToolTrouble<'a> {
    /// What it is.
    pub kind: ToolKind,
    /// The side that shows it best.
    pub side: Side<'a>,
    /// How sure.
    pub confidence: Confidence,
    /// The family that was seen.
    pub family: Option<&'static str>,
    /// What was seen, as a clause.
    pub seen: String,
    /// A rule that would explain the same answer as well.
    pub or: Option<&'static str>,
}

/// The trouble with the tool calls of an attempt, if any.
#[must_use]
pub(in crate::diagnosis) fn assess<'a>(facts: &Facts<'a>) -> Option<ToolTrouble<'a>> {
    let sides = &facts.sides;
    let leaking = sides.iter().find(|side| side.call_state() == CallState::Leak);
    if facts.view.request.tools.is_empty() {
        return leaking.and_then(|side| without_tools(facts, side));
    }
    if facts.view.request.tool_choice == Some(ToolChoice::None) {
        return None;
    }
    let state = |wanted: &[CallState]| sides.iter().find(|side| wanted.contains(&side.call_state())).copied();
    if let Some(side) = sides.iter().find(|side| side.was_mended(PADDED)).filter(|_| facts.call_was_missed()) {
        let family = facts.model().tool_family();
        let seen = "every value of the call stands between the line breaks of the model's own markup";
        return (facts.tool_parser_reads(family) == Some(false))
            .then(|| ToolTrouble { family, ..trouble(ToolKind::WrongParser, *side, Confidence::High, seen) });
    }
    if let Some(found) = super::swallowed::emptied(facts) {
        return Some(found);
    }
    let fine = state(&[CallState::Fine]);
    let spoilt = state(&[CallState::Mangled, CallState::Residue]);
    if fine.is_some() {
        let hurt = spoilt.or_else(|| state(&[CallState::Leak, CallState::Silent, CallState::Lost]))?;
        return one_mode(facts, hurt);
    }
    if let Some(side) = spoilt {
        return spoilt_call(facts, side);
    }
    if let Some(side) = leaking {
        return super::leak::leak(facts, *side);
    }
    super::swallowed::swallowed(facts)
}

pub(super) fn trouble<'a>(
    kind: ToolKind,
    side: Side<'a>,
    confidence: Confidence,
    seen: impl Into<String>,
) -> ToolTrouble<'a> {
    let family = side.leak().and_then(|(found, _)| found.known_family());
    ToolTrouble { kind, side, confidence, family, seen: seen.into(), or: None }
}

/// Call markup, and the request declares nothing.
fn without_tools<'a>(facts: &Facts<'a>, side: &Side<'a>) -> Option<ToolTrouble<'a>> {
    if facts.history_calls() {
        return Some(trouble(
            ToolKind::ToolsNotSent,
            *side,
            Confidence::High,
            "the history holds tool turns, and the request carried no tools",
        ));
    }
    Some(trouble(
        ToolKind::Untaught,
        *side,
        Confidence::Medium,
        "the answer holds a call, and the request carried no tools",
    ))
}

/// One mode delivers the call. Thoughts left in the text hide it from the parser: then it is the reasoning parser's. Cut at
/// the budget, a plain answer is given as it is, while the stream has long delivered its first calls.
fn one_mode<'a>(facts: &Facts<'a>, hurt: Side<'a>) -> Option<ToolTrouble<'a>> {
    if hurt.at_cap() || facts.sides.iter().any(|side| side.thoughts().is_some()) {
        return None;
    }
    let seen = match hurt.mode {
        Mode::Stream => "the plain answer carries the call, the streamed one does not",
        Mode::Plain => "the streamed answer carries the call, the plain one does not",
    };
    if facts.own_parser_hurts(hurt.mode) || hurt.repeats_calls() {
        return Some(trouble(ToolKind::OneMode, hurt, Confidence::High, seen));
    }
    if hurt.call_state() == CallState::Residue || facts.tool_parser_reads(family_of(facts)) == Some(false) {
        return Some(trouble(ToolKind::WrongParser, hurt, Confidence::High, seen));
    }
    Some(trouble(ToolKind::OneMode, hurt, Confidence::High, seen))
}

/// The family of the calls: of the wholest markup in a text, else the model's own, else what mangled calls look like.
fn family_of(facts: &Facts<'_>) -> Option<&'static str> {
    let leaks = || facts.sides.iter().filter_map(Side::leak);
    let in_text = leaks()
        .filter(|(found, place)| *place != "tool_calls" && found.known_family().is_some())
        .max_by_key(|(found, _)| found.strength);
    let mangled = || leaks().find_map(|(found, _)| found.known_family());
    in_text.map(|(found, _)| found.family).or_else(|| facts.model().tool_family()).or_else(mangled)
}

/// A call made of pieces of markup, or markup left beside it.
fn spoilt_call<'a>(facts: &Facts<'a>, side: Side<'a>) -> Option<ToolTrouble<'a>> {
    if side.call_state() == CallState::Mangled && glued(&side) {
        return Some(trouble(
            ToolKind::OneMode,
            side,
            Confidence::High,
            "the pieces of the streamed calls were put together wrongly: two were glued into one, or one was torn in \
             two",
        ));
    }
    if side.call_state() == CallState::Residue && side.repeats_calls() {
        let seen = "the streamed text carries the markup of the call that is delivered beside it";
        return (side.mode == Mode::Stream).then(|| trouble(ToolKind::OneMode, side, Confidence::Medium, seen));
    }
    // The answer to a forced choice was taken for the arguments: no parser looked at it.
    if facts.forced() && side.holds_raw_answer() {
        return None;
    }
    let seen = match side.call_state() {
        CallState::Residue => "the call arrived with pieces of another format's markup left in the text",
        _ => "a call arrived whose name or arguments are pieces of markup",
    };
    let family = family_of(facts);
    let made_for = |family| facts.tool_parser_is_made_for(family) && !facts.template_changes_format(family);
    // It delivers one call of this format and leaves the next one whole: the format is its own (llama.cpp#14101).
    let next = side.call_state() == CallState::Residue
        && side.completion.tool_calls.iter().all(|call| side.request.tool(&call.name).is_some())
        && side.leak().is_some_and(|(found, _)| found.strength == crate::dialects::Strength::Strong && !found.damaged);
    let own = next || family.is_some_and(made_for) || facts.tool_parser_is_the_models() == Some(true);
    let kind = if own { ToolKind::RightParserFails } else { ToolKind::WrongParser };
    Some(ToolTrouble { family, ..trouble(kind, side, Confidence::High, seen) })
}

/// Several declared names or several objects in one streamed call, or a call torn in two: the name in one, the arguments in
/// the next.
fn glued(side: &Side<'_>) -> bool {
    let calls = &side.completion.tool_calls;
    let torn = || {
        calls.windows(2).any(|pair| {
            side.request.tool(&pair[0].name).is_some()
                && pair[0].arguments.as_text().is_empty()
                && pair[1].name.is_empty()
        })
    };
    let several =
        || calls.iter().any(|call| several_names(&call.name, side) || call.arguments.as_text().contains("}{"));
    side.mode == Mode::Stream && (several() || torn())
}

/// A declared name, and another one right behind it.
fn several_names(name: &str, side: &Side<'_>) -> bool {
    let declared = |text: &str| side.request.tools.iter().any(|tool| text.starts_with(&tool.name));
    let mut rests = side.request.tools.iter().filter_map(|tool| name.strip_prefix(tool.name.as_str()));
    rests.any(declared)
}
