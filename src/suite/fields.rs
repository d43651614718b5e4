//! The request fields a suite may set: one static table that checks them and is exported in the schema.

use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::problem::{Problem, Problems};
use super::reader::{list, short};
use crate::diagnostic::did_you_mean;

/// A request field.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    /// JSON schema of its value.
    pub(super) schema: &'static str,
    pub(super) help: &'static str,
}

/// Every field; anything else an engine knows goes into `extra_body`.
pub(super) static FIELDS: &[Field] = &[
    field("temperature", r#"{"type":"number","minimum":0,"maximum":2}"#, "Sampling temperature; 0 is greedy."),
    field("top_p", r#"{"type":"number","exclusiveMinimum":0,"maximum":1}"#, "Nucleus sampling."),
    field("max_tokens", r#"{"type":"integer","minimum":1,"maximum":10000000}"#, "Token budget, reasoning included."),
    field(
        "max_completion_tokens",
        r#"{"type":"integer","minimum":1,"maximum":10000000}"#,
        "The newer name of max_tokens; one of the two.",
    ),
    field("seed", r#"{"type":"integer"}"#, "Sampling seed."),
    field(
        "stop",
        r#"{"type":["string","array"],"items":{"type":"string","minLength":1},"minLength":1,"minItems":1}"#,
        "Where to stop.",
    ),
    field("n", r#"{"type":"integer","minimum":1,"maximum":128}"#, "How many choices."),
    field("presence_penalty", r#"{"type":"number","minimum":-2,"maximum":2}"#, "Penalty on what was mentioned."),
    field("frequency_penalty", r#"{"type":"number","minimum":-2,"maximum":2}"#, "Penalty on what is frequent."),
    field("logprobs", r#"{"type":"boolean"}"#, "Ask for log probabilities."),
    field("top_logprobs", r#"{"type":"integer","minimum":0,"maximum":20}"#, "How many alternatives."),
    field(
        "logit_bias",
        r#"{"type":"object","additionalProperties":{"type":"number","minimum":-100,"maximum":100}}"#,
        "Bias by token id.",
    ),
    field("parallel_tool_calls", r#"{"type":"boolean"}"#, "Whether several calls at once are wanted."),
    field("reasoning_effort", r#"{"type":"string","minLength":1}"#, "How much to think, where the model knows it."),
    field(
        "response_format",
        r#"{"type":"object","required":["type"],"properties":{"type":{"type":"string"},"json_schema":{"type":"object","required":["name","schema"],"properties":{"name":{"type":"string","pattern":"^[A-Za-z0-9_-]{1,64}$"},"schema":{"type":"object"},"strict":{"type":"boolean"},"description":{"type":"string"}}}},"if":{"properties":{"type":{"const":"json_schema"}}},"then":{"required":["json_schema"]}}"#,
        "Structured output.",
    ),
    field("user", r#"{"type":"string"}"#, "An end-user id."),
    field("extra_body", r#"{"type":"object"}"#, "Engine-specific fields, passed verbatim."),
];

const fn field(name: &'static str, schema: &'static str, help: &'static str) -> Field {
    Field { name, schema, help }
}

/// The types of JSON schema.
const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];

/// What only the plan may set, or has a key of its own in a task.
const RESERVED: [&str; 6] = ["model", "messages", "stream", "stream_options", "tools", "tool_choice"];

/// Of each field, compiled when it first occurs: most suites use few of them.
static VALIDATORS: [OnceLock<Option<jsonschema::Validator>>; FIELDS.len()] = [const { OnceLock::new() }; FIELDS.len()];

fn compile(field: &Field) -> Option<jsonschema::Validator> {
    jsonschema::validator_for(&serde_json::from_str(field.schema).ok()?).ok()
}

/// The names, for did-you-mean.
pub(super) fn names() -> impl Iterator<Item = &'static str> + Clone {
    FIELDS.iter().map(|field| field.name)
}

/// The fields of a table, checked. `extra_body` stays a table of its own until [`merge`].
pub(super) fn read(map: &Map<String, Value>, at: &str, problems: &mut Problems) -> Map<String, Value> {
    let mut fields = Map::new();
    // Null stands where JSON has no form for what was written, which is booked already.
    for (key, value) in map.iter().filter(|(_, value)| !value.is_null()) {
        let Some(at_list) = FIELDS.iter().position(|field| field.name == key) else { continue };
        let field = &FIELDS[at_list];
        let validator = VALIDATORS[at_list].get_or_init(|| compile(field));
        for error in validator.iter().flat_map(|validator| validator.iter_errors(value)).take(3) {
            let pointer = format!("{at}/{}{}", field.name, error.instance_path());
            let message = format!("`{}`: {}", field.name, short_error(&error.to_string()));
            problems.push(Problem::error("wrong_value", pointer, message));
        }
        fields.insert(field.name.to_owned(), value.clone());
    }
    if fields.contains_key("max_tokens") && fields.contains_key("max_completion_tokens") {
        let problem =
            Problem::error("wrong_value", format!("{at}/max_completion_tokens"), "two budgets for one request");
        problems.push(problem.at_key().related(format!("{at}/max_tokens"), "the other one"));
    }
    if let Some(format) = fields.get("response_format").and_then(|format| format.pointer("/json_schema/schema")) {
        check_schema(format, &format!("{at}/response_format/json_schema/schema"), problems);
    }
    if let Some(Value::Object(extra)) = fields.get("extra_body") {
        for key in extra.keys() {
            if RESERVED.contains(&key.as_str()) || names().any(|name| name == key) {
                let fix = format!("`{key}` has a key of its own: set it there");
                let problem = Problem::error(
                    "unknown_key",
                    format!("{at}/extra_body/{key}"),
                    format!("`{key}` cannot be set in `extra_body`"),
                );
                problems.push(problem.at_key().fix(fix));
            }
        }
    }
    fields
}

/// The defaults under a task's own fields, with `extra_body` opened up into the body.
pub(super) fn merge(defaults: &Map<String, Value>, own: Map<String, Value>) -> Map<String, Value> {
    let budgets = ["max_tokens", "max_completion_tokens"];
    let mut body = defaults.clone();
    if budgets.iter().any(|key| own.contains_key(*key)) {
        budgets.iter().for_each(|key| drop(body.remove(*key)));
    }
    let mut extra = take_extra(&mut body);
    body.extend(own);
    extra.extend(take_extra(&mut body));
    body.extend(extra);
    body
}

fn take_extra(body: &mut Map<String, Value>) -> Map<String, Value> {
    match body.remove("extra_body") {
        Some(Value::Object(extra)) => extra,
        _ => Map::new(),
    }
}

/// Books a JSON schema that is none. References outside the document are refused, never fetched.
pub(super) fn check_schema(schema: &Value, at: &str, problems: &mut Problems) -> Option<jsonschema::Validator> {
    // First against the meta-schema, which says where; then by compiling, which also resolves references and patterns.
    let (path, error) = match jsonschema::meta::options().validate(schema) {
        Err(error) => (error.instance_path().to_string(), error.to_string()),
        Ok(()) => match jsonschema::validator_for(schema) {
            Err(error) => (String::new(), error.to_string()),
            Ok(validator) => return Some(validator),
        },
    };
    let fix = path.ends_with("/type").then(|| {
        let said = schema.pointer(&path).and_then(Value::as_str).unwrap_or_default();
        did_you_mean(said, TYPES).unwrap_or_else(|| format!("types are {}", list(TYPES.into_iter())))
    });
    let message = format!("not a JSON schema: {}", short_error(&error));
    problems.push(Problem::error("invalid_schema", format!("{at}{path}"), message).fix(fix));
    None
}

/// A foreign message in one bounded line.
pub(super) fn short_error(error: &str) -> String {
    let line = error.lines().next().unwrap_or_default();
    if line.chars().count() > 200 {
        format!("{}…", line.chars().take(200).collect::<String>())
    } else {
        line.to_owned()
    }
}

/// A word for error messages that is never longer than a name should be.
pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", short(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_a_schema_that_compiles() {
        assert!(FIELDS.iter().all(|field| compile(field).is_some()));
    }

    #[test]
    fn a_tasks_budget_replaces_the_default_under_either_name() {
        let map = |value: Value| value.as_object().cloned().unwrap();
        let merged = merge(
            &map(serde_json::json!({"max_tokens": 1, "extra_body": {"a": 1, "b": 1}})),
            map(serde_json::json!({"max_completion_tokens": 2, "extra_body": {"b": 2}})),
        );
        assert_eq!(Value::Object(merged), serde_json::json!({"max_completion_tokens": 2, "a": 1, "b": 2}));
    }
}
