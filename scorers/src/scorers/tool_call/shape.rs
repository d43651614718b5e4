//! What every delivered call must meet, whatever was wanted: the contract of the API.

use std::collections::HashSet;

use serde_json::Value;

use crate::completion::{Arguments, ToolCall};
use crate::request::{Request, ToolChoice};
use crate::schema::{Cache, Checked};
use crate::scorer::Subject;
use crate::text::{excerpt, quoted};

/// What the shape shows.
#[derive(Debug, Default)]
pub(super) struct Shape {
    /// What is wrong, a line each.
    pub(super) faults: Vec<String>,
    /// Why something could not be checked.
    pub(super) unknown: Option<String>,
}

/// Checks every call, and the finish reason against whether there are calls.
pub(super) fn check(subject: &Subject<'_>, schemas: &Cache) -> Shape {
    let mut shape = Shape::default();
    let calls = &subject.completion.tool_calls;
    let mut ids = HashSet::new();
    for (index, call) in calls.iter().enumerate() {
        let mut faults = Vec::new();
        match call.id.as_deref() {
            None | Some("") => faults.push("`id` is missing".to_owned()),
            Some(id) if !ids.insert(id) => faults.push(format!("`id` {} is used twice", quoted(id))),
            Some(_) => {}
        }
        match call.kind.as_deref() {
            Some("function") => {}
            None => faults.push("`type` is missing, expected \"function\"".to_owned()),
            Some(kind) => faults.push(format!("`type` is {}, expected \"function\"", quoted(kind))),
        }
        faults.extend(name(call, subject.request));
        match arguments(&call.arguments) {
            Ok(value) => {
                shape.unknown = schema(call, &value, subject.request, schemas, &mut faults).or(shape.unknown.take())
            }
            Err(fault) => faults.push(fault),
        }
        let place = if calls.len() > 1 { format!("call {} ", index + 1) } else { String::new() };
        let called = if call.name.is_empty() { "call" } else { &call.name };
        shape.faults.extend(faults.into_iter().map(|fault| format!("{place}`{}`: {fault}", excerpt(called, 60))));
    }
    shape.faults.extend(finish(subject));
    shape
}

/// The one JSON object that the string holds.
fn arguments(arguments: &Arguments) -> Result<Value, String> {
    let text = match arguments {
        Arguments::Missing => return Err("`arguments` is missing, expected a JSON string".to_owned()),
        Arguments::Json(value) => {
            return Err(format!("`arguments` is {}, expected a JSON string holding one", crate::args::kind(value)));
        }
        Arguments::Text(text) => text,
    };
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(Value::String(_)) => Err(format!("`arguments` is encoded twice: {}", quoted(text))),
        Ok(other) => {
            Err(format!("`arguments` holds {}, expected an object: {}", crate::args::kind(&other), quoted(text)))
        }
        // What servers send for a tool without parameters; a tool that needs some fails by its schema.
        Err(_) if text.trim().is_empty() => Ok(Value::Object(serde_json::Map::new())),
        Err(error) if error.to_string().starts_with("trailing characters") && one_object(text) => {
            Err(format!("`arguments` holds more than one JSON value: {}", quoted(text)))
        }
        Err(error) => Err(format!("`arguments` is not JSON ({error}): {}", quoted(text))),
    }
}

/// Whether the text begins with a whole object.
fn one_object(text: &str) -> bool {
    matches!(serde_json::Deserializer::from_str(text).into_iter::<Value>().next(), Some(Ok(Value::Object(_))))
}

fn name(call: &ToolCall, request: &Request) -> Option<String> {
    if call.name.is_empty() {
        return Some("the function's name is missing".to_owned());
    }
    // A harness that judges an answer without its request cannot know what was declared.
    if request.tool(&call.name).is_some() || (request.tools.is_empty() && request.body().is_null()) {
        return None;
    }
    let declared: Vec<_> = request.tools.iter().take(8).map(|tool| format!("`{}`", excerpt(&tool.name, 40))).collect();
    Some(match declared.is_empty() {
        true => "no tool was declared".to_owned(),
        false => format!("the tool was not declared (declared: {})", declared.join(", ")),
    })
}

/// Holds the arguments against the declared parameters. Returns why that was not possible.
fn schema(
    call: &ToolCall,
    value: &Value,
    request: &Request,
    schemas: &Cache,
    faults: &mut Vec<String>,
) -> Option<String> {
    let parameters = &request.tool(&call.name).filter(|tool| !tool.parameters.is_null())?.parameters;
    match schemas.get(parameters).as_ref() {
        Ok(schema) => match schema.check(value) {
            Checked::Valid => None,
            Checked::Invalid(wrong) => {
                faults
                    .push(format!("the arguments are not valid against the declared parameters: {}", wrong.join(", ")));
                None
            }
            Checked::Unknown(why) => Some(why),
        },
        Err(error) => Some(format!("the declared parameters of `{}` are no schema: {error}", excerpt(&call.name, 60))),
    }
}

/// `tool_calls` goes with calls and without none. A call that `tool_choice` forced ends in `stop` with some servers, and
/// so documents OpenAI. What was cut at the budget is not the shape's matter.
fn finish(subject: &Subject<'_>) -> Option<String> {
    let completion = subject.completion;
    if completion.is_truncated() {
        return None;
    }
    let forced = matches!(subject.request.tool_choice, Some(ToolChoice::Required | ToolChoice::Named(_)));
    match (completion.finish_reason.as_deref(), completion.tool_calls.is_empty()) {
        (Some("tool_calls"), true) => Some("finish_reason is \"tool_calls\", but no call arrived".to_owned()),
        (_, true) | (Some("tool_calls"), false) => None,
        (Some("stop"), false) if forced => None,
        (Some(reason), false) => Some(format!("finish_reason is {}, expected \"tool_calls\"", quoted(reason))),
        (None, false) => Some("finish_reason is missing, expected \"tool_calls\"".to_owned()),
    }
}
