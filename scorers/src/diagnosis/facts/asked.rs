//! What the request itself asks of thoughts: whole in the text, between tags of its own, or none at all.

use serde_json::Value;

use super::Facts;
use crate::dialects::Split;

/// Tags that prompts teach are this long at the most, in bytes.
const TAG: usize = 40;

impl Facts<'_> {
    /// The request asks for the thoughts to be left in the text, or its prompt teaches the tags they stand between.
    ///
    /// llama.cpp `reasoning_format`, SGLang `separate_reasoning`, Groq `reasoning_format: "raw"`.
    #[must_use]
    pub fn thoughts_were_asked_for(&self, text: &str, split: &Split) -> bool {
        let body = &self.request.body;
        let format = body.get("reasoning_format").and_then(Value::as_str);
        let unsplit = matches!(format, Some("none" | "raw"))
            || body.get("separate_reasoning").and_then(Value::as_bool) == Some(false);
        let taught = || {
            let tag = if split.prefilled { closing_tag(text) } else { leading_tag(text) };
            let speaks = |tag: &str| ["user", "system"].iter().any(|role| self.request.text_of(role).contains(tag));
            self.model().reasons != Some(true) && tag.is_some_and(speaks)
        };
        unsplit || taught()
    }

    /// Where the request switches thinking off, and how it says so.
    #[must_use]
    pub fn thinking_switched_off(&self) -> Option<&'static str> {
        let body = &self.request.body;
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
