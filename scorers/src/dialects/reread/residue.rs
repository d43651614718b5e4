//! Markers that a parser left behind when it took the call out of them.

use super::super::Split;

/// Outer markers, opening and closing, of the families whose parsers look for the inside only.
const MARKERS: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "<tool_calls>",
    "</tool_calls>",
    "<seed:tool_call>",
    "</seed:tool_call>",
    "<minimax:tool_call>",
    "</minimax:tool_call>",
    "<function_calls>",
    "</function_calls>",
    "<function_call>",
    "</function_call>",
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
    "<|tool_call_begin|>",
    "<|tool_call_end|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁call▁end｜>",
    "<|tool_call>",
    "<tool_call|>",
    "<|tool_call|>",
    "<|python_tag|>",
    "<|python_start|>",
    "<|python_end|>",
    "<|tool_call_start|>",
    "[TOOL_CALLS]",
    "]<]minimax[>[",
];

/// The text before the markers that end it. `None` when none do.
pub(super) fn before_markers(text: &str) -> Option<&str> {
    let mut rest = text.trim_end();
    let mut found = false;
    while let Some(inner) = MARKERS.iter().find_map(|marker| rest.strip_suffix(marker)) {
        rest = inner.trim_end();
        found = true;
    }
    found.then_some(rest)
}

/// Frames that a reasoning parser takes off the answer: Hunyuan, ERNIE.
const FRAMES: &[(&str, &str)] = &[("<answer>", "</answer>"), ("<response>", "</response>")];

/// The text before a closing tag at its end whose opening one is gone.
pub(super) fn before_frame_end(text: &str) -> Option<&str> {
    FRAMES.iter().find_map(|(open, close)| {
        let inner = text.trim_end().strip_suffix(close)?;
        (!inner.contains(open) && !inner.trim().is_empty()).then(|| inner.trim_end())
    })
}

/// Closing tags of thoughts that streaming parsers were seen to cut in two.
const CLOSING: &[&str] = &["</think>", "</thought>", "</seed:think>", "[/THINK]", "</mm:think>"];

/// How much of a closing tag ends the reasoning and how much of it begins the text: `weighing</thi` and `nk>Answer.`
pub(super) fn split_tag(reasoning: &str, text: &str) -> Option<(usize, usize)> {
    CLOSING.iter().find_map(|tag| {
        let cut =
            (2..tag.len()).rev().find(|cut| reasoning.ends_with(&tag[..*cut]) && text.starts_with(&tag[*cut..]))?;
        Some((cut, tag.len() - cut))
    })
}

/// Frames around thoughts that no parser of an engine makes: what opens and closes them, whose they are, and the part of a
/// model's name without which they mean nothing.
const ODD_FRAMES: &[(&str, &str, &str, &str)] = &[
    ("<details type=\"reasoning\"", "</details>", "open_webui_details", ""),
    ("&lt;think&gt;", "&lt;/think&gt;", "escaped_think", ""),
    ("<thought>", "</thought>", "exaone_thought", "exaone"),
    ("<思考>", "</思考>", "minimax_think_in_chinese", ""),
];

/// Thoughts in such a frame at the beginning of a text, and what follows.
pub(super) fn odd_frame(text: &str, model: Option<&str>) -> Option<Split> {
    let start = text.trim_start();
    ODD_FRAMES.iter().find_map(|(open, close, family, owner)| {
        let owned = owner.is_empty() || model.is_some_and(|model| model.to_ascii_lowercase().contains(owner));
        let inside = start.strip_prefix(open).filter(|_| owned)?;
        let (reasoning, answer) = inside.split_once(close).unwrap_or((inside, ""));
        // The rest of the opening tag: its attributes.
        let reasoning = match open.ends_with(['>', ';']) {
            true => reasoning,
            false => reasoning.split_once('>').map_or("", |(_, rest)| rest),
        };
        let unclosed = !inside.contains(close);
        Some(Split {
            family,
            reasoning: reasoning.trim().to_owned(),
            answer: answer.trim().to_owned(),
            unclosed,
            ..Split::default()
        })
    })
}
