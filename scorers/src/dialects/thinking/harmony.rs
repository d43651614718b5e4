//! Harmony: messages in channels. `analysis` is reasoning, `final` the answer; messages to functions stay as they are.

use super::super::{ByteSet, Need, Split, Thinking};

/// The grammar of channel messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channels {
    /// Ends a message when written.
    pub(crate) end: &'static str,
    /// Begins the answer when written.
    pub(crate) answer: &'static str,
}

const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
const ENDS: [&str; 7] = ["<|end|>", "<|return|>", "<|call|>", "<|start|>", "<|channel|>", "<|eom|>", "<|eot|>"];
const STRIPPED: &str = "analysis";
const STRIPPED_ENDS: [&str; 2] = ["assistantfinal", "assistantcommentary"];

impl Thinking for Channels {
    fn split(&self, text: &str) -> Option<Split> {
        let split = if text.contains(CHANNEL) { channels(text) } else { stripped(text) }?;
        (!split.reasoning.is_empty() || !split.answer.is_empty()).then_some(split)
    }

    fn needs(&self) -> Vec<Need> {
        [CHANNEL, STRIPPED].map(|marker| Need { bytes: ByteSet::of(marker), tools: false }).into()
    }

    fn render(&self, reasoning: &str, answer: &str, prefilled: bool) -> String {
        let open = if prefilled { "" } else { "<|channel|>analysis<|message|>" };
        format!("{open}{reasoning}{}{}{answer}", self.end, self.answer)
    }
}

fn channels(text: &str) -> Option<Split> {
    let mut split = Split::default();
    let (before, _) = text.split_once(CHANNEL)?;
    if before.ends_with('`') {
        return None;
    }
    let mut seen = false;
    // The first message may have been opened in the prompt.
    if let Some((thought, _)) = before.split_once("<|end|>").or_else(|| before.split_once("<|eom|>")) {
        push(&mut split.reasoning, thought);
        split.prefilled = true;
        seen = true;
    }
    let mut at = before.len();
    // A recipient may stand before the channel: it belongs to the message.
    let mut lead = before.rfind(" to=").unwrap_or(before.len());
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let header_at = at + if rest.starts_with(CHANNEL) { CHANNEL.len() } else { 0 };
        let Some(len) = text[header_at..].find(MESSAGE) else { break };
        let header = &text[lead..header_at + len];
        let body_at = header_at + len + MESSAGE.len();
        let end = next_end(text, body_at);
        let body = &text[body_at..end];
        let channel = header.split_once(CHANNEL).map_or("", |(_, channel)| channel);
        if header.contains("to=") {
            push(&mut split.answer, &text[lead..end]);
        } else if channel.starts_with("analysis") {
            seen = true;
            push(&mut split.reasoning, body);
            split.unclosed = end == text.len();
        } else {
            seen |= channel.starts_with("final");
            push(&mut split.answer, body);
            split.unclosed = false;
        }
        let next = text[end..].find(CHANNEL).map(|at| at + end);
        let Some(next) = next else { break };
        lead = text[end..next].rfind(" to=").map_or(next, |at| end + at);
        at = next;
    }
    seen.then_some(split)
}

fn next_end(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(found) = text[at..].find("<|").map(|found| found + at) {
        if ENDS.iter().any(|end| text[found..].starts_with(end)) {
            return found;
        }
        at = found + 2;
    }
    text.len()
}

/// `analysisThe user …assistantfinalHello.`: what is left without the special tokens.
fn stripped(text: &str) -> Option<Split> {
    let inside = text.trim_start().strip_prefix(STRIPPED)?;
    let hit = STRIPPED_ENDS.iter().filter_map(|end| inside.find(end).map(|at| (at, *end))).min();
    let Some((at, end)) = hit else {
        let uppercase = inside.chars().next().is_some_and(char::is_uppercase);
        let reasoning = inside.trim().to_owned();
        return uppercase.then(|| Split { reasoning, unclosed: true, stripped: true, ..Split::default() });
    };
    let after = at + if end == "assistantfinal" { end.len() } else { "assistant".len() };
    Some(Split {
        reasoning: inside[..at].trim().to_owned(),
        answer: inside[after..].trim().to_owned(),
        stripped: true,
        ..Split::default()
    })
}

fn push(out: &mut String, piece: &str) {
    if !out.is_empty() && !piece.trim().is_empty() {
        out.push('\n');
    }
    out.push_str(piece.trim());
}
