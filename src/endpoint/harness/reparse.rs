//! SGLang's endpoints that read any text with any parser: `/parse_function_call` and `/separate_reasoning` (0.5.23).

use monban_scorers::catalogue::{self, FamilyKind};
use monban_scorers::dialects::{Hints, ReasoningDialect, ToolDialect, reasoning_dialect, tool_dialect};
use monban_scorers::request::Request;
use serde_json::{Value, json};

/// The answer to a post to one of them; `None` for another path or an unknown parser.
#[must_use]
pub(super) fn reparse(path: &str, asked: &Value) -> Option<Value> {
    let text = asked.get("text")?.as_str()?;
    let families = |key: &str, kind| {
        let parser = asked.get(key).and_then(Value::as_str).unwrap_or_default();
        catalogue::parser_families("sglang", kind, parser)
    };
    match path {
        "/parse_function_call" => {
            let families = families("tool_call_parser", FamilyKind::Tool);
            let mut dialects = families.iter().filter_map(|family| tool_dialect(family));
            Some(calls(text, dialects.next()?, &Request::read(asked)))
        }
        "/separate_reasoning" => {
            let families = families("reasoning_parser", FamilyKind::Reasoning);
            let mut dialects = families.iter().filter_map(|family| reasoning_dialect(family));
            Some(split(text, dialects.next()?))
        }
        _ => None,
    }
}

fn calls(text: &str, dialect: &ToolDialect, request: &Request) -> Value {
    let parsed = dialect.parse(text, &Hints { request: Some(request), ..Hints::default() });
    let Some(parsed) = parsed else { return json!({ "normal_text": text, "calls": [] }) };
    let call = |(at, call): (usize, &monban_scorers::dialects::Call)| {
        let arguments = Value::Object(call.arguments.clone()).to_string();
        json!({ "tool_index": at, "name": call.name, "parameters": arguments })
    };
    let calls: Vec<Value> = parsed.calls.iter().enumerate().map(call).collect();
    json!({ "normal_text": parsed.text, "calls": calls })
}

fn split(text: &str, dialect: &ReasoningDialect) -> Value {
    match dialect.split(text) {
        Some(split) => json!({ "reasoning_text": split.reasoning, "text": split.answer }),
        None => json!({ "reasoning_text": "", "text": text }),
    }
}
