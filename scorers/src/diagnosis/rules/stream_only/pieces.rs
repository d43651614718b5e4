//! Pieces that one mode loses or puts into the wrong field, seen by laying both answers side by side. Reads nothing of one
//! mode alone, and leaves to the parsers' rules what they explain.

use crate::completion::ToolCall;
use crate::diagnosis::facts::Side;
use crate::diagnosis::{Blame, Confidence, Finding, Severity, Signs, advice};

use super::{draft, mode_of};

/// Two texts that agree in fewer bytes than this may be two answers.
const ALIKE: usize = 8;

/// What a text filter takes out is no longer than this, in bytes.
const PIECE: usize = 40;

/// The first of the checks that finds something.
pub(super) fn pieces(signs: &Signs<'_>) -> Option<Finding> {
    let [first, second] = signs.facts.sides.as_slice() else { return None };
    if signs.tool.is_some() || signs.reasoning.is_some() {
        return None;
    }
    let either = [(first, second), (second, first)];
    let each = |check: fn(&Signs<'_>, &Side<'_>, &Side<'_>) -> Option<Finding>| {
        either.iter().find_map(|(one, other)| check(signs, one, other))
    };
    each(markup_lost).or_else(|| each(thoughts_moved)).or_else(|| each(thoughts_cut))
}

/// Markup that the text speaks of stands in one mode, and the other takes it out (vllm#53924, sglang#8569).
fn markup_lost(signs: &Signs<'_>, less: &Side<'_>, whole: &Side<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let (text, other) = (less.completion.text(), whole.completion.text());
    let piece = taken_out(text, other)?;
    if !piece.contains(['<', '>', '|']) || piece.len() > PIECE || less.at_cap() || whole.at_cap() {
        return None;
    }
    let message = format!(
        "the {} text is the {} one without a piece of it ({piece:?}): a filter for the markers of thoughts or calls \
         takes out what the answer speaks of",
        mode_of(less),
        mode_of(whole)
    );
    let confidence = if facts.is_greedy() { Confidence::High } else { Confidence::Medium };
    Some(
        draft(signs, confidence, message)
            .evidence(facts, mode_of(less), text)
            .evidence(facts, mode_of(whole), other)
            .ruled_out("the model: it wrote the piece, as the other mode shows")
            .fix(format!("use the {} mode where answers speak of markup", mode_of(whole)))
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// The one piece by which a text is shorter than another.
fn taken_out<'t>(text: &str, other: &'t str) -> Option<&'t str> {
    if text.len() < ALIKE || other.len() <= text.len() {
        return None;
    }
    let head: usize =
        text.chars().zip(other.chars()).take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum();
    let tail = &text[head..];
    let end = other.len() - tail.len();
    (end >= head && other.is_char_boundary(end) && &other[end..] == tail).then(|| &other[head..end])
}

/// Of thoughts that one mode carries apart, the other puts a part before the answer (waybarrios/vllm-mlx#725).
fn thoughts_moved(signs: &Signs<'_>, mixed: &Side<'_>, apart: &Side<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let (text, answer) = (mixed.completion.text().trim(), apart.completion.text().trim());
    let thoughts = apart.completion.reasoning();
    let moved = text.strip_suffix(answer).map(str::trim).filter(|moved| moved.len() >= ALIKE && !answer.is_empty())?;
    if !thoughts.contains(moved) || answer.contains(moved) {
        return None;
    }
    let message = format!(
        "the {} answer carries thoughts and text apart, and the {} one puts thoughts into the text",
        mode_of(apart),
        mode_of(mixed)
    );
    Some(
        draft(signs, Confidence::High, message)
            .families(None, facts.launch.reasoning_parser.value())
            .evidence(facts, mode_of(mixed), text)
            .evidence(facts, "reasoning", thoughts)
            .ruled_out("the model: it wrote the same in both modes")
            .fix(format!("use the {} mode until the server is mended", mode_of(apart)))
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// The same greedy answer, and one mode stops the thoughts earlier (vllm#42781, #43221: several tokens in one step).
fn thoughts_cut(signs: &Signs<'_>, cut: &Side<'_>, whole: &Side<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let (short, long) = (cut.completion.reasoning().trim(), whole.completion.reasoning().trim());
    let same_answer = cut.completion.text().trim() == whole.completion.text().trim() && same_calls(cut, whole);
    if !facts.is_greedy() || !same_answer || cut.is_silent() || short.len() < ALIKE || short.len() >= long.len() {
        return None;
    }
    long.strip_prefix(short)?;
    let message = format!(
        "the {} answer loses the end of the thoughts that the {} one carries, and both go on alike",
        mode_of(cut),
        mode_of(whole)
    );
    Some(
        draft(signs, Confidence::Medium, message)
            .severity(Severity::Warning)
            .evidence(facts, mode_of(cut), short)
            .evidence(facts, mode_of(whole), long)
            .fixes(advice::single_tokens(facts))
            .fix("switch speculative decoding (MTP) off, or read the thoughts of the other mode")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

fn same_calls(one: &Side<'_>, other: &Side<'_>) -> bool {
    let read = |call: &ToolCall| (call.name.clone(), call.arguments.value().ok());
    one.completion.tool_calls.iter().map(read).eq(other.completion.tool_calls.iter().map(read))
}

/// One mode ends with the answer, and the other goes on behind it with a closing tag: its parser let go too early.
pub(super) fn goes_on_behind_answer(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let [first, second] = facts.sides.as_slice() else { return None };
    let (long, short) = [(first, second), (second, first)]
        .into_iter()
        .find(|(long, short)| crate::judge::runs_on_behind_tag(long.completion, short.completion))?;
    let message = format!(
        "the {} text is the {} one, a closing thinking tag, and more thoughts: in one mode the parser ends the \
         thoughts too early",
        mode_of(long),
        mode_of(short)
    );
    Some(
        draft(signs, Confidence::High, message)
            .families(None, facts.launch.reasoning_parser.value())
            .evidence(facts, mode_of(long), long.completion.text())
            .evidence(facts, mode_of(short), short.completion.text())
            .ruled_out("the model: the other mode delivers its answer alone")
            .fix(format!("use the {} mode, or switch thinking off where a schema is asked for", mode_of(short)))
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// Where no tokens are counted, a gateway that hands thoughts on in one mode and drops them in the other (litellm#23148).
pub(super) fn thoughts_lost_between(signs: &Signs<'_>, with: &Side<'_>, without: &Side<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let gateway = facts.server().gateway.as_deref()?;
    if with.completion.text().trim() != without.completion.text().trim() {
        return None;
    }
    let message = format!(
        "the {} answer carries the reasoning, and the {} one with the same text does not; {gateway} stands between",
        mode_of(with),
        mode_of(without)
    );
    let mut finding = draft(signs, Confidence::Low, message)
        .severity(Severity::Warning)
        .evidence(facts, "reasoning", with.completion.reasoning())
        .fix(format!("upgrade {gateway}"))
        .fix("compare with a direct call to the engine, in the same mode")
        .done();
    finding.blame = Blame::Gateway;
    Some(finding)
}

/// A greedy text is the beginning of the other one, and more than a word is missing (vllm#42210).
pub(super) fn is_beginning(short: &Side<'_>, whole: &Side<'_>) -> bool {
    let (text, other) = (short.completion.text().trim_end(), whole.completion.text().trim_end());
    let plain = |side: &Side<'_>| side.completion.tool_calls.is_empty() && !side.at_cap() && !side.broke_off();
    !text.is_empty() && text.len() + ALIKE < other.len() && other.starts_with(text) && plain(short) && plain(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_piece_that_is_missing() {
        assert_eq!(taken_out("Use div> here", "Use </div> here"), Some("</"));
        assert_eq!(taken_out("close it with  when done", "close it with </think> when done"), Some("</think>"));
        assert_eq!(taken_out("über die Wärme", "über die <b>Wärme"), Some("<b>"));
        assert_eq!(taken_out("one answer here", "another answer here"), None);
        assert_eq!(taken_out("the same text", "the same text"), None);
        assert_eq!(taken_out("short", "<short>"), None);
    }
}
