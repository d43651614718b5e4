//! Gemma 4's thought channel. The server may strip its markers, whole or only the closing one; then what is left of the
//! seam between thought and answer decides.

use super::super::{ByteSet, Need, Split, Thinking};
use super::seam::{self, done};

/// The grammar of Gemma 4's thought channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel;

const OPEN: &str = "<|channel>thought";
const CLOSE: &str = "<channel|>";
const STRIPPED: &str = "thought\n";

impl Thinking for Channel {
    fn split(&self, text: &str) -> Option<Split> {
        let trimmed = text.trim_start();
        if let Some(inside) = trimmed.strip_prefix(OPEN) {
            return Some(match inside.split_once(CLOSE) {
                Some((reasoning, answer)) => done(reasoning, answer),
                None => Split { unclosed: true, ..seam::split(inside) },
            });
        }
        if let Some(inside) = trimmed.strip_prefix(STRIPPED) {
            let inside = before_displaced(inside);
            return Some(match inside.split_once(CLOSE) {
                Some((reasoning, answer)) => Split { stripped: true, ..done(reasoning, answer) },
                None => Split { unclosed: true, stripped: true, ..seam::split(inside) },
            });
        }
        let (before, after) = text.split_once(CLOSE)?;
        (!before.ends_with('`')).then(|| Split { prefilled: true, ..done(before, after) })
    }

    fn needs(&self) -> Vec<Need> {
        [OPEN, STRIPPED, CLOSE].map(|marker| Need { bytes: ByteSet::of(marker), tools: false }).into()
    }

    fn render(&self, reasoning: &str, answer: &str, prefilled: bool) -> String {
        let open = if prefilled { "" } else { "<|channel>thought\n" };
        format!("{open}{reasoning}{CLOSE}{answer}")
    }
}

/// Streams of vLLM 0.32 deliver both markers behind everything else.
fn before_displaced(text: &str) -> &str {
    let text = text.trim_end();
    text.strip_suffix(CLOSE).and_then(|rest| rest.strip_suffix("<|channel>")).unwrap_or(text)
}
