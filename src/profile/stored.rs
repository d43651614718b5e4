//! The profile of a stored exchange, checked with what its request asked for: [`lint_stored`].

use serde_json::Value;

use super::read::read;
use super::rules::{Known, check, check_together};
use crate::diagnostic::{Source, to_json};
use crate::plan::Needs;

/// The findings about the `profile` of a line (`text`, or `{format, text}`), as `profile check --format json` prints
/// them; its engine version, model and request say what the profile does not. `None` without a profile, or where it is
/// none in any form known here.
#[must_use]
pub fn lint_stored(line: &Value) -> Option<Value> {
    let profile = line.get("profile")?;
    let text = profile.as_str().or_else(|| profile.get("text")?.as_str())?;
    let source = Source::new("profile", text);
    let profiles = read(&source).ok()?;
    let said = |key: &str| line.get(key).and_then(Value::as_str);
    let needs = line.get("request").map(needs);
    let known = Known::nothing().engine_version(said("engine_version")).model(said("model")).needs(needs);
    let mut found: Vec<_> = profiles.iter().flat_map(|profile| check(profile, &known)).collect();
    found.extend(check_together(&profiles));
    Some(to_json("profile", &found)["findings"].take())
}

/// What one request needs.
fn needs(request: &Value) -> Needs {
    let offered = request.get("tools").and_then(Value::as_array).is_some_and(|tools| !tools.is_empty());
    let choice = request.get("tool_choice");
    let auto = choice.is_none_or(|choice| choice.is_null() || choice == "auto");
    let none = choice.is_some_and(|choice| choice == "none");
    let format = request.get("response_format").and_then(|format| format.get("type")).and_then(Value::as_str);
    Needs {
        tools: usize::from(offered && !none),
        auto_tools: usize::from(offered && auto),
        forced_tools: usize::from(offered && !auto && !none),
        structured_output: usize::from(format.is_some_and(|kind| kind != "text")),
        ..Needs::default()
    }
}
