//! Fixtures of the wire, one a departure, and properties over any bytes.

mod faults;
mod plain;
mod robust;
mod stored;
mod stream;

use serde_json::json;

use super::{Answer, Body, Completion, Deviation, Exchange, Fault, Mode, Piece, Raw, RawJson, read};

/// A plain answer under status 200.
fn plain(body: impl Into<Vec<u8>>) -> Exchange {
    Exchange::plain(RawJson::of(&json!({"messages": []})), 200, body)
}

/// A streamed answer; every piece arrives a millisecond after the one before.
fn streamed(pieces: &[&str]) -> Exchange {
    let pieces = (1..).zip(pieces).map(|(at, raw)| Piece { at_us: at * 1000, raw: Raw(raw.as_bytes().to_vec()) });
    Exchange { mode: Mode::Stream, body: Body::Pieces(pieces.collect()), ..plain("") }
}

/// A stream of chunks with these deltas (or whole choices, or whole chunks), ended as the contract wants.
fn chunks(deltas: &[&str], finish: &str) -> Exchange {
    let end = format!(r#"{{"index": 0, "delta": {{}}, "finish_reason": {finish}}}"#);
    let mut pieces: Vec<String> = deltas.iter().map(|delta| event(delta)).collect();
    pieces.extend([event(&end), "data: [DONE]\n\n".to_owned()]);
    streamed(&pieces.iter().map(String::as_str).collect::<Vec<_>>())
}

fn event(json: &str) -> String {
    let chunk = if json.contains("\"choices\"") || json.contains("\"error\"") {
        json.to_owned()
    } else if json.contains("\"delta\"") || json.contains("\"message\"") || json.contains("\"text\"") {
        format!(r#"{{"id": "c", "object": "chat.completion.chunk", "choices": [{json}]}}"#)
    } else {
        format!(r#"{{"id": "c", "object": "chat.completion.chunk", "choices": [{{"index": 0, "delta": {json}}}]}}"#)
    };
    format!("data: {chunk}\n\n")
}

/// A message in a body that is fine otherwise.
fn message(message: &str, finish: &str) -> Exchange {
    plain(format!(
        r#"{{"id": "c", "object": "chat.completion", "model": "m", "choices": [{{"index": 0, "message": {message},
        "finish_reason": {finish}}}], "usage": {{"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}}}}"#
    ))
}

#[track_caller]
fn completion(exchange: &Exchange) -> Completion {
    match read(exchange) {
        Answer::Completion(completion) => completion,
        Answer::Fault(fault) => panic!("a fault: {fault:?}"),
    }
}

#[track_caller]
fn fault(exchange: &Exchange) -> Fault {
    match read(exchange) {
        Answer::Fault(fault) => fault,
        Answer::Completion(completion) => panic!("a completion: {completion:?}"),
    }
}

fn kinds(deviations: &[Deviation]) -> Vec<&str> {
    deviations.iter().map(|deviation| deviation.kind.as_str()).collect()
}

/// Reads a completion that departs in exactly these kinds.
#[track_caller]
fn departs(exchange: &Exchange, expected: &[&str]) -> Completion {
    let completion = completion(exchange);
    assert_eq!(kinds(&completion.deviations), expected, "{:#?}", completion.deviations);
    completion
}
