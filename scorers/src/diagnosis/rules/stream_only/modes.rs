//! What `stream_only` sees by laying the plain and the streamed answer side by side. Reads nothing of one mode alone.

use serde_json::Value;

use crate::completion::{Mode, ToolCall};
use crate::diagnosis::causes::{self, Departure};
use crate::diagnosis::facts::Side;
use crate::diagnosis::{Confidence, Finding, Severity, Signs, advice};

use super::pieces::{is_beginning, thoughts_lost_between};
use super::{draft, mode_of, names};

/// A text that is so many bytes shorter has lost something.
const MISSING: usize = 8;

/// The same text in both modes, thoughts beside it in one of them only, and tokens for them in both.
pub(super) fn thoughts_in_one_mode(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let [first, second] = facts.sides.as_slice() else { return None };
    let (with, without) = match (first.has_reasoning(), second.has_reasoning()) {
        (true, false) => (first, second),
        (false, true) => (second, first),
        _ => return None,
    };
    let apart = signs.reasoning.is_none() && signs.tool.is_none() && !without.is_silent() && !without.at_cap();
    let lost = without.billed().is_some_and(|tokens| tokens > without.visible_tokens() + 8);
    if apart && without.billed().is_none() {
        return thoughts_lost_between(signs, with, without);
    }
    if !apart || !lost || facts.server().gateway.is_some() {
        return None;
    }
    let message = format!(
        "the {} answer carries the reasoning, and the {} one loses it, though its tokens are billed",
        mode_of(with),
        mode_of(without)
    );
    Some(
        draft(signs, Confidence::Medium, message)
            .evidence(facts, "reasoning", with.completion.reasoning())
            .evidence(facts, "usage", &format!("completion_tokens {}", without.billed().unwrap_or_default()))
            .ruled_out("the model: it thought in both modes")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// The same calls, and one mode gives a value its declared type, or carries a required one, where the other does not.
pub(super) fn types_differ(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let [first, second] = facts.sides.as_slice() else { return None };
    let pairs = first.completion.tool_calls.iter().zip(&second.completion.tool_calls);
    let (right, wrong, departure, name) =
        pairs.filter(|(one, other)| one.name == other.name).find_map(|(one, other)| {
            let tool = facts.view.request.tool(&one.name)?;
            let (one, other) = (one.arguments.value().ok()?, other.arguments.value().ok()?);
            match (causes::departure(tool, &one), causes::departure(tool, &other)) {
                (None, Some(departure @ Departure::Type { .. })) if reads_alike(&one, &other) => {
                    Some((first, second, departure, &tool.name))
                }
                (Some(departure @ Departure::Type { .. }), None) if reads_alike(&one, &other) => {
                    Some((second, first, departure, &tool.name))
                }
                (None, Some(departure @ Departure::Missing(_))) if !facts.is_sampled() && is_part_of(&other, &one) => {
                    Some((first, second, departure, &tool.name))
                }
                (Some(departure @ Departure::Missing(_)), None) if !facts.is_sampled() && is_part_of(&one, &other) => {
                    Some((second, first, departure, &tool.name))
                }
                _ => None,
            }
        })?;
    let message = format!(
        "{}; the {} answer carries it as declared, the {} one does not",
        departure.in_words(name),
        mode_of(right),
        mode_of(wrong)
    );
    Some(
        draft(signs, Confidence::High, message)
            .evidence(facts, mode_of(wrong), &names(wrong))
            .evidence(facts, mode_of(right), &names(right))
            .ruled_out("the model: in the other mode what it wrote arrives rightly")
            .fix("use stream: false with this parser (compare both modes)")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// All that one object holds the other holds as well, with the same values.
fn is_part_of(part: &Value, whole: &Value) -> bool {
    let (Some(part), Some(whole)) = (part.as_object(), whole.as_object()) else { return false };
    !part.is_empty() && part.iter().all(|(key, value)| whole.get(key) == Some(value))
}

/// The same keys, and values whose texts are the same: `3` and `"3"`.
fn reads_alike(one: &Value, other: &Value) -> bool {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned());
    match (one.as_object(), other.as_object()) {
        (Some(one), Some(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| text(value) == text(other)))
        }
        _ => false,
    }
}

/// Of the calls that one mode carries, the other carries the first ones only, and they were wanted.
pub(super) fn fewer_calls(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let [first, second] = facts.sides.as_slice() else { return None };
    let count = |side: &Side<'_>| side.completion.tool_calls.len();
    let (more, fewer) = if count(first) > count(second) { (first, second) } else { (second, first) };
    if count(fewer) == 0
        || count(fewer) == count(more)
        || fewer.at_cap()
        || signs.tool.is_some()
        || !facts.call_was_missed()
    {
        return None;
    }
    let same = |(one, other): (&ToolCall, &ToolCall)| {
        one.name == other.name && one.arguments.value().ok() == other.arguments.value().ok()
    };
    if !fewer.completion.tool_calls.iter().zip(&more.completion.tool_calls).all(same) {
        return None;
    }
    // Nothing was billed beyond what arrived: the model made fewer calls this time.
    let lost = fewer.lost_tokens();
    if fewer.billed().is_some() && !lost {
        return None;
    }
    let confidence = if lost || facts.is_greedy() { Confidence::High } else { Confidence::Low };
    let message = format!(
        "the {} answer carries {} calls, and the {} one only the first {} of them",
        mode_of(more),
        count(more),
        mode_of(fewer),
        count(fewer)
    );
    Some(
        draft(signs, confidence, message)
            .evidence(facts, "tool_calls", &names(more))
            .evidence(facts, if fewer.mode == Mode::Stream { "stream" } else { "tool_calls" }, &names(fewer))
            .fix("compare both modes at temperature 0; send parallel_tool_calls: false until the server is mended")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// One mode's text stops within a word of the other's.
pub(super) fn cut_short(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let [first, second] = facts.sides.as_slice() else { return None };
    let (short, whole) = [(first, second), (second, first)].into_iter().find(|(short, whole)| {
        short.completion.is_cut_short_of(whole.completion) || facts.is_greedy() && is_beginning(short, whole)
    })?;
    if signs.tool.is_some() || signs.reasoning.is_some() {
        return None;
    }
    let message = format!(
        "the {} text stops early, with finish_reason {}, and the {} one goes on from there",
        mode_of(short),
        short.finish(),
        mode_of(whole)
    );
    Some(
        draft(signs, Confidence::High, message)
            .evidence(facts, mode_of(short), short.completion.text())
            .evidence(facts, mode_of(whole), whole.completion.text())
            .ruled_out("the budget: finish_reason is not length")
            .fix("compare both modes; switch speculative decoding off")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// The same greedy request, two different answers, and nothing else explains it.
pub(super) fn texts_differ(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let [first, second] = facts.sides.as_slice() else { return None };
    if !facts.is_greedy() || signs.tool.is_some() || signs.reasoning.is_some() {
        return None;
    }
    let calls = |side: &Side<'_>| {
        side.completion
            .tool_calls
            .iter()
            .map(|call| (call.name.clone(), call.arguments.value().ok()))
            .collect::<Vec<_>>()
    };
    if calls(first) == calls(second) || first.at_cap() || second.at_cap() {
        return None;
    }
    let message = "the plain and the streamed answer to the same greedy request carry different calls";
    Some(
        draft(signs, Confidence::Medium, message)
            .evidence(facts, "content", &names(first))
            .evidence(facts, "stream", &names(second))
            .fix("compare with stream: false, and read the streaming path's known bugs of this version")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// Both modes carry the same calls and were billed the same, and the text beside them is cut or gone in one (sglang#34214,
/// TensorRT-LLM#17740).
pub(super) fn text_lost_beside_calls(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let [first, second] = facts.sides.as_slice() else { return None };
    if signs.tool.is_some() || signs.reasoning.is_some() || first.completion.tool_calls.is_empty() {
        return None;
    }
    let billed = match (first.tokens(), second.tokens()) {
        (Some(one), Some(other)) => one == other,
        _ => facts.is_greedy(),
    };
    if !billed || first.meant_calls() != second.meant_calls() || first.at_cap() || second.at_cap() {
        return None;
    }
    let text = |side: &Side<'_>| side.completion.text().trim().len();
    let (short, long) = if text(first) < text(second) { (first, second) } else { (second, first) };
    let (rest, whole) = (short.completion.text().trim(), long.completion.text().trim());
    if rest.len() + MISSING > whole.len() || !whole.starts_with(rest) {
        return None;
    }
    let message = format!(
        "warning: the {} answer carries the same calls, and of the text beside them {} of {} characters",
        mode_of(short),
        rest.chars().count(),
        whole.chars().count()
    );
    Some(
        draft(signs, Confidence::Medium, message)
            .severity(Severity::Warning)
            .evidence(facts, mode_of(short), rest)
            .evidence(facts, mode_of(long), whole)
            .ruled_out("another sample: the calls are the same, and the tokens or the greedy sampling")
            .fix("use the other mode where the text matters")
            .fix(advice::upgrade(facts))
            .done(),
    )
}
