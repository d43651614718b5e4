//! `expect`: parsed with the registry, every error at its place, and every call it names offered by the task.

use monban_scorers::{ArgError, Expectation};
use serde_json::Value;

use super::fields::quoted;
use super::problem::{Problem, Problems, join};
use super::reader::{Reader, kind};
use super::task::Scope;
use crate::diagnostic::did_you_mean;

/// Reads a task's `expect`. `offered` are the tools of the task.
pub(super) fn read(
    reader: &mut Reader<'_, '_>,
    offered: &[String],
    scope: &Scope<'_>,
) -> Option<(Vec<Value>, Vec<Expectation>)> {
    if !reader.map.contains_key("expect") {
        let problem = Problem::error("no_expectations", reader.at, "the task expects nothing, so it cannot fail");
        reader
            .problems
            .push(problem.fix("say what must hold: `expect = [{ scorer = \"contains\", text = \"…\" }]`".to_owned()));
        return None;
    }
    let items = reader.list("expect", "a list of expectations")?;
    if items.is_empty() {
        reader.fail("no_expectations", "expect", "the list of expectations is empty, so the task cannot fail");
    }
    let mut parsed = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let at = format!("{}/expect/{index}", reader.at);
        let Value::Object(table) = item else {
            let message = format!("an expectation is a table, found {}", kind(item));
            reader.problems.push(Problem::error("wrong_type", at, message));
            continue;
        };
        match Expectation::parse(table, scope.registry) {
            Ok(expectation) => parsed.push(expectation),
            Err(errors) => errors.into_iter().for_each(|error| reader.problems.push(problem(&at, error))),
        }
        calls_are_offered(item, &at, offered, scope, reader.problems);
    }
    Some((items.to_vec(), parsed))
}

fn problem(at: &str, error: ArgError) -> Problem {
    let unknown_key = error.message.starts_with("unknown key");
    let rule = match () {
        () if unknown_key => "unknown_key",
        () if error.pointer.ends_with("/scorer") => "unknown_scorer",
        () => "scorer_argument",
    };
    let problem = Problem::error(rule, format!("{at}{}", error.pointer), error.message).fix(error.help);
    if unknown_key { problem.at_key() } else { problem }
}

/// A `tool_call` that names a function the task does not offer can never pass.
fn calls_are_offered(item: &Value, at: &str, offered: &[String], scope: &Scope<'_>, problems: &mut Problems) {
    for key in ["any", "all"] {
        for (index, inner) in item.get(key).and_then(Value::as_array).into_iter().flatten().enumerate() {
            calls_are_offered(inner, &format!("{at}/{key}/{index}"), offered, scope, problems);
        }
    }
    if item.get("scorer").and_then(Value::as_str) != Some("tool_call") {
        return;
    }
    let calls = item.get("calls").and_then(Value::as_array).into_iter().flatten().enumerate();
    let named = calls.map(|(index, call)| (format!("{at}/calls/{index}/name"), call)).chain([(join(at, "name"), item)]);
    for (pointer, call) in named {
        if let Some(name) = call.get("name").and_then(Value::as_str) {
            offers(name, &pointer, offered, scope, problems);
        }
    }
}

/// Books a name that is not among the offered tools.
pub(super) fn offers(name: &str, pointer: &str, offered: &[String], scope: &Scope<'_>, problems: &mut Problems) {
    if offered.iter().any(|tool| tool == name) {
        return;
    }
    let declared = scope.tools.iter().any(|tool| tool.name == name);
    let fix = if declared {
        Some(format!("add `{name}` to the task's `tools`"))
    } else {
        did_you_mean(name, offered.iter().map(String::as_str))
    };
    problems
        .push(Problem::error("unknown_tool", pointer, format!("the task offers no tool {}", quoted(name))).fix(fix));
}
