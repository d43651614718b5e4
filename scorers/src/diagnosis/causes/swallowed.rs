//! Calls of which nothing is left, or the name alone: what took the rest. Asked by [`super::tool`].

use super::Spoilt;
use super::tool::{ToolKind, ToolTrouble, trouble};
use crate::completion::Mode;
use crate::diagnosis::Confidence;
use crate::diagnosis::facts::{CallState, Facts, Known, Side};

/// Every call arrives by name and without arguments, behind a parser for another family: the two share what stands around
/// the name, and not around the arguments (vllm#51073).
pub(super) fn emptied<'a>(facts: &Facts<'a>) -> Option<ToolTrouble<'a>> {
    let family = facts.model().tool_family();
    if facts.tool_parser_reads(family) != Some(false) {
        return None;
    }
    let is_empty = |side: &Side<'_>| {
        let calls = &side.completion.tool_calls;
        let lost = |call| matches!(super::spoilt(side, call), Some(Spoilt::Nothing(_) | Spoilt::Empty(_)));
        !calls.is_empty() && !side.at_cap() && calls.iter().all(lost)
    };
    let side = facts.sides.first().filter(|_| facts.sides.iter().all(is_empty))?;
    let seen = "the call arrives by name, and its arguments do not";
    Some(ToolTrouble { family, ..trouble(ToolKind::WrongParser, *side, Confidence::High, seen) })
}

/// No call, no markup, and tokens that went nowhere.
pub(super) fn swallowed<'a>(facts: &Facts<'a>) -> Option<ToolTrouble<'a>> {
    let side =
        facts.sides.iter().find(|side| matches!(side.call_state(), CallState::Silent | CallState::Lost)).copied()?;
    let silent = side.call_state() == CallState::Silent;
    if silent && facts.reasoning_parser_swallows() {
        return None;
    }
    // Thoughts that the server keeps to itself would look the same.
    let all_is_shown = facts.model().reasons == Some(false) || facts.sides.iter().all(Side::has_reasoning);
    let whole_pair = all_is_shown
        && facts.sides.len() > 1
        && facts.sides.iter().all(|other| matches!(other.call_state(), CallState::Silent | CallState::Lost));
    if !silent && !whole_pair && !side.ends_open() {
        return None;
    }
    let seen = format!(
        "tokens were generated but nothing was delivered for them: {}tool_calls empty, {}, finish_reason {}",
        side.tokens().map(|tokens| format!("{tokens} completion tokens, ")).unwrap_or_default(),
        if silent { "no text" } else { "less text than they hold" },
        side.finish(),
    );
    Some(trouble(swallower(facts, &side), side, Confidence::Medium, seen))
}

/// What swallows: the kinds that leave the same nothing, told apart by what is known beside the wire.
fn swallower(facts: &Facts<'_>, side: &Side<'_>) -> ToolKind {
    let single = facts.sides.len() == 1;
    let own = facts.tool_parser_is_the_models() == Some(true);
    if single && side.mode == Mode::Stream && (side.finish() == "tool_calls" || own || facts.parser_loses_streams()) {
        ToolKind::OneMode
    } else if side.finish() == "tool_calls" {
        ToolKind::LostInParser
    } else if facts.history_ids_unfit() {
        ToolKind::HistoryIds
    } else if facts.is_harmony()
        && facts.server().is("vllm")
        && facts.launch.tool_parser.value().is_some()
        && facts.launch.auto_tool_choice == Some(false)
    {
        ToolKind::SwitchedOff
    } else if facts.is_harmony() && facts.server().is("vllm") {
        ToolKind::NoParser
    } else if facts.launch.tool_parser == Known::Absent || own || facts.engine_chooses_parser() {
        ToolKind::Dropped
    } else {
        ToolKind::WrongParser
    }
}
