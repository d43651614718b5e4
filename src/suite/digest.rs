//! The digest of a suite: of what it asks and how it judges, not of its bytes.

use serde_json::{Map, Number, Value, json};
use sha2::{Digest as _, Sha256};

use super::model::{StreamMode, Task};

/// `sha256:…` over the canonical JSON of what decides results: the tasks in order and the stream mode. Names,
/// descriptions, tags, comments, layout and unused tools do not count.
pub(super) fn of(stream: StreamMode, tasks: &[Task]) -> String {
    let mut hasher = Sha256::new();
    let mut text = String::new();
    write(&json!({"stream": stream}), &mut text);
    for task in tasks {
        // Task by task, so that a large suite is not held a second time.
        text.push('\n');
        one(task, &mut text);
        hasher.update(text.as_bytes());
        text.clear();
    }
    hasher.update(text.as_bytes());
    let hex: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// A task as one object, its keys sorted as [`object`] sorts them.
fn one(task: &Task, out: &mut String) {
    out.push_str("{\"expect\":");
    array(&task.expect, out);
    out.push_str(",\"id\":");
    string(&task.id, out);
    out.push_str(",\"repeat\":");
    write(&Value::from(task.repeat), out);
    out.push_str(",\"request\":");
    object(&task.request, out);
    out.push('}');
}

/// Canonical JSON: keys sorted, no blanks, and a number has one form (`1.0` is `1`).
fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => array(items, out),
        Value::Object(map) => object(map, out),
        Value::Number(number) => out.push_str(&canonical(number)),
        Value::String(text) => string(text, out),
        other => out.push_str(&other.to_string()),
    }
}

fn array(items: &[Value], out: &mut String) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(']');
}

fn object(map: &Map<String, Value>, out: &mut String) {
    let mut keys: Vec<&String> = map.keys().collect();
    keys.sort_unstable();
    out.push('{');
    for (index, key) in keys.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        string(key, out);
        out.push(':');
        write(&map[key], out);
    }
    out.push('}');
}

fn string(text: &str, out: &mut String) {
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

fn canonical(number: &Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(0.0) => "0".to_owned(),
        // Beyond 2^53 a float no longer tells neighbouring integers apart: those keep their own form.
        Some(float) if float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 => format!("{float:.0}"),
        // The standard library's form, not serde_json's: that one has changed between its versions.
        Some(float) => format!("{float:?}"),
        None => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn case(value: Value, expected: &str) {
        let mut out = String::new();
        write(&value, &mut out);
        assert_eq!(out, expected);
    }

    #[test]
    fn canonical_form() {
        case(
            json!({"b": [1.0, -0.0, 0.5], "a": {"d": null, "c": "é\n"}}),
            r#"{"a":{"c":"é\n","d":null},"b":[1,0,0.5]}"#,
        );
        case(json!([-10.0, 1e300, u64::MAX]), "[-10,1e300,18446744073709551615]");
    }
}
