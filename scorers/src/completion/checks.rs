//! What the whole answer says of itself: [`check`] books where its parts contradict each other.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::deviation::Notes;
use super::{Arguments, Completion, Exchange, Mode};

/// Finish reasons of the contract, with those of its older versions.
const FINISH_REASONS: [&str; 5] = ["stop", "length", "tool_calls", "content_filter", "function_call"];

/// Books contradictions within a completion.
pub(super) fn check(completion: &Completion, exchange: &Exchange, notes: &mut Notes) {
    calls(completion, notes);
    finish(completion, exchange, notes);
    let tokens = completion.billed();
    let plain = completion.mode == Some(Mode::Plain) && notes.count("stream_instead_of_json") == 0;
    if plain && completion.usage.is_none() && notes.count("usage_not_object") == 0 {
        notes.add("usage_missing", "usage", "null or missing");
    }
    if completion.is_empty_answer() && completion.reasoning().trim().is_empty() {
        notes.add("message_empty", "choices[0].message", "neither text, reasoning, refusal nor call");
        // One token is the end of the text, and no answer was lost.
        if let Some(tokens) = tokens.filter(|tokens| *tokens > 1) {
            notes.add("phantom_tokens", "usage.completion_tokens", format_args!("{tokens} tokens were generated"));
        }
    }
}

fn calls(completion: &Completion, notes: &mut Notes) {
    let legacy = notes.count("legacy_function_call") > 0;
    let mut ids = std::collections::HashSet::new();
    for (at, call) in completion.tool_calls.iter().enumerate() {
        let place = format_args!("choices[0].message.tool_calls[{at}]");
        match &call.id {
            None if legacy => {}
            None => notes.add("tool_call_without_id", format_args!("{place}.id"), "null, empty or missing"),
            Some(id) if !ids.insert(id) => notes.add("duplicate_tool_call_id", format_args!("{place}.id"), id),
            Some(_) => {}
        }
        match call.kind.as_deref() {
            None if legacy => {}
            None => notes.add("tool_call_without_type", format_args!("{place}.type"), "null or missing"),
            Some("function") => {}
            Some(other) => notes.add("tool_call_type", format_args!("{place}.type"), other),
        }
        if call.name.is_empty() {
            notes.add("tool_call_without_name", format_args!("{place}.function.name"), "null, empty or missing");
        }
        arguments(&call.arguments, &place, notes);
    }
}

fn arguments(arguments: &Arguments, place: &dyn std::fmt::Display, notes: &mut Notes) {
    let place = format_args!("{place}.function.arguments");
    match arguments {
        Arguments::Missing => notes.add("arguments_missing", place, "null or missing"),
        // What it is was booked as it came.
        Arguments::Json(_) => {}
        Arguments::Text(text) => match text.trim().bytes().next() {
            None => notes.add("arguments_empty", place, "an empty string"),
            Some(b'"') if is_double(text) => notes.add("arguments_double_encoded", place, text),
            Some(first) => match serde_json::from_str::<IgnoredAny>(text) {
                Err(error) => notes.add("arguments_invalid_json", place, format_args!("{error}: {text}")),
                Ok(_) if first != b'{' => notes.add("arguments_not_object", place, text),
                Ok(_) => {}
            },
        },
    }
}

fn is_double(text: &str) -> bool {
    serde_json::from_str::<String>(text)
        .is_ok_and(|inner| matches!(serde_json::from_str(&inner), Ok(Value::Object(_) | Value::String(_))))
}

fn finish(completion: &Completion, exchange: &Exchange, notes: &mut Notes) {
    let (place, called) = ("choices[0].finish_reason", !completion.tool_calls.is_empty());
    match completion.finish_reason.as_deref() {
        None => notes.add("finish_reason_missing", place, "null or missing"),
        Some("stop") if called && !names_a_tool(exchange) => {
            let calls = completion.tool_calls.len();
            notes.add("finish_reason_stop_with_calls", place, format_args!("stop, with {calls} calls"));
        }
        Some(reason @ ("tool_calls" | "function_call")) if !called => {
            notes.add("finish_reason_calls_without_calls", place, reason);
        }
        Some(reason) if !FINISH_REASONS.contains(&reason) => notes.add("finish_reason_unknown", place, reason),
        Some(_) => {}
    }
}

/// The request forces one function: then `stop` is what the contract says (OpenAI, vLLM).
fn names_a_tool(exchange: &Exchange) -> bool {
    #[derive(Deserialize)]
    struct Asked {
        #[serde(default)]
        tool_choice: Value,
    }
    serde_json::from_str::<Asked>(exchange.request.get()).is_ok_and(|asked| asked.tool_choice.is_object())
}
