//! An endpoint that is never the bottleneck: answers kept ready, plain or as events, at once.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;

type Body = http_body_util::combinators::UnsyncBoxBody<Bytes, Infallible>;

/// The answers.
#[derive(Clone)]
struct Answers {
    plain: Bytes,
    short: Vec<Bytes>,
    long: Vec<Bytes>,
}

/// Serves on a free port of 127.0.0.1, and prints its base URL, until killed.
pub(crate) fn serve(chunks: usize) {
    let answers = Answers { plain: plain().into(), short: events(4), long: events(chunks) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("http://{}/v1", listener.local_addr().unwrap());
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let answers = answers.clone();
            let service = service_fn(move |request| answer(request, answers.clone()));
            tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
}

async fn answer(request: Request<Incoming>, answers: Answers) -> Result<Response<Body>, Infallible> {
    let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let holds = |word: &[u8]| body.windows(word.len()).any(|here| here == word);
    let response = Response::builder();
    if !holds(b"\"stream\":true") {
        return Ok(response.header("content-type", "application/json").body(whole(answers.plain)).unwrap());
    }
    let events = if holds(b"[[long]]") { answers.long } else { answers.short };
    let frames = futures_util::stream::iter(events.into_iter().map(|event| Ok(Frame::data(event))));
    Ok(response.header("content-type", "text/event-stream").body(StreamBody::new(frames).boxed_unsync()).unwrap())
}

fn whole(bytes: Bytes) -> Body {
    Full::new(bytes).boxed_unsync()
}

fn plain() -> String {
    let message = r#"{"role":"assistant","content":"The answer is 42."}"#;
    format!(
        r#"{{"id":"chatcmpl-mock","object":"chat.completion","created":1700000000,"model":"mock","choices":[{{"index":0,"message":{message},"logprobs":null,"finish_reason":"stop"}}],"usage":{{"prompt_tokens":20,"completion_tokens":6,"total_tokens":26}}}}"#
    )
}

fn events(words: usize) -> Vec<Bytes> {
    let chunk = |delta: &str, finish: &str| {
        Bytes::from(format!(
            "data: {{\"id\":\"chatcmpl-mock\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"mock\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
        ))
    };
    let mut events = vec![chunk(r#"{"role":"assistant","content":"The answer is 42."}"#, "null")];
    events.extend((0..words).map(|_| chunk(r#"{"content":" word"}"#, "null")));
    events.push(chunk("{}", "\"stop\""));
    events.push(Bytes::from_static(b"data: [DONE]\n\n"));
    events
}
