//! Tool markup as diagnosis speaks of it: [`Seen`], [`CallState`], and the delimiters that give a format away.

use std::sync::LazyLock;

use regex::Regex;

use crate::dialects::{Recognition, Stand, Strength, is_word_of_sentence};

/// The family of markup of which too little is left to tell.
pub(super) const UNKNOWN: &str = "unknown";

/// Tool markup as it was recognised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// The family.
    pub family: &'static str,
    /// Where the markup begins in its text.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// How sure.
    pub strength: Strength,
    /// It is damaged or unfinished.
    pub damaged: bool,
}

impl Seen {
    /// The family, where enough is left to tell.
    #[must_use]
    pub fn known_family(&self) -> Option<&'static str> {
        Some(self.family).filter(|family| *family != UNKNOWN)
    }
}

impl From<&Recognition> for Seen {
    fn from(found: &Recognition) -> Self {
        let Recognition { family, span, strength, damage, .. } = found;
        Self { family, start: span.start, end: span.end, strength: *strength, damaged: damage.is_some() }
    }
}

/// What became of a tool call on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallState {
    /// Declared calls with proper arguments, and no markup left over.
    Fine,
    /// Declared calls, and tool markup left over in the text.
    Residue,
    /// A call whose name or arguments are pieces of markup.
    Mangled,
    /// A whole call in the text.
    Leak,
    /// A call in the reasoning field.
    InReasoning,
    /// Tokens were generated and nothing (or only reasoning) arrived.
    Silent,
    /// Text arrived, and many more tokens were generated than it holds.
    Lost,
    /// No call and no sign of one.
    None,
}

/// Delimiters of call formats, of whatever family: no part of an answer beside a delivered call, or at its very end.
static DELIMITER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)</?[a-z]*:?[a-z_]*(?:tool|function)_?calls?[^<>\n]{0,20}>|</?[|｜‖]{1,2}[^<>\n]{0,40}(?:tool|DSML|function|python_tag|action)[^<>\n]{0,40}>|\[/?TOOL_CALLS?\]|</?function[=>]|</?arg_(?:key|value)>|<tool_call\|>|</?invoke\b|</?TOOLCALL>",
    )
    .ok()
});

/// The first delimiter in a text that is not a word of what the text says: quoted, or in the middle of a sentence.
pub(super) fn left_over(text: &str) -> Option<&str> {
    let mut found = DELIMITER.as_ref()?.find_iter(text).peekable();
    found.peek()?;
    let stand = Stand::of(text);
    let mentioned = |start: usize, end: usize| {
        let end = text.get(end..).and_then(|rest| rest.find(['>', '\n'])).map_or(end, |at| end + at + 1);
        stand.is_quoted(text, start) || is_word_of_sentence(text, start..end)
    };
    found
        .find(|found| {
            let whole = found.as_str().ends_with(['>', ']']);
            let end = if whole { found.end() - 1 } else { found.end() };
            !mentioned(found.start(), end)
        })
        .map(|found| found.as_str())
}

/// Tags that stand around one call or several.
const TAGS: &[(&str, &str)] = &[
    ("<tool_call>", "</tool_call>"),
    ("<tool_calls>", "</tool_calls>"),
    ("<function_call>", "</function_call>"),
    ("<|tool_call|>", "<|/tool_call|>"),
    ("<|tool_call_start|>", "<|tool_call_end|>"),
    ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    ("<minimax:tool_call>", "</minimax:tool_call>"),
    ("<seed:tool_call>", "</seed:tool_call>"),
];

/// The text ends with the tags of a call and nothing between them.
pub(super) fn ends_hollow(text: &str) -> bool {
    let text = text.trim_end();
    TAGS.iter().any(|(open, close)| text.strip_suffix(close).is_some_and(|rest| rest.trim_end().ends_with(open)))
}

/// The text ends with a delimiter.
pub(super) fn ends_with_delimiter(text: &str) -> bool {
    let text = text.trim_end();
    DELIMITER
        .as_ref()
        .is_some_and(|pattern| pattern.find_iter(text).last().is_some_and(|found| found.end() == text.len()))
}
