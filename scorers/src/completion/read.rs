//! Exchange → Answer: [`read`] decides what kind of answer a body is, and hands it on.
//!
//! A fault only where nothing can be scored; everything else is a completion with deviations.

use super::assemble::Assembly;
use super::deviation::{Notes, bounded};
use super::error::{self, ErrorObject};
use super::json::{self, Json};
use super::{Answer, Body, Exchange, Fault, FaultKind, Mode, TransportError, TransportErrorKind, checks, sse, stream};

/// Reads an exchange. Never fails, never panics: what cannot be read is a [`Fault`].
///
/// ```
/// use monban_scorers::{Exchange, RawJson, completion};
///
/// let body = br#"{"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]}"#;
/// let exchange = Exchange::plain(RawJson::of(&serde_json::json!({"messages": []})), 200, &body[..]);
/// let answer = completion::read(&exchange);
/// assert_eq!(answer.completion().map(|completion| completion.text()), Some("hi"));
/// ```
#[must_use]
pub fn read(exchange: &Exchange) -> Answer {
    let mut notes = Notes::default();
    if let Some(status) = exchange.status.filter(|status| !(100..600).contains(status)) {
        notes.add("status_unknown", "", status);
    }
    let mut answer = answer(exchange, &mut notes);
    match &mut answer {
        Answer::Completion(completion) => {
            completion.mode = Some(exchange.mode);
            completion.timing.latency_us = exchange.total_us;
            notes.at_end();
            checks::check(completion, exchange, &mut notes);
            completion.deviations = notes.finish();
        }
        Answer::Fault(fault) => fault.deviations = notes.finish(),
    }
    answer
}

fn answer(exchange: &Exchange, notes: &mut Notes) -> Answer {
    if exchange.status.is_some_and(|status| status >= 300) {
        return Answer::Fault(status(exchange, notes));
    }
    if let Some(compressed) = compressed(exchange).filter(|_| !begins_readable(&exchange.body)) {
        return compressed;
    }
    let events = match &exchange.body {
        Body::None => false,
        Body::Plain(raw) => sse::looks_like_events(&raw.0),
        Body::Pieces(pieces) => {
            let first = pieces.iter().map(|piece| piece.raw.0.as_slice()).find(|raw| !raw.trim_ascii().is_empty());
            first.is_some_and(|raw| !matches!(raw.trim_ascii_start().first(), Some(b'{' | b'[' | b'<')))
        }
    };
    if events {
        if exchange.mode == Mode::Plain {
            notes.add("stream_instead_of_json", "", "read as a stream");
        }
        return stream::read(exchange, notes);
    }
    let bytes = match &exchange.body {
        Body::Plain(raw) => std::borrow::Cow::Borrowed(raw.0.as_slice()),
        other => std::borrow::Cow::Owned(other.bytes()),
    };
    // A whole answer counts even where the connection broke after it.
    match (&exchange.error, plain(exchange, &bytes, notes)) {
        (None, answer) => answer,
        (Some(error), answer @ Answer::Completion(_)) => {
            notes.add("cut_after_end", "", &error.message);
            answer
        }
        (Some(error), Answer::Fault(_)) => Answer::Fault(transport(error, exchange.status)),
    }
}

fn plain(exchange: &Exchange, bytes: &[u8], notes: &mut Notes) -> Answer {
    if bytes.trim_ascii().is_empty() {
        return fault(FaultKind::EmptyBody, exchange, "the body is empty");
    }
    let text = json::decode(bytes, notes);
    let parsed = match json::parse(&text, notes) {
        Ok(parsed) => parsed,
        Err(_) if exchange.mode == Mode::Stream && stream::is_json_lines(&text) => {
            return stream::read(exchange, notes);
        }
        Err(error) => return not_json(exchange, &text, &error, notes),
    };
    let members = match &parsed {
        Json::Map(members) => members,
        // Some gateways wrap an error object in an array.
        Json::List(items) if items.len() == 1 && items[0].field("error").is_some() => {
            return body_error(&items[0], exchange, notes);
        }
        other => return no_choice(exchange, other, notes),
    };
    let mut assembly = Assembly::default();
    assembly.take(members, false, None, notes);
    if !assembly.choice {
        return match error::find(members) {
            Some(error) => Answer::Fault(error.fault(FaultKind::ErrorBody, exchange.status, notes)),
            None => no_choice(exchange, &parsed, notes),
        };
    }
    if exchange.mode == Mode::Stream {
        notes.add("json_instead_of_stream", "", "read as a plain answer");
    }
    Answer::Completion(assembly.completion(notes))
}

fn body_error(json: &Json<'_>, exchange: &Exchange, notes: &mut Notes) -> Answer {
    let error = json.as_map().and_then(error::find).unwrap_or_default();
    Answer::Fault(error.fault(FaultKind::ErrorBody, exchange.status, notes))
}

fn no_choice(exchange: &Exchange, json: &Json<'_>, notes: &mut Notes) -> Answer {
    let keys = json
        .as_map()
        .map(|members| members.iter().take(12).map(|(key, _)| bounded(key, 40)).collect::<Vec<_>>().join(", "));
    let found = match keys {
        Some(keys) => format!("an object with the keys {keys}"),
        None => format!("{}: {}", json.type_name(), json.to_text()),
    };
    if json.field("choices").is_some_and(|choices| choices.as_list().is_some_and(<[_]>::is_empty)) {
        notes.add("choice_without_message", "choices", "an empty array");
    }
    fault(FaultKind::NoChoice, exchange, &found)
}

fn not_json(exchange: &Exchange, text: &str, error: &str, notes: &mut Notes) -> Answer {
    let start = text.trim_start();
    if is_html(start) {
        notes.add("html_body", "", start);
        return fault(FaultKind::NotJson, exchange, &html_words(start));
    }
    if let Some(compressed) = compressed(exchange) {
        return compressed;
    }
    if matches!(start.bytes().next(), Some(b'{' | b'[')) && error.starts_with("EOF") {
        notes.add("truncated_json", "", error);
    }
    fault(FaultKind::NotJson, exchange, &format!("{error}: {text}"))
}

/// The fault of a body that its header calls compressed. No request asks for that.
fn compressed(exchange: &Exchange) -> Option<Answer> {
    let told = exchange.header("content-encoding")?.trim();
    if told.is_empty() || told.eq_ignore_ascii_case("identity") {
        return None;
    }
    let coding = bounded(told, 40);
    let message = format!("the body is compressed ({coding}), which was not asked for: the server or a proxy adds it");
    Some(fault(FaultKind::NotJson, exchange, &message))
}

/// A body that is text whatever its header tells: nothing, or a beginning of JSON, HTML or events.
fn begins_readable(body: &Body) -> bool {
    let raw = match body {
        Body::None => &[],
        Body::Plain(raw) => raw.0.as_slice(),
        Body::Pieces(pieces) => pieces.first().map_or(&[][..], |piece| piece.raw.0.as_slice()),
    };
    let start = raw.trim_ascii_start();
    start.first().is_none_or(|first| matches!(first, b'{' | b'[' | b'<' | b'"')) || sse::looks_like_events(start)
}

/// A status of 300 or above: what the body says of it.
fn status(exchange: &Exchange, notes: &mut Notes) -> Fault {
    let bytes = exchange.body.bytes();
    let text = json::decode(&bytes, notes);
    let start = text.trim_start();
    let mut first_data = None;
    if sse::looks_like_events(&bytes) {
        first_data = start.lines().find_map(|line| line.strip_prefix("data:").or(line.strip_prefix("error:")));
    }
    let parsed = json::parse(first_data.unwrap_or(start), notes).ok();
    let json = match &parsed {
        Some(Json::List(items)) => items.first(),
        other => other.as_ref(),
    };
    let error = match json {
        Some(Json::Map(members)) => error::find(members).unwrap_or_else(|| ErrorObject::text(start)),
        Some(Json::Text(words)) => ErrorObject::text(words),
        _ if is_html(start) => {
            notes.add("html_body", "", start);
            ErrorObject::text(&html_words(start))
        }
        _ => ErrorObject::text(start.trim_end()),
    };
    let mut fault = error.fault(FaultKind::Status, exchange.status, notes);
    let elsewhere = exchange.status.filter(|status| (300..400).contains(status)).and(exchange.header("location"));
    if let Some(place) = elsewhere {
        let between = if fault.message.is_empty() { "" } else { "; " };
        fault.message = format!("{}{between}it names another address: {}", fault.message, bounded(place, 300));
    }
    fault
}

/// The fault that a transport error makes.
pub(super) fn transport(error: &TransportError, status: Option<u16>) -> Fault {
    let kind = match error.kind {
        TransportErrorKind::Dns | TransportErrorKind::Refused | TransportErrorKind::Tls => FaultKind::Unreachable,
        TransportErrorKind::Timeout => FaultKind::Timeout,
        TransportErrorKind::Cut => FaultKind::Cut,
        TransportErrorKind::TooLarge => FaultKind::TooLarge,
        TransportErrorKind::NotHttp => FaultKind::NotJson,
        TransportErrorKind::Other if status.is_some() => FaultKind::Cut,
        TransportErrorKind::Other => FaultKind::Unreachable,
    };
    Fault {
        kind,
        status,
        message: bounded(&error.message, 2000),
        error_type: None,
        code: None,
        param: None,
        deviations: Vec::new(),
    }
}

/// A fault of our own words.
pub(super) fn fault(kind: FaultKind, exchange: &Exchange, message: &str) -> Answer {
    let message = bounded(message, 400);
    Answer::Fault(Fault {
        kind,
        status: exchange.status,
        message,
        error_type: None,
        code: None,
        param: None,
        deviations: Vec::new(),
    })
}

fn is_html(text: &str) -> bool {
    let start = text.get(..text.len().min(15)).unwrap_or_default().to_ascii_lowercase();
    ["<!doctype", "<html", "<head", "<body", "<?xml"].iter().any(|tag| start.starts_with(tag))
}

/// The words of a page without its tags.
fn html_words(html: &str) -> String {
    let mut out = String::new();
    for piece in html.split('<').take(400) {
        let words = piece.split_once('>').map_or(piece, |(_, words)| words);
        for word in words.split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
        if out.len() > 400 {
            break;
        }
    }
    out
}
