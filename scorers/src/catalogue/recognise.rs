//! Which family a chat template or a delivered text belongs to, by ordered patterns.
//!
//! The dialects read texts far more carefully; the patterns here are the quick first answer.

use std::sync::OnceLock;

use regex::{RegexSet, RegexSetBuilder};
use serde::Deserialize;

use super::data::read;

/// A pattern and the families it speaks for.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ContentRule {
    /// The pattern.
    pub pattern: String,
    /// The families that write such bytes, the likeliest first.
    pub families: Vec<String>,
    /// Those of them whose special tokens must have been stripped.
    pub stripped: Vec<String>,
    /// It also matches templates without tools.
    pub weak: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RecogniseFile {
    pub(super) content: Vec<ContentRule>,
    pub(super) template: Vec<ContentRule>,
}

pub(super) const RECOGNISE: &str = include_str!("../../catalogue/recognise.toml");

/// Beyond this a template is not looked at: templates are some ten kilobytes.
const MAX_BYTES: usize = 1 << 20;

#[derive(Debug, Default)]
struct Rules {
    rules: Vec<ContentRule>,
    set: RegexSet,
}

impl Rules {
    fn new(rules: Vec<ContentRule>) -> Self {
        let patterns = rules.iter().map(|rule| rule.pattern.as_str());
        let set = RegexSetBuilder::new(patterns).build().unwrap_or_else(|_| RegexSet::empty());
        Self { rules, set }
    }

    fn first(&self, text: &str) -> Option<&ContentRule> {
        let end = (0..=MAX_BYTES.min(text.len())).rev().find(|&end| text.is_char_boundary(end))?;
        self.set.matches(&text[..end]).iter().next().and_then(|index| self.rules.get(index))
    }
}

/// The tool family a chat template renders, by its text; a weak guess (a template that only mentions parameters) counts as none.
#[must_use]
pub fn family_of_template(chat_template: &str) -> Option<&'static str> {
    template_rule(chat_template).filter(|rule| !rule.weak)?.families.first().map(String::as_str)
}

/// The rule that a chat template matches first, weak ones too.
#[must_use]
pub fn template_rule(chat_template: &str) -> Option<&'static ContentRule> {
    rules().1.first(chat_template)
}

/// The rule that a delivered text matches first.
#[must_use]
pub fn family_of_content(text: &str) -> Option<&'static ContentRule> {
    rules().0.first(text)
}

fn rules() -> &'static (Rules, Rules) {
    static RULES: OnceLock<(Rules, Rules)> = OnceLock::new();
    RULES.get_or_init(|| {
        let file: RecogniseFile = read(RECOGNISE);
        (Rules::new(file.content), Rules::new(file.template))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates() {
        for (template, family) in [
            ("{%- if tools %}<tool_call>\n<function=x>\n<parameter=y>", Some("qwen3_coder_xml")),
            ("return a json object within <tool_call></tool_call>", Some("hermes_json")),
            ("{{ '<|tool_call>call:' + name }}", Some("gemma4")),
            ("[TOOL_CALLS]{{ name }}[ARGS]", Some("mistral_args")),
            ("{% for message in messages %}{{ message.content }}{% endfor %}", None),
            ("mentions parameters only", None),
            ("", None),
        ] {
            assert_eq!(family_of_template(template), family, "{template}");
        }
    }

    #[test]
    fn stripped_text_is_said_to_be() {
        let rule = family_of_content("call:get_weather{city:Tokyo}").unwrap();
        assert_eq!(rule.stripped, ["gemma4", "functiongemma"]);
        assert!(family_of_content("It is sunny.").is_none());
    }
}
