//! The client: what arrives is kept, whatever arrives.

use std::time::Duration;

use monban::endpoint::{Client, ClientOptions, Secret};
use monban_scorers::completion::TransportErrorKind as Kind;
use monban_scorers::{Body, Exchange, Mode, RawJson};

use crate::server::{Server, Step, dead_port, end, events, whole};

const SHORT: Duration = Duration::from_millis(300);

fn ask_at(url: &str, mode: Mode, options: &ClientOptions) -> Exchange {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = Client::new(url.parse().unwrap(), options).unwrap();
    runtime.block_on(client.ask(mode, &RawJson::of(&serde_json::json!({"model": "m"})), SHORT))
}

fn ask(server: &Server, mode: Mode) -> Exchange {
    ask_at(&server.url(), mode, &ClientOptions::default())
}

fn kind(exchange: &Exchange) -> Kind {
    exchange.error.as_ref().unwrap_or_else(|| panic!("no error in {exchange:?}")).kind
}

#[test]
fn a_plain_answer_is_kept_to_the_byte_with_its_status_and_headers() {
    let server = Server::start(|_| whole(418, "X-Odd: A b\r\n", "not json \u{7f}"));
    let exchange = ask(&server, Mode::Plain);
    assert_eq!((exchange.status, exchange.header("x-odd")), (Some(418), Some("A b")));
    assert_eq!(exchange.body.bytes(), "not json \u{7f}".as_bytes());
    assert_eq!(exchange.error, None);
    assert!(exchange.headers_us.unwrap() <= exchange.total_us && exchange.total_us > 0 && exchange.sent_ms > 0);
    let asked = &server.asked()[0];
    assert!(asked.head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{}", asked.head);
    assert_eq!(asked.body, exchange.request.get());
}

#[test]
fn events_are_pieces_with_the_time_each_arrived() {
    let server = Server::start(|_| {
        let mut steps = events(&["data: 1\n\n", "data: 2\n\n: ping\n\n"]);
        steps.insert(2, Step::Wait(Duration::from_millis(30)));
        steps.push(end());
        steps
    });
    let exchange = ask(&server, Mode::Stream);
    let Body::Pieces(pieces) = &exchange.body else { panic!("{exchange:?}") };
    let raw: Vec<&[u8]> = pieces.iter().map(|piece| &piece.raw.0[..]).collect();
    assert_eq!(raw, [&b"data: 1\n\n"[..], b"data: 2\n\n", b": ping\n\n"]);
    // One chunk may still be read in two.
    assert!(pieces.is_sorted_by_key(|piece| piece.at_us) && pieces[1].at_us >= 30_000, "{pieces:?}");
}

#[test]
fn a_cut_stream_keeps_what_arrived() {
    let server = Server::start(|_| [events(&["data: 1\n\n", "data: 2"]), vec![Step::Close]].concat());
    let exchange = ask(&server, Mode::Stream);
    assert_eq!(kind(&exchange), Kind::Cut);
    assert_eq!(exchange.body.bytes(), b"data: 1\n\ndata: 2");
    assert_eq!(exchange.status, Some(200));
}

#[test]
fn a_timeout_keeps_what_arrived() {
    let server = Server::start(|_| [events(&["data: 1\n\n"]), vec![Step::Hang]].concat());
    let exchange = ask(&server, Mode::Stream);
    assert_eq!(kind(&exchange), Kind::Timeout);
    assert_eq!(exchange.body.bytes(), b"data: 1\n\n");
    let server = Server::start(|_| vec![Step::Hang]);
    let exchange = ask(&server, Mode::Plain);
    assert_eq!((kind(&exchange), exchange.status), (Kind::Timeout, None));
}

#[test]
fn what_is_not_there_is_named() {
    let url = format!("http://127.0.0.1:{}", dead_port());
    let exchange = ask_at(&url, Mode::Plain, &ClientOptions::default());
    assert_eq!((kind(&exchange), exchange.status), (Kind::Refused, None));
    let server = Server::start(|_| vec![Step::Close]);
    assert_eq!(kind(&ask(&server, Mode::Plain)), Kind::Cut);
    let exchange = ask_at("http://no-such-host.invalid", Mode::Plain, &ClientOptions::default());
    assert!(matches!(kind(&exchange), Kind::Dns | Kind::Timeout), "{exchange:?}");
}

#[test]
fn an_answer_beyond_the_bound_is_cut_there() {
    let server = Server::start(|_| whole(200, "", &"x".repeat(100_000)));
    let exchange = ask_at(&server.url(), Mode::Plain, &ClientOptions { max_body: 1000, ..ClientOptions::default() });
    assert_eq!(kind(&exchange), Kind::TooLarge);
    assert_eq!(exchange.body.bytes().len(), 1000);
}

#[test]
fn the_key_is_sent_and_never_kept() {
    let key = "sk-very-secret-0123456789";
    let server = Server::start(move |_| whole(401, &format!("x-echo: Bearer {key}\r\n"), &format!("bad key {key}")));
    let options = ClientOptions { api_key: Some(Secret::new(key)), ..ClientOptions::default() };
    let exchange = ask_at(&server.url(), Mode::Plain, &options);
    assert!(server.asked()[0].head.contains(&format!("authorization: Bearer {key}")));
    let kept = format!("{exchange:?} {}", serde_json::to_string(&exchange).unwrap());
    assert!(!kept.contains("very-secret"), "{kept}");
    assert_eq!(exchange.body.bytes(), b"bad key [redacted]");
}

#[test]
fn redirects_are_answers_and_are_not_followed() {
    let server = Server::start(|_| whole(307, "location: http://127.0.0.1:1/\r\n", ""));
    assert_eq!(ask(&server, Mode::Plain).status, Some(307));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn after_a_closed_connection_none_is_kept() {
    let server = Server::start(|asked| if asked.n == 0 { vec![Step::Close] } else { whole(200, "", "{}") });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = Client::new(server.url().parse().unwrap(), &ClientOptions::default()).unwrap();
    let request = RawJson::of(&serde_json::json!({"model": "m"}));
    for _ in 0..2 {
        runtime.block_on(client.ask(Mode::Plain, &request, SHORT));
    }
    let heads: Vec<bool> = server.asked().iter().map(|asked| asked.head.contains("connection: close")).collect();
    assert_eq!(heads, [false, true]);
}
