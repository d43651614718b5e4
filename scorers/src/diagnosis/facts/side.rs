//! One completion of the attempt, and what its shape says by itself: [`Side`].

use serde_json::Value;

use super::markup::{CallState, Seen, left_over};
use crate::completion::{Arguments, Completion, Exchange, Mode, ToolCall};
use crate::dialects::{Reread, Split};
use crate::request::Request;

/// A completion with its exchange and its re-reading.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Plain or streamed.
    pub mode: Mode,
    /// The wire.
    pub exchange: &'a Exchange,
    /// As delivered.
    pub completion: &'a Completion,
    /// As the model meant it.
    pub reread: Option<&'a Reread>,
    /// What was asked.
    pub request: &'a Request,
    /// Markup in the text that the re-reading could not or must not read: broken, or without declared tools.
    pub unread: Option<Seen>,
}

/// An empty answer costs an end token or two; more than that went somewhere.
const PHANTOM: u64 = 5;

impl<'a> Side<'a> {
    /// `stop`, `tool_calls`, …; empty where none was stated.
    #[must_use]
    pub fn finish(&self) -> &'a str {
        self.completion.finish_reason.as_deref().unwrap_or_default()
    }

    /// Tokens generated, as the server states them, without reasoning that it counts and keeps to itself.
    #[must_use]
    pub fn tokens(&self) -> Option<u64> {
        let usage = self.completion.usage?;
        let hidden = usage.reasoning_tokens.filter(|_| !self.has_reasoning()).unwrap_or_default();
        Some(usage.completion_tokens?.saturating_sub(hidden))
    }

    /// All tokens generated, as the server states them.
    #[must_use]
    pub fn billed(&self) -> Option<u64> {
        self.completion.billed()
    }

    /// The server cut the answer, whether or not it says so.
    #[must_use]
    pub fn at_cap(&self) -> bool {
        self.completion.is_truncated() || self.completion.has_spent(self.request.max_tokens)
    }

    /// No text, no call.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.completion.is_empty_answer()
    }

    /// The reasoning arrived, and says something.
    #[must_use]
    pub fn has_reasoning(&self) -> bool {
        self.completion.reasoning().contains(|char: char| !char.is_whitespace())
    }

    /// Tool markup found by the re-reading, and the field it stands in.
    #[must_use]
    pub fn leak(&self) -> Option<(Seen, &'static str)> {
        let read = self.reread.and_then(|reread| reread.tool.as_ref()).map(|(found, place)| (found.into(), *place));
        read.or_else(|| self.unread.map(|seen| (seen, "content")))
    }

    /// The field the tool markup stands in.
    #[must_use]
    pub fn leak_place(&self) -> Option<&'static str> {
        self.leak().map(|(_, place)| place)
    }

    /// Reasoning markup found in the text.
    #[must_use]
    pub fn thoughts(&self) -> Option<&'a Split> {
        self.reread?.reasoning.as_ref().filter(|_| self.was_mended("reasoning_in_content"))
    }

    /// Reasoning markup found in the reasoning field, thoughts and answer together.
    #[must_use]
    pub fn thoughts_in_reasoning(&self) -> Option<&'a Split> {
        self.reread.and_then(|reread| reread.reasoning.as_ref()).filter(|_| self.thoughts().is_none())
    }

    /// The markup itself.
    #[must_use]
    pub fn leaked_text(&self) -> &'a str {
        let Some((found, place)) = self.leak() else { return "" };
        let text = if place == "reasoning" { self.completion.reasoning() } else { self.completion.text() };
        text.get(found.start..found.end).unwrap_or(text)
    }

    /// The markup stands inside a code fence.
    #[must_use]
    pub fn in_fence(&self) -> bool {
        let Some((found, _)) = self.leak() else { return false };
        let before = self.completion.text().get(..found.start).unwrap_or_default();
        before.matches("```").count() % 2 == 1 || self.leaked_text().trim_start().starts_with("```")
    }

    /// How many tokens what arrived can hold at the very most: three characters a token, one and a half a character
    /// outside ASCII, and a handful of markers.
    #[must_use]
    pub fn visible_tokens(&self) -> u64 {
        let calls: u64 = self
            .completion
            .tool_calls
            .iter()
            .map(|call| weigh(&call.name) + weigh(&call.arguments.as_text()) + 16)
            .sum();
        weigh(self.completion.text()) + weigh(self.completion.reasoning()) + calls + 6
    }

    /// Tokens were generated and nothing came of them.
    #[must_use]
    pub fn is_phantom(&self) -> bool {
        if !self.is_silent() || self.at_cap() {
            return false;
        }
        match (self.tokens(), self.has_reasoning()) {
            (Some(tokens), false) => tokens >= PHANTOM,
            // A call may be missing behind the thoughts. Without tools nothing but an answer can be.
            (Some(tokens), true) => !self.request.tools.is_empty() && tokens > self.visible_tokens() + 4,
            (None, _) => false,
        }
    }

    /// Text arrived, and far more was generated than it holds. Behind thoughts without an answer a call may be missing, so
    /// that less will do.
    #[must_use]
    pub fn lost_tokens(&self) -> bool {
        let shown = self.completion.text().len() + self.completion.reasoning().len();
        // No more than the least that so many bytes can hold: nothing to weigh.
        if self.tokens().is_none_or(|tokens| tokens <= shown as u64 / 3 + 6) {
            return false;
        }
        let visible = self.visible_tokens();
        let slack = if self.only_thought() && !self.request.tools.is_empty() { 4 } else { visible / 2 + 8 };
        !self.is_silent() && !self.at_cap() && self.tokens().is_some_and(|tokens| tokens > visible + slack)
    }

    /// The text is the thoughts, and no answer stands behind them.
    fn only_thought(&self) -> bool {
        self.completion.tool_calls.is_empty() && self.thoughts().is_some_and(|split| split.answer.trim().is_empty())
    }

    /// The text ends as if something had been cut out behind it.
    #[must_use]
    pub fn ends_open(&self) -> bool {
        let text = self.completion.text();
        text.ends_with(['\n', ' ', ':']) || text.trim_end().ends_with(':')
    }

    /// The text ends with the tags of a call, and nothing stands between them.
    #[must_use]
    pub fn is_hollow(&self) -> bool {
        super::markup::ends_hollow(self.completion.text())
    }

    /// The server put the answer off in the middle, with an error inside the stream.
    #[must_use]
    pub fn broke_off(&self) -> bool {
        self.completion.stream_error.is_some() && self.completion.finish_reason.is_none()
    }

    /// The re-reading booked this.
    #[must_use]
    pub fn was_mended(&self, kind: &str) -> bool {
        self.reread.is_some_and(|reread| reread.repairs.iter().any(|repair| repair.kind == kind))
    }

    /// What became of the call.
    #[must_use]
    pub fn call_state(&self) -> CallState {
        let all = &self.completion.tool_calls;
        let mut calls =
            all.iter().zip(ToolCall::hollow_among(all)).filter(|(_, hollow)| !hollow).map(|(call, _)| call).peekable();
        if calls.peek().is_some() {
            return if calls.any(|call| self.is_mangled(call)) || self.leak_place() == Some("tool_calls") {
                CallState::Mangled
            } else if self.left_over().is_some() {
                CallState::Residue
            } else {
                CallState::Fine
            };
        }
        match self.leak_place() {
            Some("reasoning") => CallState::InReasoning,
            Some(_) => CallState::Leak,
            None if self.is_phantom() || self.is_silent() && self.finish() == "tool_calls" => CallState::Silent,
            None if self.lost_tokens() => CallState::Lost,
            None => CallState::None,
        }
    }

    /// Where the arguments belong stands a whole call in the model's own markup, the tool's name being a declared one.
    #[must_use]
    pub fn holds_raw_answer(&self) -> bool {
        let mut calls = self.completion.tool_calls.iter();
        let raw = |call: &ToolCall| self.request.tool(&call.name).is_some() && call.arguments.value().is_err();
        self.leak_place() == Some("tool_calls") && calls.all(raw)
    }

    /// Tool markup beside delivered calls.
    #[must_use]
    pub fn left_over(&self) -> Option<&'a str> {
        left_over(self.completion.text())
    }

    /// The text holds the markup of calls, and each of them is delivered as well.
    #[must_use]
    pub fn repeats_calls(&self) -> bool {
        let calls = self.completion.tool_calls.len();
        calls > 0
            && self.leak_place() == Some("content")
            && self.reread.is_some_and(|reread| reread.completion.tool_calls.len() == calls)
    }

    /// The call's name is not declared, and name or arguments are not what any model means: pieces of markup.
    fn is_mangled(&self, call: &ToolCall) -> bool {
        if self.request.tools.is_empty() || self.request.tool(&call.name).is_some() {
            return false;
        }
        let odd_name = call.name.is_empty()
            || call.name == "function"
            || call.name.chars().any(|c| !(c.is_alphanumeric() || "_-.:/".contains(c)));
        // The id of the family's markup, whole, where the name belongs.
        let index = call.name.strip_prefix("functions.").and_then(|rest| rest.rsplit_once(':'));
        let is_id = index.is_some_and(|(name, index)| {
            self.request.tool(name).is_some() && index.bytes().all(|byte| byte.is_ascii_digit())
        });
        odd_name || is_id || !self.at_cap() && !matches!(call.arguments.value(), Ok(Value::Object(_)))
    }

    /// The calls as the model meant them: names and arguments.
    #[must_use]
    pub fn meant_calls(&self) -> Vec<(&'a str, Option<Value>)> {
        let calls = self.reread.map_or(&self.completion.tool_calls, |reread| &reread.completion.tool_calls);
        calls.iter().map(|call| (call.name.as_str(), Self::object_of(call))).collect()
    }

    /// The arguments of a call as an object, looking through one layer of JSON text.
    #[must_use]
    pub fn object_of(call: &ToolCall) -> Option<Value> {
        match call.arguments.value() {
            Ok(Value::Object(map)) => Some(Value::Object(map)),
            Ok(Value::String(text)) => serde_json::from_str::<Value>(&text).ok().filter(Value::is_object),
            _ => None,
        }
    }

    /// A call's arguments are not JSON at all.
    #[must_use]
    pub fn broken_call(&self) -> Option<&'a ToolCall> {
        self.completion
            .tool_calls
            .iter()
            .find(|call| matches!(call.arguments, Arguments::Text(_)) && call.arguments.value().is_err())
    }
}

fn weigh(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let other = text.chars().count() as u64 - ascii;
    ascii / 3 + other + other / 2
}
