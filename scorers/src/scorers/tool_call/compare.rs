//! One delivered call against one wanted: what differs, argument by argument.

use serde_json::{Map, Value};

use super::wanted::{Match, Wanted};
use crate::args::escape;
use crate::completion::ToolCall;
use crate::json::same;
use crate::request::Tool;
use crate::text::excerpt;

/// Calls of different functions differ more than any two of one.
const OTHER_FUNCTION: u64 = 1 << 20;

/// A delivered call with its arguments read as well as they can be: how they were sent is the shape's matter.
#[derive(Debug)]
pub(super) struct Delivered<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: Result<Map<String, Value>, String>,
}

impl<'a> Delivered<'a> {
    pub(super) fn of(call: &'a ToolCall) -> Self {
        let arguments = match call.arguments.value() {
            Ok(Value::Object(map)) => Ok(map),
            // Encoded twice: the shape says so, the values are compared all the same.
            Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
                Ok(Value::Object(map)) => Ok(map),
                _ => Err(call.arguments.as_text()),
            },
            _ => Err(call.arguments.as_text()),
        };
        Self { name: &call.name, arguments }
    }

    pub(super) fn shown(&self) -> String {
        let arguments = match &self.arguments {
            Ok(map) => value(&Value::Object(map.clone())),
            Err(text) => excerpt(text, 80),
        };
        format!("`{}`({arguments})", excerpt(self.name, 60))
    }
}

/// How much differs: 0 when nothing does.
pub(super) fn cost(wanted: &Wanted, call: &Delivered<'_>, tool: Option<&Tool>) -> u64 {
    if wanted.name != call.name {
        return OTHER_FUNCTION;
    }
    arguments(wanted, call, tool).len() as u64
}

/// What differs, a reason for each argument.
pub(super) fn arguments(wanted: &Wanted, call: &Delivered<'_>, tool: Option<&Tool>) -> Vec<String> {
    let got = match &call.arguments {
        Ok(map) => map,
        Err(text) => return vec![format!("the arguments cannot be read: {}", excerpt(text, 80))],
    };
    let mut reasons = Vec::new();
    if wanted.matching == Match::Schema {
        undeclared(got, tool, &mut reasons);
        return reasons;
    }
    object(wanted, &wanted.arguments, got, "", &mut reasons);
    reasons
}

/// An argument that the function does not declare is a wrong one, even where its schema does not forbid it.
fn undeclared(got: &Map<String, Value>, tool: Option<&Tool>, reasons: &mut Vec<String>) {
    const OPEN: &[&str] = &["$ref", "allOf", "anyOf", "oneOf", "patternProperties", "additionalProperties", "if"];
    let Some(schema) = tool.and_then(|tool| tool.parameters.as_object()) else { return };
    if OPEN.iter().any(|key| schema.contains_key(*key)) {
        return;
    }
    let Some(declared) = schema.get("properties").and_then(Value::as_object) else { return };
    for (key, got) in got.iter().filter(|(key, _)| !declared.contains_key(*key)) {
        reasons.push(format!("unexpected argument `{}` = {}", excerpt(key, 60), value(got)));
    }
}

fn object(
    wanted: &Wanted,
    expected: &Map<String, Value>,
    got: &Map<String, Value>,
    at: &str,
    reasons: &mut Vec<String>,
) {
    for (key, expected) in expected {
        let place = format!("{at}/{}", escape(key));
        match got.get(key) {
            Some(got) => one(wanted, expected, got, &place, reasons),
            None if wanted.is_optional(&place) => {}
            None => reasons.push(format!("argument {} is missing, expected {}", name(&place), value(expected))),
        }
    }
    if at.is_empty() {
        only_accepted(wanted, expected, got, reasons);
    }
    if wanted.matching == Match::Subset {
        return;
    }
    for (key, got) in got.iter().filter(|(key, _)| !expected.contains_key(*key)) {
        let place = format!("{at}/{}", escape(key));
        if !wanted.is_optional(&place) && wanted.accepted(&place).is_none() {
            reasons.push(format!("unexpected argument {} = {}", name(&place), value(got)));
        }
    }
}

/// Arguments of which only `accept` says what is right.
fn only_accepted(wanted: &Wanted, expected: &Map<String, Value>, got: &Map<String, Value>, reasons: &mut Vec<String>) {
    for (key, accepted) in wanted.top_accepted().filter(|(key, _)| !expected.contains_key(key)) {
        let place = format!("/{}", escape(&key));
        match got.get(&key) {
            Some(got) if accepted.iter().any(|right| same(right, got)) => {}
            Some(got) => {
                reasons.push(format!("argument {}: expected {}, got {}", name(&place), list(accepted), value(got)))
            }
            None if wanted.is_optional(&place) => {}
            None => reasons.push(format!("argument {} is missing, expected {}", name(&place), list(accepted))),
        }
    }
}

fn one(wanted: &Wanted, expected: &Value, got: &Value, at: &str, reasons: &mut Vec<String>) {
    let accepted = wanted.accepted(at).unwrap_or_default();
    if same(expected, got) || accepted.iter().any(|right| same(right, got)) {
        return;
    }
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) if accepted.is_empty() => {
            object(wanted, expected, got, at, reasons)
        }
        (Value::Array(expected), Value::Array(got)) if accepted.is_empty() && expected.len() == got.len() => {
            for (index, (expected, got)) in expected.iter().zip(got).enumerate() {
                one(wanted, expected, got, &format!("{at}/{index}"), reasons);
            }
        }
        _ => {
            let mut right = vec![expected.clone()];
            right.extend(accepted.iter().filter(|accepted| !same(accepted, expected)).cloned());
            let kinds = if std::mem::discriminant(expected) == std::mem::discriminant(got) {
                String::new()
            } else {
                format!(" ({}, not {})", crate::args::kind(got), crate::args::kind(expected))
            };
            reasons.push(format!("argument {}: expected {}, got {}{kinds}", name(at), list(&right), value(got)));
        }
    }
}

/// `/city` as `city`, `/address/city` as `/address/city`.
fn name(pointer: &str) -> String {
    let short = pointer.strip_prefix('/').filter(|rest| !rest.contains('/')).unwrap_or(pointer);
    format!("`{}`", excerpt(short, 60))
}

fn value(value: &Value) -> String {
    excerpt(&value.to_string(), 80)
}

fn list(values: &[Value]) -> String {
    values.iter().take(4).map(value).collect::<Vec<_>>().join(" or ")
}
