//! What `stream_only` sees in streamed arguments: cut, repeated, lost. Does not compare their values.

use crate::completion::Mode;
use crate::diagnosis::causes::{self, Spoilt, ToolKind};
use crate::diagnosis::facts::Side;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Signs, advice};

use super::{RULE, draft, names, streams};

/// Arguments that stop in the middle although nothing cut the answer.
pub(super) fn cut_arguments(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if signs.tool.as_ref().is_some_and(|found| found.kind != ToolKind::OneMode) {
        return None;
    }
    let side = streams(facts).find(|side| !side.at_cap() && side.broken_call().is_some())?;
    let call = side.broken_call()?;
    // Pieces of markup in the arguments tell of the parser, not of the stream.
    if facts.sides.len() == 1 && matches!(causes::spoilt(side, call), Some(Spoilt::Residue(_))) {
        return None;
    }
    let plain_is_right = facts.sides.iter().any(|other| {
        other.mode == Mode::Plain && !other.completion.tool_calls.is_empty() && other.broken_call().is_none()
    });
    let finish = side.finish();
    let message = format!(
        "the streamed arguments of {} are no JSON although finish_reason is {finish} and the budget is not spent{}",
        call.name,
        if plain_is_right { ": the plain answer carries them whole" } else { "" },
    );
    let confidence = if plain_is_right { Confidence::High } else { Confidence::Medium };
    Some(
        draft(signs, confidence, message)
            .evidence(facts, "arguments", &call.arguments.as_text())
            .ruled_out("the budget: far fewer tokens than max_tokens")
            .fixes(advice::single_tokens(facts))
            .fix("compare with stream: false")
            .fix("switch speculative decoding (MTP) off")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// The whole arguments, and then more of the like: sent again at the end, or over and over until the budget is spent.
pub(super) fn repeated_arguments(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = streams(facts).find(|side| side.broken_call().is_some())?;
    let call = side.broken_call()?;
    let text = call.arguments.as_text();
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>();
    let first = values.next()?.ok().filter(serde_json::Value::is_object)?;
    let rest = text.get(values.byte_offset()..)?.trim_start();
    let again = values.next().is_some_and(|second| second.as_ref().is_ok_and(|second| *second == first))
        || text.starts_with(rest);
    if rest.is_empty() || !again {
        return None;
    }
    let message = format!(
        "the arguments of {} were streamed more than once: clients that put the pieces together get no JSON",
        call.name
    );
    Some(
        draft(signs, Confidence::High, message)
            .evidence(facts, "arguments", &text)
            .ruled_out("the model: the first object is whole")
            .fix("use stream: false, or take the first whole object")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// A call whose arguments were never streamed, or of which the other mode carries more.
pub(super) fn lost_arguments(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if signs.tool.as_ref().is_some_and(|found| found.kind != ToolKind::OneMode) {
        return None;
    }
    let (call, key, side) = streams(facts).filter(|side| !side.at_cap()).find_map(|side| {
        side.completion.tool_calls.iter().enumerate().find_map(|(at, call)| {
            let whole =
                facts.sides.iter().any(|other| other.mode == Mode::Plain && has_arguments(other, at, &call.name));
            match causes::spoilt(side, call)? {
                Spoilt::Nothing(key) => Some((call, key, side)),
                Spoilt::Empty(key) if whole => Some((call, key, side)),
                _ => None,
            }
        })
    })?;
    let message = format!(
        "{} was streamed without its arguments, and it needs `{key}`: \
         even a model that gives none writes an empty object",
        call.name
    );
    Some(
        draft(signs, Confidence::Medium, message)
            .evidence(facts, "stream", &names(side))
            .ruled_out("the budget: the answer is complete")
            .fixes(advice::single_tokens(facts))
            .fix("compare with stream: false")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// A call of a tool that needs no arguments, streamed without even the empty object (vLLM 0.32.0, llama3_json).
pub(super) fn lost_empty_object(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if signs.tool.as_ref().is_some_and(|found| found.kind != ToolKind::OneMode) {
        return None;
    }
    let (at, call, side) = streams(facts).filter(|side| !side.at_cap()).find_map(|side| {
        let mut calls = side.completion.tool_calls.iter().enumerate();
        calls
            .find(|(_, call)| causes::is_nothing(&call.arguments) && !call.is_hollow())
            .map(|(at, call)| (at, call, side))
    })?;
    let whole = facts.sides.iter().filter(|other| other.mode == Mode::Plain).any(|other| {
        let same = other.completion.tool_calls.get(at).filter(|other| other.name == call.name);
        same.and_then(Side::object_of).is_some()
    });
    let message = format!(
        "{} was streamed without its arguments, be it an empty object{}: clients that parse them fail",
        call.name,
        if whole { ", which the plain answer carries" } else { "" },
    );
    Some(
        draft(signs, if whole { Confidence::High } else { Confidence::Medium }, message)
            .evidence(facts, "stream", &names(side))
            .ruled_out("the budget: the answer is complete")
            .fixes(advice::single_tokens(facts))
            .fix("use stream: false, or read missing arguments as an empty object")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// The call at this place carries arguments.
fn has_arguments(side: &Side<'_>, at: usize, name: &str) -> bool {
    let call = side.completion.tool_calls.get(at).filter(|call| call.name == name);
    call.and_then(Side::object_of).and_then(|value| value.as_object().map(|map| !map.is_empty())).unwrap_or_default()
}

/// Each piece of one call carries an id of its own.
pub(super) fn id_in_pieces(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = streams(facts).find(|side| side.completion.deviates("tool_id_changes"))?;
    let gateway = facts.server().gateway.as_deref();
    let between = gateway.map(|gateway| format!("; {gateway} stands between")).unwrap_or_default();
    let blame = if gateway.is_some() { Blame::Gateway } else { Blame::ServerBug };
    let message =
        format!("the pieces of one streamed call carry different ids: clients that merge by id tear it apart{between}");
    Some(
        Draft::new(&RULE, blame, Confidence::High, message)
            .evidence(facts, "stream", &names(side))
            .ruled_out("the model: put together by their index, the pieces are one call")
            .fix("merge by index, and take the first id; or use stream: false")
            .fix(advice::upgrade(facts))
            .done(),
    )
}
