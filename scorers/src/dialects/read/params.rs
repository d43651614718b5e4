//! Arguments as elements: `<parameter=city>Tokyo</parameter>`, `<arg_key>city</arg_key><arg_value>Tokyo</arg_value>`, ….

use serde_json::{Map, Value};

use super::coerce::{type_word, typed};
use super::cx::{Cx, Miss};
use super::json;

/// What closes the markup around a call: a value that nothing else closes ends here at the latest (vllm#21571).
const OUTER: &[&str] = &["</tool_call>", "</seed:tool_call>", "</minimax:tool_call>"];

/// Where a value's type comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Typing {
    /// The declared schema.
    Schema,
    /// `string="true"`: text; `string="false"`: JSON.
    StringFlag,
    /// `type="string"`.
    TypeName,
}

/// How a family writes one argument: `open key key_end … mid value close`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Params {
    /// Before the key.
    pub(crate) open: &'static str,
    /// After the key.
    pub(crate) key_end: &'static str,
    /// Before the value, after attributes or white space.
    pub(crate) mid: &'static str,
    /// After the value. The key and `>` follow, where `close_key`.
    pub(crate) close: &'static str,
    /// The closing element repeats the key.
    pub(crate) close_key: bool,
    /// Written between key and value elements, around the value, and between arguments.
    pub(crate) pads: [&'static str; 3],
    /// Types.
    pub(crate) typing: Typing,
}

impl Params {
    /// Reads all the arguments from a position on; `stop` closes the call.
    pub(super) fn read(
        &self,
        cx: &mut Cx<'_>,
        at: usize,
        tool: &str,
        stop: &'static str,
    ) -> Result<(Map<String, Value>, usize), Miss> {
        let mut map = Map::new();
        let mut end = at;
        loop {
            let start = cx.skip_space(end);
            let Some(key_at) = cx.literal(start, self.open).filter(|_| !self.is_close(cx, start, stop)) else {
                // Without arguments only the call's end tells that this is a call.
                return match (map.is_empty(), cx.left(start)) {
                    (true, "") => Err(cx.broken(at, start, "the text ends within the markup")),
                    (true, left) if !left.starts_with(stop) => Err(Miss::Not),
                    _ => Ok((map, end)),
                };
            };
            let Some((key, after)) = cx.up_to(key_at, self.key_end) else {
                return Err(cx.broken(at, cx.text.len().min(key_at + 256), "an argument's name is unfinished"));
            };
            let Some((attributes, from)) = self.up_to_value(cx, after) else {
                return Err(cx.broken(at, after, "an argument has no value"));
            };
            let key = key.trim();
            let (text, next) = self.value(cx, from, key, stop)?;
            let value = self.typed(cx, tool, key, attributes, text);
            map.insert(key.to_owned(), value);
            end = next;
        }
    }

    fn is_close(&self, cx: &Cx<'_>, at: usize, stop: &str) -> bool {
        cx.rest(at).starts_with(self.close) || (!stop.is_empty() && cx.rest(at).starts_with(stop))
    }

    fn up_to_value<'t>(&self, cx: &Cx<'t>, at: usize) -> Option<(&'t str, usize)> {
        if self.mid.is_empty() { Some(("", at)) } else { cx.up_to(at, self.mid) }
    }

    /// The text of a value. Where its closing element is missing, the next argument or the call's end closes it.
    fn value<'t>(&self, cx: &mut Cx<'t>, from: usize, key: &str, stop: &'static str) -> Result<(&'t str, usize), Miss> {
        if self.close_key {
            let close = format!("{}{key}>", self.close);
            let Some(len) = cx.rest(from).find(&close) else {
                return Err(cx.broken(from, cx.text.len(), "an argument is unfinished"));
            };
            return Ok((&cx.text[from..from + len], from + len + close.len()));
        }
        let close = cx.find(self.close, from);
        let next = cx.find(self.open, from).filter(|next| close.is_none_or(|close| *next < close));
        let end = if stop.is_empty() { None } else { cx.find(stop, from) };
        let end = end.filter(|end| close.is_none_or(|close| *end < close));
        match (close, next.into_iter().chain(end).min()) {
            (Some(close), None) => Ok((&cx.text[from..close], close + self.close.len())),
            (_, Some(end)) => {
                cx.note("unclosed_markup", format!("the argument `{}` is not closed", clip(key)));
                Ok((cx.text[from..end].trim_end(), end))
            }
            (None, None) => match OUTER.iter().filter_map(|outer| cx.find(outer, from)).min() {
                Some(end) => {
                    cx.note("unclosed_markup", format!("the argument `{}` is not closed", clip(key)));
                    Ok((cx.text[from..end].trim_end(), end))
                }
                None => Err(cx.broken(from, cx.text.len(), "an argument is unfinished")),
            },
        }
    }

    fn typed(&self, cx: &Cx<'_>, tool: &str, key: &str, attributes: &str, text: &str) -> Value {
        let text = if self.pads[1] == "\n" { unpad(text) } else { text };
        let says_string = match self.typing {
            Typing::Schema => None,
            Typing::StringFlag => attributes.split_once("string=\"").map(|(_, rest)| rest.starts_with("true")),
            Typing::TypeName => attributes.split_once("type=\"").map(|(_, rest)| rest.starts_with("string")),
        };
        match says_string {
            Some(true) => Value::String(text.to_owned()),
            Some(false) => serde_json::from_str(text.trim()).unwrap_or_else(|_| typed(text, cx.schema(tool, key))),
            None => typed(text, cx.schema(tool, key)),
        }
    }

    /// Writes the arguments.
    pub(super) fn write(&self, arguments: &Map<String, Value>) -> String {
        let each: Vec<String> = arguments.iter().map(|(key, value)| self.write_one(key, value)).collect();
        each.join(self.pads[2])
    }

    fn write_one(&self, key: &str, value: &Value) -> String {
        let attributes = match (self.typing, value) {
            (Typing::Schema, _) => String::new(),
            (Typing::StringFlag, value) => format!(" string=\"{}\"", value.is_string()),
            (Typing::TypeName, value) => format!(" type=\"{}\"", type_word(value)),
        };
        let text = value.as_str().map_or_else(|| json::spaced(value), str::to_owned);
        let close = if self.close_key { format!("{}{key}>", self.close) } else { self.close.to_owned() };
        let [before, around, _] = self.pads;
        format!("{}{key}{}{attributes}{before}{}{around}{text}{around}{close}", self.open, self.key_end, self.mid)
    }
}

/// Without the one line break that stands before and after a value on its own line.
fn unpad(text: &str) -> &str {
    let text = text.strip_prefix('\n').unwrap_or(text);
    text.strip_suffix('\n').unwrap_or(text)
}

/// A key short enough for a message.
fn clip(key: &str) -> &str {
    key.char_indices().nth(40).map_or(key, |(at, _)| &key[..at])
}
