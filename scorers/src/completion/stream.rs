//! A stream → Answer: [`read`] takes the events one by one, and judges how the stream ended.

use super::assemble::Assembly;
use super::deviation::Notes;
use super::error::{self, ErrorObject};
use super::json::{self, Json, Members};
use super::read::{fault, transport};
use super::repeat::Frame;
use super::sse::{Event, Events};
use super::{Answer, Body, Exchange, FaultKind};

#[derive(Default)]
struct Stream {
    assembly: Assembly,
    /// The first error that came as an event.
    error: Option<ErrorObject>,
    /// `[DONE]` came.
    done: bool,
    /// Events with JSON in them.
    chunks: usize,
    /// The last chunk, where the next may repeat it.
    frame: Option<Frame>,
    /// The data of the last event that was no JSON, shortened.
    unread: Option<String>,
}

/// Reads the body as a stream.
pub(super) fn read(exchange: &Exchange, notes: &mut Notes) -> Answer {
    let mut events = Events::default();
    let mut stream = Stream::default();
    let mut sink = |notes: &mut Notes, event: Event<'_>| stream.event(&event, notes);
    match &exchange.body {
        Body::None => {}
        Body::Plain(raw) => {
            events.feed(&raw.0, None, notes, &mut sink);
            events.finish(None, notes, &mut sink);
        }
        Body::Pieces(pieces) => {
            for piece in pieces {
                events.feed(&piece.raw.0, Some(piece.at_us), notes, &mut sink);
            }
            events.finish(pieces.last().map(|piece| piece.at_us), notes, &mut sink);
        }
    }
    notes.at_end();
    stream.end(exchange, events.number, notes)
}

/// Every line (but empty ones) is a JSON value of its own.
pub(super) fn is_json_lines(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.clone().count() > 1 && lines.all(|line| line.starts_with('{') || line.contains("[DONE]"))
}

impl Stream {
    fn event(&mut self, event: &Event<'_>, notes: &mut Notes) {
        if event.data.trim_ascii() == b"[DONE]" {
            if event.data.as_ref() != b"[DONE]" {
                notes.add("done_padded", "", format_args!("{:?}", String::from_utf8_lossy(&event.data)));
            }
            self.done = true;
            return;
        }
        if event.data.trim_ascii().is_empty() {
            return notes.add("sse_blank_data", "", "data without anything in it");
        }
        if self.done {
            notes.add("data_after_done", "", String::from_utf8_lossy(&event.data));
        }
        let text = json::decode(&event.data, notes);
        if event.lines > 1 {
            return self.lines(&text, event, notes);
        }
        self.data(&text, event, notes);
    }

    /// Several data lines: one JSON text over lines, or events without blank lines between them.
    fn lines(&mut self, text: &str, event: &Event<'_>, notes: &mut Notes) {
        if serde_json::from_str::<Json<'_>>(text).is_ok()
            || !text.lines().any(|line| line.trim_start().starts_with('{'))
        {
            notes.add("sse_multiline_data", "", format_args!("{} lines", event.lines));
            return self.data(text, event, notes);
        }
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        if lines.clone().all(|line| line.trim() == "[DONE]" || serde_json::from_str::<Json<'_>>(line).is_ok()) {
            notes.add("sse_single_newline", "", format_args!("{} chunks in one event", event.lines));
            return lines.by_ref().for_each(|line| match line.trim() {
                "[DONE]" => self.done = true,
                _ => self.data(line, event, notes),
            });
        }
        notes.add("sse_multiline_data", "", format_args!("{} lines", event.lines));
        self.data(text, event, notes);
    }

    fn data(&mut self, text: &str, event: &Event<'_>, notes: &mut Notes) {
        if let Some(frame) = &self.frame
            && let Some(piece) = frame.piece(text)
        {
            self.chunks += 1;
            return self.assembly.take_piece(&piece, frame.field, event.at_us);
        }
        self.frame = None;
        let before = (notes.total(), self.assembly.parts.sizes());
        match json::parse(text, notes) {
            Ok(Json::Map(members)) => {
                self.chunk(&members, event, notes);
                if notes.total() == before.0 && self.assembly.parts.sizes() != before.1 {
                    self.frame = Frame::of(text, &members);
                }
            }
            Ok(other) if event.error => self.fail(ErrorObject::text(&other.to_text()), notes),
            Ok(other) => {
                notes.add("chunk_not_json", "", format_args!("{} where an object is wanted", other.type_name()))
            }
            Err(_) if event.error => self.fail(ErrorObject::text(text.trim()), notes),
            Err(error) => {
                let kind = if error.starts_with("EOF") { "truncated_json" } else { "chunk_not_json" };
                notes.add(kind, "", format_args!("{error}: {text}"));
                self.unread = Some(text.chars().take(200).collect());
            }
        }
    }

    fn chunk(&mut self, members: &Members<'_>, event: &Event<'_>, notes: &mut Notes) {
        self.chunks += 1;
        let choices = json::get_some(members, "choices");
        if choices.is_none_or(|choices| choices.as_list().is_some_and(<[_]>::is_empty)) {
            if let Some(error) = error::find(members) {
                return self.fail(error, notes);
            }
            if event.error {
                return self.fail(ErrorObject::text(&Json::Map(members.to_vec()).to_text()), notes);
            }
            if json::get_some(members, "usage").is_none() {
                notes.add("chunk_without_choices", "", "neither choices nor usage");
            }
        }
        self.assembly.take(members, true, event.at_us, notes);
    }

    fn fail(&mut self, error: ErrorObject, notes: &mut Notes) {
        notes.add("stream_error", "", error.words());
        self.assembly.error.get_or_insert_with(|| error.words());
        self.error.get_or_insert(error);
    }

    fn end(mut self, exchange: &Exchange, events: usize, notes: &mut Notes) -> Answer {
        let whole = self.done || self.assembly.finish_reason.is_some();
        let nothing = self.assembly.parts.is_empty();
        if nothing
            && self.assembly.finish_reason.is_none()
            && let Some(error) = self.error.take()
        {
            return Answer::Fault(error.fault(FaultKind::ErrorBody, exchange.status, notes));
        }
        if let Some(error) = &exchange.error {
            if !whole {
                return Answer::Fault(transport(error, exchange.status));
            }
            notes.add("cut_after_end", "", &error.message);
        }
        if !self.assembly.choice {
            return match (self.chunks, self.unread) {
                (0, Some(text)) => fault(FaultKind::NotJson, exchange, &text),
                (0, None) => {
                    fault(FaultKind::EmptyBody, exchange, &format!("a stream of {events} events without a chunk"))
                }
                (chunks, _) => {
                    fault(FaultKind::NoChoice, exchange, &format!("{chunks} chunks, none of them with a choice"))
                }
            };
        }
        if !whole && self.assembly.error.is_none() {
            let message = format!("the stream ended after {events} events with neither a finish reason nor [DONE]");
            return fault(FaultKind::Cut, exchange, &message);
        }
        if !self.done {
            notes.add("no_done", format_args!("after event {events}"), "the stream ends without [DONE]");
        }
        Answer::Completion(self.assembly.completion(notes))
    }
}
