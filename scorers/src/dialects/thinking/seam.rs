//! Where thought and answer meet when the marker between them is lost.

use super::super::Split;

/// JSON is tried from the first few brackets only.
const TRIES: usize = 8;

/// JSON up to the end is the answer, or else what follows the one place where a sentence ends and the next begins without
/// a space. Where there is no such place, all is thought.
pub(super) fn split(text: &str) -> Split {
    let brackets = text.match_indices(['{', '[']).take(TRIES);
    for (at, _) in brackets {
        if serde_json::from_str::<serde_json::Value>(&text[at..]).is_ok() {
            return done(&text[..at], &text[at..]);
        }
    }
    let mut seams = text.char_indices().filter_map(|(at, here)| {
        let mut next = text[at + here.len_utf8()..].chars();
        let ends = matches!(here, '.' | '!' | '?');
        // A word begins: `.The`, not `.NET`.
        (ends && next.next()?.is_uppercase() && !next.next()?.is_uppercase()).then_some(at + 1)
    });
    match (seams.next(), seams.next()) {
        (Some(at), None) => done(&text[..at], &text[at..]),
        _ => done(text, ""),
    }
}

pub(super) fn done(reasoning: &str, answer: &str) -> Split {
    Split { reasoning: reasoning.trim().to_owned(), answer: answer.trim().to_owned(), ..Split::default() }
}
