//! `prompt`, `system`, `messages`: what is said to the model.

use serde_json::{Value, json};

use super::problem::{Problem, join};
use super::reader::{Reader, kind, list};
use crate::diagnostic::nearest;

/// The longest single text, bytes: a suite is no way to make a client run out of memory.
const LONGEST_TEXT: usize = 4 << 20;
/// The most messages of one task.
const MOST_MESSAGES: usize = 2000;

const ROLES: [&str; 5] = ["system", "developer", "user", "assistant", "tool"];
const MESSAGE_KEYS: [&str; 8] =
    ["role", "content", "name", "tool_calls", "tool_call_id", "reasoning", "reasoning_content", "refusal"];

/// The messages of a task: `prompt` with an optional `system`, or `messages`, and not both.
pub(super) fn read(reader: &mut Reader<'_, '_>) -> Vec<Value> {
    let has = |key: &str| reader.map.contains_key(key);
    match (has("prompt"), has("messages")) {
        (true, true) => {
            let problem = Problem::error(
                "prompt_and_messages",
                join(reader.at, "messages"),
                "both `prompt` and `messages` are given",
            );
            let problem = problem.at_key().related(join(reader.at, "prompt"), "the other one");
            reader.problems.push(problem.fix("`prompt` is short for one user message: keep one of the two".to_owned()));
            Vec::new()
        }
        (false, false) => {
            let problem = Problem::error("no_prompt", reader.at, "the task asks nothing");
            reader.problems.push(problem.fix("give it a `prompt`, or `messages`".to_owned()));
            Vec::new()
        }
        (true, false) => short_form(reader),
        (false, true) => {
            if has("system") {
                let problem =
                    Problem::error("prompt_and_messages", join(reader.at, "system"), "`system` goes with `prompt`");
                let problem = problem.at_key();
                reader.problems.push(problem.fix("put it first in `messages`, with `role = \"system\"`".to_owned()));
            }
            long_form(reader)
        }
    }
}

fn short_form(reader: &mut Reader<'_, '_>) -> Vec<Value> {
    let mut messages = Vec::with_capacity(2);
    for (key, role) in [("system", "system"), ("prompt", "user")] {
        if let Some(text) = reader.text(key) {
            text_is_sound(reader, key, text);
            messages.push(json!({"role": role, "content": text}));
        }
    }
    messages
}

fn long_form(reader: &mut Reader<'_, '_>) -> Vec<Value> {
    let items = reader.list("messages", "a list of messages").unwrap_or_default();
    if items.is_empty() && reader.map.get("messages").is_some_and(Value::is_array) {
        reader.fail("no_prompt", "messages", "the list of messages is empty");
    }
    if items.len() > MOST_MESSAGES {
        reader.fail("too_large", "messages", format!("{} messages, more than {MOST_MESSAGES}", items.len()));
        return Vec::new();
    }
    for (index, item) in items.iter().enumerate() {
        let at = format!("{}/messages/{index}", reader.at);
        let Value::Object(map) = item else {
            let message = format!("a message is a table, found {}", kind(item));
            reader.problems.push(Problem::error("wrong_type", at, message));
            continue;
        };
        message(&mut Reader { map, at: &at, problems: reader.problems });
    }
    items.to_vec()
}

fn message(reader: &mut Reader<'_, '_>) {
    reader.known("a message", MESSAGE_KEYS.into_iter());
    let role = reader.required_text("role", "a message");
    if let Some(role) = role.filter(|role| !ROLES.contains(role)) {
        let message = format!("unknown role `{}`", super::reader::short(role));
        let fix = match nearest(role, ROLES) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("one of {}", list(ROLES.into_iter())),
        };
        reader.problems.push(Problem::error("wrong_value", join(reader.at, "role"), message).fix(fix));
    }
    match reader.map.get("content") {
        Some(Value::String(text)) => text_is_sound(reader, "content", text),
        Some(Value::Array(parts)) => {
            for (index, part) in parts.iter().enumerate() {
                if part.get("type").and_then(Value::as_str).is_none() {
                    let message = "a part of a message is a table with a `type`: `text`, `image_url`, …";
                    reader.fail("wrong_type", &format!("content/{index}"), message);
                }
            }
        }
        Some(other) => reader.fail(
            "wrong_type",
            "content",
            format!("`content` expects a string or a list of parts, found {}", kind(other)),
        ),
        None if role == Some("assistant") && reader.map.contains_key("tool_calls") => {}
        None => reader.problems.push(Problem::error("missing_key", reader.at, "a message has no `content`")),
    }
    if role == Some("tool") && !reader.map.contains_key("tool_call_id") {
        let problem = Problem::error("missing_key", reader.at, "a tool's message has no `tool_call_id`");
        reader.problems.push(problem.fix("give it the `id` of the call it answers".to_owned()));
    }
}

fn text_is_sound(reader: &mut Reader<'_, '_>, key: &str, text: &str) {
    if text.trim().is_empty() && key != "content" {
        reader.fail("no_prompt", key, format!("`{key}` is empty"));
    }
    if text.len() > LONGEST_TEXT {
        reader.fail("too_large", key, format!("`{key}` is larger than {} MiB", LONGEST_TEXT >> 20));
    }
}
