//! A delivered answer → the bytes of a chat completion, plain or streamed.
//!
//! Main type: [`Delivered`]. It knows the field names of the engines, nothing of models or parsers.

use serde_json::{Map, Value, json};

/// What a server hands to its client.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Delivered {
    /// `content`; `None` is null.
    pub content: Option<String>,
    /// The reasoning; `None` is null or absent, as the engine does it.
    pub reasoning: Option<String>,
    /// The calls: name and arguments as the client gets them.
    pub calls: Vec<DeliveredCall>,
    /// `finish_reason`.
    pub finish: String,
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens the model wrote.
    pub completion_tokens: u64,
    /// How often the answer is handed out: `n`; 0 is once.
    pub n: usize,
    /// The tokens themselves, where the request asked for `logprobs`.
    pub tokens: Option<Vec<String>>,
}

/// One call as handed out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DeliveredCall {
    /// `id`.
    pub id: String,
    /// `function.name`.
    pub name: String,
    /// `function.arguments`: a string, rightly; anything else under a fault.
    pub arguments: Value,
}

/// What differs between engines on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// The model name answered with.
    pub model: String,
    /// `reasoning` or `reasoning_content`.
    pub reasoning_field: &'static str,
    /// Whether the field is sent as null when there is no reasoning.
    pub reasoning_null: bool,
    /// `system_fingerprint`.
    pub fingerprint: Option<String>,
}

/// The body of a plain answer.
#[must_use]
pub(super) fn plain(answer: &Delivered, look: &Look, id: &str, created: u64) -> Value {
    let choice = |index: usize| {
        let mut message = Map::new();
        message.insert("role".into(), json!("assistant"));
        message.insert("content".into(), json!(answer.content));
        if answer.reasoning.is_some() || look.reasoning_null {
            message.insert(look.reasoning_field.into(), json!(answer.reasoning));
        }
        message.insert("tool_calls".into(), answer.calls.iter().map(|made| call(made, index)).collect());
        json!({ "index": index, "message": message, "finish_reason": answer.finish, "logprobs": logprobs(answer) })
    };
    let mut body = envelope("chat.completion", look, id, created);
    body.insert("choices".into(), (0..answer.n.max(1)).map(choice).collect());
    body.insert("usage".into(), usage(answer));
    Value::Object(body)
}

/// The `data:` values of a streamed answer in order, without `[DONE]`.
#[must_use]
pub(super) fn chunks(answer: &Delivered, look: &Look, id: &str, created: u64, with_usage: bool) -> Vec<Value> {
    let mut out = Vec::new();
    for choice in 0..answer.n.max(1) {
        out.extend(deltas(answer, look, choice).into_iter().map(|(delta, finish)| {
            let mut body = envelope("chat.completion.chunk", look, id, created);
            body.insert("choices".into(), json!([{ "index": choice, "delta": delta, "finish_reason": finish }]));
            Value::Object(body)
        }));
    }
    if with_usage {
        let mut body = envelope("chat.completion.chunk", look, id, created);
        body.insert("choices".into(), json!([]));
        body.insert("usage".into(), usage(answer));
        out.push(Value::Object(body));
    }
    out
}

/// What one choice streams: the deltas, the last with its finish reason.
fn deltas<'a>(answer: &'a Delivered, look: &Look, choice: usize) -> Vec<(Value, Option<&'a str>)> {
    let mut out = vec![(json!({ "role": "assistant", "content": "" }), None)];
    if let Some(reasoning) = &answer.reasoning {
        out.extend(tokens(reasoning).map(|piece| (json!({ look.reasoning_field: piece }), None)));
    }
    if let Some(content) = &answer.content {
        out.extend(tokens(content).map(|piece| (json!({ "content": piece }), None)));
    }
    for (index, made) in answer.calls.iter().enumerate() {
        let id = id_in(made, choice);
        let head =
            json!({ "index": index, "id": id, "type": "function", "function": { "name": made.name, "arguments": "" } });
        out.push((json!({ "tool_calls": [head] }), None));
        let part =
            |piece: Value| (json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }), None);
        match &made.arguments {
            Value::String(text) => out.extend(tokens(text).map(|piece| part(piece.into()))),
            other => out.push(part(other.clone())),
        }
    }
    out.push((json!({}), Some(answer.finish.as_str())));
    out
}

/// The tokens, each as likely as can be: the simulated model is never in doubt.
fn logprobs(answer: &Delivered) -> Value {
    let Some(tokens) = &answer.tokens else { return Value::Null };
    let token = |text: &String| json!({ "token": text, "bytes": text.as_bytes(), "logprob": 0.0, "top_logprobs": [] });
    json!({ "content": tokens.iter().map(token).collect::<Vec<_>>() })
}

fn envelope(object: &str, look: &Look, id: &str, created: u64) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("id".into(), json!(id));
    body.insert("object".into(), json!(object));
    body.insert("created".into(), json!(created));
    body.insert("model".into(), json!(look.model));
    if let Some(fingerprint) = &look.fingerprint {
        body.insert("system_fingerprint".into(), json!(fingerprint));
    }
    body
}

/// The prompt is read once, every choice is written.
fn usage(answer: &Delivered) -> Value {
    let written = answer.completion_tokens.saturating_mul(answer.n.max(1) as u64);
    json!({
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": written,
        "total_tokens": answer.prompt_tokens + written,
    })
}

/// The call's id, another one in each choice.
fn id_in(made: &DeliveredCall, choice: usize) -> String {
    if choice == 0 { made.id.clone() } else { format!("{}-{choice}", made.id) }
}

fn call(made: &DeliveredCall, choice: usize) -> Value {
    json!({ "id": id_in(made, choice), "type": "function", "function": { "name": made.name, "arguments": made.arguments } })
}

/// Pieces of about one token: a word with the blank before it, or four characters of a long one.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = 0;
        for (taken, (at, character)) in rest.char_indices().enumerate() {
            if taken > 0 && (taken >= 4 || character.is_whitespace()) {
                break;
            }
            end = at + character.len_utf8();
        }
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tokens_are_the_text() {
        for text in ["", "a", "The capital is Paris.", "東京は晴れ", "{\"city\": \"Tokyo\"}"] {
            assert_eq!(tokens(text).collect::<String>(), text);
        }
        assert_eq!(tokens("a bc defghij").collect::<Vec<_>>(), ["a", " bc", " def", "ghij"]);
    }
}
