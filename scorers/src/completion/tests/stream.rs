//! Server-sent events.

use super::*;
use crate::completion::{Arguments, Timing};

#[test]
fn a_healthy_stream_departs_in_nothing() {
    let exchange = chunks(
        &[
            r#"{"role": "assistant", "content": ""}"#,
            r#"{"reasoning": "hm"}"#,
            r#"{"content": "a"}"#,
            r#"{"content": "b", "reasoning": null}"#,
            r#"{"tool_calls": [{"index": 0, "id": "1", "type": "function", "function": {"name": "f", "arguments": ""}}]}"#,
            r#"{"tool_calls": [{"index": 0, "function": {"arguments": "{\"x\""}}]}"#,
            r#"{"tool_calls": [{"index": 0, "id": null, "function": {"name": null, "arguments": ": 1}"}}]}"#,
        ],
        "\"tool_calls\"",
    );
    let read = departs(&exchange, &[]);
    assert_eq!((read.text(), read.reasoning()), ("ab", "hm"));
    assert_eq!(read.tool_calls.len(), 1);
    assert_eq!(read.tool_calls[0].arguments, Arguments::Text(r#"{"x": 1}"#.into()));
    assert_eq!(read.message_keys, ["content", "reasoning", "role", "tool_calls"]);
    let timing = Timing {
        first_reasoning_us: Some(2000),
        first_text_us: Some(3000),
        first_tool_us: Some(5000),
        last_token_us: Some(7000),
        latency_us: 0,
    };
    assert_eq!(read.timing, timing);
    assert_eq!(read.timing.ttft_us(), Some(2000));
}

const A: &str = r#"{"id": "c", "choices": [{"index": 0, "delta": {"content": "a"}}]}"#;
const B: &str = r#"{"id": "c", "choices": [{"index": 0, "delta": {"content": "b"}, "finish_reason": "stop"}]}"#;

/// The frame in every form: the text is the same, and the departures are booked.
#[test]
fn frames() {
    let case = |body: &str, expected: &[&str]| {
        let body = body.replace("$A", A).replace("$B", B);
        let whole = departs(&streamed(&[&body]), expected);
        assert_eq!(whole.text(), "ab");
        // However the bytes are cut, the reading is the same.
        for size in [1, 2, 7, 64] {
            let pieces = body.as_bytes().chunks(size).map(|raw| Piece { at_us: 1000, raw: Raw(raw.to_vec()) });
            let cut = Exchange { body: Body::Pieces(pieces.collect()), ..streamed(&[]) };
            assert_eq!(completion(&cut), whole, "cut to {size} bytes: {body:?}");
        }
    };
    case("data: $A\n\ndata: $B\n\ndata: [DONE]\n\n", &[]);
    case("data: $A\r\n\r\ndata: $B\r\n\r\ndata: [DONE]\r\n\r\n", &["sse_line_ending"]);
    case("data: $A\r\rdata: $B\r\rdata: [DONE]\r\r", &["sse_line_ending"]);
    case(": ping\n\ndata: $A\n\n: ping\n\ndata: $B\n\ndata: [DONE]\n\n", &["sse_comment"]);
    case("data:$A\n\ndata:$B\n\ndata:[DONE]\n\n", &["sse_no_space"]);
    case("id: 1\nevent: message\nretry: 9\ndata: $A\n\ndata: $B\n\ndata: [DONE]\n\n", &[]);
    case("event: chunk\ndata: $A\n\ndata: $B\n\ndata: [DONE]\n\n", &["sse_event_name"]);
    case("data: $A\n\ndata: $B\n\ndata: [DONE] \n\n", &["done_padded"]);
    case("data: $A\n\ndata: $B\n\n", &["no_done"]);
    case("data: $A\n\ndata: $B\n\ndata: [DONE]", &[]);
    case("data: $A\ndata: $B\ndata: [DONE]\n", &["sse_single_newline"]);
    case("data: $A\n\nwhat\ndata: $B\n\ndata: [DONE]\n\n", &["sse_unknown_line"]);
    case("data: $A\n\ndata: {\"ping\": 1}\n\ndata: $B\n\ndata: [DONE]\n\n", &["chunk_without_choices"]);
    case("data: $A\n\ndata: oops\n\ndata: $B\n\ndata: [DONE]\n\n", &["chunk_not_json"]);
    case("data: $A\n\ndata: [1]\n\ndata: $B\n\ndata: [DONE]\n\n", &["chunk_not_json"]);
    case(
        "data: $A\n\ndata: $B\n\ndata: [DONE]\n\ndata: {\"choices\": [], \"usage\": {\"prompt_tokens\": 1, \"completion_tokens\": 1}}\n\n",
        &["data_after_done"],
    );
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(A).unwrap()).unwrap();
    let pretty = pretty.replace('\n', "\ndata: ");
    case(&format!("data: {pretty}\n\ndata: $B\n\ndata: [DONE]\n\n"), &["sse_multiline_data"]);
}

#[test]
fn json_lines_without_data() {
    let read = departs(&streamed(&[&format!("{A}\n{B}\n")]), &["sse_without_data", "no_done"]);
    assert_eq!(read.text(), "ab");
}

#[test]
fn a_plain_body_where_a_stream_was_asked_is_read() {
    let mut exchange = message(r#"{"role": "assistant", "content": "a"}"#, "\"stop\"");
    exchange.mode = Mode::Stream;
    assert_eq!(departs(&exchange, &["json_instead_of_stream"]).text(), "a");
    let body = String::from_utf8(exchange.body.bytes()).unwrap();
    assert_eq!(departs(&streamed(&[&body]), &["json_instead_of_stream"]).text(), "a");
}

fn delta(entry: &str) -> String {
    format!(r#"{{"tool_calls": [{entry}]}}"#)
}

/// Deltas of calls in every disorder: what the calls are in the end.
#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn calls_are_kept_apart() {
    let case = |entries: &[&str], calls: &[(&str, &str, &str)], expected: &[&str]| {
        let deltas: Vec<String> = entries.iter().map(|entry| delta(entry)).collect();
        let exchange = chunks(&deltas.iter().map(String::as_str).collect::<Vec<_>>(), "\"tool_calls\"");
        let read = departs(&exchange, expected);
        let found: Vec<_> = read
            .tool_calls
            .iter()
            .map(|call| (call.id.clone().unwrap_or_default(), call.name.clone(), call.arguments.as_text()))
            .collect();
        let found: Vec<_> = found.iter().map(|(id, name, text)| (id.as_str(), name.as_str(), text.as_str())).collect();
        assert_eq!(found, calls, "{entries:?}");
    };
    let two = &[("1", "f", "{}"), ("2", "g", "{}")];
    case(
        &[
            r#"{"index": 0, "id": "1", "type": "function", "function": {"name": "f", "arguments": "{"}}"#,
            r#"{"index": 1, "id": "2", "type": "function", "function": {"name": "g", "arguments": "{"}}"#,
            r#"{"index": 0, "function": {"arguments": "}"}}, {"index": 1, "function": {"arguments": "}"}}"#,
        ],
        two,
        &[],
    );
    // All under index 0, told apart by their ids (vLLM reports of merged calls).
    case(
        &[
            r#"{"index": 0, "id": "1", "type": "function", "function": {"name": "f", "arguments": "{"}}"#,
            r#"{"index": 0, "function": {"arguments": "}"}}"#,
            r#"{"index": 0, "id": "2", "type": "function", "function": {"name": "g", "arguments": "{"}}"#,
            r#"{"index": 0, "function": {"arguments": "}"}}"#,
        ],
        two,
        &["tool_index_reused"],
    );
    // No index at all.
    case(
        &[
            r#"{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{"}}"#,
            r#"{"function": {"arguments": "}"}}"#,
            r#"{"id": "2", "type": "function", "function": {"name": "g", "arguments": "{}"}}"#,
        ],
        two,
        &["tool_delta_without_index"],
    );
    // Neither index nor id: the same function twice, told apart by whole arguments.
    case(
        &[
            r#"{"type": "function", "function": {"name": "f", "arguments": "{\"a\": \"}\"}"}}"#,
            r#"{"type": "function", "function": {"name": "f", "arguments": "{}"}}"#,
        ],
        &[("", "f", r#"{"a": "}"}"#), ("", "f", "{}")],
        &["tool_delta_without_index", "tool_call_without_id", "tool_call_without_id"],
    );
    // The name in every delta.
    case(
        &[
            r#"{"index": 0, "id": "1", "type": "function", "function": {"name": "f", "arguments": "{"}}"#,
            r#"{"index": 0, "id": "1", "type": "function", "function": {"name": "f", "arguments": "}"}}"#,
        ],
        &[("1", "f", "{}")],
        &["tool_name_repeated"],
    );
    case(
        &[
            r#"{"index": 0, "id": "1", "type": "function", "function": {"name": "get_"}}"#,
            r#"{"index": 0, "function": {"name": "time", "arguments": "{}"}}"#,
        ],
        &[("1", "get_time", "{}")],
        &["tool_name_in_fragments"],
    );
    // Arguments as an object in one delta.
    case(
        &[r#"{"index": 0, "id": "1", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}"#],
        &[("1", "f", r#"{"a":1}"#)],
        &["arguments_object"],
    );
    // The index starts again for the second call, without ids.
    case(
        &[
            r#"{"index": 0, "type": "function", "function": {"name": "f", "arguments": "{}"}}"#,
            r#"{"index": 0, "type": "function", "function": {"name": "g", "arguments": "{}"}}"#,
        ],
        &[("", "f", "{}"), ("", "g", "{}")],
        &["tool_index_reused", "tool_call_without_id", "tool_call_without_id"],
    );
}

#[test]
fn chunks_of_other_shapes() {
    // The finish reason in a chunk of its own, the usage in one without choices.
    let usage = r#"{"id": "c", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}"#;
    let read = departs(&chunks(&[r#"{"role": "assistant"}"#, r#"{"content": "a"}"#, usage], "\"stop\""), &[]);
    assert_eq!(read.billed(), Some(2));
    // Two choices, the second one first.
    let exchange = chunks(
        &[r#"{"index": 1, "delta": {"content": "b"}}"#, r#"{"index": 0, "delta": {"content": "a"}}"#],
        "\"stop\"",
    );
    let read = departs(&exchange, &[]);
    assert_eq!((read.text(), read.choices, read.other_choices.join(",")), ("a", 2, "b".to_owned()));
    let read = departs(
        &chunks(&[r#"{"index": 0, "message": {"role": "assistant", "content": "a"}}"#], "\"stop\""),
        &["message_in_chunk"],
    );
    assert_eq!(read.text(), "a");
    // The whole message once more at the end does not double the text.
    let twice = [r#"{"content": "a"}"#, r#"{"index": 0, "message": {"role": "assistant", "content": "a"}}"#];
    assert_eq!(departs(&chunks(&twice, "\"stop\""), &["message_in_chunk"]).text(), "a");
    let read = departs(&chunks(&[r#"{"index": 0, "text": "a"}"#], "\"stop\""), &["text_completion"]);
    assert_eq!(read.text(), "a");
    let read = departs(&chunks(&[r#"{"content": "a"}"#], "null"), &["finish_reason_missing"]);
    assert_eq!(read.finish_reason, None);
    let ends = [r#"{"delta": {"content": "a"}, "finish_reason": "stop"}"#];
    departs(&chunks(&ends, "\"length\""), &["finish_reason_changed"]);
    let other = r#"{"id": "d", "choices": [{"index": 0, "delta": {"content": "a"}}]}"#;
    departs(&chunks(&[r#"{"content": "a"}"#, other], "\"stop\""), &["id_changes"]);
    departs(&chunks(&[r#"{"role": "assistant", "content": ""}"#], "\"stop\""), &["message_empty"]);
}

#[test]
fn a_kind_is_written_once_a_stream_and_counted() {
    let deltas = vec![r#"{"content": 7}"#; 500];
    let read = departs(&chunks(&deltas, "\"stop\""), &["content_not_text"]);
    assert_eq!(read.deviations[0].detail, "7 (and 499 more)");
    assert!(read.deviations[0].place.starts_with("event 1 choices[0]"), "{}", read.deviations[0].place);
}

#[test]
fn an_error_in_the_middle_keeps_what_came_before() {
    let read = departs(
        &streamed(&[&event(r#"{"content": "a"}"#), "data: {\"error\": {\"message\": \"died\", \"type\": \"x\"}}\n\n"]),
        &["stream_error", "no_done", "finish_reason_missing"],
    );
    assert_eq!((read.text(), read.stream_error.as_deref()), ("a", Some("x: died")));
}

#[test]
fn a_break_after_the_end_loses_nothing() {
    let mut exchange = chunks(&[r#"{"content": "a"}"#], "\"stop\"");
    let error = super::super::TransportError {
        kind: super::super::TransportErrorKind::Cut,
        message: "connection reset".into(),
    };
    exchange.error = Some(error);
    assert_eq!(departs(&exchange, &["cut_after_end"]).text(), "a");
}
