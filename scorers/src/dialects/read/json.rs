//! JSON within a text: read one value from a position on, and write it the way models do (`", "` and `": "`).

use std::io;

use serde_json::ser::Formatter;
use serde_json::{Deserializer, Value};

use super::cx::{Cx, Miss};

/// Reads the JSON value at a position.
pub(super) fn value(cx: &mut Cx<'_>, at: usize) -> Result<(Value, usize), Miss> {
    let rest = cx.rest(at);
    let mut stream = Deserializer::from_str(rest).into_iter::<Value>();
    match stream.next() {
        Some(Ok(value)) => Ok((value, at + stream.byte_offset())),
        Some(Err(error)) => {
            let stop = at + position(rest, error.line(), error.column());
            let eof = error.is_eof();
            let miss = cx.broken(at, stop, if eof { "the JSON is unfinished".to_owned() } else { broken_json(&error) });
            Err(match miss {
                Miss::Broken { at, why, unfinished } => Miss::Broken { at, why, unfinished: unfinished || eof },
                other => other,
            })
        }
        None => Err(cx.broken(at, at, "no JSON follows")),
    }
}

fn broken_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    format!("invalid JSON: {}", text.split(" at line ").next().unwrap_or_default())
}

/// The byte offset of a line and column as `serde_json` counts them (bytes), clamped to a character boundary.
fn position(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (start + column).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

/// JSON with a space after each comma and colon, as models write it.
pub(crate) fn spaced(value: &impl serde::Serialize) -> String {
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Spaced);
    match value.serialize(&mut serializer) {
        Ok(()) => String::from_utf8(out).unwrap_or_default(),
        Err(_) => String::new(),
    }
}
