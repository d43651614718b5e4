//! What a model that is right would write for a task: built from the task's own expectations, not stored.
//!
//! Main type: [`Written`]. What cannot be built from an expectation is left out; the tests of the built-in suites say so.

use monban_scorers::dialects::Call;
use serde_json::{Map, Value};

use super::sample;

/// What the simulated model writes, before any markup.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// Its thinking; empty where it does not think.
    pub reasoning: String,
    /// Its answer.
    pub text: String,
    /// Its calls.
    pub calls: Vec<Call>,
    /// It would go on past the budget.
    pub endless: bool,
}

/// Builds what satisfies a task's `expect` list (each a table as in the suite file).
#[must_use]
pub fn solve(expect: &[Value], request: &Value) -> Written {
    let mut out = Written::default();
    for expectation in expect {
        satisfy(expectation, request, &mut out);
    }
    if out.text.is_empty() && out.calls.is_empty() {
        out.text = filler(expect);
    }
    out
}

fn satisfy(expectation: &Value, request: &Value, out: &mut Written) {
    if expectation.get("not").and_then(Value::as_bool) == Some(true) {
        return;
    }
    if expectation.get("scorer").is_none() {
        let any = expectation.get("any").and_then(Value::as_array).and_then(|options| options.first());
        let all = expectation.get("all").and_then(Value::as_array);
        any.into_iter().chain(all.into_iter().flatten()).for_each(|one| satisfy(one, request, out));
        return;
    }
    let text = |key: &str| expectation.get(key).and_then(Value::as_str);
    match text("scorer").unwrap_or_default() {
        "contains" => strings(expectation).iter().for_each(|word| say(out, word)),
        "equals" => out.text = strings(expectation).first().cloned().unwrap_or_default(),
        "regex" => {
            let made = text("pattern").and_then(sample::matching).unwrap_or_default();
            say(out, &made);
        }
        "number" => {
            let wanted =
                ["value", "equals", "is"].iter().find_map(|key| expectation.get(*key)).cloned().unwrap_or_default();
            say(out, &wanted.to_string());
        }
        "json_schema" => out.text = sample::instance(expectation.get("schema").unwrap_or(&Value::Null)).to_string(),
        "json_valid" if out.text.is_empty() => out.text = "{}".to_owned(),
        "json_path" => out.text = with_path(&out.text, expectation),
        "finish_reason" => out.endless |= text("is") == Some("length"),
        "length" => lengthen(out, expectation),
        "reasoning_split" => out.reasoning = "The question is plain, so the answer can be short.".to_owned(),
        "tool_call" => out.calls.extend(calls(expectation, request)),
        _ => {}
    }
}

fn say(out: &mut Written, word: &str) {
    if !out.text.contains(word) {
        if !out.text.is_empty() {
            out.text.push(' ');
        }
        out.text.push_str(word);
    }
}

/// The texts an expectation names: `text`, one of `any`, or `all`.
fn strings(expectation: &Value) -> Vec<String> {
    let list = |key: &str| expectation.get(key).and_then(Value::as_array).into_iter().flatten();
    let text = expectation.get("text").into_iter();
    let wanted = text.chain(list("any").take(1)).chain(list("all"));
    wanted.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Sets a value at a plain path (`$.a.b[0]`) of the JSON text so far.
fn with_path(text: &str, expectation: &Value) -> String {
    let mut root: Value = serde_json::from_str(text).unwrap_or_else(|_| Value::Object(Map::new()));
    let Some(wanted) = expectation.get("equals") else {
        return root.to_string();
    };
    let path = expectation.get("path").and_then(Value::as_str).unwrap_or_default().trim_start_matches('$');
    let mut place = &mut root;
    for step in path.split(['.', '[', ']']).map(|step| step.trim_matches(['\'', '"'])).filter(|step| !step.is_empty()) {
        place = match step.parse::<usize>() {
            Ok(index) if index < 1024 => {
                if !place.is_array() {
                    *place = Value::Array(Vec::new());
                }
                let Value::Array(items) = place else { return text.to_owned() };
                if items.len() <= index {
                    items.resize(index + 1, Value::Null);
                }
                &mut items[index]
            }
            _ => {
                if !place.is_object() {
                    *place = Value::Object(Map::new());
                }
                let Value::Object(map) = place else { return text.to_owned() };
                map.entry(step.to_owned()).or_insert(Value::Null)
            }
        };
    }
    *place = wanted.clone();
    root.to_string()
}

fn lengthen(out: &mut Written, expectation: &Value) {
    let least = expectation.get("min").and_then(Value::as_u64).unwrap_or(0).min(10_000) as usize;
    let in_words = expectation.get("unit").and_then(Value::as_str) == Some("words");
    let length = |text: &str| if in_words { text.split_whitespace().count() } else { text.chars().count() };
    while length(&out.text) < least {
        say_more(out);
    }
}

fn say_more(out: &mut Written) {
    if !out.text.is_empty() {
        out.text.push(' ');
    }
    out.text.push_str("indeed");
}

fn calls(expectation: &Value, request: &Value) -> Vec<Call> {
    if let Some(many) = expectation.get("calls").and_then(Value::as_array) {
        return many.iter().filter_map(|one| call(one, request)).collect();
    }
    call(expectation, request).into_iter().collect()
}

/// A call with the listed arguments, and the required ones that are not listed made up from the declared schema.
fn call(wanted: &Value, request: &Value) -> Option<Call> {
    let name = wanted.get("name")?.as_str()?;
    let mut arguments = declared(request, name)
        .map(|schema| sample::instance(&schema))
        .and_then(|made| made.as_object().cloned())
        .unwrap_or_default();
    if let Some(listed) = wanted.get("arguments").and_then(Value::as_object) {
        arguments.extend(listed.clone());
    }
    Some(Call { name: name.to_owned(), arguments, id: None })
}

fn declared(request: &Value, name: &str) -> Option<Value> {
    let tools = request.get("tools")?.as_array()?;
    tools
        .iter()
        .find(|tool| tool.pointer("/function/name").and_then(Value::as_str) == Some(name))?
        .pointer("/function/parameters")
        .cloned()
}

/// A neutral answer that a `not` expectation does not hit.
fn filler(expect: &[Value]) -> String {
    let barred: Vec<String> = expect.iter().filter(|one| one.get("not").is_some()).flat_map(strings).collect();
    ["Hello, and welcome.", "Good day.", "Yes."]
        .iter()
        .find(|text| !barred.iter().any(|word| text.to_lowercase().contains(&word.to_lowercase())))
        .map_or_else(String::new, |text| (*text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_calls_and_json_are_built() {
        let made = solve(
            &[json!({ "scorer": "contains", "text": "Paris" }), json!({ "scorer": "reasoning_split" })],
            &json!({}),
        );
        assert_eq!((made.text.as_str(), made.reasoning.is_empty()), ("Paris", false));
        let made = solve(&[json!({ "scorer": "contains", "text": "a", "all": ["b"], "any": ["c", "d"] })], &json!({}));
        assert!(["a", "b", "c"].iter().all(|word| made.text.contains(word)), "{}", made.text);
        let request = json!({ "tools": [{ "type": "function", "function": { "name": "f", "parameters": {
            "type": "object", "properties": { "a": { "type": "integer" }, "b": { "type": "string" } }, "required": ["a", "b"] } } }] });
        let made = solve(&[json!({ "scorer": "tool_call", "name": "f", "arguments": { "a": 7 } })], &request);
        assert_eq!(made.calls[0].arguments, *json!({ "a": 7, "b": "b" }).as_object().unwrap());
        let made = solve(&[json!({ "scorer": "json_path", "path": "$.a.b[1]", "equals": 3 })], &json!({}));
        assert_eq!(made.text, r#"{"a":{"b":[null,3]}}"#);
    }
}
