//! Tags that carry a suffix (`<tool_call:opensource>`): read without it, then put back in place.

use super::super::read::Pattern;
use super::super::{ByteSet, Call, Grammar, Hints, Need, Scan};

/// A pattern whose tags all carry one suffix, taken from the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suffixed {
    /// The pattern without suffixes.
    pub(crate) inner: Pattern,
    /// The suffix that is written.
    pub(crate) suffix: &'static str,
}

/// Tags whose suffix is taken.
const TAGS: [&str; 2] = ["<tool_calls:", "<tool_call:"];
const LONGEST: usize = 32;

impl Grammar for Suffixed {
    fn scan(&self, text: &str, hints: &Hints<'_>) -> Option<Scan> {
        let suffix = suffix(text)?;
        let tail = format!("{suffix}>");
        let mut plain = String::with_capacity(text.len());
        let mut removed = Vec::new();
        let mut at = 0;
        for (found, _) in text.match_indices(&tail) {
            plain.push_str(&text[at..found]);
            removed.push(plain.len());
            at = found + suffix.len();
        }
        plain.push_str(&text[at..]);
        let mut scan = self.inner.scan(&plain, hints)?;
        // A position behind a tag's `>` has passed that tag's suffix.
        let back = |at: usize| at + removed.partition_point(|removed| *removed < at) * suffix.len();
        scan.span = back(scan.span.start)..back(scan.span.end);
        for cut in &mut scan.cuts {
            *cut = back(cut.start)..back(cut.end);
        }
        Some(scan)
    }

    fn needs(&self) -> Vec<Need> {
        TAGS.iter().map(|tag| Need { bytes: ByteSet::of(tag), tools: false }).collect()
    }

    fn render(&self, calls: &[Call]) -> String {
        let mut out = self.inner.render(calls);
        for tag in ["tool_calls", "tool_call", "tool_sep", "arg_key", "arg_value"] {
            out = out.replace(&format!("<{tag}>"), &format!("<{tag}{}>", self.suffix));
            out = out.replace(&format!("</{tag}>"), &format!("</{tag}{}>", self.suffix));
        }
        out
    }
}

/// `:opensource` in `<tool_call:opensource>`.
fn suffix(text: &str) -> Option<&str> {
    TAGS.iter().find_map(|tag| {
        let start = text.find(tag)? + tag.len();
        let word = text.get(start..)?;
        let len = word.bytes().take(LONGEST).take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        (len > 0 && word[len..].starts_with('>')).then(|| &text[start - 1..start + len])
    })
}
