//! What a stored line's `task` asks for, as expectations: [`wanted`].
//!
//! ```text
//! {"tool_call": {name, arguments?}} · {"tool_calls": [{…}, …]} · {"abstain_expected": true}
//! {"json": {required: […]} | {schema: {…}}}
//! {"text": {contains | not_contains | equals | equals_normalised | one_of | choice | number | min_length}}
//! ```
//! What is of another shape is left out: a diagnosis needs no task.

use serde_json::{Map, Value, json};

use crate::scorer::{Expectation, Registry, Scorer, Subject, Verdict};

/// One expectation, and what the task calls it.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) name: &'static str,
    pub(super) expectation: Expectation,
}

/// The expectations of a task. Every task also wants reasoning and answer apart.
pub(super) fn wanted(task: &Value) -> Vec<Wanted> {
    let registry = Registry::builtin();
    let tables = [calls(task), task.get("json").and_then(structured), task.get("text").and_then(text)];
    let mut wanted: Vec<Wanted> =
        tables.into_iter().flatten().filter_map(|(name, table)| parse(name, &table, &registry)).collect();
    if task.pointer("/text/equals").is_some_and(|text| text == "") {
        let expectation = Expectation::One { name: "silence".to_owned(), scorer: Box::new(Silence) };
        wanted.push(Wanted { name: "text", expectation });
    }
    if task.is_object() {
        wanted.extend(parse("reasoning_split", &json!({"scorer": "reasoning_split", "required": false}), &registry));
    }
    wanted
}

/// Nothing is to be said: no suite can ask for that, since a server that loses its answers would pass.
#[derive(Debug)]
struct Silence;

impl Scorer for Silence {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        match subject.completion.text().trim() {
            "" => Verdict::Pass,
            text => Verdict::Fail(format!("expected no text, got {} characters", text.chars().count())),
        }
    }
}

fn parse(name: &'static str, table: &Value, registry: &Registry) -> Option<Wanted> {
    let table: &Map<String, Value> = table.as_object()?;
    Some(Wanted { name, expectation: Expectation::parse(table, registry).ok()? })
}

type Table = (&'static str, Value);

fn calls(task: &Value) -> Option<Table> {
    let abstain = ["abstain_expected", "abstain_ok"].iter().any(|key| task.get(key) == Some(&Value::Bool(true)));
    if abstain {
        return Some(("tool_call", json!({"scorer": "tool_call", "none": true})));
    }
    if let Some(calls) = task.get("tool_calls").filter(|calls| calls.is_array()) {
        return Some(("tool_call", json!({"scorer": "tool_call", "calls": calls, "match": "subset"})));
    }
    let call = task.get("tool_call")?.as_object()?;
    let mut table = json!({"scorer": "tool_call", "match": "subset", "name": call.get("name")?});
    if let Some(arguments) = call.get("arguments") {
        table["arguments"] = arguments.clone();
    }
    Some(("tool_call", table))
}

fn structured(json: &Value) -> Option<Table> {
    let schema = match json.get("schema") {
        Some(schema) => schema.clone(),
        None => json!({"type": "object", "required": json.get("required")?}),
    };
    Some(("json", json!({"scorer": "json_schema", "schema": schema})))
}

fn text(text: &Value) -> Option<Table> {
    let (key, value) = text.as_object()?.iter().next()?;
    let table = match key.as_str() {
        "contains" => json!({"scorer": "contains", "text": value}),
        "not_contains" => json!({"scorer": "contains", "text": value, "not": true}),
        "equals" => json!({"scorer": "equals", "text": value}),
        "equals_normalised" => json!({"scorer": "equals", "text": value, "case": "ignore", "space": "collapse"}),
        "one_of" => {
            let each = value.as_array()?.iter().map(|value| json!({"scorer": "equals", "text": value}));
            json!({"any": each.collect::<Vec<_>>()})
        }
        "choice" => json!({"scorer": "regex", "pattern": format!(r"(?s).*\b(?:{})\b[^A-Za-z]*$", value.as_str()?)}),
        "number" => json!({"scorer": "number", "is": value}),
        "min_length" => json!({"scorer": "length", "min": value}),
        _ => return None,
    };
    Some(("text", table))
}
