//! No completion, and why.

use serde_json::json;

use super::*;
use crate::completion::{FaultKind, TransportError, TransportErrorKind, strict_client};

/// The body of an answer under a status: kind, message, type, code, param.
#[track_caller]
fn case(status: u16, body: &str, kind: FaultKind, words: [&str; 4]) -> Fault {
    let fault = fault(&Exchange { status: Some(status), ..plain(body) });
    assert_eq!(fault.kind, kind, "{fault:?}");
    let found =
        [Some(fault.message.as_str()), fault.error_type.as_deref(), fault.code.as_deref(), fault.param.as_deref()];
    assert_eq!(found.map(Option::unwrap_or_default), words, "{body}");
    assert_eq!(fault.status, Some(status));
    fault
}

#[test]
fn error_bodies() {
    use FaultKind::{ErrorBody, Status};
    // vLLM >= 0.10.1, the code a number.
    let vllm = r#"{"error": {"message": "m", "type": "BadRequestError", "param": "p", "code": 400}}"#;
    let read = case(400, vllm, Status, ["m", "BadRequestError", "400", "p"]);
    assert_eq!(kinds(&read.deviations), ["error_code_number"]);
    // vLLM <= 0.10.0 and SGLang: flat.
    let flat = r#"{"object": "error", "message": "m", "type": "BadRequestError", "param": null, "code": 400}"#;
    let read = case(400, flat, Status, ["m", "BadRequestError", "400", ""]);
    assert_eq!(kinds(&read.deviations), ["error_flat", "error_code_number"]);
    // llama.cpp, with numbers of its own.
    let llama = r#"{"error": {"code": 400, "message": "m", "type": "exceed_context_size_error", "n_ctx": 2048}}"#;
    let read = case(400, llama, Status, ["m", "exceed_context_size_error", "400", ""]);
    assert!(
        read.deviations.iter().any(|deviation| deviation.kind == "error_extra" && deviation.detail == "n_ctx=2048")
    );
    case(404, r#"{"detail": "Not Found"}"#, Status, ["Not Found", "", "", ""]);
    let list = r#"{"detail": [{"loc": ["body", "messages"], "msg": "Field required", "type": "missing"}]}"#;
    case(422, list, Status, [r#"Field required at ["body","messages"]"#, "", "", ""]);
    case(424, r#"{"error": "down", "error_type": "generation"}"#, Status, ["down", "generation", "", ""]);
    case(400, r#"[{"error": {"message": "m", "status": "INVALID", "code": 400}}]"#, Status, ["m", "", "400", ""]);
    case(401, "no key", Status, ["no key", "", "", ""]);
    case(400, "", Status, ["", "", "", ""]);
    let html = "<html><body><h1>504 Gateway Time-out</h1>\nno answer\n</body></html>";
    let read = case(504, html, Status, ["504 Gateway Time-out no answer", "", "", ""]);
    assert_eq!(kinds(&read.deviations), ["html_body"]);
    // A good status does not make it a completion.
    let read = case(200, vllm, ErrorBody, ["m", "BadRequestError", "400", "p"]);
    assert_eq!(kinds(&read.deviations), ["error_code_number", "error_with_good_status"]);
    case(200, r#"{"error": "busy"}"#, ErrorBody, ["busy", "", "", ""]);
    case(200, r#"{"detail": "busy"}"#, ErrorBody, ["busy", "", "", ""]);
    case(200, flat, ErrorBody, ["m", "BadRequestError", "400", ""]);
    case(302, "", Status, ["", "", "", ""]);
    let odd = case(999, "denied", Status, ["denied", "", "", ""]);
    assert_eq!(kinds(&odd.deviations), ["status_unknown"]);
}

#[test]
fn litellm_wraps_the_engines_error() {
    let message = "litellm.BadRequestError: Hosted_vllmException - {\"error\":{\"message\":\"too long\",\"type\":\
        \"BadRequestError\",\"param\":\"input_tokens\",\"code\":400}}\n\nLiteLLM: model group 'x' failed";
    let body = json!({"error": {"message": message, "type": "invalid_request_error", "param": null, "code": "400"}});
    let read =
        case(400, &body.to_string(), FaultKind::Status, [message, "invalid_request_error", "400", "input_tokens"]);
    assert_eq!(read.deviations[0].kind, "error_wrapped");
    assert_eq!(read.deviations[0].detail, "BadRequestError: too long");
}

#[test]
fn bodies_without_a_completion() {
    use FaultKind::{EmptyBody, NoChoice, NotJson};
    let case = |body: &str, kind: FaultKind, message: &str| {
        let fault = fault(&plain(body));
        assert_eq!(fault.kind, kind, "{fault:?}");
        assert!(fault.message.contains(message), "{}", fault.message);
    };
    case("", EmptyBody, "empty");
    case(" \n", EmptyBody, "empty");
    case("<!DOCTYPE html><title>nginx</title>", NotJson, "nginx");
    case("internal error", NotJson, "internal error");
    case(r#"{"choices": [{"message": {"content": "a"#, NotJson, "EOF");
    case(r#"{"choices": []}"#, NoChoice, "choices");
    case(r#"{"choices": null, "id": "x"}"#, NoChoice, "choices, id");
    case(r#"{"message": {"role": "assistant", "content": "ollama"}, "done": true}"#, NoChoice, "message, done");
    case("[1, 2]", NoChoice, "an array");
    case("\"x\"", NoChoice, "a string");
    case("null", NoChoice, "null");
    let cut = fault(&plain(r#"{"choices": [{"#));
    assert_eq!(kinds(&cut.deviations), ["truncated_json"]);
}

#[test]
fn transport_errors() {
    use TransportErrorKind as T;
    for (kind, fault_kind) in [
        (T::Dns, FaultKind::Unreachable),
        (T::Refused, FaultKind::Unreachable),
        (T::Tls, FaultKind::Unreachable),
        (T::Other, FaultKind::Unreachable),
        (T::Timeout, FaultKind::Timeout),
        (T::Cut, FaultKind::Cut),
        (T::TooLarge, FaultKind::TooLarge),
        (T::NotHttp, FaultKind::NotJson),
    ] {
        let error = Some(TransportError { kind, message: "why".into() });
        let read = fault(&Exchange { status: None, body: Body::None, error, ..plain("") });
        assert_eq!((read.kind, read.message.as_str(), read.status), (fault_kind, "why", None));
    }
    let error = Some(TransportError { kind: T::Timeout, message: "why".into() });
    let half = Exchange { error, ..streamed(&[&event(r#"{"content": "a"}"#)]) };
    assert_eq!(fault(&half).kind, FaultKind::Timeout);
}

#[test]
fn streams_without_a_completion() {
    use FaultKind::{Cut, EmptyBody, ErrorBody, NoChoice, NotJson};
    let case = |pieces: &[&str], kind: FaultKind, message: &str| {
        let fault = fault(&streamed(pieces));
        assert_eq!(fault.kind, kind, "{fault:?}");
        assert!(fault.message.contains(message), "{}", fault.message);
    };
    let role = event(r#"{"role": "assistant", "content": ""}"#);
    let error = "data: {\"error\": {\"message\": \"boom\", \"code\": 500}}\n\n";
    case(&[error, "data: [DONE]\n\n"], ErrorBody, "boom");
    case(&[&role, error], ErrorBody, "boom");
    case(&["event: error\ndata: {\"msg\": \"boom\"}\n\n"], ErrorBody, "boom");
    case(&["event: error\ndata: boom\n\n"], ErrorBody, "boom");
    // llama.cpp (2025) wrote errors as lines of their own.
    case(&["error: {\"code\": 400, \"message\": \"boom\", \"type\": \"x\"}\n\n"], ErrorBody, "boom");
    case(&["{\"error\": {\"message\": \"boom\"}}"], ErrorBody, "boom");
    case(&[&role], Cut, "1 events");
    case(&[&event(r#"{"content": "a"}"#), "data: {\"choices\": [{\"del"], Cut, "2 events");
    case(&["data: [DONE]\n\n"], EmptyBody, "without a chunk");
    case(&[": ping\n\n"], EmptyBody, "without a chunk");
    case(&[], EmptyBody, "empty");
    case(&["data: what\n\n"], NotJson, "what");
    case(&["<html>502</html>"], NotJson, "502");
    case(&["data: {\"choices\": []}\n\ndata: [DONE]\n\n"], NoChoice, "none of them");
}

#[test]
fn a_stock_client_says_where_it_breaks() {
    let call = r#"{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function",
        "function": {"name": "f", "arguments": {}}}]}"#;
    let body = |message: &str| {
        plain(format!(
            r#"{{"id": "c", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{{"index": 0, "message": {message}, "finish_reason": "stop"}}]}}"#
        ))
    };
    assert_eq!(strict_client(&body(r#"{"role": "assistant", "content": "a", "unknown": 1}"#)), None);
    let refused = strict_client(&body(call)).unwrap();
    assert_eq!(refused.kind, "strict_client");
    assert!(refused.place.starts_with("choices[0].message.tool_calls"), "{refused:?}");
    let chunk = |finish: &str| {
        format!(
            "data: {{\"id\": \"c\", \"object\": \"chat.completion.chunk\", \"created\": 1, \"model\": \"m\", \"choices\": \
            [{{\"index\": 0, \"delta\": {{\"content\": \"a\"}}, \"finish_reason\": {finish}}}]}}\n\n"
        )
    };
    assert_eq!(strict_client(&streamed(&[&chunk("null"), &chunk("\"stop\""), "data: [DONE]\n\n"])), None);
    let refused = strict_client(&streamed(&[&chunk("null"), &chunk("\"eos\"")])).unwrap();
    assert!(refused.place.starts_with("event 2 choices[0].finish_reason"), "{refused:?}");
    assert!(strict_client(&Exchange { status: Some(500), ..plain("") }).is_none());
}

#[test]
fn a_compressed_body_and_a_redirect_say_what_they_are() {
    let with = |name: &str, value: &str, status: u16, body: &[u8]| Exchange {
        headers: vec![(name.to_owned(), value.to_owned())],
        ..Exchange::plain(RawJson::of(&json!({})), status, body)
    };
    let gzip = fault(&with("Content-Encoding", "gzip", 200, b"\x1f\x8b\x08\x00\xff"));
    assert_eq!(gzip.kind, FaultKind::NotJson);
    assert!(gzip.message.starts_with("the body is compressed (gzip), which was not asked for"), "{gzip:?}");
    let begins_like_json = fault(&with("content-encoding", "br", 200, b"[\xe0W\x1b}v"));
    assert!(begins_like_json.message.starts_with("the body is compressed (br)"), "{begins_like_json:?}");
    let streamed = Exchange {
        headers: vec![("content-encoding".to_owned(), "gzip".to_owned())],
        ..streamed(&["\x1f\u{8b}\u{8}\n\n", "x\n\n"])
    };
    assert!(fault(&streamed).message.starts_with("the body is compressed (gzip)"), "a stream likewise");
    let same = fault(&with("content-encoding", "identity", 200, b"oops"));
    assert!(same.message.ends_with("oops"), "{same:?}");

    let moved = fault(&with("location", "/login", 302, b""));
    assert_eq!((moved.kind, moved.message.as_str()), (FaultKind::Status, "it names another address: /login"));
    let said = fault(&with("location", "/login", 302, b"Found"));
    assert_eq!(said.message, "Found; it names another address: /login", "the words of the server stand first");
}
