//! What the simulated model writes: from the book of known tasks, else by a few plain rules.
//!
//! Main type: [`Brain`]. The book is built from suites' own expectations ([`solve`]); nothing here knows an answer by
//! heart.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use monban_scorers::Registry;
use monban_scorers::dialects::Call;
use monban_scorers::request::{Request, ToolChoice};
use serde_json::{Map, Value};

use super::sample;
use super::solve::{Written, solve};
use crate::suite::Suite;

/// The simulated model.
#[derive(Debug, Default)]
pub struct Brain {
    book: HashMap<u64, Vec<Value>>,
}

impl Brain {
    /// A model that is right on the tasks of these suites.
    #[must_use]
    pub fn taught<'a>(suites: impl IntoIterator<Item = &'a Suite>) -> Self {
        let mut brain = Self::default();
        for task in suites.into_iter().flat_map(|suite| &suite.tasks) {
            brain.learn(&task.request, &task.expect);
        }
        brain
    }

    /// A model that is right on the built-in suites.
    #[must_use]
    pub fn builtin() -> Self {
        let registry = Registry::builtin();
        let suites: Vec<Suite> = crate::suite::BUILTIN
            .iter()
            .filter_map(|builtin| crate::suite::load(builtin.name, &registry).into_suite(false).ok())
            .collect();
        Self::taught(&suites)
    }

    /// Learns what satisfies a task: its request (without `model` and `stream`) and its `expect` list.
    pub fn learn(&mut self, request: &Map<String, Value>, expect: &[Value]) {
        self.book.entry(key(request)).or_default().extend(expect.iter().cloned());
    }

    /// What the model writes for a request.
    #[must_use]
    pub fn write(&self, body: &Value) -> Written {
        let known = body.as_object().and_then(|body| self.book.get(&key(body)));
        match known {
            Some(expect) => solve(expect, body),
            None => improvise(&Request::read(body), seed(body)),
        }
    }
}

/// A task is known by what decides its answer: the conversation, the tools and the format asked for.
fn key(request: &Map<String, Value>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for name in ["messages", "tools", "tool_choice", "response_format"] {
        request.get(name).map(Value::to_string).hash(&mut hasher);
    }
    hasher.finish()
}

/// The seed of a request that is to be sampled; without one, and at temperature 0, every answer is the likeliest.
fn seed(body: &Value) -> Option<u64> {
    let warm = body.get("temperature").and_then(Value::as_f64).is_none_or(|temperature| temperature > 0.0);
    body.get("seed").filter(|_| warm).and_then(Value::as_i64).map(i64::cast_unsigned)
}

/// An answer to a request nobody taught: obedient, and no more.
fn improvise(request: &Request, seed: Option<u64>) -> Written {
    let last = request.messages().last();
    let role = last.and_then(|message| message.get("role")).and_then(Value::as_str).unwrap_or_default();
    let calls = if role == "tool" { Vec::new() } else { calls(request) };
    if !calls.is_empty() {
        return Written { calls, ..Written::default() };
    }
    if let Some(schema) = request.response_format.as_ref().and_then(|format| format.pointer("/json_schema/schema")) {
        return Written { text: sample::instance(schema).to_string(), ..Written::default() };
    }
    if request.response_format.as_ref().and_then(|format| format.get("type")).and_then(Value::as_str)
        == Some("json_object")
    {
        return Written { text: "{\"answer\": \"yes\"}".to_owned(), ..Written::default() };
    }
    let said = last.map(text_of).unwrap_or_default();
    let text = if role == "tool" { format!("The tool says: {said}") } else { echo(&said, seed) };
    Written { text, ..Written::default() }
}

fn calls(request: &Request) -> Vec<Call> {
    let asked = request.text_of("user").to_lowercase();
    let chosen: Vec<_> = match &request.tool_choice {
        Some(ToolChoice::None) => return Vec::new(),
        Some(ToolChoice::Named(name)) => request.tools.iter().filter(|tool| tool.name == *name).collect(),
        Some(ToolChoice::Required) => request.tools.iter().take(1).collect(),
        _ => request.tools.iter().filter(|tool| asked.contains(&tool.name.to_lowercase())).collect(),
    };
    let chosen = if chosen.is_empty() && asked.contains("tool") && !asked.contains("not ") {
        request.tools.iter().take(1).collect()
    } else {
        chosen
    };
    chosen
        .into_iter()
        .map(|tool| Call {
            name: tool.name.clone(),
            arguments: sample::instance(&tool.parameters).as_object().cloned().unwrap_or_default(),
            id: None,
        })
        .collect()
}

fn text_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.chars().take(200).collect(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect(),
        _ => String::new(),
    }
}

/// The last quoted word of what was asked for, else a short sentence, which begins as the seed will have it.
fn echo(said: &str, seed: Option<u64>) -> String {
    let quoted = said.split(['"', '`']).skip(1).step_by(2).last();
    quoted.filter(|word| !word.trim().is_empty()).map_or_else(
        || format!("{}: here is a short answer.", seed.map_or("Understood".to_owned(), name)),
        str::to_owned,
    )
}

/// A name made of a seed: another seed, another name.
fn name(seed: u64) -> String {
    const SYLLABLES: [&str; 16] =
        ["ka", "mi", "ro", "ne", "su", "to", "ha", "yo", "ri", "ma", "ku", "shi", "no", "ta", "e", "wa"];
    let mut rest = seed;
    let mut text = String::from("Is");
    loop {
        text.push_str(SYLLABLES[usize::try_from(rest % 16).unwrap_or(0)]);
        rest /= 16;
        if rest == 0 {
            return text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_learnt_is_answered() {
        let mut brain = Brain::default();
        let request = json!({ "messages": [{ "role": "user", "content": "Capital of France?" }] });
        brain.learn(request.as_object().unwrap(), &[json!({ "scorer": "contains", "text": "Paris" })]);
        let mut sent = request;
        sent["model"] = json!("m");
        sent["stream"] = json!(true);
        assert_eq!(brain.write(&sent).text, "Paris");
    }

    #[test]
    fn a_seed_decides_what_is_sampled_and_nothing_else() {
        let write = |seed: i64, temperature: f64| {
            let body = json!({ "messages": [{ "role": "user", "content": "Invent a name." }], "seed": seed, "temperature": temperature });
            Brain::default().write(&body).text
        };
        assert_eq!(write(7, 1.5), write(7, 1.5));
        assert_ne!(write(7, 1.5), write(8, 1.5));
        assert_ne!(write(7, 1.5), write(7 + 16, 1.5));
        assert_eq!(write(7, 0.0), write(-8, 0.0));
    }

    #[test]
    fn the_rest_is_improvised() {
        let tool = json!({ "type": "function", "function": { "name": "now", "parameters": { "type": "object", "properties": {} } } });
        let ask = |choice: Value, text: &str| json!({ "messages": [{ "role": "user", "content": text }], "tools": [tool], "tool_choice": choice });
        let brain = Brain::default();
        assert_eq!(brain.write(&ask(json!("required"), "hi")).calls.len(), 1);
        assert_eq!(brain.write(&ask(json!("auto"), "Use the tool now.")).calls.len(), 1);
        assert!(brain.write(&ask(json!("auto"), "Say hi.")).calls.is_empty());
        assert!(brain.write(&ask(json!("none"), "Use now")).calls.is_empty());
        assert_eq!(
            brain.write(&json!({ "messages": [{ "role": "user", "content": "Reply with \"pong\"." }] })).text,
            "pong"
        );
    }
}
