//! `expect`: parsed with the registry, every error at its place, and every call it names offered by the task.

use jsonschema::error::ValidationErrorKind;
use monban_scorers::{ArgError, Expectation};
use serde_json::Value;

use super::fields::{quoted, short_error};
use super::model::Tool;
use super::problem::{Problem, Problems, join};
use super::reader::{Reader, kind};
use super::task::Scope;
use crate::diagnostic::did_you_mean;

/// Reads a task's `expect`. `offered` are the tools of the task.
pub(super) fn read(reader: &mut Reader<'_, '_>, offered: &[String], scope: &Scope<'_>) -> Vec<Expectation> {
    if !reader.map.contains_key("expect") {
        let problem = Problem::error("no_expectations", reader.at, "the task expects nothing, so it cannot fail");
        reader
            .problems
            .push(problem.fix("say what must hold: `expect = [{ scorer = \"contains\", text = \"…\" }]`".to_owned()));
        return Vec::new();
    }
    let Some(items) = reader.list("expect", "a list of expectations") else { return Vec::new() };
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
        calls_are_possible(item, &at, offered, scope, reader.problems);
    }
    parsed
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

/// A `tool_call` that names a function the task does not offer, or wants arguments that its schema forbids, can never pass.
fn calls_are_possible(item: &Value, at: &str, offered: &[String], scope: &Scope<'_>, problems: &mut Problems) {
    for key in ["any", "all"] {
        for (index, inner) in item.get(key).and_then(Value::as_array).into_iter().flatten().enumerate() {
            calls_are_possible(inner, &format!("{at}/{key}/{index}"), offered, scope, problems);
        }
    }
    let negated = item.get("not").and_then(Value::as_bool) == Some(true);
    if negated || item.get("scorer").and_then(Value::as_str) != Some("tool_call") {
        return;
    }
    let exact = item.get("match").is_none_or(|word| word == "exact");
    let calls = item.get("calls").and_then(Value::as_array).into_iter().flatten().enumerate();
    let named = calls.map(|(index, call)| (format!("{at}/calls/{index}"), call)).chain([(at.to_owned(), item)]);
    for (pointer, call) in named {
        let Some(name) = call.get("name").and_then(Value::as_str) else { continue };
        offers(name, &join(&pointer, "name"), offered, scope, problems);
        let tool = scope.tools.iter().find(|tool| tool.name == name && offered.contains(&tool.name));
        if let (Some(tool), Some(arguments)) = (tool, call.get("arguments")) {
            arguments_are_allowed(tool, arguments, exact, &join(&pointer, "arguments"), problems);
        }
    }
}

/// `exact`: the listed arguments are all there are, so what is required must be among them.
fn arguments_are_allowed(tool: &Tool, arguments: &Value, exact: bool, at: &str, problems: &mut Problems) {
    let errors = tool.validator.iter().flat_map(|validator| validator.iter_errors(arguments));
    for error in errors.filter(|error| exact || !matches!(error.kind(), ValidationErrorKind::Required { .. })).take(3) {
        let message = format!("no call of `{}` can hold this: {}", tool.name, short_error(&error.to_string()));
        problems.push(Problem::error("unanswerable", format!("{at}{}", error.instance_path()), message));
    }
    let properties = tool.declaration.pointer("/function/parameters/properties").and_then(Value::as_object);
    let declared = || properties.into_iter().flat_map(|map| map.keys().map(String::as_str));
    for key in arguments.as_object().into_iter().flat_map(|map| map.keys()) {
        if properties.is_some_and(|map| !map.contains_key(key)) {
            let message = format!("`{}` declares no argument {}", tool.name, quoted(key));
            let problem = Problem::error("unanswerable", join(at, key), message).at_key();
            problems.push(problem.fix(did_you_mean(key, declared())));
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
