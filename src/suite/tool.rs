//! `[[tool]]`: an OpenAI function declaration.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::fields::{check_schema, quoted};
use super::model::Tool;
use super::problem::{Problem, Problems};
use super::reader::Reader;

/// The keys of a `[[tool]]`.
pub(super) const KEYS: [&str; 4] = ["name", "description", "parameters", "strict"];

/// The most tools of one suite: no engine takes more, and each is looked up by every task.
pub(super) const MOST_TOOLS: usize = 1000;

/// Reads every `[[tool]]`.
pub(super) fn read_all(items: &[Value], problems: &mut Problems) -> Vec<Tool> {
    if items.len() > MOST_TOOLS {
        problems.push(Problem::error("too_large", "/tool", format!("{} tools, more than {MOST_TOOLS}", items.len())));
    }
    let items = &items[..items.len().min(MOST_TOOLS)];
    let mut tools: Vec<Tool> = Vec::with_capacity(items.len());
    let mut places: Vec<usize> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let at = format!("/tool/{index}");
        let Value::Object(map) = item else {
            problems.push(Problem::error("wrong_type", at, "a tool is a table: `[[tool]]`"));
            continue;
        };
        let Some(tool) = read(&mut Reader { map, at: &at, problems }) else { continue };
        if let Some(first) = tools.iter().position(|known| known.name == tool.name) {
            let problem = Problem::error(
                "duplicate_tool",
                format!("{at}/name"),
                format!("two tools are called {}", quoted(&tool.name)),
            );
            problems.push(problem.related(format!("/tool/{}/name", places[first]), "first here"));
        }
        tools.push(tool);
        places.push(index);
    }
    tools
}

fn read(reader: &mut Reader<'_, '_>) -> Option<Tool> {
    reader.known("a tool", KEYS.into_iter());
    let name = reader.required_text("name", "a tool");
    if let Some(name) = name.filter(|name| !is_function_name(name)) {
        let message = format!("{} is no function name: letters, digits, `_` and `-`, at most 64", quoted(name));
        reader.fail("bad_name", "name", message);
    }
    let mut function = Map::new();
    function.insert("name".into(), json!(name.unwrap_or_default()));
    if let Some(description) = reader.text("description") {
        function.insert("description".into(), json!(description));
    }
    let (parameters, validator) = parameters(reader);
    function.insert("parameters".into(), parameters);
    match reader.map.get("strict") {
        None => {}
        Some(Value::Bool(strict)) => drop(function.insert("strict".into(), json!(strict))),
        Some(_) => reader.fail("wrong_type", "strict", "`strict` expects a boolean"),
    }
    let declaration = json!({"type": "function", "function": function});
    let size = declaration.to_string().len();
    Some(Tool { name: name?.to_owned(), declaration, size, validator: validator.map(Arc::new) })
}

/// The parameters' schema. Absent means a function without arguments: an empty object, which every engine takes.
fn parameters(reader: &mut Reader<'_, '_>) -> (Value, Option<jsonschema::Validator>) {
    let Some(parameters) = reader.table("parameters") else {
        let none = json!({"type": "object", "properties": {}});
        let validator = jsonschema::validator_for(&none).ok();
        return (none, validator);
    };
    let parameters = Value::Object(parameters.clone());
    let at = format!("{}/parameters", reader.at);
    let validator = check_schema(&parameters, &at, reader.problems);
    if parameters.get("type").and_then(Value::as_str) != Some("object") {
        let problem = Problem::error("invalid_schema", &at, "the parameters of a function are an object");
        reader.problems.push(problem.fix("write `type = \"object\"` beside `properties`".to_owned()));
    }
    let declared = |key: &str| parameters.pointer("/properties").is_some_and(|all| all.get(key).is_some());
    for (index, key) in parameters.get("required").and_then(Value::as_array).into_iter().flatten().enumerate() {
        if let Some(key) = key.as_str().filter(|key| !declared(key)) {
            let message = format!("{} is required but not among `properties`", quoted(key));
            reader.problems.push(Problem::error("invalid_schema", format!("{at}/required/{index}"), message));
        }
    }
    (parameters, validator)
}

/// What OpenAI and the engines take: `^[a-zA-Z0-9_-]{1,64}$`.
fn is_function_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
