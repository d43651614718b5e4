//! The probes that are read, not judged: one question each, a few tokens.

use monban_scorers::Mode;
use serde_json::{Value, json};

use super::seen::{Probe, To};

/// A context up to so many tokens is overrun by a prompt; a longer one only by a budget.
const CHEAP_CONTEXT: u64 = 16_384;

/// The prompt that most of them share.
const WORDS: &str = "Write the numbers from one to ten in words.";

/// The first question: small enough for any endpoint that answers at all. Asked again later.
pub(super) const FIRST: &str = "first";

/// The first question as a probe.
pub(super) fn first(model: &str) -> Probe {
    Probe::chat(FIRST, ask(model, WORDS, json!({ "max_tokens": 12 })))
}

/// What is asked beside the judged probes.
pub(super) fn singles(model: &str, context: Option<u64>, keyed: bool) -> Vec<Probe> {
    let mut probes = vec![
        Probe::chat("bare", ask(model, WORDS, json!({ "max_tokens": 1 }))),
        Probe::chat("laden", ask(model, WORDS, json!({ "max_tokens": 1, "tools": tools(), "tool_choice": "auto" }))),
        Probe::chat("max-tokens", ask(model, WORDS, json!({ "max_tokens": 2 }))),
        Probe::chat("no-model", ask("monban-no-such-model", "Hi", json!({ "max_tokens": 1 }))),
        Probe::chat("no-messages", json!({ "model": model, "max_tokens": 1 })),
        Probe::chat("again", ask(model, WORDS, json!({ "max_tokens": 12 }))),
        Probe::chat("logprobs", ask(model, WORDS, json!({ "max_tokens": 2, "logprobs": true, "top_logprobs": 2 }))),
        Probe::chat("n", ask(model, WORDS, json!({ "max_tokens": 2, "n": 2, "temperature": 0.8 }))),
    ];
    for (id, seed) in [("seed-7", 7), ("seed-7-2", 7), ("seed-8", 8)] {
        let body = ask(model, "Invent a short name.", json!({ "max_tokens": 12, "temperature": 1.5, "seed": seed }));
        probes.push(Probe::chat(id, body));
    }
    if keyed {
        let body = ask(model, "Hi", json!({ "max_tokens": 1 }));
        probes.push(Probe { id: "no-key", mode: Mode::Plain, to: To::Anonymous, body });
    }
    probes.extend(context.map(|context| over(model, context)));
    probes
}

/// More than the context holds: by the prompt where that is cheap, else by the budget.
fn over(model: &str, context: u64) -> Probe {
    if context <= CHEAP_CONTEXT {
        let words = usize::try_from(context + context / 8 + 64).unwrap_or_default();
        return Probe::chat("over-context", ask(model, &"go ".repeat(words), json!({ "max_tokens": 1 })));
    }
    let body = ask(model, "Reply with the word \"pong\".", json!({ "max_tokens": context.saturating_add(1000) }));
    Probe { mode: Mode::Stream, ..Probe::chat("over-budget", body) }
}

/// A request with one message.
fn ask(model: &str, prompt: &str, more: Value) -> Value {
    let mut body = json!({ "model": model, "messages": [{ "role": "user", "content": prompt }], "temperature": 0 });
    if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
        body.extend(more);
    }
    body
}

/// The same request with a stop sequence taken from its answer.
pub(super) fn stopped(model: &str, stop: &str) -> Probe {
    Probe::chat("stop", ask(model, WORDS, json!({ "max_tokens": 12, "stop": [stop] })))
}

/// Five tools: a prompt that holds them is two hundred tokens longer and more; a slow endpoint can still read it.
fn tools() -> Value {
    let about = ["departures", "arrivals", "platforms", "tickets", "delays"];
    let tool = |about: &str| {
        json!({ "type": "function", "function": {
            "name": format!("list_{about}"),
            "description": format!("List the {about} of a railway station"),
            "parameters": { "type": "object", "required": ["station"], "properties": { "station": { "type": "string" } } },
        } })
    };
    about.iter().map(|about| tool(about)).collect()
}

/// How long the tools are as JSON text, bytes.
pub(super) fn tools_size() -> usize {
    tools().to_string().len()
}
