//! Gemma 4's thought channel. The server may strip its markers, whole or only the closing one; then what is left of the
//! seam between thought and answer decides.

use super::super::{Split, Thinking};

/// The grammar of Gemma 4's thought channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel;

const OPEN: &str = "<|channel>thought";
const CLOSE: &str = "<channel|>";
const STRIPPED: &str = "thought\n";
/// JSON is tried from the first few brackets only.
const TRIES: usize = 8;

impl Thinking for Channel {
    fn split(&self, text: &str) -> Option<Split> {
        let trimmed = text.trim_start();
        if let Some(inside) = trimmed.strip_prefix(OPEN) {
            return Some(match inside.split_once(CLOSE) {
                Some((reasoning, answer)) => done(reasoning, answer),
                None => Split { unclosed: true, ..seam(inside) },
            });
        }
        if let Some(inside) = trimmed.strip_prefix(STRIPPED) {
            return Some(match inside.split_once(CLOSE) {
                Some((reasoning, answer)) => Split { stripped: true, ..done(reasoning, answer) },
                None => Split { unclosed: true, stripped: true, ..seam(inside) },
            });
        }
        let (before, after) = text.split_once(CLOSE)?;
        (!before.ends_with('`')).then(|| Split { prefilled: true, ..done(before, after) })
    }

    fn render(&self, reasoning: &str, answer: &str, prefilled: bool) -> String {
        let open = if prefilled { "" } else { "<|channel>thought\n" };
        format!("{open}{reasoning}{CLOSE}{answer}")
    }
}

fn done(reasoning: &str, answer: &str) -> Split {
    Split { reasoning: reasoning.trim().to_owned(), answer: answer.trim().to_owned(), ..Split::default() }
}

/// Without a closing marker: JSON up to the end is the answer, or what follows the one place where a sentence ends and
/// the next begins without a space.
fn seam(text: &str) -> Split {
    let brackets = text.match_indices(['{', '[']).take(TRIES);
    for (at, _) in brackets {
        if serde_json::from_str::<serde_json::Value>(&text[at..]).is_ok() {
            return done(&text[..at], &text[at..]);
        }
    }
    let mut seams = text
        .char_indices()
        .zip(text.chars().skip(1))
        .filter_map(|((at, here), next)| (matches!(here, '.' | '!' | '?') && next.is_uppercase()).then_some(at + 1));
    match (seams.next(), seams.next()) {
        (Some(at), None) => done(&text[..at], &text[at..]),
        _ => done(text, ""),
    }
}
