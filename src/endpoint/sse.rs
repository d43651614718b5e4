//! Cuts an event stream at its blank lines: [`Cutter`].
//!
//! It interprets nothing: concatenated, the pieces are the body, to the byte. Lines end in LF, CRLF or CR
//! (WHATWG HTML, "server-sent events", 9.2.5); a piece ends with the blank line that ends its event.

use monban_scorers::{Piece, Raw};

/// Cuts a stream into pieces as it arrives.
///
/// ```
/// let mut cutter = monban::endpoint::Cutter::default();
/// cutter.push(b"data: 1\r\n\r", 10);
/// cutter.push(b"\ndata: 2\n", 20);
/// let pieces = cutter.finish();
/// assert_eq!(pieces.iter().map(|piece| piece.at_us).collect::<Vec<_>>(), [10, 20]);
/// assert_eq!(pieces[0].raw.0, b"data: 1\r\n\r\n");
/// ```
#[derive(Debug, Default)]
pub struct Cutter {
    pieces: Vec<Piece>,
    open: Vec<u8>,
    /// The bytes of the current line so far, terminator excluded, are none.
    in_line: bool,
    /// The open piece holds a line that is not blank: a blank line ends it. (Blank lines alone are no event.)
    has_line: bool,
    /// The last byte was a CR: an LF now belongs to it.
    after_cr: bool,
    /// A CR completed the event at this time; only an LF may still join it.
    complete_at: Option<u64>,
    last_us: u64,
}

impl Cutter {
    /// Takes what arrived `at_us` microseconds after the request.
    pub fn push(&mut self, bytes: &[u8], at_us: u64) {
        self.last_us = at_us;
        let mut rest = bytes;
        if self.after_cr {
            self.after_cr = false;
            if let Some(tail) = rest.strip_prefix(b"\n") {
                self.open.push(b'\n');
                rest = tail;
            }
        }
        if let Some(at) = self.complete_at.take() {
            self.close(at);
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', rest) {
            let crlf = rest[end] == b'\r' && rest.get(end + 1) == Some(&b'\n');
            let next = end + 1 + usize::from(crlf);
            let blank = end == 0 && !self.in_line;
            self.open.extend_from_slice(&rest[..next]);
            self.in_line = false;
            self.after_cr = next == rest.len() && rest[next - 1] == b'\r';
            rest = &rest[next..];
            if !blank {
                self.has_line = true;
            } else if self.has_line && self.after_cr {
                self.complete_at = Some(at_us);
            } else if self.has_line {
                self.close(at_us);
            }
        }
        if !rest.is_empty() {
            self.open.extend_from_slice(rest);
            self.in_line = true;
        }
    }

    /// How many pieces are complete.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether no piece is complete.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The pieces; what stands after the last blank line is one more.
    #[must_use]
    pub fn finish(mut self) -> Vec<Piece> {
        if !self.open.is_empty() {
            let at = self.complete_at.unwrap_or(self.last_us);
            self.close(at);
        }
        self.pieces
    }

    fn close(&mut self, at_us: u64) {
        let room = self.open.len();
        let raw = std::mem::replace(&mut self.open, Vec::with_capacity(room));
        self.pieces.push(Piece { at_us, raw: Raw(raw) });
        self.has_line = false;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut cutter = Cutter::default();
        for (at, chunk) in chunks.iter().enumerate() {
            cutter.push(chunk, at as u64);
        }
        cutter.finish().into_iter().map(|piece| piece.raw.0).collect()
    }

    #[track_caller]
    fn case(body: &[u8], expected: &[&[u8]]) {
        assert_eq!(cut(&[body]), expected, "whole");
        let bytes: Vec<&[u8]> = body.chunks(1).collect();
        assert_eq!(cut(&bytes), expected, "byte by byte");
    }

    #[test]
    fn events_end_at_blank_lines_of_every_kind() {
        case(b"data: 1\n\ndata: 2\n\n", &[b"data: 1\n\n", b"data: 2\n\n"]);
        case(b"data: 1\r\n\r\ndata: 2\r\n\r\n", &[b"data: 1\r\n\r\n", b"data: 2\r\n\r\n"]);
        case(b"data: 1\r\rdata: 2\r\r", &[b"data: 1\r\r", b"data: 2\r\r"]);
        case(b"a\nb\n\nc", &[b"a\nb\n\n", b"c"]);
        case(b": ping\n\ndata: x\n", &[b": ping\n\n", b"data: x\n"]);
    }

    #[test]
    fn blank_lines_alone_are_no_event() {
        case(b"\n\n\ndata: 1\n\n\n\n", &[b"\n\n\ndata: 1\n\n", b"\n\n"]);
        case(b"", &[]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_however_it_is_split(body in prop::collection::vec(prop::sample::select(b"d:\r\n\xff".to_vec()), 0..60), size in 1usize..9) {
            let whole = cut(&[&body]);
            prop_assert_eq!(whole.concat(), body.clone());
            let chunks: Vec<&[u8]> = body.chunks(size).collect();
            prop_assert_eq!(cut(&chunks), whole);
        }
    }
}
