//! Did one mode lose what the other delivered? [`lost`] compares two completions of one request.
//!
//! Structural only: the same words or calls, fewer or put elsewhere. Two answers that differ are the model's business.

use serde_json::Value;

use crate::completion::{Arguments, Completion, Mode, ToolCall};

/// `poor` is `whole` with something lost, broken or put into another field on the way.
pub(super) fn lost(poor: &Completion, whole: &Completion) -> bool {
    if std::ptr::eq(poor, whole) || whole.is_empty_answer() {
        return false;
    }
    poor.is_empty_answer() && !poor.is_truncated()
        || poor.tool_calls.is_empty() && whole.tool_calls.is_empty() && poor.is_cut_short_of(whole)
        || calls_lost(poor, whole)
        || same_words_elsewhere(poor, whole)
        || same_answer_other_frame(poor, whole)
        || runs_on_behind_tag(poor, whole)
}

/// The whole answer, a closing tag, and more thoughts behind it (tenstorrent/tt-inference-server#4386).
pub(crate) fn runs_on_behind_tag(poor: &Completion, whole: &Completion) -> bool {
    let (text, answer) = (poor.text().trim(), whole.text().trim());
    answer.len() > 1 && text.strip_prefix(answer).is_some_and(|rest| rest.trim_start().starts_with("</think>"))
}

/// Calls that are missing or damaged, where nothing else was said in their place.
fn calls_lost(poor: &Completion, whole: &Completion) -> bool {
    if whole.tool_calls.is_empty() || poor.is_truncated() {
        return false;
    }
    if poor.tool_calls.is_empty() {
        // Prose in place of a call is another answer, unless the server says itself that it called.
        let claims = matches!(poor.finish_reason.as_deref(), Some("tool_calls" | "function_call"));
        return claims || is_same_but_markup(&squeezed(poor.text()), &squeezed(whole.text()));
    }
    // Each call that did arrive is one of the whole answer's, or a damaged one of them.
    let fewer = poor.tool_calls.len() < whole.tool_calls.len();
    let mut broken = false;
    let known = poor.tool_calls.iter().all(|call| {
        let hollow = poor.mode == Some(Mode::Stream) && is_empty_object(call);
        let damaged = is_damaged(call) || is_bare(call) || hollow;
        let clipped =
            || poor.mode == Some(Mode::Stream) && whole.tool_calls.iter().any(|other| is_clipped(call, other));
        let exact = whole.tool_calls.iter().any(|other| same(call, other));
        let clipped = !exact && !damaged && clipped();
        broken |= damaged || clipped;
        exact || clipped || whole.tool_calls.iter().any(|other| damaged && damaged_form(call, other))
    });
    known && (fewer || broken)
}

/// The same text, and behind it at most a marker: `<｜tool▁calls▁begin｜>` (sglang#31351).
fn is_same_but_markup(text: &str, other: &str) -> bool {
    let marker = |rest: &str| {
        rest.is_empty() || rest.len() <= 64 && rest.starts_with(['<', '[']) && rest.ends_with(['>', ']', '|', '｜'])
    };
    text.strip_prefix(other).is_some_and(marker)
}

/// The same keys and values, but for texts that lost their end (sglang#34600: `find /` of `find /tmp`).
fn is_clipped(call: &ToolCall, other: &ToolCall) -> bool {
    let (Ok(short), Ok(whole)) = (call.arguments.value(), other.arguments.value()) else { return false };
    let (Some(short), Some(whole)) = (short.as_object(), whole.as_object()) else { return false };
    let begins = |value: &Value, other: &Value| match (value.as_str(), other.as_str()) {
        (Some(value), Some(other)) => !value.is_empty() && other.starts_with(value),
        _ => false,
    };
    let alike =
        |(key, value): (&String, &Value)| whole.get(key).is_some_and(|other| value == other || begins(value, other));
    call.name == other.name && short.len() == whole.len() && short != whole && short.iter().all(alike)
}

fn same(call: &ToolCall, other: &ToolCall) -> bool {
    call.name == other.name && matches!((call.arguments.value(), other.arguments.value()), (Ok(a), Ok(b)) if a == b)
}

fn is_damaged(call: &ToolCall) -> bool {
    call.name.is_empty()
        || is_markup(&call.name)
        || !call.arguments.value().is_ok_and(|arguments| arguments.is_object())
}

/// Its arguments never arrived; what gives none on purpose says so with an empty object.
fn is_bare(call: &ToolCall) -> bool {
    matches!(&call.arguments, Arguments::Missing)
        || matches!(&call.arguments, Arguments::Text(text) if text.trim().is_empty())
}

/// An empty object is what a streaming parser sends whose arguments were lost (vllm#31501); the other mode carries more.
fn is_empty_object(call: &ToolCall) -> bool {
    call.arguments.value().is_ok_and(|arguments| arguments.as_object().is_some_and(serde_json::Map::is_empty))
}

/// A name that holds white space or brackets is a piece of markup.
fn is_markup(name: &str) -> bool {
    name.contains(|c: char| c.is_whitespace() || "<>{}[]()\"|".contains(c))
}

/// The damaged call may be this one: its name is the same or was lost, and it is not whole itself.
fn damaged_form(call: &ToolCall, other: &ToolCall) -> bool {
    !is_damaged(other) && (call.name.is_empty() || is_markup(&call.name) || call.name.contains(&other.name))
}

/// The same words in all, divided otherwise among text and reasoning.
fn same_words_elsewhere(poor: &Completion, whole: &Completion) -> bool {
    let words = |completion: &Completion| squeezed(&format!("{}{}", completion.reasoning(), completion.text()));
    let (text, other) = (squeezed(poor.text()), squeezed(whole.text()));
    text != other && poor.tool_calls.len() == whole.tool_calls.len() && {
        let (all, others) = (words(poor), words(whole));
        // Reasoning that was dropped in one mode leaves the text; reasoning that leaked adds to it.
        all == others || (!whole.reasoning().trim().is_empty() && !other.is_empty() && text == others)
    }
}

/// The same text and calls; only what frames them differs (finish reason, ids, reasoning).
fn same_answer_other_frame(poor: &Completion, whole: &Completion) -> bool {
    let calls = |completion: &Completion| -> Vec<_> {
        completion.tool_calls.iter().map(|call| (call.name.clone(), call.arguments.value().ok())).collect()
    };
    let ids = |completion: &Completion| completion.tool_calls.iter().filter(|call| call.id.is_some()).count();
    squeezed(poor.text()) == squeezed(whole.text())
        && calls(poor) == calls(whole)
        && (poor.finish_reason != whole.finish_reason
            || ids(poor) < ids(whole)
            || poor.reasoning().trim().is_empty() != whole.reasoning().trim().is_empty())
}

/// The text without white space and thinking tags.
fn squeezed(text: &str) -> String {
    let text = text.replace("<think>", "").replace("</think>", "");
    text.chars().filter(|char| !char.is_whitespace()).collect()
}
