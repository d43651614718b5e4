//! What went wrong below HTTP: reqwest's errors → [`TransportError`].

use std::error::Error;
use std::io;

use super::collect::Bounds;
use monban_scorers::completion::{TransportError, TransportErrorKind as Kind};

/// Names the failure of a request that got no whole answer. `answered`: its headers had arrived.
pub(super) fn classify(error: reqwest::Error, answered: bool) -> TransportError {
    let error = error.without_url();
    let chain = chain(&error);
    let kind = if error.is_timeout() {
        Kind::Timeout
    } else if let Some(unread) = unread(&chain).filter(|_| !answered) {
        return unread;
    } else if answered {
        Kind::Cut
    } else if let Some(kind) = io_kind(&error) {
        kind
    } else if error.is_connect() {
        connect_kind(&chain)
    } else if error.is_builder() {
        Kind::Other
    } else {
        Kind::Cut
    };
    TransportError { kind, message: chain.chars().take(500).collect() }
}

/// An answer that came and is none that HTTP/1.1 knows. hyper (1.x) keeps its kinds to itself; its words are stable.
fn unread(chain: &str) -> Option<TransportError> {
    if chain.contains("message head is too large") {
        let message = "the answer's headers are more than is read".to_owned();
        return Some(TransportError { kind: Kind::TooLarge, message });
    }
    let words = ["invalid HTTP version", "invalid HTTP status-code", "invalid HTTP header"];
    words.iter().any(|words| chain.contains(words)).then(|| TransportError {
        kind: Kind::NotHttp,
        message: format!("no HTTP: {chain}").chars().take(500).collect(),
    })
}

/// The failure of what took longer than allowed.
pub(super) fn timeout(after: std::time::Duration, answered: bool) -> TransportError {
    let what = if answered { "the answer was not whole" } else { "no answer" };
    TransportError { kind: Kind::Timeout, message: format!("{what} within {} s", after.as_secs_f64()) }
}

/// The failure of what was larger than allowed.
pub(super) fn too_large(bounds: Bounds) -> TransportError {
    let bound = format!("{} bytes or {} events", bounds.bytes, bounds.pieces);
    TransportError {
        kind: Kind::TooLarge,
        message: format!("the answer is larger than {bound}; the rest was not read"),
    }
}

/// What reqwest and hyper put before every failure.
const SAYS_NOTHING: &[&str] = &["error sending request", "client error (Connect)", "client error (SendRequest)"];

fn chain(error: &reqwest::Error) -> String {
    let mut parts = Vec::new();
    let mut at: Option<&dyn Error> = Some(error);
    while let Some(error) = at {
        let text = error.to_string();
        if parts.last() != Some(&text) && !SAYS_NOTHING.contains(&text.as_str()) {
            parts.push(text);
        }
        at = error.source();
    }
    parts.join(": ")
}

fn io_kind(error: &reqwest::Error) -> Option<Kind> {
    let mut at: Option<&dyn Error> = Some(error);
    while let Some(error) = at {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            match error.kind() {
                io::ErrorKind::ConnectionRefused => return Some(Kind::Refused),
                io::ErrorKind::TimedOut => return Some(Kind::Timeout),
                io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof => {
                    return Some(Kind::Cut);
                }
                _ => {}
            }
        }
        at = error.source();
    }
    None
}

/// hyper and rustls keep these kinds to themselves; their words are stable.
fn connect_kind(chain: &str) -> Kind {
    let chain = chain.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| chain.contains(word));
    if says(&["dns error", "failed to lookup"]) {
        Kind::Dns
    } else if says(&["certificate", "tls", "handshake", "invalid peer", "corrupt message"]) {
        Kind::Tls
    } else {
        Kind::Other
    }
}
