//! Bytes → server-sent events: [`Events`]. Follows the WHATWG algorithm, and further where servers depart from it.
//!
//! It must not look into the data. Linear: bytes are copied only where an event spans several pieces or data lines.

use std::borrow::Cow;

use super::deviation::Notes;

/// One event, ready to read.
#[derive(Debug)]
pub(super) struct Event<'a> {
    /// The data lines, joined by line feeds.
    pub(super) data: Cow<'a, [u8]>,
    /// How many data lines there were.
    pub(super) lines: usize,
    /// The server called it an error, by `event: error` or a line `error: …`.
    pub(super) error: bool,
    /// When its last byte arrived.
    pub(super) at_us: Option<u64>,
}

/// Reads pieces of a stream, one after the other.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// Events handed out so far.
    pub(super) number: usize,
    line: Vec<u8>,
    data: Vec<u8>,
    lines: usize,
    error: bool,
    after_cr: bool,
}

/// What is gathered of the event at hand, borrowed from the piece where it can be.
struct Gathered<'a> {
    data: Cow<'a, [u8]>,
    lines: usize,
}

impl Events {
    /// Reads a piece and hands every event it completes to `sink`.
    pub(super) fn feed(
        &mut self,
        piece: &[u8],
        at_us: Option<u64>,
        notes: &mut Notes,
        sink: &mut impl FnMut(&mut Notes, Event<'_>),
    ) {
        let mut rest = piece;
        if self.after_cr && rest.first() == Some(&b'\n') {
            rest = &rest[1..];
        }
        let mut gathered =
            Gathered { data: Cow::Owned(std::mem::take(&mut self.data)), lines: std::mem::take(&mut self.lines) };
        while let Some(end) = line_end(rest) {
            let (line, after) = (&rest[..end], &rest[end + 1..]);
            let cr = rest[end] == b'\r';
            rest = match after.first() {
                Some(b'\n') if cr => &after[1..],
                _ => after,
            };
            self.after_cr = cr && rest.is_empty();
            notes.at_event(self.number + 1);
            if cr {
                notes.add("sse_line_ending", "", "CR");
            }
            if self.line.is_empty() {
                self.take_line(line, &mut gathered, at_us, notes, sink);
            } else {
                let mut whole = std::mem::take(&mut self.line);
                whole.extend_from_slice(line);
                self.take_owned(&whole, &mut gathered, at_us, notes, sink);
            }
        }
        self.line.extend_from_slice(rest);
        self.data = gathered.data.into_owned();
        self.lines = gathered.lines;
    }

    /// The end of the stream: hands out what stands there without its blank line.
    pub(super) fn finish(
        &mut self,
        at_us: Option<u64>,
        notes: &mut Notes,
        sink: &mut impl FnMut(&mut Notes, Event<'_>),
    ) {
        if !self.line.is_empty() {
            self.feed(b"\n", at_us, notes, sink);
        }
        self.feed(b"\n", at_us, notes, sink);
    }

    fn take_owned(
        &mut self,
        line: &[u8],
        gathered: &mut Gathered<'_>,
        at_us: Option<u64>,
        notes: &mut Notes,
        sink: &mut impl FnMut(&mut Notes, Event<'_>),
    ) {
        let data = Cow::Owned(std::mem::take(&mut gathered.data).into_owned());
        let mut own = Gathered { data, lines: gathered.lines };
        self.take_line(line, &mut own, at_us, notes, sink);
        gathered.lines = own.lines;
        gathered.data = Cow::Owned(own.data.into_owned());
    }

    fn take_line<'a>(
        &mut self,
        line: &'a [u8],
        gathered: &mut Gathered<'a>,
        at_us: Option<u64>,
        notes: &mut Notes,
        sink: &mut impl FnMut(&mut Notes, Event<'_>),
    ) {
        let line = if self.number == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        if line.is_empty() {
            return self.hand_out(gathered, at_us, notes, sink);
        }
        if matches!(line.trim_ascii_start().first(), Some(b'{' | b'[')) && gathered.lines == 0 {
            notes.add("sse_without_data", "", excerpt(line));
            *gathered = Gathered { data: Cow::Borrowed(line), lines: 1 };
            return self.hand_out(gathered, at_us, notes, sink);
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        match &line[..colon] {
            b"data" => gathered.push(value, notes),
            b"" => notes.add("sse_comment", "", excerpt(value)),
            b"event" => {
                let name = value.trim_ascii();
                self.error |= name == b"error";
                if name != b"message" {
                    notes.add("sse_event_name", "", excerpt(name));
                }
            }
            b"error" => {
                notes.add("sse_error_line", "", excerpt(value));
                self.hand_out(gathered, at_us, notes, sink);
                *gathered = Gathered { data: Cow::Borrowed(value.trim_ascii_start()), lines: 1 };
                self.error = true;
                self.hand_out(gathered, at_us, notes, sink);
            }
            b"id" | b"retry" => {}
            _ => notes.add("sse_unknown_line", "", excerpt(line)),
        }
    }

    fn hand_out(
        &mut self,
        gathered: &mut Gathered<'_>,
        at_us: Option<u64>,
        notes: &mut Notes,
        sink: &mut impl FnMut(&mut Notes, Event<'_>),
    ) {
        let error = std::mem::take(&mut self.error);
        let lines = std::mem::take(&mut gathered.lines);
        if lines == 0 {
            return;
        }
        self.number += 1;
        sink(notes, Event { data: std::mem::take(&mut gathered.data), lines, error, at_us });
    }
}

impl<'a> Gathered<'a> {
    /// Another data line.
    fn push(&mut self, value: &'a [u8], notes: &mut Notes) {
        let value = match value.strip_prefix(b" ") {
            Some(value) => value,
            None => {
                notes.add("sse_no_space", "", excerpt(value));
                value
            }
        };
        self.lines += 1;
        if self.lines == 1 {
            self.data = Cow::Borrowed(value);
        } else {
            let data = self.data.to_mut();
            data.push(b'\n');
            data.extend_from_slice(value);
        }
    }
}

/// The first line feed or carriage return.
fn line_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2(b'\n', b'\r', bytes)
}

fn excerpt(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(&bytes[..bytes.len().min(80)])
}

/// The bytes look like a stream of events rather than one body.
pub(super) fn looks_like_events(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    ["data:", "event:", ":", "id:", "retry:", "error:"].iter().any(|start| bytes.starts_with(start.as_bytes()))
}
