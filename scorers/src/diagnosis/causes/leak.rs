//! A whole call in the text: which parser, or what else, explains it. Asked by [`super::tool`].

use super::tool::{ToolKind, ToolTrouble, trouble};
use crate::completion::Mode;
use crate::diagnosis::Confidence;
use crate::diagnosis::facts::{Facts, Known, Seen, Side};
use crate::dialects::Strength;

/// The same call in the text of every mode, or in one and nothing in the other.
pub(super) fn leak<'a>(facts: &Facts<'a>, side: Side<'a>) -> Option<ToolTrouble<'a>> {
    let (found, _) = side.leak()?;
    if is_sample(facts, &side, found) {
        return None;
    }
    if let Some(kind) = said_by_the_markup(facts, &side) {
        return Some(kind);
    }
    let reads = facts.tool_parser_reads(Some(found.family));
    // The budget ended the call in the middle: no parser could have read it.
    if found.damaged && side.at_cap() && reads != Some(false) && facts.launch.tool_parser != Known::Absent {
        return None;
    }
    by_parser(facts, side, found, reads)
}

/// What the parser that runs says about it, where one is known.
fn by_parser<'a>(facts: &Facts<'a>, side: Side<'a>, found: Seen, reads: Option<bool>) -> Option<ToolTrouble<'a>> {
    let wrong = |seen| Some(trouble(ToolKind::WrongParser, side, Confidence::High, seen));
    match reads {
        None if facts.launch.template_parses && found.strength != Strength::Weak => Some(trouble(
            ToolKind::RightParserFails,
            side,
            Confidence::Medium,
            "the call stands in the text, though the server takes its parser from the model's own template",
        )),
        _ if facts.launch.tool_parser == Known::Absent => Some(trouble(
            ToolKind::NoParser,
            side,
            Confidence::High,
            "the call stands in the text, and the server was started without a tool parser",
        )),
        Some(false) | None if found.known_family().is_none() && facts.tool_parser_is_the_models() == Some(true) => {
            right_parser(facts, side)
        }
        Some(false) if facts.template_changes_format(found.family) => Some(trouble(
            ToolKind::TemplateOverride,
            side,
            Confidence::Low,
            "the call stands in the text in a format that is not the model's own",
        )),
        Some(false) => wrong("the call stands in the text, in a format that the server's parser does not read"),
        Some(true) if facts.tool_parser_is_made_for(found.family) => right_parser(facts, side),
        Some(true) => wrong("the call stands in the text, in a format that the server's parser reads only by chance"),
        None => unknown_parser(facts, side),
    }
}

/// A call to read, not to make: a bare one in a code fence in an answer that is as the task wants it, or one that was
/// asked for.
fn is_sample(facts: &Facts<'_>, side: &Side<'_>, found: Seen) -> bool {
    let code = side.in_fence() && found.strength == Strength::Weak;
    code && !facts.view.scored.is_empty() && !facts.something_failed() || facts.markup_was_asked_for(side)
}

/// What the markup itself says, whatever parser runs.
fn said_by_the_markup<'a>(facts: &Facts<'a>, side: &Side<'a>) -> Option<ToolTrouble<'a>> {
    let (found, _) = side.leak()?;
    let read = side.reread.is_some_and(|reread| reread.tool.is_some());
    let doubled = side.was_mended("double_encoded_arguments");
    if doubled && (side.finish() == "tool_calls" || facts.tool_parser_reads(Some(found.family)) != Some(false)) {
        return Some(trouble(
            ToolKind::Doubled,
            *side,
            Confidence::Medium,
            "the arguments in the markup are a JSON string that holds the object",
        ));
    }
    // Between empty tags stood what a parser took, where more was billed than they hold.
    let taken = side.is_hollow() && side.lost_tokens();
    if found.damaged && found.strength != Strength::Partial && !read && !side.at_cap() && !taken {
        let seen = match side.is_hollow() {
            true => "the markup is whole and there is nothing inside",
            false => "the markup is whole and the JSON inside is not",
        };
        return Some(trouble(ToolKind::BrokenCall, *side, Confidence::High, seen));
    }
    if facts.server().is("vllm") && facts.forced() && is_guided_array(side.completion.text()) {
        return Some(trouble(
            ToolKind::ForcedUnparsed,
            *side,
            Confidence::Medium,
            "a forced call was answered with the raw JSON of guided decoding",
        ));
    }
    if side.in_fence() && found.strength == Strength::Weak {
        return Some(trouble(ToolKind::Fenced, *side, Confidence::Medium, "a code fence stands around the call"));
    }
    None
}

/// `[{"name": …, "parameters": …}]`: what vLLM's guided decoding writes for a forced call, no model's own format.
fn is_guided_array(text: &str) -> bool {
    let calls: Vec<serde_json::Value> = serde_json::from_str(text.trim()).unwrap_or_default();
    !calls.is_empty() && calls.iter().all(|call| call.get("name").is_some() && call.get("parameters").is_some())
}

/// The right parser is set and the call still leaks.
fn right_parser<'a>(facts: &Facts<'a>, side: Side<'a>) -> Option<ToolTrouble<'a>> {
    if facts.launch.tokenizer_mode.value().is_some_and(|mode| mode != "mistral")
        && facts.launch.tool_parser.value() == Some("mistral")
    {
        return Some(trouble(
            ToolKind::TokenizerMode,
            side,
            Confidence::High,
            "the call stands in the text although the parser is right",
        ));
    }
    if side.thoughts().is_some() && !side.has_reasoning() {
        return None;
    }
    // Beside a plain answer the modes tell. Without one the name speaks for the parser: it reads plain answers that are
    // nothing but such a call.
    let alone = side.leak().is_some_and(|(found, _)| {
        found.start == 0 && found.strength == Strength::Strong && facts.parser_is_measured_to_read(found.family)
    });
    if side.mode == Mode::Stream && facts.sides.len() == 1 && !side.has_reasoning() && alone {
        return Some(trouble(
            ToolKind::OneMode,
            side,
            Confidence::Medium,
            "the call stands in the streamed text although the parser's \
             name is right; whether plain answers carry it was not asked",
        ));
    }
    Some(trouble(
        ToolKind::RightParserFails,
        side,
        Confidence::Medium,
        "the call stands in the text although the parser's name is right",
    ))
}

/// Nothing is known of the parser: which is the likeliest?
fn unknown_parser<'a>(facts: &Facts<'a>, side: Side<'a>) -> Option<ToolTrouble<'a>> {
    let (found, _) = side.leak()?;
    if facts.modes_differ() {
        return Some(trouble(
            ToolKind::WrongParser,
            side,
            Confidence::High,
            "one mode leaves the call in the text, the other swallows \
             a part of it: a parser runs, and it is for another family",
        ));
    }
    if side.finish() == "tool_calls" {
        return Some(trouble(
            ToolKind::WrongParser,
            side,
            Confidence::High,
            "finish_reason tool_calls with empty tool_calls, and the call stands in the text: a parser saw the start \
             marker and could not read the body",
        ));
    }
    if side.thoughts().is_some() && found.strength == Strength::Weak {
        return None;
    }
    if facts.server().gateway.is_some() && !facts.behind_gateway_is_known() && found.strength == Strength::Weak {
        return Some(trouble(
            ToolKind::Gateway,
            side,
            Confidence::Low,
            "a bare call stands in the text behind a gateway",
        ));
    }
    let (kind, or) = likeliest(facts, found);
    let seen = "the call stands in the text as the model wrote it";
    Some(ToolTrouble { or: Some(or), ..trouble(kind, side, Confidence::Medium, seen) })
}

/// The likelier of the two that leave a call in the text, and the other one.
///
/// vLLM answers an automatic call only where a parser runs. Elsewhere the parser people set by habit is hermes: what it
/// would have read speaks for none, what it would not for a wrong one where parsers have names.
fn likeliest(facts: &Facts<'_>, found: Seen) -> (ToolKind, &'static str) {
    let damaged = found.damaged && found.strength == Strength::Partial;
    let common = found.family == "hermes_json";
    let refuses = facts.server().is("vllm") && !facts.forced() && !facts.is_harmony();
    let a_parser_runs = refuses && (facts.server().version.is_some() || !common);
    let server = facts.server();
    let nothing_known =
        server.engine.is_none() && server.gateway.is_none() && !common && found.strength == Strength::Strong;
    if !damaged && (facts.leaks_from_parser() || a_parser_runs || nothing_known) {
        (ToolKind::WrongParser, "no_tool_parser")
    } else {
        (ToolKind::NoParser, "wrong_tool_parser")
    }
}
