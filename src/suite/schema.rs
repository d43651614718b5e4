//! The JSON schema of suite files, for editors (taplo, Even Better TOML): built from the same tables the reader uses.

use monban_scorers::{Registry, ScorerDef};
use serde_json::{Map, Value, json};

use super::fields::FIELDS;

/// Draft-07 schema of a suite file, with the arguments of every known scorer.
#[must_use]
pub fn schema(registry: &Registry) -> Value {
    let mut task = json!({
        "id": {"type": "string", "description": "Unique and stable: results are compared by it."},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
        "prompt": {"type": "string", "description": "One user message."},
        "system": {"type": "string", "description": "With `prompt`: a system message before it."},
        "messages": {"type": "array", "minItems": 1, "items": message()},
        "tools": {"type": "array", "items": {"type": "string"}, "description": "Names of `[[tool]]`s."},
        "tool_choice": {"anyOf": [
            {"enum": ["auto", "none", "required"]},
            {
                "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"],
                "additionalProperties": false,
            },
        ]},
        "repeat": {"type": "integer", "minimum": 1, "maximum": super::task::MOST_REPEATS},
        "expect": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/expectation"}},
    });
    let fields = fields();
    merge(&mut task, &fields);
    let mut dataset = task.clone();
    merge(
        &mut dataset,
        &json!({"file": {"type": "string", "description": "JSONL or CSV beside the suite; `{{field}}` \
                                                           takes a row's value."}}),
    );
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "monban suite",
        "type": "object",
        "required": ["suite"],
        "additionalProperties": false,
        "properties": {
            "suite": head(),
            "defaults": closed(fields, &[]),
            "tool": {"type": "array", "items": tool()},
            "task": {"type": "array", "items": closed(task, &["id", "expect"])},
            "dataset": {"type": "array", "items": closed(dataset, &["file", "id", "expect"])},
        },
        "definitions": {"expectation": expectation(registry)},
    })
}

fn head() -> Value {
    let properties = json!({
        "name": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 64},
        "version": {"type": "string", "description": "Semantic version."},
        "description": {"type": "string", "description": "One line, shown by `monban suite list`."},
        "stream": {"enum": ["on", "off", "both"]},
    });
    closed(properties, &["name", "version"])
}

fn tool() -> Value {
    let properties = json!({
        "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
        "description": {"type": "string"},
        "parameters": {"type": "object", "description": "JSON schema of the arguments; absent: none are taken."},
        "strict": {"type": "boolean"},
    });
    closed(properties, &["name"])
}

fn message() -> Value {
    json!({
        "type": "object",
        "required": ["role"],
        "properties": {
            "role": {"enum": ["system", "developer", "user", "assistant", "tool"]},
            "content": {"type": ["string", "array"]},
        },
    })
}

fn fields() -> Value {
    let fields = FIELDS.iter().filter_map(|field| Some((field.name.to_owned(), described(field.schema, field.help)?)));
    Value::Object(fields.collect())
}

fn described(schema: &str, help: &str) -> Option<Value> {
    let mut schema: Value = serde_json::from_str(schema).ok()?;
    let map = schema.as_object_mut()?;
    map.insert("description".into(), json!(help));
    // An editor would read `format = "regex"` as ECMA-262, which is not the dialect of the scorers.
    map.remove("format");
    Some(schema)
}

/// One scorer, or a combination. `if` picks the scorer's arguments by its name, so that an editor names the fault
/// instead of listing every scorer it might have been.
fn expectation(registry: &Registry) -> Value {
    let names: Vec<&str> = registry.iter().map(|def| def.name).collect();
    let list = json!({"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/expectation"}});
    let combination = |key: &str| closed(json!({key: list, "not": {"type": "boolean"}}), &[key]);
    let mut rules: Vec<Value> = registry
        .iter()
        .map(|def| {
            let named = json!({"required": ["scorer"], "properties": {"scorer": {"const": def.name}}});
            json!({"if": named, "then": arguments(def)})
        })
        .collect();
    rules.push(json!({
        "if": {"required": ["scorer"]},
        "then": {"properties": {"scorer": {"enum": names}}},
        "else": {"anyOf": [combination("any"), combination("all")]},
    }));
    json!({"type": "object", "allOf": rules})
}

fn arguments(def: &ScorerDef) -> Value {
    let mut properties = Map::new();
    properties.insert("scorer".into(), json!({"const": def.name, "description": def.summary}));
    properties.insert("not".into(), json!({"type": "boolean"}));
    for argument in def.arguments {
        properties
            .insert(argument.name.to_owned(), described(argument.schema, argument.help).unwrap_or_else(|| json!({})));
    }
    closed(Value::Object(properties), &["scorer"])
}

fn closed(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn merge(into: &mut Value, from: &Value) {
    if let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) {
        into.extend(from.clone());
    }
}
