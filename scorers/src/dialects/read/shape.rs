//! Calls as JSON: which keys hold name and arguments, and how a family writes them.

use serde_json::{Map, Value};

use super::super::Call;
use super::cx::{Cx, Miss};
use super::json;

/// How a family writes its calls as JSON. `$N` name, `$A` arguments, `$I` id, `$X` index: each as JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// One call.
    pub(crate) one: &'static str,
    /// Before the first call, between two, after the last.
    pub(crate) list: [&'static str; 3],
}

const NAMES: [&str; 4] = ["name", "tool_name", "function", "function_name"];
const WRAPPERS: [&str; 3] = ["tool_call", "tool_calls", "function_call"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];

impl Shape {
    fn is_list(&self) -> bool {
        self.list[0].starts_with('[')
    }

    /// The byte that calls begin with.
    pub(super) fn opener(&self) -> u8 {
        if self.is_list() { b'[' } else { b'{' }
    }

    fn maps_name_to_arguments(&self) -> bool {
        self.one.starts_with("{$N")
    }

    /// Reads the calls at a position: one value, or several with white space, `,` or `;` between.
    pub(super) fn read(&self, cx: &mut Cx<'_>, at: usize) -> Result<(Vec<Call>, usize), Miss> {
        if cx.rest(at).as_bytes().first() != Some(&self.opener()) || !inside_fits(cx, at + 1, self.is_list()) {
            return Err(Miss::Not);
        }
        let mut calls = Vec::new();
        let mut end = at;
        loop {
            let start = if calls.is_empty() { at } else { skip_separators(cx, end) };
            if !calls.is_empty() && (self.is_list() || !cx.rest(start).starts_with('{')) {
                return Ok((calls, end));
            }
            let read = json::value(cx, start).and_then(|(value, stop)| {
                let found = self.calls(cx, &value).ok_or_else(|| cx.broken(start, stop, "the JSON names no function"));
                found.map(|found| (found, stop))
            });
            match read {
                Ok((found, stop)) => {
                    calls.extend(found);
                    end = stop;
                }
                Err(_) if !calls.is_empty() => return Ok((calls, end)),
                Err(miss) => return Err(miss),
            }
        }
    }

    fn calls(&self, cx: &mut Cx<'_>, value: &Value) -> Option<Vec<Call>> {
        match value {
            Value::Array(items) if !items.is_empty() => items.iter().map(|item| self.call(cx, item)).collect(),
            Value::Object(map) => match wrapped(map) {
                Some(Value::Array(items)) => items.iter().map(|item| self.call(cx, item)).collect(),
                Some(inner) => self.call(cx, inner).map(|call| vec![call]),
                None => self.call(cx, value).map(|call| vec![call]),
            },
            _ => None,
        }
    }

    fn call(&self, cx: &mut Cx<'_>, value: &Value) -> Option<Call> {
        let map = value.as_object()?;
        if self.maps_name_to_arguments() {
            let (name, arguments) = map.iter().next().filter(|_| map.len() == 1)?;
            return Some(Call { name: name.clone(), arguments: arguments_of(cx, Some(arguments))?, id: None });
        }
        if cx.strict && !self.keys_fit(map) {
            return None;
        }
        call_of(cx, map)
    }

    /// The call has the very keys that this family writes.
    fn keys_fit(&self, map: &Map<String, Value>) -> bool {
        let wants = |key: &str| self.one.contains(&format!("\"{key}\": $"));
        NAMES.iter().chain(&ARGUMENTS).filter(|key| wants(key)).all(|key| map.contains_key(*key))
            && (!self.one.contains("$I") || map.contains_key("id"))
            && !ARGUMENTS.iter().any(|key| map.contains_key(*key) && !wants(key))
    }

    /// Writes calls.
    pub(super) fn write(&self, calls: &[Call]) -> String {
        let each: Vec<String> = calls.iter().enumerate().map(|(index, call)| self.write_one(call, index)).collect();
        format!("{}{}{}", self.list[0], each.join(self.list[1]), self.list[2])
    }

    fn write_one(&self, call: &Call, index: usize) -> String {
        let mut out = String::new();
        let mut rest = self.one;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            match rest[at + 1..].chars().next() {
                Some('N') => out.push_str(&json::spaced(&call.name)),
                Some('A') => out.push_str(&json::spaced(&call.arguments)),
                Some('X') => out.push_str(&json::spaced(&index.to_string())),
                _ => out.push_str(&json::spaced(&call.id.clone().unwrap_or_else(|| format!("call{index:05}")))),
            }
            rest = &rest[at + 2..];
        }
        out + rest
    }
}

/// What stands behind the one key of `{"tool_call": {…}}` or `{"tool_calls": [{…}]}`, as llama.cpp's generic format has it.
fn wrapped(map: &Map<String, Value>) -> Option<&Value> {
    let (key, value) = map.iter().next().filter(|_| map.len() == 1)?;
    let calls = value.is_object() || value.as_array().is_some_and(|items| !items.is_empty());
    (WRAPPERS.contains(&key.as_str()) && calls).then_some(value)
}

/// A cheap look at what follows the opening bracket, before any JSON is parsed.
fn inside_fits(cx: &Cx<'_>, at: usize, list: bool) -> bool {
    let at = cx.skip_space(at);
    let rest = cx.rest(at);
    match rest.as_bytes().first() {
        None => true,
        Some(b'{') => list,
        // A Python dictionary is no JSON: broken, and not another's.
        Some(b'"' | b'\'') => !list,
        _ => false,
    }
}

fn skip_separators(cx: &Cx<'_>, at: usize) -> usize {
    let rest = cx.rest(at);
    cx.text.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == ',').len()
}

/// The call that a JSON object is, whatever family's keys it uses.
pub(crate) fn call_of(cx: &mut Cx<'_>, map: &Map<String, Value>) -> Option<Call> {
    if let Some(Value::Object(inner)) = map.get("function") {
        return call_of(cx, inner);
    }
    let name = NAMES.iter().find_map(|key| map.get(*key)).and_then(Value::as_str)?;
    let arguments = arguments_of(cx, ARGUMENTS.iter().find_map(|key| map.get(*key)))?;
    let id = ["id", "tool_call_id"].iter().find_map(|key| map.get(*key)).and_then(Value::as_str).map(str::to_owned);
    Some(Call { name: name.to_owned(), arguments, id })
}

/// Arguments as an object; JSON in a string is unfolded, and booked.
pub(super) fn arguments_of(cx: &mut Cx<'_>, value: Option<&Value>) -> Option<Map<String, Value>> {
    match value {
        None | Some(Value::Null) => Some(Map::new()),
        Some(Value::Object(map)) => Some(map.clone()),
        Some(Value::String(text)) if text.trim().is_empty() => Some(Map::new()),
        Some(Value::String(text)) => {
            let Ok(Value::Object(map)) = serde_json::from_str(text) else { return None };
            cx.note("double_encoded_arguments", "the arguments are a JSON string that holds the object");
            Some(map)
        }
        Some(_) => None,
    }
}
