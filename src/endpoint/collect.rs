//! Gathers the bytes of one answer as they arrive: [`Collector`] decides whether they are one body or an event stream.

use monban_scorers::{Body, Mode, Raw};

use super::sse::Cutter;

/// How much of one answer is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) bytes: usize,
    /// A piece costs more than its bytes: a stream of tiny ones must not cost gigabytes.
    pub(super) pieces: usize,
}

/// The bytes so far, in the form they will be kept.
#[derive(Debug)]
pub(super) struct Collector {
    form: Form,
    bounds: Bounds,
    bytes: usize,
}

#[derive(Debug)]
enum Form {
    /// Not settled: a stream was asked, the content type does not say, and nothing has arrived.
    Open,
    Plain(Vec<u8>),
    Stream(Cutter),
}

impl Collector {
    pub(super) fn new(mode: Mode, content_type: &str, good: bool, bounds: Bounds) -> Self {
        let form = if content_type.to_ascii_lowercase().starts_with("text/event-stream") {
            Form::Stream(Cutter::default())
        } else if mode == Mode::Stream && good {
            Form::Open
        } else {
            Form::Plain(Vec::new())
        };
        Self { form, bounds, bytes: 0 }
    }

    /// Takes what arrived. `false` when it is more than is kept: what fits was taken.
    pub(super) fn push(&mut self, chunk: &[u8], at_us: u64) -> bool {
        let fits = chunk.len().min(self.bounds.bytes - self.bytes);
        let kept = &chunk[..fits];
        self.bytes += fits;
        if matches!(self.form, Form::Open) {
            self.form = if looks_like_events(kept) { Form::Stream(Cutter::default()) } else { Form::Plain(Vec::new()) };
        }
        match &mut self.form {
            Form::Open => true,
            Form::Plain(body) => {
                body.extend_from_slice(kept);
                fits == chunk.len()
            }
            Form::Stream(cutter) => {
                cutter.push(kept, at_us);
                fits == chunk.len() && cutter.len() <= self.bounds.pieces
            }
        }
    }

    pub(super) fn finish(self) -> Body {
        match self.form {
            _ if self.bytes == 0 => Body::None,
            Form::Open => Body::None,
            Form::Plain(body) => Body::Plain(Raw(body)),
            Form::Stream(cutter) => Body::Pieces(cutter.finish()),
        }
    }
}

/// The first bytes of an event stream that does not say it is one.
fn looks_like_events(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(bytes.len());
    [&b"data:"[..], b"event:", b"id:", b"retry:", b":"].iter().any(|word| bytes[start..].starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { bytes: 32, pieces: 3 };

    fn body(mode: Mode, content_type: &str, chunks: &[&[u8]]) -> (Body, bool) {
        let mut collector = Collector::new(mode, content_type, true, BOUNDS);
        let whole = chunks.iter().all(|chunk| collector.push(chunk, 1));
        (collector.finish(), whole)
    }

    #[test]
    fn a_json_body_where_a_stream_was_asked_stays_a_body() {
        assert!(matches!(body(Mode::Stream, "application/json", &[b"{}"]).0, Body::Plain(_)));
    }

    #[test]
    fn a_stream_is_one_whatever_it_calls_itself() {
        assert!(matches!(body(Mode::Stream, "text/plain", &[b"\ndata: 1\n\n"]).0, Body::Pieces(_)));
        assert!(matches!(body(Mode::Plain, "Text/Event-Stream; charset=utf-8", &[b"data: 1"]).0, Body::Pieces(_)));
        assert_eq!(body(Mode::Stream, "text/event-stream", &[]).0, Body::None);
    }

    #[test]
    fn what_is_too_large_is_kept_up_to_the_bound() {
        let (kept, whole) = body(Mode::Plain, "", &[&[b'x'; 30], &[b'x'; 30]]);
        assert_eq!((kept.bytes().len(), whole), (32, false));
        let (_, whole) = body(Mode::Stream, "text/event-stream", &[b"a\n\na\n\na\n\na\n\na\n\n"]);
        assert!(!whole);
    }
}
