//! Arguments that arrived, but wrongly: objects for strings, encoded twice, cut before the last bracket, with residue.

use serde_json::Value;

use super::super::read::{fit, of_declared_type, python_literal};
use super::{boxed, wrapped};
use crate::completion::{Arguments, Completion, Mode, ToolCall};
use crate::request::{Request, Tool};

/// Bytes of markup that wrong parsers leave at the ends of values.
const RESIDUE: &[&str] = &[
    "<|\"|>",
    "<|\"|",
    "<escape>",
    "</parameter>",
    "</arg_value>",
    "</function>",
    "</tool_call>",
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
    "<tool_call|>",
    "<|call|>",
    "<|im_end|>",
];
/// The type was lost on the way: the one repair that leaves the call itself as it was written.
pub(crate) const UNTYPED: &str = "argument_type_lost";
/// Pieces of residue that are taken off one value.
const MOST_RESIDUE: usize = 8;
/// Encoded more often than this, it is no mistake of a parser.
const MOST_LAYERS: usize = 3;

/// A stream may have lost closing brackets: it was not cut at the budget, and it says it is done.
pub(super) fn may_lack_closers(completion: &Completion, request: &Request) -> bool {
    completion.mode == Some(Mode::Stream)
        && completion.finish_reason.is_some()
        && !completion.is_truncated()
        && !completion.has_spent(request.max_tokens)
}

/// Mends one call's arguments in place, and books what was done.
pub(super) fn mend(
    call: &mut ToolCall,
    request: &Request,
    lossy: bool,
    untyped: bool,
    book: &mut impl FnMut(&str, &str),
) {
    let Some((mut value, mut changed)) = read(&call.arguments, lossy, book) else { return };
    let tool = request.tool(&call.name);
    if let (Value::Object(map), Some(tool)) = (&mut value, tool) {
        for (key, inner) in map.iter_mut() {
            if tool.property(key).is_some_and(|schema| fit(inner, schema, &tool.parameters)) {
                book(
                    "double_encoded_arguments",
                    &format!("`{key}` holds an array or object in a string where the schema wants none"),
                );
                changed = true;
            }
        }
    }
    if let (true, Some(tool)) = (untyped, tool) {
        if let Some((key, inner)) = boxed::unboxed(&value, tool) {
            book(boxed::BOXED, &format!("the arguments stand in `{key}`, which the tool does not have"));
            (value, changed) = (inner, true);
        }
        for key in retype(&mut value, tool) {
            book(UNTYPED, &format!("`{key}` is of another type than declared, and its text reads as the declared one"));
            changed = true;
        }
    }
    if clean(&mut value) {
        book("markup_in_arguments", "values carry markup");
        changed = true;
    }
    changed |= wrapped::unwrap(&mut value, tool, book);
    if changed {
        call.arguments = Arguments::Text(value.to_string());
    }
}

/// Gives values the declared type where they are of another and their text reads as it; the keys of those.
fn retype(value: &mut Value, tool: &Tool) -> Vec<String> {
    let Value::Object(map) = value else { return Vec::new() };
    let mut keys = Vec::new();
    for (key, inner) in map.iter_mut() {
        let better = tool.property(key).and_then(|schema| of_declared_type(inner, schema, &tool.parameters));
        if let Some(better) = better {
            *inner = better;
            keys.push(key.clone());
        }
    }
    keys
}

/// A call whose arguments would be others if the model's format writes no types: the format is worth a look.
pub(crate) fn may_have_lost_types(call: &ToolCall, request: &Request) -> bool {
    let Some(tool) = request.tool(&call.name) else { return !request.tools.is_empty() };
    // What is no object yet may be one when it is mended.
    let value = call.arguments.value();
    if value.as_ref().is_ok_and(|value| boxed::unboxed(value, tool).is_some()) {
        return true;
    }
    let Ok(Value::Object(map)) = value else { return call.arguments != Arguments::Missing };
    map.iter().any(|(key, value)| {
        tool.property(key).is_some_and(|schema| of_declared_type(value, schema, &tool.parameters).is_some())
    })
}

/// The object that the arguments stand for, and whether they had to be mended. `None` where they are beyond it.
fn read(arguments: &Arguments, lossy: bool, book: &mut impl FnMut(&str, &str)) -> Option<(Value, bool)> {
    let mut value = match arguments {
        Arguments::Missing => return None,
        Arguments::Json(value) => value.clone(),
        Arguments::Text(text) if text.trim().is_empty() => return None,
        Arguments::Text(text) => match serde_json::from_str(text) {
            Ok(value) => value,
            Err(_) => return no_json(text, lossy, book).map(|value| (value, true)),
        },
    };
    let mut changed = false;
    if matches!(arguments, Arguments::Json(Value::Object(_))) {
        book("arguments_object", "the arguments are an object where a JSON string is wanted");
        changed = true;
    }
    for _ in 0..MOST_LAYERS {
        let Value::String(text) = &value else { break };
        value = serde_json::from_str(text).ok()?;
        if value.is_object() {
            book("double_encoded_arguments", "the arguments are a JSON string that holds the object");
            changed = true;
        }
    }
    if value.is_null() {
        book("arguments_null", "null stands where an empty object is due");
        return Some((Value::Object(serde_json::Map::new()), true));
    }
    value.is_object().then_some((value, changed))
}

/// The object in a text that is no JSON as it stands.
fn no_json(text: &str, lossy: bool, book: &mut impl FnMut(&str, &str)) -> Option<Value> {
    if let Some(once) = said_again(text) {
        book("arguments_repeated", "the same object stands there more than once, or behind an empty one");
        return Some(once);
    }
    if let Some(whole) = with_surplus(text) {
        book("arguments_surplus", "closing brackets or words stand behind the object");
        return Some(whole);
    }
    if let Some(literal) = python_object(text) {
        book("arguments_python", "the arguments are a Python dictionary, printed as such");
        return Some(literal);
    }
    let closed = lossy.then(|| closed(text)).flatten()?;
    book("arguments_cut", "the closing brackets are missing");
    Some(closed)
}

/// A Python dictionary with text in single quotes: a server printed what it had parsed (mlx-openai-server#124).
fn python_object(text: &str) -> Option<Value> {
    text.contains('\'').then(|| python_literal(text.trim())).flatten().filter(Value::is_object)
}

/// The object that the text holds several times, or behind an empty one, and nothing else.
fn said_again(text: &str) -> Option<Value> {
    let values: Vec<Value> = serde_json::Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().ok()?;
    if let [Value::Object(empty), whole @ Value::Object(_)] = values.as_slice()
        && empty.is_empty()
    {
        return Some(whole.clone());
    }
    let (first, rest) = values.split_first()?;
    (first.is_object() && !rest.is_empty() && rest.iter().all(|value| value == first)).then(|| first.clone())
}

/// The object in front of closing brackets that nothing opened, or of words.
fn with_surplus(text: &str) -> Option<Value> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let first = values.next()?.ok().filter(Value::is_object)?;
    let rest = text.get(values.byte_offset()..)?.trim();
    let brackets = rest.chars().all(|c| "]}".contains(c));
    let words = rest.starts_with(char::is_alphabetic) && !rest.contains(['{', '[', '<']);
    (!rest.is_empty() && (brackets || words)).then_some(first)
}

/// A JSON text that lacks nothing but closing brackets, closed.
fn closed(text: &str) -> Option<Value> {
    let mut open = Vec::new();
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' if !quoted => open.push('}'),
            '[' if !quoted => open.push(']'),
            '}' | ']' if !quoted => {
                open.pop();
            }
            _ => {}
        }
    }
    if quoted || open.is_empty() || open.len() > 64 {
        return None;
    }
    let tail: String = open.into_iter().rev().collect();
    serde_json::from_str(&format!("{text}{tail}")).ok().filter(Value::is_object)
}

fn clean(value: &mut Value) -> bool {
    match value {
        Value::String(text) => {
            let mut rest = text.as_str();
            for _ in 0..MOST_RESIDUE {
                let Some(inner) = RESIDUE.iter().find_map(|residue| trimmed(rest, residue)) else { break };
                rest = inner;
            }
            let changed = rest.len() != text.len();
            if changed {
                let inner = rest.trim();
                let inner = inner.strip_prefix('"').unwrap_or(inner);
                *text = inner.strip_suffix('"').unwrap_or(inner).to_owned();
            }
            changed
        }
        Value::Array(items) => items.iter_mut().fold(false, |changed, item| clean(item) | changed),
        Value::Object(map) => map.values_mut().fold(false, |changed, item| clean(item) | changed),
        _ => false,
    }
}

fn trimmed<'t>(text: &'t str, residue: &str) -> Option<&'t str> {
    let text = text.trim();
    let inner = text.strip_prefix(residue).or_else(|| text.strip_suffix(residue))?;
    // A closing tag that has its opening one in the same value is part of a sample.
    let paired = residue.strip_prefix("</").map(|name| format!("<{}", name.trim_end_matches('>')));
    let sample = paired.is_some_and(|open| text.matches(&open).count() == text.matches(residue).count());
    (!sample).then_some(inner)
}
