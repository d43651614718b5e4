//! Markup that a re-reading leaves alone, and that says something all the same: broken calls, and calls of requests that
//! declare no tools.

use serde_json::{Map, Value, json};

use super::Seen;
use super::markup::{UNKNOWN, ends_hollow, ends_with_delimiter};
use crate::completion::Completion;
use crate::diagnosis::AttemptView;
use crate::dialects::{Hints, Reread, Strength, recognise};
use crate::request::Request;

/// The markup in a text without delivered calls that was not read.
pub(super) fn unread(completion: &Completion, reread: Option<&Reread>, view: &AttemptView<'_>) -> Option<Seen> {
    let text = completion.text();
    if text.trim().is_empty() || !completion.tool_calls.is_empty() || reread.is_some_and(|reread| reread.tool.is_some())
    {
        return None;
    }
    let model = view.context.model.as_deref();
    if view.request.tools.is_empty() {
        let replayed = replayed(view.request);
        let hints = Hints { request: replayed.as_ref().or(Some(view.request)), model, ..Hints::default() };
        return recognise(text, &hints).map(|found| (&found).into()).or_else(|| bare_call(text));
    }
    let hints = Hints { request: Some(view.request), model, ..Hints::default() };
    let found = recognise(text, &hints).filter(|found| found.damage.is_some() && found.strength >= Strength::Partial);
    let broken = || broken_bare_call(text, view.request).filter(|_| !completion.is_truncated());
    found.map(|found| (&found).into()).or_else(|| hollow(text)).or_else(|| remains(text, view.request)).or_else(broken)
}

/// The whole text is to be a call in bare JSON: it names a declared tool and its arguments, and does not parse.
fn broken_bare_call(text: &str, request: &Request) -> Option<Seen> {
    let whole = text.trim();
    let begun = whole.starts_with('{') || whole.starts_with("[{");
    let has = |key: &str| whole.contains(&format!("\"{key}\""));
    let is_call = begun && has("name") && (has("arguments") || has("parameters"));
    let named = is_call && request.tools.iter().any(|tool| has(&tool.name));
    let seen = Seen { family: UNKNOWN, start: 0, end: text.len(), strength: Strength::Weak, damaged: true };
    (named && serde_json::from_str::<Value>(whole).is_err_and(|error| !error.to_string().starts_with("trailing")))
        .then_some(seen)
}

/// Tags with nothing between them, at the end of a text.
fn hollow(text: &str) -> Option<Seen> {
    let seen = Seen { family: UNKNOWN, start: 0, end: text.len(), strength: Strength::Strong, damaged: true };
    ends_hollow(text).then_some(seen)
}

/// What a parser left of a call: a declared name, a key of its arguments, and a delimiter at the very end.
fn remains(text: &str, request: &Request) -> Option<Seen> {
    let named = request.tools.iter().any(|tool| {
        let mut keys = tool.properties().into_iter().flat_map(Map::keys);
        text.contains(tool.name.as_str()) && keys.any(|key| text.contains(key.as_str()))
    });
    let seen = Seen { family: UNKNOWN, start: 0, end: text.len(), strength: Strength::Partial, damaged: false };
    (named && ends_with_delimiter(text)).then_some(seen)
}

/// The request with the tools its history calls; `None` where it calls none.
fn replayed(request: &Request) -> Option<Request> {
    if !request.replays_calls() {
        return None;
    }
    let names = request.replayed_calls().filter_map(|call| call.pointer("/function/name").and_then(Value::as_str));
    let tools: Vec<Value> = names.map(|name| json!({"type": "function", "function": {"name": name}})).collect();
    let body = || json!({"model": request.model, "messages": [], "tools": tools});
    (!tools.is_empty()).then(|| Request::from(body()))
}

/// The whole text is `{"name": …, "arguments": …}`.
fn bare_call(text: &str) -> Option<Seen> {
    let whole = text.trim();
    let call: Value = whole.starts_with('{').then(|| serde_json::from_str(whole).ok())??;
    let is_call = call.get("name").is_some_and(Value::is_string)
        && ["arguments", "parameters"].iter().any(|key| call.get(key).is_some_and(Value::is_object));
    is_call.then_some(Seen { family: "bare JSON", start: 0, end: text.len(), strength: Strength::Weak, damaged: false })
}
