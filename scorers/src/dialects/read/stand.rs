//! How a piece of text stands: quoted, in a code sample, or for itself. One pass over the text.

use std::cell::OnceCell;
use std::ops::Range;

/// The quoted stretches of a text, found when first asked for, and whether the whole of it is one fenced block.
#[derive(Debug)]
pub(crate) struct Stand {
    quoted: OnceCell<Vec<Range<usize>>>,
    /// The inside of the fence that the whole text is.
    pub(crate) whole_fence: Option<Range<usize>>,
}

impl Stand {
    /// Looks at a text.
    pub(crate) fn of(text: &str) -> Self {
        Self { quoted: OnceCell::new(), whole_fence: whole_fence(text) }
    }

    /// What begins at `at` is quoted, or part of a code sample that prose talks about.
    pub(crate) fn is_quoted(&self, text: &str, at: usize) -> bool {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        if matches!(before, Some('`' | '"' | '\'' | '“' | '‘' | '«' | '「')) {
            return true;
        }
        if self.whole_fence.is_some() {
            return false;
        }
        let quoted = self.quoted.get_or_init(|| {
            let mut quoted = Vec::new();
            stretches(text, &mut quoted);
            quoted
        });
        let next = quoted.partition_point(|range| range.end <= at);
        quoted.get(next).is_some_and(|range| range.contains(&at))
    }
}

/// What stands at `range` is a word of its sentence, as in prose about a tag: a word and a blank before it, and behind it
/// the sentence's next word or mark. What closes a thought stands on a line of its own, or behind a sentence's end.
pub(crate) fn is_word_of_sentence(text: &str, range: Range<usize>) -> bool {
    let (Some(before), Some(after)) = (text.get(..range.start), text.get(range.end..)) else { return false };
    let word = before.trim_end_matches(' ');
    let last = word.chars().next_back();
    let in_sentence = word.len() < before.len() && last.is_some_and(|last| last.is_alphanumeric() || last == ',');
    let mut rest = after.chars();
    let goes_on = match rest.next() {
        Some(' ') => rest.next().is_some_and(char::is_lowercase),
        Some(mark) => ",.;:)".contains(mark) && rest.next().is_none_or(char::is_whitespace),
        None => false,
    };
    in_sentence && goes_on
}

fn whole_fence(text: &str) -> Option<Range<usize>> {
    let trimmed = text.trim();
    let lead = text.len() - text.trim_start().len();
    let inner = trimmed.strip_prefix("```")?;
    let line = inner.find('\n')?;
    if line > 24 {
        return None;
    }
    let body = &inner[line + 1..];
    let end = body.strip_suffix("```").map_or(body.len(), str::len);
    let start = lead + 3 + line + 1;
    (!body[..end].contains("\n```")).then_some(start..start + end)
}

fn stretches(text: &str, quoted: &mut Vec<Range<usize>>) {
    let mut at = 0;
    let mut fence: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        match fence {
            None if is_call_fence(trimmed) => {}
            None if trimmed.starts_with("```") => fence = Some(at),
            None => inline(line, at, quoted),
            Some(start) if !trimmed.is_empty() && trimmed.bytes().all(|byte| byte == b'`') => {
                quoted.push(start..at + line.len());
                fence = None;
            }
            Some(_) => {}
        }
        at += line.len();
    }
    if let Some(start) = fence {
        quoted.push(start..text.len());
    }
}

/// A fence that says itself that it holds a call, as Gemma 3 writes it (vllm#14734): no code sample.
fn is_call_fence(line: &str) -> bool {
    line.strip_prefix("```").is_some_and(|label| ["tool_code", "tool_call", "tool_calls"].contains(&label))
}

/// The stretches between back ticks of one line.
fn inline(line: &str, base: usize, quoted: &mut Vec<Range<usize>>) {
    let mut open: Option<usize> = None;
    for (at, _) in line.match_indices('`') {
        match open.take() {
            None => open = Some(at),
            Some(start) => quoted.push(base + start..base + at + 1),
        }
    }
}
