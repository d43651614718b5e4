//! Gemma's dictionaries: `{city:<|"|>Tokyo<|"|>,days:3}`, and what is left of them without their quotes:
//! `{city:Tokyo,days:3}`.
//!
//! Without quotes a value ends where the next declared key begins; that is as much as the text still says.

use serde_json::{Map, Value};

use super::coerce::typed;
use super::cx::{Cx, Miss};
use crate::request::Tool;

/// Dictionaries nest this deep, not deeper.
const DEEPEST: usize = 64;

/// Reads a dictionary whose strings stand between marks.
pub(super) fn marked(
    cx: &mut Cx<'_>,
    at: usize,
    mark: &'static str,
    name: &str,
) -> Result<(Map<String, Value>, usize), Miss> {
    let start = at;
    match dict(cx, at, mark, Some(name), DEEPEST) {
        Ok(done) => Ok(done),
        Err(stop) => Err(cx.broken(start, stop, "the arguments are unfinished or malformed")),
    }
}

type Step<T> = Result<(T, usize), usize>;

fn dict(cx: &mut Cx<'_>, at: usize, mark: &'static str, tool: Option<&str>, depth: usize) -> Step<Map<String, Value>> {
    let mut at = cx.literal(at, "{").ok_or(at)?;
    let mut map = Map::new();
    if depth == 0 {
        return Err(at);
    }
    loop {
        at = cx.skip_space(at);
        if let Some(end) = cx.literal(at, "}") {
            return Ok((map, end));
        }
        let (key, after) = key(cx, at, mark)?;
        let schema = tool.and_then(|tool| cx.schema(tool, &key));
        let (value, end) = value(cx, cx.skip_space(after), mark, schema, depth)?;
        map.insert(key, value);
        at = separator(cx, end, "}")?;
    }
}

fn key(cx: &mut Cx<'_>, at: usize, mark: &'static str) -> Step<String> {
    if let Some(inner) = cx.literal(at, mark) {
        let end = cx.find(mark, inner).ok_or(cx.text.len())?;
        let after = cx.literal(end + mark.len(), ":").ok_or(end)?;
        return Ok((cx.text[inner..end].to_owned(), after));
    }
    let (key, after) = cx.up_to(at, ":").ok_or(at)?;
    let key = key.trim().trim_matches('"');
    if key.is_empty() || key.contains(['{', '}', '<', ',']) { Err(at) } else { Ok((key.to_owned(), after)) }
}

fn separator(cx: &Cx<'_>, at: usize, close: &str) -> Result<usize, usize> {
    let at = cx.skip_space(at);
    match cx.literal(at, ",") {
        Some(after) => Ok(after),
        None if cx.rest(at).starts_with(close) => Ok(at),
        None => Err(at),
    }
}

fn value(
    cx: &mut Cx<'_>,
    at: usize,
    mark: &'static str,
    schema: Option<(&Value, &Value)>,
    depth: usize,
) -> Step<Value> {
    if let Some(inner) = cx.literal(at, mark) {
        let end = cx.find(mark, inner).ok_or(cx.text.len())?;
        return Ok((Value::String(cx.text[inner..end].to_owned()), end + mark.len()));
    }
    if cx.rest(at).starts_with('{') {
        return dict(cx, at, mark, None, depth - 1).map(|(map, end)| (Value::Object(map), end));
    }
    if let Some(mut at) = cx.literal(at, "[") {
        let mut items = Vec::new();
        if depth == 0 {
            return Err(at);
        }
        loop {
            at = cx.skip_space(at);
            if let Some(end) = cx.literal(at, "]") {
                return Ok((Value::Array(items), end));
            }
            let (item, end) = value(cx, at, mark, None, depth - 1)?;
            items.push(item);
            at = separator(cx, end, "]")?;
        }
    }
    if let Some((text, len)) = json_text(cx.rest(at)) {
        return Ok((Value::String(text), at + len));
    }
    let len = cx.rest(at).find([',', '}', ']']).ok_or(cx.text.len())?;
    Ok((typed(cx.text[at..at + len].trim_end(), schema), at + len))
}

/// A text in JSON's quotes instead of the family's marks (mlx#3460, vllm#51284), and its length.
fn json_text(rest: &str) -> Option<(String, usize)> {
    if !rest.starts_with('"') {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    let text = values.next()?.ok()?;
    let end = values.byte_offset();
    rest[end..].trim_start().starts_with([',', '}', ']']).then_some((text, end))
}

/// Reads a dictionary that has lost its marks.
pub(super) fn stripped(cx: &mut Cx<'_>, at: usize, name: &str) -> Result<(Map<String, Value>, usize), Miss> {
    let Some(end) = matching_brace(cx.rest(at)).map(|len| at + len) else {
        return Err(cx.broken(at, cx.text.len(), "the arguments are unfinished"));
    };
    let inner = &cx.text[at + 1..end - 1];
    let declared = cx.tool(name).and_then(Tool::properties);
    let mut map = Map::new();
    let mut starts = key_starts(inner, |key| declared.is_none_or(|declared| declared.contains_key(key)));
    starts.push(inner.len() + 1);
    for pair in starts.windows(2) {
        let entry = inner.get(pair[0]..pair[1] - 1).unwrap_or_default();
        let Some((key, text)) = entry.split_once(':') else { continue };
        let key = key.trim().to_owned();
        let value = loose(text.trim(), cx.schema(name, &key), DEEPEST);
        map.insert(key, value);
    }
    if map.is_empty() && !inner.trim().is_empty() {
        return Err(cx.broken(at, end, "no declared argument is named"));
    }
    Ok((map, end))
}

fn matching_brace(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return (depth == 1).then_some(at + 1),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Where the entries begin: at the start, and after each comma (outside brackets) that a known key follows.
fn key_starts(inner: &str, known: impl Fn(&str) -> bool) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut depth = 0usize;
    let mut candidate = Some(0);
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => candidate = Some(at + 1),
            b':' => {
                if let Some(start) = candidate.take() {
                    let key = inner.get(start..at).unwrap_or_default().trim();
                    if !key.is_empty() && known(key) {
                        starts.push(start);
                    }
                }
            }
            _ => {}
        }
    }
    starts
}

/// A value without quotes, as its schema wants it.
fn loose(text: &str, schema: Option<(&Value, &Value)>, depth: usize) -> Value {
    let plain = typed(text, schema);
    let bracketed = text.len() >= 2 && depth > 0;
    match (text.as_bytes().first(), text.as_bytes().last()) {
        (Some(b'['), Some(b']')) if bracketed && plain.is_string() => {
            let items = schema.and_then(|(schema, root)| schema.get("items").map(|items| (items, root)));
            let inner = &text[1..text.len() - 1];
            Value::Array(pieces(inner).into_iter().map(|piece| loose(piece, items, depth - 1)).collect())
        }
        (Some(b'{'), Some(b'}')) if bracketed && plain.is_string() => {
            let mut map = Map::new();
            for piece in pieces(&text[1..text.len() - 1]) {
                let Some((key, value)) = piece.split_once(':') else { return plain };
                let inner = schema.and_then(|(schema, root)| Some((schema.get("properties")?.get(key.trim())?, root)));
                map.insert(key.trim().to_owned(), loose(value.trim(), inner, depth - 1));
            }
            Value::Object(map)
        }
        _ => plain,
    }
}

/// The parts of a text between commas outside brackets.
fn pieces(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                out.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() || !out.is_empty() {
        out.push(last);
    }
    out
}

/// `{city:<|"|>Tokyo<|"|>,days:3}`.
pub(super) fn write(map: &Map<String, Value>, mark: &str) -> String {
    let entries: Vec<String> = map.iter().map(|(key, value)| format!("{key}:{}", write_value(value, mark))).collect();
    format!("{{{}}}", entries.join(","))
}

fn write_value(value: &Value, mark: &str) -> String {
    match value {
        Value::String(text) => format!("{mark}{text}{mark}"),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| write_value(item, mark)).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(map) => write(map, mark),
        other => other.to_string(),
    }
}
