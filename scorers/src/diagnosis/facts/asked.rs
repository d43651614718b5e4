//! What the request itself asks of thoughts and markup: thoughts whole in the text, between tags of its own, or none at
//! all; the notation of calls, to be shown.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::{Facts, Side};
use crate::dialects::Split;

/// Tags that prompts teach are this long at the most, in bytes.
const TAG: usize = 40;

/// Prose around markup is longer than this, in bytes.
const PROSE: usize = 24;

/// A request for code.
static CODE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:code|python|script|snippet|program)\b|代码|コード|スクリプト").ok());

/// A request to be shown the notation of calls.
static SHOW: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:show|example|explain|describe|document|what does|how (?:do|does|would|is|are))\b.{0,80}\b(?:tool[ -_]?calls?|function[ -_]?calls?|call (?:format|syntax)|xml|markup|syntax|special tokens?)\b|(?:ツール|工具|函数|関数|tool|function).{0,30}(?:例|格式|形式|書き方|写法|示例|見せ)",
    )
    .ok()
});

impl Facts<'_> {
    /// The request asks for the thoughts to be left in the text, or its prompt teaches the tags they stand between.
    ///
    /// llama.cpp `reasoning_format`, SGLang `separate_reasoning`, Groq `reasoning_format: "raw"`.
    #[must_use]
    pub fn thoughts_were_asked_for(&self, text: &str, split: &Split) -> bool {
        let request = self.view.request;
        let format = request.field("reasoning_format").and_then(Value::as_str);
        let unsplit = matches!(format, Some("none" | "raw"))
            || request.field("separate_reasoning").and_then(Value::as_bool) == Some(false);
        let taught = || {
            let tag = if split.prefilled { closing_tag(text) } else { leading_tag(text) };
            let speaks = |tag: &str| ["user", "system"].iter().any(|role| request.text_of(role).contains(tag));
            self.model().reasons != Some(true) && tag.is_some_and(speaks)
        };
        unsplit || taught()
    }

    /// The user speaks of the very tag the call in the text begins with, or asks to be shown how a call is written, and the
    /// answer shows it within prose; or it repeats what the user wrote. No call is missed.
    #[must_use]
    pub fn markup_was_asked_for(&self, side: &Side<'_>) -> bool {
        if self.call_was_missed() || self.forced() {
            return false;
        }
        let (user, markup) = (self.view.request.text_of("user"), side.leaked_text().trim());
        let asks_for = |pattern: &LazyLock<Option<Regex>>| pattern.as_ref().is_some_and(|it| it.is_match(&user));
        // Word for word the user's own, or a result's and spoken of: the answer repeats it.
        let spoken_of = side.completion.text().trim().len() >= markup.len() + PROSE;
        let result = || self.view.request.text_of("tool").contains(markup);
        if markup.len() > PROSE && (user.contains(markup) || spoken_of && result()) {
            return true;
        }
        // Python in a fence is code as long as no call is missed; JSON is none.
        if side.in_fence() && !markup.contains('{') && asks_for(&CODE) {
            return true;
        }
        if !spoken_of {
            return false;
        }
        let tag = leading_tag(markup).and_then(|tag| tag.split([' ', '=']).next()).filter(|tag| tag.len() > 3);
        tag.is_some_and(|tag| user.contains(tag)) || asks_for(&SHOW)
    }

    /// Where the request switches thinking off, and how it says so.
    #[must_use]
    pub fn thinking_switched_off(&self) -> Option<&'static str> {
        let body = self.view.request.body();
        let is = |pointer: &str, off: &[Value]| body.pointer(pointer).is_some_and(|value| off.contains(value));
        let spelled: [(&str, &[Value], &str); 7] = [
            ("/chat_template_kwargs/enable_thinking", &[false.into()], "chat_template_kwargs.enable_thinking false"),
            ("/chat_template_kwargs/thinking", &[false.into()], "chat_template_kwargs.thinking false"),
            ("/reasoning_effort", &["none".into()], "reasoning_effort none"),
            ("/reasoning/effort", &["none".into()], "reasoning.effort none"),
            ("/enable_thinking", &[false.into()], "enable_thinking false at the top"),
            ("/think", &[false.into()], "think false"),
            ("/thinking/type", &["disabled".into()], "thinking.type disabled"),
        ];
        spelled.into_iter().find(|(pointer, off, _)| is(pointer, off)).map(|(_, _, words)| words)
    }
}

/// The tag a text begins with, brackets included.
fn leading_tag(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let end = text.find(['>', ']', '▷'])?;
    let tag = &text[..end + text[end..].chars().next()?.len_utf8()];
    (tag.len() <= TAG && tag.starts_with(['<', '[', '◁'])).then_some(tag)
}

/// The first closing tag of a text.
fn closing_tag(text: &str) -> Option<&str> {
    let start = text.find("</")?;
    let end = text[start..].find('>')?;
    (end < TAG).then(|| &text[start..=start + end])
}
