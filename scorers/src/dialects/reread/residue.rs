//! Markers that a parser left behind when it took the call out of them.

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
