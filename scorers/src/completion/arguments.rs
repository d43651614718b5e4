//! A call's arguments as they grow: [`append`], and [`Braces`], which knows when they are whole.

use super::Arguments;
use super::deviation::Notes;
use super::json::Json;

/// Adds what stands on the wire to a call's arguments, in the shape it came.
pub(super) fn append(
    to: &mut Arguments,
    braces: &mut Braces,
    json: &Json<'_>,
    path: &dyn std::fmt::Display,
    notes: &mut Notes,
) {
    let Json::Text(fragment) = json else {
        let kind = if json.as_map().is_some() { "arguments_object" } else { "arguments_not_text" };
        notes.add(kind, format_args!("{path}.function.arguments"), json.to_value());
        *to = match std::mem::take(to) {
            Arguments::Text(text) if !text.is_empty() => Arguments::Text(text + &json.to_text()),
            Arguments::Json(before) => Arguments::Text(before.to_string() + &json.to_text()),
            _ => Arguments::Json(json.to_value()),
        };
        (braces.begun, braces.closed) = (true, true);
        return;
    };
    braces.read(fragment);
    match to {
        Arguments::Missing => *to = Arguments::Text(fragment.clone().into_owned()),
        Arguments::Text(text) => text.push_str(fragment),
        Arguments::Json(_) if fragment.is_empty() => {}
        Arguments::Json(before) => *to = Arguments::Text(before.to_string() + fragment),
    }
}

/// Follows the brackets of arguments as they grow, so that whole ones are known without reading them again.
#[derive(Debug, Default)]
pub(super) struct Braces {
    depth: usize,
    quoted: bool,
    escaped: bool,
    /// Something stands there.
    pub(super) begun: bool,
    /// The first value was closed.
    pub(super) closed: bool,
}

impl Braces {
    pub(super) fn read(&mut self, fragment: &str) {
        for byte in fragment.bytes() {
            self.begun |= !byte.is_ascii_whitespace();
            if self.quoted {
                self.quoted = self.escaped || byte != b'"';
                self.escaped = !self.escaped && byte == b'\\';
                continue;
            }
            match byte {
                b'"' => self.quoted = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.closed |= self.depth == 0;
                }
                _ => {}
            }
        }
    }
}
