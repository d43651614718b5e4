//! One JSON body.

use serde_json::json;

use super::*;
use crate::completion::{Arguments, ToolCall, Usage};

#[test]
fn a_healthy_answer_departs_in_nothing() {
    let body = r#"{"role": "assistant", "content": "hi", "refusal": null, "tool_calls": null, "reasoning": null}"#;
    let read = departs(&message(body, "\"stop\""), &[]);
    assert_eq!((read.text.as_deref(), read.reasoning.as_deref()), (Some("hi"), None));
    assert_eq!(read.message_keys, ["content", "reasoning", "refusal", "role", "tool_calls"]);
    assert_eq!((read.id.as_deref(), read.model.as_deref(), read.choices), (Some("c"), Some("m"), 1));
    assert_eq!(read.finish_reason.as_deref(), Some("stop"));
    assert_eq!(read.mode, Some(Mode::Plain));
    let usage = Usage { prompt_tokens: Some(3), completion_tokens: Some(1), ..Usage::default() };
    assert_eq!(read.usage, Some(usage));
}

/// Content in every shape: the text read, and the departures.
#[test]
fn content() {
    let case = |content: &str, text: Option<&str>, expected: &[&str]| {
        let read = departs(&message(&format!(r#"{{"role": "assistant", {content}}}"#), "\"stop\""), expected);
        assert_eq!(read.text.as_deref(), text, "{content}");
    };
    case(r#""content": null"#, None, &["message_empty"]);
    case(r#""x": 1"#, None, &["message_empty"]);
    case(r#""content": """#, Some(""), &["message_empty"]);
    case(r#""content": 42"#, Some("42"), &["content_not_text"]);
    case(r#""content": true"#, Some("true"), &["content_not_text"]);
    case(r#""content": {"text": "a"}"#, Some("a"), &["content_not_text"]);
    case(r#""content": {"answer": 1}"#, Some(r#"{"answer":1}"#), &["content_not_text"]);
    case(r#""content": [{"type": "text", "text": "a"}, "b"]"#, Some("ab"), &["content_parts"]);
    case(r#""content": []"#, Some(""), &["content_parts", "message_empty"]);
    let image = r#""content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}]"#;
    case(image, Some("a"), &["content_parts", "content_part_unknown"]);
    case(r#""content": "a", "refusal": ["no"]"#, Some("a"), &["refusal_not_text"]);
}

#[test]
fn reasoning() {
    let case = |fields: &str, thought: Option<&str>, field: Option<&str>, expected: &[&str]| {
        let body = format!(r#"{{"role": "assistant", "content": "a", {fields}}}"#);
        let read = departs(&message(&body, "\"stop\""), expected);
        assert_eq!((read.reasoning.as_deref(), read.reasoning_field.as_deref()), (thought, field), "{fields}");
    };
    case(r#""reasoning": "t""#, Some("t"), Some("reasoning"), &[]);
    case(r#""reasoning_content": "t""#, Some("t"), Some("reasoning_content"), &[]);
    case(r#""thinking": "t""#, Some("t"), Some("thinking"), &[]);
    case(r#""reasoning": """#, Some(""), Some("reasoning"), &[]);
    case(r#""reasoning": null, "reasoning_content": null"#, None, None, &[]);
    let both = r#""reasoning": "t", "reasoning_content": "t""#;
    case(both, Some("t"), Some("reasoning_content"), &["reasoning_twice"]);
    let two = r#""reasoning": "b", "reasoning_content": "a""#;
    case(two, Some("ab"), Some("reasoning_content"), &["reasoning_twice"]);
    case(r#""reasoning": {"content": "t"}"#, Some("t"), Some("reasoning"), &["reasoning_not_text"]);
    let details = r#""reasoning_details": [{"type": "reasoning.text", "text": "t"}]"#;
    case(details, Some("t"), Some("reasoning_details"), &[]);
    let beside = r#""reasoning": "t", "reasoning_details": [{"type": "reasoning.text", "text": "t"}]"#;
    case(beside, Some("t"), Some("reasoning"), &[]);
}

#[test]
fn thinking_parts_of_mistral_are_reasoning() {
    let body = r#"{"role": "assistant", "content": [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "4"}]}"#;
    let read = departs(&message(body, "\"stop\""), &["content_parts"]);
    assert_eq!((read.reasoning(), read.text(), read.reasoning_field.as_deref()), ("hm", "4", Some("content")));
}

fn call(id: &str, name: &str, arguments: Arguments) -> ToolCall {
    let id = Some(id.to_owned()).filter(|id| !id.is_empty());
    ToolCall { id, kind: Some("function".into()), index: None, name: name.into(), arguments }
}

fn text(arguments: &str) -> Arguments {
    Arguments::Text(arguments.to_owned())
}

/// `tool_calls` in every shape: the calls read, and the departures.
#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn tool_calls() {
    let case = |calls: &str, read: &[ToolCall], expected: &[&str]| {
        let body = format!(r#"{{"role": "assistant", "content": "x", "tool_calls": {calls}}}"#);
        let finish = if read.is_empty() { "\"stop\"" } else { "\"tool_calls\"" };
        assert_eq!(departs(&message(&body, finish), expected).tool_calls, read, "{calls}");
    };
    let f =
        |arguments: &str| format!(r#"[{{"id": "1", "type": "function", "function": {{"name": "f", {arguments}}}}}]"#);
    case("null", &[], &[]);
    case("[]", &[], &["tool_calls_empty"]);
    case(&f(r#""arguments": "{}""#), &[call("1", "f", text("{}"))], &[]);
    case(&f(r#""arguments": {"a": 1}"#), &[call("1", "f", Arguments::Json(json!({"a": 1})))], &["arguments_object"]);
    case(&f(r#""arguments": 5"#), &[call("1", "f", Arguments::Json(json!(5)))], &["arguments_not_text"]);
    case(&f(r#""arguments": null"#), &[call("1", "f", Arguments::Missing)], &["arguments_missing"]);
    case(&f(r#""arguments": """#), &[call("1", "f", text(""))], &["arguments_empty"]);
    case(&f(r#""arguments": "{\"a\":""#), &[call("1", "f", text("{\"a\":"))], &["arguments_invalid_json"]);
    case(&f(r#""arguments": "[1]""#), &[call("1", "f", text("[1]"))], &["arguments_not_object"]);
    case(&f(r#""arguments": "\"{}\"""#), &[call("1", "f", text("\"{}\""))], &["arguments_double_encoded"]);
    case(&f(r#""parameters": "{}""#), &[call("1", "f", text("{}"))], &["arguments_renamed"]);
    let one = &[call("1", "f", text("{}"))];
    case(
        r#"{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}"#,
        one,
        &["tool_calls_not_list"],
    );
    case(
        r#""[{\"id\": \"1\", \"type\": \"function\", \"function\": {\"name\": \"f\", \"arguments\": \"{}\"}}]""#,
        one,
        &["tool_calls_not_list"],
    );
    case(r#"[{"id": "1", "type": "function", "name": "f", "arguments": "{}"}]"#, one, &["tool_call_flat"]);
    case(r#"["x"]"#, &[], &["tool_call_not_object"]);
    let bare = r#"[{"function": {"name": "f", "arguments": "{}"}}]"#;
    let missing = &["tool_call_without_id", "tool_call_without_type"];
    case(bare, &[ToolCall { kind: None, ..call("", "f", text("{}")) }], missing);
    case(
        r#"[{"id": 7, "type": "function", "function": {"name": "f", "arguments": "{}"}}]"#,
        &[call("7", "f", text("{}"))],
        &["tool_call_id_not_text"],
    );
    case(
        r#"[{"id": "1", "type": "function", "function": {"name": null, "arguments": "{}"}}]"#,
        &[call("1", "", text("{}"))],
        &["tool_call_without_name"],
    );
    let indexed = ToolCall { index: Some(0), ..call("1", "f", text("{}")) };
    case(
        r#"[{"index": "0", "id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]"#,
        &[indexed],
        &["tool_index_not_integer"],
    );
    let odd = ToolCall { kind: Some("tool".into()), ..call("1", "f", text("{}")) };
    case(r#"[{"id": "1", "type": "tool", "function": {"name": "f", "arguments": "{}"}}]"#, &[odd], &["tool_call_type"]);
    let twice = [call("1", "f", text("{}")), call("1", "f", text("{}"))];
    let f = r#"{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}"#;
    case(&format!("[{f}, {f}]"), &twice, &["duplicate_tool_call_id"]);
}

#[test]
fn calls_in_other_places() {
    let legacy = r#"{"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}}"#;
    let read = departs(&message(legacy, "\"function_call\""), &["legacy_function_call"]);
    assert_eq!(read.tool_calls, [ToolCall { kind: None, ..call("", "f", text("{}")) }]);
    let part = r#"{"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]}"#;
    let read = completion(&message(part, "\"tool_calls\""));
    assert_eq!((read.tool_calls.len(), read.tool_calls[0].name.as_str()), (1, "f"));
    assert!(kinds(&read.deviations).contains(&"tool_call_in_content"));
}

#[test]
fn finish_reasons() {
    let case = |finish: &str, read: Option<&str>, expected: &[&str]| {
        let exchange = message(r#"{"role": "assistant", "content": "a"}"#, finish);
        assert_eq!(departs(&exchange, expected).finish_reason.as_deref(), read, "{finish}");
    };
    case("\"length\"", Some("length"), &[]);
    case("\"eos_token\"", Some("eos_token"), &["finish_reason_unknown"]);
    case("null", None, &["finish_reason_missing"]);
    case("\"\"", None, &["finish_reason_missing"]);
    case("3", Some("3"), &["finish_reason_not_text", "finish_reason_unknown"]);
    case("\"tool_calls\"", Some("tool_calls"), &["finish_reason_calls_without_calls"]);
}

#[test]
fn stop_with_calls_departs_unless_the_call_was_forced() {
    let call = r#"{"role": "assistant", "content": null, "tool_calls":
        [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}"#;
    let mut exchange = message(call, "\"stop\"");
    departs(&exchange, &["finish_reason_stop_with_calls"]);
    let forced = json!({"tool_choice": {"type": "function", "function": {"name": "f"}}});
    exchange.request = RawJson::of(&forced);
    departs(&exchange, &[]);
}

/// `usage` in every shape: prompt and completion tokens, and the departures.
#[test]
fn usage() {
    let case = |usage: &str, read: Option<(Option<u64>, Option<u64>)>, expected: &[&str]| {
        let body = format!(
            r#"{{"choices": [{{"message": {{"role": "assistant", "content": "a"}}, "finish_reason": "stop"}}], "usage": {usage}}}"#
        );
        let usage = departs(&plain(body), expected).usage;
        assert_eq!(usage.map(|usage| (usage.prompt_tokens, usage.completion_tokens)), read);
    };
    case(r#"{"prompt_tokens": 1, "completion_tokens": 2}"#, Some((Some(1), Some(2))), &[]);
    case("null", None, &["usage_missing"]);
    case("7", None, &["usage_not_object"]);
    case(r#"{"prompt_tokens": 1}"#, Some((Some(1), None)), &["usage_partial"]);
    case(r#"{"prompt_tokens": 1.0, "completion_tokens": "2"}"#, Some((Some(1), Some(2))), &["usage_not_integer"; 2]);
    case(
        r#"{"prompt_tokens": 1, "completion_tokens": -2}"#,
        Some((Some(1), None)),
        &["usage_negative", "usage_partial"],
    );
    let huge = &["number_out_of_range", "usage_partial"];
    case(r#"{"prompt_tokens": 1, "completion_tokens": 1e300}"#, Some((Some(1), None)), huge);
    case(r#"{"prompt_tokens": 1, "completion_tokens": 1e999}"#, Some((Some(1), None)), huge);
    case(r#"{"prompt_tokens": 1, "completion_tokens": 18446744073709551615}"#, Some((Some(1), None)), huge);
    case(r#"{"prompt_tokens": 4294967295, "completion_tokens": 1}"#, Some((None, Some(1))), huge);
    case(r#"{"prompt_tokens": 1, "completion_tokens": 10000000}"#, Some((Some(1), Some(10_000_000))), &[]);
    let read = departs(
        &plain(
            r#"{"choices": [{"message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}], "usage":
            {"prompt_tokens": 9, "completion_tokens": 2, "completion_tokens_details": {"reasoning_tokens": 1},
            "prompt_tokens_details": {"cached_tokens": 4}}}"#,
        ),
        &[],
    );
    assert_eq!(read.usage.map(|usage| (usage.reasoning_tokens, usage.cached_tokens)), Some((Some(1), Some(4))));
}

#[test]
fn phantom_tokens() {
    let body = |tokens: u64| {
        plain(format!(
            r#"{{"choices": [{{"message": {{"role": "assistant", "content": ""}}, "finish_reason": "stop"}}],
            "usage": {{"prompt_tokens": 1, "completion_tokens": {tokens}}}}}"#
        ))
    };
    departs(&body(30), &["message_empty", "phantom_tokens"]);
    departs(&body(1), &["message_empty"]);
}

#[test]
fn choices() {
    let two = r#"{"choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"},
        {"index": 1, "message": {"role": "assistant", "content": "b"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1}}"#;
    let read = departs(&plain(two), &[]);
    assert_eq!((read.text(), read.choices, read.other_choices.join(",")), ("a", 2, "b".to_owned()));
    let usage = r#""usage": {"prompt_tokens": 1, "completion_tokens": 1}"#;
    let case = |choice: &str, expected: &[&str]| {
        let read = departs(&plain(format!(r#"{{"choices": {choice}, {usage}}}"#)), expected);
        assert_eq!(read.text(), "a");
    };
    case(r#"[{"text": "a", "finish_reason": "stop"}]"#, &["text_completion"]);
    case(r#"[{"delta": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}]"#, &["delta_in_plain"]);
    case(r#"{"message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}"#, &["choices_not_list"]);
    case(
        r#"[{"index": 4, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}]"#,
        &["choice_index"],
    );
    case(r#"[{"message": {"content": "a"}, "finish_reason": "stop"}]"#, &["role_not_assistant"]);
    case(r#"[{"message": {"role": "model", "content": "a"}, "finish_reason": "stop"}]"#, &["role_not_assistant"]);
    departs(
        &plain(format!(r#"{{"choices": [{{"finish_reason": "stop"}}], {usage}}}"#)),
        &["choice_without_message", "message_empty"],
    );
}

#[test]
fn an_error_beside_choices_is_kept() {
    let body = r#"{"choices": [{"message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}],
        "error": {"message": "no"}, "usage": {"prompt_tokens": 1, "completion_tokens": 1}}"#;
    let read = departs(&plain(body), &["error_beside_choices"]);
    assert_eq!(read.stream_error.as_deref(), Some("no"));
}

/// What serde_json refuses, and stock Python servers write.
#[test]
fn the_text_as_such() {
    let case = |body: &[u8], text: &str, expected: &[&str]| {
        let read = departs(&plain(body), expected);
        assert_eq!(read.text(), text);
    };
    let body = |content: &str, rest: &str| {
        format!(
            r#"{{"choices": [{{"message": {{"role": "assistant", "content": {content}}}, "finish_reason": "stop"}}],
            "usage": {{"prompt_tokens": 1, "completion_tokens": 1}}{rest}}}"#
        )
    };
    case(format!("\u{feff}{}", body("\"a\"", "")).as_bytes(), "a", &["bom"]);
    let mut bytes = body("\"aX\"", "").into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'X').unwrap();
    bytes[at] = 0xff;
    case(&bytes, "a\u{fffd}", &["invalid_utf8"]);
    case(body("\"a\"", r#", "logprob": -Infinity"#).as_bytes(), "a", &["non_finite_number"]);
    case(body("\"a\"", r#", "x": [NaN, Infinity]"#).as_bytes(), "a", &["non_finite_number", "non_finite_number"]);
    case(body("\"a\"", r#", "x": 1e999"#).as_bytes(), "a", &["number_out_of_range"]);
    case(body(r#""a\ud83d""#, "").as_bytes(), "a\u{fffd}", &["lone_surrogate"]);
    case(body(r#""\ud83d\ude00 \udc00\u0041\n\"""#, "").as_bytes(), "😀 \u{fffd}A\n\"", &["lone_surrogate"]);
    case(body("\"a\nb\"", "").as_bytes(), "a\nb", &["control_character"]);
    case(body("\"a\"", r#", "choices2": 1, "choices2": 2"#).as_bytes(), "a", &["duplicate_key"]);
    let deep = format!(r#", "x": {}{}"#, "[".repeat(5000), "]".repeat(5000));
    case(body("\"a\"", &deep).as_bytes(), "a", &["deep_nesting"]);
}

#[test]
fn the_last_of_double_keys_counts() {
    let body = r#"{"role": "assistant", "content": "a", "tool_calls": null, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}", "arguments": "{}"}}]}"#;
    let read = completion(&message(body, "\"tool_calls\""));
    assert_eq!(read.tool_calls[0].arguments, text("{}"));
    assert_eq!(kinds(&read.deviations), ["duplicate_key", "duplicate_key"]);
}

#[test]
fn a_stream_where_a_plain_answer_was_asked_is_read() {
    let body = format!("{}data: [DONE]\n\n", event(r#"{"delta": {"content": "a"}, "finish_reason": "stop"}"#));
    let read = departs(&plain(body), &["stream_instead_of_json"]);
    assert_eq!(read.text(), "a");
}
