//! The HTTP side of the harness: routes, faults of transport, pacing. Loopback only unless told otherwise.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::engine::{Reply, Simulated};
use super::fault::FaultKind;
use super::wire;

type Body = BoxBody<Bytes, std::io::Error>;

/// The largest request that is read.
const REQUEST_BYTES: usize = 16 * 1024 * 1024;

/// Accepts connections until `stop` turns true.
pub(super) async fn serve(listener: TcpListener, setup: Arc<Simulated>, mut stop: watch::Receiver<bool>) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.changed() => return,
        };
        let Ok((socket, _)) = accepted else { continue };
        let _ = socket.set_nodelay(true);
        let (setup, mut stop) = (Arc::clone(&setup), stop.clone());
        tokio::spawn(async move {
            let service = service_fn(move |request| answer(request, Arc::clone(&setup)));
            let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(socket), service);
            tokio::select! {
                // An error here is a client that went away, or the cut that was asked for.
                _ = connection => {}
                _ = stop.changed() => {}
            }
        });
    }
}

async fn answer(request: Request<Incoming>, setup: Arc<Simulated>) -> Result<Response<Body>, Infallible> {
    let (head, body) = request.into_parts();
    let path = head.uri.path().trim_end_matches('/').to_owned();
    if let Some(key) = &setup.options.api_key {
        let sent = head.headers.get("authorization").and_then(|value| value.to_str().ok());
        if path.starts_with("/v1") && sent != Some(format!("Bearer {key}").as_str()) {
            return Ok(json_response(StatusCode::UNAUTHORIZED, &json!({ "error": "Unauthorized" })));
        }
    }
    let Ok(body) = Limited::new(body, REQUEST_BYTES).collect().await.map(http_body_util::Collected::to_bytes) else {
        return Ok(error(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the request body is larger than this server reads",
            "BadRequestError",
        ));
    };
    Ok(match (&head.method, path.as_str()) {
        (&Method::POST, "/v1/chat/completions") => chat(&body, &setup).await,
        (&Method::GET, path) => match setup.identity(path) {
            Some(Reply::Json(value)) => json_response(StatusCode::OK, &value),
            Some(Reply::Text(text)) => response(StatusCode::OK, "text/plain; charset=utf-8", text.into()),
            None => not_found(),
        },
        (&Method::POST, path) if setup.options.engine == "sglang" => {
            let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
            super::reparse::reparse(path, &asked).map_or_else(not_found, |told| json_response(StatusCode::OK, &told))
        }
        _ => not_found(),
    })
}

async fn chat(body: &Bytes, setup: &Simulated) -> Response<Body> {
    let Ok(asked) = serde_json::from_slice::<Value>(body) else {
        return error(StatusCode::BAD_REQUEST, "the request body is not JSON", "BadRequestError");
    };
    if let Some(refused) = transport_fault(setup, body).await {
        return refused;
    }
    if let Some((message, kind)) = setup.refuses(&asked, body) {
        return error(StatusCode::BAD_REQUEST, &message, kind);
    }
    if let Some(message) = setup.unknown_model(&asked) {
        return error(StatusCode::NOT_FOUND, &message, "NotFoundError");
    }
    let streamed = asked.get("stream").and_then(Value::as_bool).unwrap_or(false);
    let delivered = setup.reply(&asked, body, streamed);
    let id = setup.next_id();
    let cut = setup.hit(FaultKind::CutStream, body);
    if streamed {
        let with_usage = asked.pointer("/stream_options/include_usage").and_then(Value::as_bool).unwrap_or(false);
        let chunks = wire::chunks(&delivered, &setup.look, &id, setup.created, with_usage);
        return stream(chunks, setup.options.ttft, setup.options.per_token(), cut);
    }
    let pace = setup.options.per_token().saturating_mul(u32::try_from(delivered.completion_tokens).unwrap_or(u32::MAX));
    pause(setup.options.ttft + pace).await;
    let value = wire::plain(&delivered, &setup.look, &id, setup.created);
    if cut { half(&value) } else { json_response(StatusCode::OK, &value) }
}

/// The faults that come before any answer.
async fn transport_fault(setup: &Simulated, body: &Bytes) -> Option<Response<Body>> {
    if setup.hit(FaultKind::Hang, body) {
        std::future::pending::<()>().await;
    }
    if setup.hit(FaultKind::Unavailable, body) {
        return Some(error(StatusCode::SERVICE_UNAVAILABLE, "The service is overloaded.", "ServiceUnavailableError"));
    }
    if setup.hit(FaultKind::Loading, body) {
        let said = json!({ "error": { "message": "Loading model", "type": "unavailable_error", "code": 503 } });
        return Some(json_response(StatusCode::SERVICE_UNAVAILABLE, &said));
    }
    if setup.hit(FaultKind::RateLimited, body) {
        let mut limited = error(StatusCode::TOO_MANY_REQUESTS, "Rate limit reached.", "RateLimitError");
        limited.headers_mut().insert("retry-after", hyper::header::HeaderValue::from_static("1"));
        return Some(limited);
    }
    if setup.hit(FaultKind::Html, body) {
        let page = "<!doctype html><title>Welcome</title><p>It works.";
        return Some(response(StatusCode::OK, "text/html", page.into()));
    }
    None
}

fn stream(chunks: Vec<Value>, ttft: Duration, per_token: Duration, cut: bool) -> Response<Body> {
    let keep = if cut { chunks.len() / 2 } else { chunks.len() };
    let mut lines: Vec<Result<Bytes, std::io::Error>> =
        chunks.into_iter().take(keep).map(|chunk| Ok(Bytes::from(format!("data: {chunk}\n\n")))).collect();
    lines.push(if cut {
        Err(std::io::Error::other("cut, as asked"))
    } else {
        Ok(Bytes::from_static(b"data: [DONE]\n\n"))
    });
    let paced = futures_util::stream::unfold((lines.into_iter(), ttft), move |(mut lines, wait)| async move {
        let line = lines.next()?;
        pause(wait).await;
        Some((line.map(Frame::data), (lines, per_token)))
    });
    built(
        Response::builder().status(StatusCode::OK).header("content-type", "text/event-stream; charset=utf-8"),
        StreamBody::new(paced).boxed(),
    )
}

/// Half a body, then the connection breaks.
fn half(value: &Value) -> Response<Body> {
    let text = value.to_string();
    let cut = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let pieces =
        vec![Ok(Frame::data(Bytes::from(text[..cut].to_owned()))), Err(std::io::Error::other("cut, as asked"))];
    let builder = Response::builder()
        .status(StatusCode::OK)
        .header("content-type", "application/json")
        .header("content-length", text.len());
    built(builder, StreamBody::new(futures_util::stream::iter(pieces)).boxed())
}

async fn pause(wait: Duration) {
    if !wait.is_zero() {
        tokio::time::sleep(wait).await;
    }
}

fn not_found() -> Response<Body> {
    json_response(StatusCode::NOT_FOUND, &json!({ "detail": "Not Found" }))
}

fn error(status: StatusCode, message: &str, kind: &str) -> Response<Body> {
    json_response(
        status,
        &json!({ "error": { "message": message, "type": kind, "param": null, "code": status.as_u16() } }),
    )
}

fn json_response(status: StatusCode, value: &Value) -> Response<Body> {
    response(status, "application/json", value.to_string().into())
}

fn response(status: StatusCode, kind: &str, body: Bytes) -> Response<Body> {
    built(
        Response::builder().status(status).header("content-type", kind),
        Full::new(body).map_err(|never| match never {}).boxed(),
    )
}

fn built(builder: hyper::http::response::Builder, body: Body) -> Response<Body> {
    builder
        .header("server", "monban-harness")
        .body(body)
        .unwrap_or_else(|_| Response::new(Full::new(Bytes::new()).map_err(|never| match never {}).boxed()))
}
