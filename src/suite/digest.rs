//! The digest of a suite: of what it asks and how it judges, not of its bytes.

use serde_json::{Map, Number, Value, json};
use sha2::{Digest as _, Sha256};

use super::model::{StreamMode, Task};

/// `sha256:…` over the canonical JSON of what decides results: the tasks in order and the stream mode. Names,
/// descriptions, tags, comments, layout and unused tools do not count.
pub(super) fn of(stream: StreamMode, tasks: &[Task]) -> String {
    let mut hasher = Sha256::new();
    let mut text = Vec::new();
    write(&json!({"stream": stream}), &mut text);
    for task in tasks {
        // Task by task, so that a large suite is not held a second time.
        text.push(b'\n');
        one(task, &mut text);
        hasher.update(&text);
        text.clear();
    }
    hasher.update(&text);
    let hex: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// A task as one object, its keys sorted as [`object`] sorts them.
fn one(task: &Task, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"expect\":");
    array(&task.expect, out);
    out.extend_from_slice(b",\"id\":");
    string(&task.id, out);
    out.extend_from_slice(b",\"repeat\":");
    write(&Value::from(task.repeat), out);
    out.extend_from_slice(b",\"request\":");
    object(&task.request, out);
    out.push(b'}');
}

/// Canonical JSON: keys sorted, no blanks, and a number has one form (`1.0` is `1`).
fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Array(items) => array(items, out),
        Value::Object(map) => object(map, out),
        Value::Number(number) => out.extend_from_slice(canonical(number).as_bytes()),
        Value::String(text) => string(text, out),
        other => out.extend_from_slice(other.to_string().as_bytes()),
    }
}

fn array(items: &[Value], out: &mut Vec<u8>) {
    out.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(item, out);
    }
    out.push(b']');
}

fn object(map: &Map<String, Value>, out: &mut Vec<u8>) {
    let mut keys: Vec<&String> = map.keys().collect();
    keys.sort_unstable();
    out.push(b'{');
    for (index, key) in keys.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        string(key, out);
        out.push(b':');
        write(&map[key], out);
    }
    out.push(b'}');
}

fn string(text: &str, out: &mut Vec<u8>) {
    // Writing into memory cannot fail.
    let _ = serde_json::to_writer(out, text);
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
        let mut out = Vec::new();
        write(&value, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
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
