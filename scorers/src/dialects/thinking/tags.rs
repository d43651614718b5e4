//! Reasoning between tags, with the opening one in the text or in the prompt: [`Tags`].

use super::super::read::{Stand, is_word_of_sentence};
use super::super::{ByteSet, Need, Split, Thinking};
use super::seam;

/// Blocks of thought one behind the other, not more.
const MOST_BLOCKS: usize = 8;

/// Which tags must be in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// The opening one.
    Open,
    /// Only the closing one: the opening one stands in the prompt.
    CloseOnly,
    /// Either.
    Either,
}

/// Reasoning between an opening and a closing tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tags {
    /// Opening tags; the first is written.
    pub(crate) open: &'static [&'static str],
    /// Closing tags; the first is written.
    pub(crate) close: &'static [&'static str],
    /// Tags around the answer, which then must be there; the first is written.
    pub(crate) answer: &'static [(&'static str, &'static str)],
    /// What must be in the text.
    pub(crate) needs: Needs,
    /// Written after the opening tag, before the closing one, and before the answer.
    pub(crate) pads: [&'static str; 3],
}

impl Thinking for Tags {
    fn split(&self, text: &str) -> Option<Split> {
        if let Some(split) = self.displaced(text) {
            return Some(split);
        }
        let stand = Stand::of(text);
        let lead = lead(text);
        let inside = self.open.iter().find(|open| text[lead..].starts_with(**open)).map(|open| lead + open.len());
        let split = match inside {
            Some(inside) if self.needs != Needs::CloseOnly => self.opened(text, inside)?,
            Some(_) => return None,
            None if self.needs == Needs::Open => self.later(text, &stand)?,
            None => self.close_only(text, &stand)?,
        };
        self.unwrapped(split)
    }

    fn needs(&self) -> Vec<Need> {
        let tags = self.open.iter().chain(self.close);
        tags.map(|tag| Need { bytes: ByteSet::of(tag), tools: false }).collect()
    }

    fn render(&self, reasoning: &str, answer: &str, prefilled: bool) -> String {
        let [after_open, before_close, before_answer] = self.pads;
        let open = self.open.first().copied().unwrap_or_default();
        let close = self.close.first().copied().unwrap_or_default();
        let (left, right) = self.answer.first().copied().unwrap_or_default();
        let start = if prefilled { String::new() } else { format!("{open}{after_open}") };
        format!("{start}{reasoning}{before_close}{close}{before_answer}{left}{answer}{right}")
    }
}

impl Tags {
    /// The first closing tag from a position on: where it begins and where it ends.
    fn next_close(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        let rest = text.get(from..)?;
        let hits =
            self.close.iter().filter_map(|close| rest.find(close).map(|at| (from + at, from + at + close.len())));
        hits.min_by_key(|(at, end)| (*at, std::cmp::Reverse(*end)))
    }

    /// An empty pair behind everything else: streams of vLLM 0.32 deliver special tokens so. The seam decides.
    fn displaced(&self, text: &str) -> Option<Split> {
        let before = self.close.iter().find_map(|close| text.trim_end().strip_suffix(close))?;
        let before = self.open.iter().find_map(|open| before.strip_suffix(open))?;
        let split = seam::split(before);
        let found = self.needs != Needs::CloseOnly && !split.answer.is_empty();
        found.then_some(Split { stripped: true, ..split })
    }

    fn opened(&self, text: &str, inside: usize) -> Option<Split> {
        let mut reasoning = String::new();
        let mut from = inside;
        let mut blocks = 0;
        loop {
            let Some((close, end)) = self.next_close(text, from) else {
                push(&mut reasoning, &text[from..]);
                return Some(Split { reasoning, unclosed: true, ..Split::default() });
            };
            push(&mut reasoning, &text[from..close]);
            blocks += 1;
            let lead = text.len() - text[end..].trim_start().len();
            match self.open.iter().find(|open| text[lead..].starts_with(**open)) {
                Some(open) if blocks < MOST_BLOCKS => from = lead + open.len(),
                _ => return Some(Split { reasoning, answer: text[end..].trim().to_owned(), ..Split::default() }),
            }
        }
    }

    /// The opening tag stands behind some text; then the closing one must follow it.
    fn later(&self, text: &str, stand: &Stand) -> Option<Split> {
        let (open, inside) =
            self.open.iter().filter_map(|open| text.find(open).map(|at| (at, at + open.len()))).min()?;
        if stand.is_quoted(text, open) {
            return None;
        }
        let (close, end) = self.next_close(text, inside).filter(|close| !is_talk(text, *close, stand))?;
        let mut answer = text[..open].trim().to_owned();
        push(&mut answer, &text[end..]);
        Some(Split { reasoning: text[inside..close].trim().to_owned(), answer, ..Split::default() })
    }

    fn close_only(&self, text: &str, stand: &Stand) -> Option<Split> {
        let (close, end) = self.next_close(text, 0)?;
        if is_talk(text, (close, end), stand) {
            return None;
        }
        if self.open.iter().any(|open| text[..close].contains(open)) {
            return if self.needs == Needs::Either { self.later(text, stand) } else { None };
        }
        Some(Split {
            reasoning: text[..close].trim().to_owned(),
            answer: text[end..].trim().to_owned(),
            prefilled: true,
            ..Split::default()
        })
    }

    fn unwrapped(&self, mut split: Split) -> Option<Split> {
        if self.answer.is_empty() || split.unclosed {
            return (self.answer.is_empty() || self.open.len() == 1 && !self.is_think()).then_some(split);
        }
        let wrapped = self.answer.iter().find(|(left, _)| split.answer.starts_with(left.trim()));
        // Tags no other family has speak for themselves; the call around which the answer's stood is gone where it was
        // read.
        let Some((left, right)) = wrapped else { return self.speaks_for_itself().then_some(split) };
        let inner = &split.answer[left.trim().len()..];
        split.answer = inner.trim().strip_suffix(right.trim()).unwrap_or(inner).trim().to_owned();
        Some(split)
    }

    fn speaks_for_itself(&self) -> bool {
        self.needs != Needs::CloseOnly && self.open.iter().all(|open| open.starts_with("<|"))
    }

    fn is_think(&self) -> bool {
        self.open.contains(&"<think>")
    }
}

/// Blanks and stray signs before the text proper: streams were seen to begin with ` .` (vllm#35705).
fn lead(text: &str) -> usize {
    let blanks = text.len() - text.trim_start().len();
    let signs =
        text.find('<').filter(|at| *at <= 4 && text[..*at].chars().all(|c| c.is_whitespace() || ".,;!".contains(c)));
    signs.unwrap_or(blanks)
}

/// The tag at `range` is talked about.
fn is_talk(text: &str, (start, end): (usize, usize), stand: &Stand) -> bool {
    stand.is_quoted(text, start) || is_word_of_sentence(text, start..end)
}

fn push(out: &mut String, piece: &str) {
    let piece = piece.trim();
    if !piece.is_empty() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(piece);
    }
}
