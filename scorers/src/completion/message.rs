//! A message or a delta → the parts of an answer: [`Parts`], which grow as deltas come in.
//!
//! Knows every field that a server may put text, reasoning, refusals or calls in. It must not judge.

use super::calls::Calls;
use super::deviation::Notes;
use super::json::{Json, Members, duplicates, get_some};

/// Fields of reasoning, the most usual first (vLLM ≥ 0.16 `reasoning`, SGLang and llama.cpp `reasoning_content`).
pub(super) const REASONING: [&str; 4] = ["reasoning_content", "reasoning", "thinking", "reasoning_text"];
/// Structured copies of the reasoning beside the plain field (OpenRouter, LiteLLM): read only where that is missing.
pub(super) const REASONING_COPIES: [&str; 2] = ["reasoning_details", "thinking_blocks"];

/// What has been read of one message.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) text: Option<String>,
    pub(super) reasoning: Option<String>,
    pub(super) reasoning_field: Option<String>,
    pub(super) refusal: Option<String>,
    pub(super) calls: Calls,
    /// Sorted.
    pub(super) keys: Vec<String>,
    role: bool,
}

/// Which kinds of token a message or delta brought.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Brought {
    pub(super) text: bool,
    pub(super) reasoning: bool,
    pub(super) tool: bool,
}

impl Parts {
    /// Nothing an application could read.
    pub(super) fn is_empty(&self) -> bool {
        let blank = |text: &Option<String>| text.as_deref().is_none_or(str::is_empty);
        blank(&self.text) && blank(&self.reasoning) && blank(&self.refusal) && self.calls.calls.is_empty()
    }

    /// Reads a message (`streamed` false) or a delta.
    pub(super) fn read(&mut self, members: &Members<'_>, path: &str, streamed: bool, notes: &mut Notes) -> Brought {
        duplicates(members, path, notes);
        let before = self.sizes();
        for (key, json) in members {
            self.note_key(key);
            match &**key {
                "role" => self.role(json, path, notes),
                "content" => self.content(json, path, notes),
                "refusal" => self.refuse(json, path, notes),
                "tool_calls" => self.calls.read(json, path, streamed, notes),
                "function_call" => self.calls.legacy(json, path, notes),
                _ => {}
            }
        }
        self.reason(members, path, notes);
        if !streamed && !self.role {
            notes.add("role_not_assistant", format_args!("{path}.role"), "missing");
        }
        let after = self.sizes();
        let calls = get_some(members, "tool_calls").or_else(|| get_some(members, "function_call"));
        let tool = calls.is_some_and(|calls| !matches!(calls, Json::List(entries) if entries.is_empty()));
        Brought { text: after.0 > before.0, reasoning: after.1 > before.1, tool }
    }

    /// Adds to the text.
    pub(super) fn push_text(&mut self, text: &str) {
        self.text.get_or_insert_default().push_str(text);
    }

    /// Adds to one of the fields of [`REASONING`], or to the text.
    pub(super) fn push(&mut self, piece: &str, field: &str) -> Brought {
        if field == "content" {
            self.push_text(piece);
            return Brought { text: true, ..Brought::default() };
        }
        self.push_reasoning(piece, field);
        Brought { reasoning: true, ..Brought::default() }
    }

    /// How much text and how much reasoning there is, in bytes.
    pub(super) fn sizes(&self) -> (usize, usize) {
        (self.text.as_ref().map_or(0, String::len), self.reasoning.as_ref().map_or(0, String::len))
    }

    fn note_key(&mut self, key: &str) {
        // Bounded: a hostile message has as many keys as it likes.
        if let Err(at) = self.keys.binary_search_by(|known| known.as_str().cmp(key))
            && self.keys.len() < 64
        {
            self.keys.insert(at, key.to_owned());
        }
    }

    fn role(&mut self, json: &Json<'_>, path: &str, notes: &mut Notes) {
        self.role |= !matches!(json, Json::Null);
        if !matches!(json, Json::Null) && !matches!(json.as_str(), Some("assistant" | "")) {
            notes.add("role_not_assistant", format_args!("{path}.role"), json.to_text());
        }
    }

    fn content(&mut self, json: &Json<'_>, path: &str, notes: &mut Notes) {
        match json {
            Json::Null => {}
            Json::Text(text) => self.push_text(text),
            Json::List(parts) => {
                notes.add("content_parts", format_args!("{path}.content"), format_args!("{} parts", parts.len()));
                self.text.get_or_insert_default();
                for (at, part) in parts.iter().enumerate() {
                    self.part(part, &format_args!("{path}.content[{at}]"), notes);
                }
            }
            other => {
                notes.add("content_not_text", format_args!("{path}.content"), other.to_text());
                let text = other.field("text").or_else(|| other.field("content")).unwrap_or(other).to_text();
                self.push_text(&text);
            }
        }
    }

    fn part(&mut self, part: &Json<'_>, path: &dyn std::fmt::Display, notes: &mut Notes) {
        let kind = part.field("type").and_then(Json::as_str);
        match (part, kind) {
            (Json::Text(text), _) => self.push_text(text),
            (_, Some("thinking" | "reasoning" | "redacted_thinking")) => {
                let mut thought = String::new();
                texts(part, &mut thought);
                self.push_reasoning(&thought, "content");
            }
            (_, Some("refusal")) => {
                if let Some(refusal) = part.field("refusal") {
                    self.refusal.get_or_insert_default().push_str(&refusal.to_text());
                }
            }
            (_, Some("tool_use" | "tool_call" | "function")) => self.calls.part(part, path, notes),
            _ => match part.field("text").or_else(|| part.field("content")) {
                Some(text) => self.push_text(&text.to_text()),
                None => notes.add("content_part_unknown", path, part.to_value()),
            },
        }
    }

    fn refuse(&mut self, json: &Json<'_>, path: &str, notes: &mut Notes) {
        match json {
            Json::Null => {}
            Json::Text(text) => self.refusal.get_or_insert_default().push_str(text),
            other => {
                notes.add("refusal_not_text", format_args!("{path}.refusal"), other.to_text());
                self.refusal.get_or_insert_default().push_str(&other.to_text());
            }
        }
    }

    /// The reasoning fields: one counts, a copy in a second one is booked, something else in a second one is kept.
    fn reason(&mut self, members: &Members<'_>, path: &str, notes: &mut Notes) {
        let mut first: Option<String> = None;
        for field in REASONING {
            let Some(json) = get_some(members, field) else { continue };
            let mut thought = String::new();
            texts(json, &mut thought);
            if json.as_str().is_none() {
                notes.add("reasoning_not_text", format_args!("{path}.{field}"), json.type_name());
            }
            match &first {
                Some(known) if *known == thought || thought.is_empty() => {
                    notes.add("reasoning_twice", format_args!("{path}.{field}"), "the same text in two fields");
                    continue;
                }
                Some(known) if !known.is_empty() => {
                    notes.add("reasoning_twice", format_args!("{path}.{field}"), "different texts in two fields");
                }
                _ => {}
            }
            self.push_reasoning(&thought, field);
            first = Some(thought);
        }
        if first.is_some() {
            return;
        }
        if let Some((field, json)) = REASONING_COPIES.iter().find_map(|field| Some((field, get_some(members, field)?)))
        {
            let mut thought = String::new();
            texts(json, &mut thought);
            self.push_reasoning(&thought, field);
        }
    }

    fn push_reasoning(&mut self, thought: &str, field: &str) {
        let known = self.reasoning.get_or_insert_default();
        if self.reasoning_field.is_none() || (known.is_empty() && !thought.is_empty()) {
            self.reasoning_field = Some(field.to_owned());
        }
        known.push_str(thought);
    }
}

/// The text in a piece of reasoning, whatever wraps it.
fn texts(json: &Json<'_>, out: &mut String) {
    match json {
        Json::Text(text) => out.push_str(text),
        Json::List(items) => items.iter().for_each(|item| texts(item, out)),
        Json::Map(_) => {
            let inner = ["thinking", "text", "reasoning", "content", "summary"];
            match inner.iter().find_map(|key| json.field(key)) {
                Some(inner) => texts(inner, out),
                None => out.push_str(&json.to_text()),
            }
        }
        Json::Null => {}
        other => out.push_str(&other.to_text()),
    }
}
