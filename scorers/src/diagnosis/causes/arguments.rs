//! What is wrong with a delivered call's arguments: [`spoilt`] finds the first of [`Spoilt`] in one call.
//!
//! A value may hold anything, markup too: a file that shows a call format is no fault. Residue stands in a key, at the end
//! of a value without its counterpart, or is followed by the name of another declared parameter.

use serde_json::Value;

use crate::completion::{Arguments, ToolCall};
use crate::diagnosis::facts::Side;
use crate::request::Tool;

/// What is wrong with the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spoilt {
    /// A piece of a family's markup is left in a key or a value.
    Residue(String),
    /// A declared parameter's value became a part of its key.
    Key(String),
    /// Nothing arrived, and the tool has parameters it cannot do without: the first of them.
    Nothing(String),
    /// An empty object arrived, and the tool has parameters it cannot do without: the first of them.
    Empty(String),
}

/// Pieces of markup, and what pairs with each: the piece alone at the end of a value is residue.
const PIECES: &[(&str, &str)] = &[
    ("<|\"|", ""),
    ("[TOOL_CALLS]", ""),
    ("[ARGS]", ""),
    ("<｜tool▁", ""),
    ("<|tool_call", ""),
    ("<|channel|>", ""),
    ("]<]minimax[>[", ""),
    ("<｜DSML｜", ""),
    ("<｜GCML｜", ""),
    ("<arg_value>", "</arg_value>"),
    ("<arg_key>", "</arg_key>"),
    ("<parameter=", "</parameter>"),
    ("<function=", "</function>"),
    ("<tool_call>", "</tool_call>"),
];

/// Markup in front of another parameter's name.
const BEFORE_KEYS: &[&str] = &["<parameter=", "<arg_key>", "<parameter name=\""];

/// The first fault of a call's arguments that is more than broken JSON.
#[must_use]
pub(in crate::diagnosis) fn spoilt(side: &Side<'_>, call: &ToolCall) -> Option<Spoilt> {
    let tool = side.request.tool(&call.name);
    if is_nothing(&call.arguments) {
        return required(tool?).map(Spoilt::Nothing);
    }
    let Ok(Value::Object(map)) = call.arguments.value() else {
        let text = call.arguments.as_text();
        return pieces().find(|piece| text.contains(*piece)).map(|piece| Spoilt::Residue(piece.to_owned()));
    };
    let residue = map.iter().find_map(|(key, value)| in_key(key).or_else(|| in_value(value, tool)));
    if let Some(piece) = residue {
        return Some(Spoilt::Residue(piece.to_owned()));
    }
    let tool = tool?;
    if let Some(key) = map.keys().find(|key| is_key_with_value(key, tool)) {
        return Some(Spoilt::Key(key.clone()));
    }
    required(tool).filter(|_| map.is_empty()).map(Spoilt::Empty)
}

/// Not even an empty object arrived.
#[must_use]
pub(in crate::diagnosis) fn is_nothing(arguments: &Arguments) -> bool {
    match arguments {
        Arguments::Missing => true,
        Arguments::Text(text) => text.trim().is_empty(),
        Arguments::Json(_) => false,
    }
}

fn pieces() -> impl Iterator<Item = &'static str> {
    PIECES.iter().flat_map(|(open, close)| [*open, *close]).filter(|piece| !piece.is_empty())
}

/// No key is meant to hold markup; the last bracket of a tag may be gone.
fn in_key(key: &str) -> Option<&'static str> {
    pieces().find(|piece| key.contains(piece.trim_end_matches('>')))
}

fn in_value(value: &Value, tool: Option<&Tool>) -> Option<&'static str> {
    match value {
        Value::String(text) => in_text(text, tool),
        Value::Array(items) => items.iter().find_map(|item| in_value(item, tool)),
        Value::Object(map) => map.iter().find_map(|(key, item)| in_key(key).or_else(|| in_value(item, tool))),
        _ => None,
    }
}

fn in_text(text: &str, tool: Option<&Tool>) -> Option<&'static str> {
    if !text.contains(['<', '[']) {
        return None;
    }
    let whole = text.trim();
    let at_end = PIECES.iter().find_map(|(open, close)| {
        // A blank between a word and the piece: the text speaks of it.
        let ends = |piece: &str| {
            let behind = whole.strip_prefix(piece).is_some_and(|rest| !rest.starts_with(' '));
            let before = whole.strip_suffix(piece).is_some_and(|rest| !rest.ends_with(' '));
            !piece.is_empty() && (behind || before)
        };
        let piece = [*open, *close].into_iter().find(|piece| ends(piece))?;
        let alone = close.is_empty() || whole.matches(open).count() != whole.matches(close).count();
        alone.then_some(piece)
    });
    at_end.or_else(|| {
        let properties = tool?.properties()?;
        let follows = |rest: &str| properties.keys().any(|key| rest.trim_start().starts_with(key.as_str()));
        BEFORE_KEYS.iter().find(|mark| text.split(**mark).skip(1).any(follows)).copied()
    })
}

/// `command=ls` where `command` is declared: the parser took the parameter's value for a part of its name.
fn is_key_with_value(key: &str, tool: &Tool) -> bool {
    let Some(properties) = tool.properties() else { return false };
    let grown = |known: &String| {
        let next = key.strip_prefix(known.as_str()).and_then(|rest| rest.chars().next());
        next.is_some_and(|next| "=<>\"'\n ".contains(next))
    };
    !properties.contains_key(key) && properties.keys().any(grown)
}

/// The first parameter that the tool cannot do without.
fn required(tool: &Tool) -> Option<String> {
    tool.parameters.get("required")?.as_array()?.first()?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::completion::{Answer, Exchange};
    use crate::request::Request;
    use serde_json::json;

    fn look(arguments: Value) -> Option<Spoilt> {
        let parameters = json!({"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"}, "text": {"type": "string"}, "deep": {"type": ["boolean", "null"]},
            "lines": {"type": "integer"},
        }});
        let request = Request::read(&json!({"model": "m", "messages": [], "tools":
            [{"type": "function", "function": {"name": "write", "parameters": parameters}}]}));
        let line = json!({"response": {"http_status": 200, "body": {"choices": [{"index": 0, "finish_reason": "tool_calls",
            "message": {"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function",
                "function": {"name": "write", "arguments": arguments}}]}}]}}});
        let exchange = Exchange::from_stored_line(&line).unwrap().remove(0);
        let Answer::Completion(completion) = crate::completion::read(&exchange) else { panic!("an answer") };
        let side = Side {
            mode: exchange.mode,
            exchange: &exchange,
            completion: &completion,
            reread: None,
            request: &request,
            unread: None,
        };
        spoilt(&side, &completion.tool_calls[0])
    }

    #[test]
    fn residue_is_what_no_value_means() {
        let residue = |piece: &str| Some(Spoilt::Residue(piece.to_owned()));
        assert_eq!(look(json!(r#"{"path": "a.txt</parameter>"}"#)), residue("</parameter>"));
        assert_eq!(look(json!(r#"{"path": "<|\"|a.txt<|\"|"}"#)), residue("<|\"|"));
        assert_eq!(look(json!(r#"{"path": "a\n</parameter>\n<parameter=text>\nb"}"#)), residue("<parameter="));
        assert_eq!(look(json!(r#"{"path<arg_key": "a"}"#)), residue("<arg_key>"));
    }

    #[test]
    fn a_file_may_show_markup() {
        let sample = "<tool_call>\n<function=x>\n<parameter=a>1</parameter>\n</function>\n</tool_call>";
        for text in
            [sample.to_owned(), format!("S = '{sample}'"), "`<arg_key>` and </parameter> are GLM's, Qwen's".to_owned()]
        {
            let arguments = json!({"path": "a", "text": text}).to_string();
            assert_eq!(look(json!(arguments)), None, "{text}");
        }
    }

    #[test]
    fn parameters_get_lost_or_misnamed() {
        assert_eq!(look(json!("")), Some(Spoilt::Nothing("path".to_owned())));
        assert_eq!(look(json!("{}")), Some(Spoilt::Empty("path".to_owned())));
        assert_eq!(look(json!(r#"{"path=a.txt": ""}"#)), Some(Spoilt::Key("path=a.txt".to_owned())));
        assert_eq!(look(json!(r#"{"path": "3", "lines": 3, "deep": null}"#)), None);
    }
}
