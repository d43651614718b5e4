//! JSONL of `{prompt, expected}` → a suite file: [`import`]. What was made is checked like any other suite.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::diagnostic::Diagnostic;

/// The most rows taken.
const MOST_ROWS: usize = 20_000;

/// Writes a suite in TOML from JSONL. A row has `prompt` (or `question`, `input`, or `messages`), `expected` (or `answer`,
/// `output`; a text, a number or a list of right ones), and may have `id`, `system`, `tags`, `tools` (OpenAI
/// declarations) and `calls` (`[{name, arguments}]`).
///
/// # Errors
/// Every row that cannot be taken, with its line.
///
/// ```
/// let rows = r#"{"prompt": "What is the capital of France?", "expected": "Paris"}"#;
/// let suite = monban::suite::import("capitals", "rows.jsonl", rows).unwrap();
/// assert!(suite.contains(r#"text = "Paris""#));
/// ```
pub fn import(name: &str, file: &str, text: &str) -> Result<String, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut tools: Map<String, Value> = Map::new();
    let mut tasks = String::new();
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    for (count, (index, line)) in lines.enumerate() {
        if count >= MOST_ROWS {
            errors.push(Diagnostic::error("too_large", format!("more than {MOST_ROWS} rows")).in_file(file, None));
            break;
        }
        let taken = row(line, count + 1, &mut tools);
        match taken {
            Ok(task) => tasks.push_str(&task),
            Err(why) => {
                let line = u32::try_from(index + 1).unwrap_or(u32::MAX);
                errors.push(Diagnostic::error("import_row", why).in_file(file, Some(line)));
            }
        }
    }
    if tasks.is_empty() && errors.is_empty() {
        errors.push(Diagnostic::error("import_row", "there are no rows").in_file(file, None));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut out = head(name, file);
    for tool in tools.values() {
        out.push_str("\n[[tool]]\n");
        ["name", "description", "parameters", "strict"].iter().for_each(|key| line_of(&mut out, key, tool.get(*key)));
    }
    out.push_str(&tasks);
    Ok(out)
}

fn head(name: &str, file: &str) -> String {
    let mut out = "[suite]\n".to_owned();
    line_of(&mut out, "name", Some(&json!(name)));
    line_of(&mut out, "version", Some(&json!("1.0.0")));
    line_of(&mut out, "description", Some(&json!(format!("Imported from {file}"))));
    out.push_str("\n[defaults]\ntemperature = 0.0\nmax_tokens = 1024\n");
    out
}

fn row(line: &str, number: usize, tools: &mut Map<String, Value>) -> Result<String, String> {
    let row: Map<String, Value> = serde_json::from_str(line).map_err(|error| format!("not a JSON object: {error}"))?;
    let first = |keys: &[&str]| keys.iter().find_map(|key| row.get(*key)).filter(|value| !value.is_null());
    let mut out = "\n[[task]]\n".to_owned();
    let id = row.get("id").map_or_else(|| format!("row-{number}"), id_of);
    line_of(&mut out, "id", Some(&json!(id)));
    line_of(&mut out, "tags", row.get("tags"));
    match first(&["prompt", "question", "input"]) {
        Some(prompt) => {
            line_of(&mut out, "system", row.get("system"));
            line_of(&mut out, "prompt", Some(prompt));
        }
        None => match row.get("messages") {
            Some(messages) => line_of(&mut out, "messages", Some(messages)),
            None => return Err("the row has no `prompt` (nor `question`, `input`, `messages`)".to_owned()),
        },
    }
    line_of(&mut out, "tools", offered(row.get("tools"), tools)?.as_ref());
    let mut expect: Vec<Value> =
        first(&["calls"]).map(|calls| json!({"scorer": "tool_call", "calls": calls})).into_iter().collect();
    match first(&["expected", "answer", "output"]) {
        Some(Value::Number(number)) => expect.push(json!({"scorer": "number", "is": number})),
        Some(Value::String(text)) => expect.push(json!({"scorer": "contains", "text": text})),
        Some(Value::Array(texts)) => expect.push(json!({"scorer": "contains", "any": texts})),
        Some(_) => return Err("`expected` is a text, a number or a list of texts".to_owned()),
        None if expect.is_empty() => {
            return Err("the row has neither `expected` nor `calls`, so the task could not fail".to_owned());
        }
        None => {}
    }
    line_of(&mut out, "expect", Some(&Value::Array(expect)));
    Ok(out)
}

/// Books a row's tool declarations and gives their names.
fn offered(said: Option<&Value>, tools: &mut Map<String, Value>) -> Result<Option<Value>, String> {
    let Some(list) = said.and_then(Value::as_array) else { return Ok(None) };
    let mut names = Vec::with_capacity(list.len());
    for tool in list {
        let function = tool.get("function").unwrap_or(tool);
        let name = function.get("name").and_then(Value::as_str).ok_or("a tool has no name")?;
        match tools.get(name) {
            Some(known) if known != function => {
                return Err(format!("the tool `{name}` was declared otherwise in an earlier row"));
            }
            Some(_) => {}
            None => drop(tools.insert(name.to_owned(), function.clone())),
        }
        names.push(json!(name));
    }
    Ok(Some(Value::Array(names)))
}

fn id_of(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().map(|c| if c.is_alphanumeric() || "-_.:/".contains(c) { c } else { '-' }).collect()
}

fn line_of(out: &mut String, key: &str, value: Option<&Value>) {
    if let Some(value) = value.filter(|value| !value.is_null()) {
        // Writing into a string cannot fail.
        let _ = writeln!(out, "{key} = {}", toml_of(value));
    }
}

/// A value in one line of TOML; null has no form there and is left out.
fn toml_of(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter(|item| !item.is_null()).map(toml_of).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let entries = map.iter().filter(|(_, value)| !value.is_null());
            let entries: Vec<String> =
                entries.map(|(key, value)| format!("{} = {}", toml_key(key), toml_of(value))).collect();
            if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
        }
        Value::String(text) => toml::Value::String(text.clone()).to_string(),
        other => other.to_string(),
    }
}

fn toml_key(key: &str) -> String {
    let bare = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if bare { key.to_owned() } else { toml::Value::String(key.to_owned()).to_string() }
}
