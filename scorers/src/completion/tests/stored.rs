//! Stored shapes.

use serde_json::{Value, json};

use super::*;
use crate::completion::FaultKind;

fn body() -> Value {
    json!({"id": "c", "choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1}})
}

fn chunk(content: &str, finish: Option<&str>) -> Value {
    json!({"id": "c", "choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish}]})
}

#[track_caller]
fn stored(response: &Value) -> Exchange {
    Exchange::from_stored(&json!({"messages": []}), response).unwrap()
}

#[test]
fn every_shape_of_an_answer_is_read() {
    for response in [
        body(),
        json!({"http_status": 200, "content_type": "application/json", "body": body()}),
        json!({"http_status": 200, "body_text": body().to_string()}),
        json!({"status": 200, "response_headers": {"Server": "x"}, "response": body(), "case": "y"}),
        json!([chunk("a", Some("stop"))]),
        json!({"http_status": 200, "chunks": [chunk("a", None), chunk("", Some("stop"))], "done": true}),
        json!({"http_status": 200, "chunks": [chunk("a", Some("stop")), "data: [DONE]"]}),
        json!({"status": 200, "stream_chunks": [chunk("a", Some("stop"))]}),
        json!({"http_status": 200, "raw_lines": [format!("data: {}", chunk("a", Some("stop"))), "data: [DONE]"], "done": true}),
        json!({"http_status": 200, "raw_lines": [format!("data: {}", chunk("a", Some("stop"))), "", "data: [DONE]", ""]}),
    ] {
        assert_eq!(departs(&stored(&response), &[]).text(), "a", "{response}");
    }
}

#[test]
fn faults_are_stored_too() {
    let case = |response: Value, kind: FaultKind, message: &str| {
        let read = fault(&stored(&response));
        assert_eq!((read.kind, read.message.as_str()), (kind, message), "{response}");
    };
    case(
        json!({"transport_error": "connection_refused", "http_status": null}),
        FaultKind::Unreachable,
        "connection_refused",
    );
    case(json!({"transport_error": "connect_timeout", "startup_log": "…"}), FaultKind::Timeout, "connect_timeout");
    case(json!({"transport_error": {"kind": "cut", "message": "reset by peer"}}), FaultKind::Cut, "reset by peer");
    case(
        json!({"http_status": 504, "content_type": "text/html", "body_text": "<html>late</html>"}),
        FaultKind::Status,
        "late",
    );
    case(json!({"http_status": 503, "body": {"error": {"message": "loading"}}}), FaultKind::Status, "loading");
    case(json!({"error": {"message": "no"}}), FaultKind::ErrorBody, "no");
    case(json!({"http_status": 200, "body": null}), FaultKind::EmptyBody, "the body is empty");
    let error = json!({"http_status": 200, "raw_lines": ["error: {\"code\":400,\"message\":\"long\",\"type\":\"x\"}"], "done": false});
    case(error, FaultKind::ErrorBody, "long");
    let cut = fault(&stored(&json!({"http_status": 200, "chunks": [chunk("a", None)], "done": false})));
    assert_eq!(cut.kind, FaultKind::Cut);
}

#[test]
fn mode_status_and_headers_are_kept() {
    let exchange = stored(
        &json!({"http_status": 200, "headers": {"X-Request-Id": "7"}, "content_type": "application/json", "body": body()}),
    );
    assert_eq!((exchange.mode, exchange.status), (Mode::Plain, Some(200)));
    assert_eq!(
        (exchange.header("x-request-id"), exchange.header("content-type")),
        (Some("7"), Some("application/json"))
    );
    assert_eq!(stored(&json!([chunk("a", None)])).mode, Mode::Stream);
    let asked = Exchange::from_stored(&json!({"stream": true}), &body()).unwrap();
    assert_eq!(asked.mode, Mode::Stream);
}

#[test]
fn what_is_no_answer_is_refused_with_a_remedy() {
    for response in [json!(null), json!(3), json!({"http_status": "x"}), json!({"http_status": 200, "chunks": 1})] {
        let error = Exchange::from_stored(&json!({}), &response).unwrap_err();
        assert!(error.contains("give") || error.contains("is an object"), "{error}");
    }
    assert!(Exchange::from_stored_line(&json!({"request": {}})).unwrap_err().contains("response"));
}

#[test]
fn a_line_holds_both_modes() {
    let modes = |line: &Value| -> Vec<_> {
        let exchanges = Exchange::from_stored_line(line).unwrap();
        exchanges.iter().map(|exchange| (exchange.mode, completion(exchange).text().to_owned())).collect()
    };
    let both = [(Mode::Plain, "a".to_owned()), (Mode::Stream, "b".to_owned())];
    let streams = json!({"http_status": 200, "chunks": [chunk("b", Some("stop")), "data: [DONE]"]});
    let line = json!({"request": {}, "response": {"http_status": 200, "body": body()}, "stream_response": streams});
    assert_eq!(modes(&line), both);
    let line = json!({"request": {}, "status": 200, "response_headers": {}, "response": body(),
        "stream": {"request": {"stream": true}, "status": 200, "stream_chunks": [chunk("b", Some("stop"))]}});
    assert_eq!(modes(&line), both);
    let line = json!({"request": {"stream": true}, "response": streams, "non_stream_response": {"http_status": 200, "body": body()}});
    assert_eq!(modes(&line), [both[1].clone(), both[0].clone()]);
    let refused = json!({"request": {}, "stream_response": {"http_status": 400, "body": {"error": {"message": "no"}}}});
    assert_eq!(Exchange::from_stored_line(&refused).unwrap()[0].mode, Mode::Stream);
}
