//! What the model wrote where a parser hid it: token by token from `logprobs`, and with the special tokens kept. Pure.

use monban_scorers::completion::Completion;
use monban_scorers::dialects::{Hints, Reread, reread};
use monban_scorers::{Mode, Request};
use serde_json::Value;

use super::seen::Seen;

/// The re-asks, by the id of their probes, the most telling first.
pub(super) const TOKENS: &str = "tools-tokens";
pub(super) const RAW: &str = "tools-raw";

/// The model's own text for the tools probe.
#[derive(Clone, Debug)]
pub(super) struct Recovered {
    /// Where it was learned.
    pub(super) source: &'static str,
    /// The text.
    pub(super) text: String,
    /// The family of the call in it, and the calls; `None` where there is none.
    pub(super) call: Option<(&'static str, Vec<String>)>,
}

/// The model's text, where one of the re-asks shows it.
pub(super) fn recovered(seen: &Seen, request: &Request, model: Option<&str>) -> Option<Recovered> {
    let tokens = seen.json(TOKENS).as_ref().and_then(joined).map(|text| ("logprobs", text));
    let raw = || {
        let reply = seen.reply(RAW);
        let completion = reply.completion()?;
        let text = format!("{}{}", completion.reasoning(), completion.text());
        (!text.trim().is_empty() && completion.tool_calls.is_empty()).then_some(("skip_special_tokens: false", text))
    };
    let (source, text) = tokens.or_else(raw)?;
    let call = read(&text, request, model).and_then(|reread| {
        let (found, _) = reread.tool?;
        Some((found.family, reread.completion.tool_calls.iter().map(|call| call.name.clone()).collect()))
    });
    Some(Recovered { source, text, call })
}

fn read(text: &str, request: &Request, model: Option<&str>) -> Option<Reread> {
    let completion = Completion {
        mode: Some(Mode::Plain),
        text: Some(text.to_owned()),
        finish_reason: Some("stop".to_owned()),
        choices: 1,
        ..Completion::default()
    };
    reread(&completion, request, &Hints { request: Some(request), model, ..Hints::default() })
}

/// The tokens of `choices[0].logprobs`, joined. By their bytes where given: a token may be half a character.
fn joined(body: &Value) -> Option<String> {
    let tokens = body.pointer("/choices/0/logprobs/content")?.as_array()?;
    let mut bytes: Vec<u8> = Vec::new();
    for token in tokens {
        match token.get("bytes").and_then(Value::as_array) {
            Some(own) => bytes.extend(own.iter().filter_map(|byte| u8::try_from(byte.as_u64()?).ok())),
            None => bytes.extend(token.get("token").and_then(Value::as_str).unwrap_or_default().bytes()),
        }
    }
    (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tokens_join_by_their_bytes() {
        let body = json!({ "choices": [{ "logprobs": { "content": [
            { "token": "東", "bytes": [230, 157] }, { "token": "x", "bytes": [177] }, { "token": "!" },
        ] } }] });
        assert_eq!(joined(&body).as_deref(), Some("東!"));
        assert_eq!(joined(&json!({ "choices": [{ "logprobs": null }] })), None);
    }

    #[test]
    fn a_hidden_call_is_found_in_the_tokens() {
        let request = Request::read(&json!({ "messages": [], "tools": [{ "type": "function", "function": {
            "name": "get_weather", "parameters": { "type": "object", "properties": { "city": { "type": "string" } } } } }] }));
        let text =
            "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>";
        let reread = read(text, &request, None).unwrap();
        assert_eq!(reread.completion.tool_calls[0].name, "get_weather");
        assert!(read("It is sunny.", &request, None).is_none_or(|reread| reread.tool.is_none()));
    }
}
