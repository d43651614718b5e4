//! Every family's raw text is recognised as its own and read to the right calls, and written as models write it.

#![allow(clippy::unwrap_used, missing_docs)]

use monban_scorers::Request;
use monban_scorers::dialects::{
    Call, Hints, REASONING_DIALECTS, TOOL_DIALECTS, reasoning_dialect, recognise, split_reasoning, tool_dialect,
};
use serde_json::{Value, json};

const FAMILIES: &str = include_str!("fixtures/families.json");

fn families() -> Value {
    serde_json::from_str(FAMILIES).unwrap()
}

fn weather() -> Request {
    Request::read(&json!({"model": "local", "messages": [], "tools": [{"type": "function", "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {
            "city": {"type": "string"}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}}},
    }}]}))
}

fn call(city: &str) -> Call {
    let arguments = json!({"city": city, "unit": "celsius"});
    Call { name: "get_weather".to_owned(), arguments: arguments.as_object().unwrap().clone(), id: None }
}

fn without_ids(calls: &[Call]) -> Vec<Call> {
    calls.iter().map(|call| Call { id: None, ..call.clone() }).collect()
}

/// What the stripped text of a family still says: another family that writes just that.
const STRIPPED_AS: &[(&str, &str)] = &[
    ("llama3_json_pythontag", "llama3_json"),
    ("internlm_plugin", "llama3_json"),
    ("llama4_pythonic", "pythonic"),
    ("lfm2_pythonic", "pythonic"),
    ("functiongemma", "gemma4"),
];

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn every_raw_example_is_recognised_and_read() {
    let request = weather();
    let hints = Hints { request: Some(&request), ..Hints::default() };
    let mut faults = Vec::new();
    let mut read = 0;
    for family in families()["tool"].as_array().unwrap() {
        let name = family["family"].as_str().unwrap();
        let Some(dialect) = tool_dialect(name) else {
            faults.push(format!("{name}: no dialect"));
            continue;
        };
        for (form, text) in family.as_object().unwrap() {
            let Some(text) = text.as_str() else { continue };
            let stripped = form.contains("stripped");
            if form != "single" && form != "parallel" && !stripped {
                continue;
            }
            read += 1;
            let wanted = if form == "parallel" { vec![call("Tokyo"), call("Osaka")] } else { vec![call("Tokyo")] };
            let found = recognise(text, &hints);
            let seen = found.as_ref().map_or("nothing", |found| found.family);
            let equal =
                seen == name || dialect.same_as.contains(&seen) || (stripped && STRIPPED_AS.contains(&(name, seen)));
            if !equal {
                faults.push(format!("{name} {form}: recognised as {found:?}"));
            }
            let reader = tool_dialect(seen).unwrap_or(dialect);
            for dialect in [dialect, reader] {
                let calls = dialect.parse(text, &hints).map(|parsed| without_ids(&parsed.calls));
                if calls.as_ref() != Some(&wanted) && !(stripped && seen != name) {
                    faults.push(format!("{name} {form}: {} read {calls:?}", dialect.family));
                }
            }
            if !stripped {
                let ids = dialect.parse(text, &hints).map(|parsed| parsed.calls).unwrap_or_default();
                let written = dialect.render(&ids);
                if written != text {
                    faults.push(format!("{name} {form}: written\n  {written:?}\ninstead of\n  {text:?}"));
                }
            }
        }
    }
    assert!(read > 120, "only {read} texts were read");
    assert!(faults.is_empty(), "{} faults of {read}:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_reasoning_example_is_split() {
    let mut faults = Vec::new();
    for family in families()["reasoning"].as_array().unwrap() {
        let name = family["family"].as_str().unwrap();
        let Some(dialect) = reasoning_dialect(name) else {
            faults.push(format!("{name}: no dialect"));
            continue;
        };
        let Some(text) = family["raw"].as_str() else { continue };
        for found in [dialect.split(text), split_reasoning(text)] {
            let got = found.as_ref().map(|split| (split.reasoning.as_str(), split.answer.as_str()));
            if got != Some(("Let me think.", "It is sunny.")) {
                faults.push(format!("{name}: {found:?}"));
            }
        }
        let seen = split_reasoning(text).map_or("nothing", |split| split.family);
        if seen != name && !dialect.same_as.contains(&seen) {
            faults.push(format!("{name}: seen as {seen}"));
        }
        let prefilled = dialect.split(text).is_some_and(|split| split.prefilled);
        let written = dialect.render("Let me think.", "It is sunny.", prefilled);
        if written != text {
            faults.push(format!("{name}: written {written:?} instead of {text:?}"));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn the_registry_holds_each_family_once() {
    let mut tools: Vec<&str> = TOOL_DIALECTS.iter().map(|dialect| dialect.family).collect();
    let mut thoughts: Vec<&str> = REASONING_DIALECTS.iter().map(|dialect| dialect.family).collect();
    for names in [&mut tools, &mut thoughts] {
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
    for dialect in TOOL_DIALECTS {
        assert!(!dialect.looks_like.is_empty());
        for other in dialect.same_as {
            assert!(tools.contains(other), "{} names {other}", dialect.family);
        }
    }
}
