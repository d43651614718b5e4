//! The usual chunk of a stream repeats the one before it but for its piece of text: [`Frame`] knows it by its bytes.
//!
//! Only speed: what it takes is what parsing would have read, and it must take nothing else.

use std::borrow::Cow;

use super::json::{Json, Members, get, get_some};
use super::message::{REASONING, REASONING_COPIES};

/// A chunk with one piece of text and nothing else that adds up, without that piece.
#[derive(Debug)]
pub(super) struct Frame {
    /// Up to and with the opening quote.
    before: String,
    /// From the closing quote.
    after: String,
    /// The delta's field that holds the piece.
    pub(super) field: &'static str,
}

impl Frame {
    /// The frame of a chunk that was read without a departure.
    pub(super) fn of(text: &str, chunk: &Members<'_>) -> Option<Self> {
        let [choice] = get_some(chunk, "choices")?.as_list()? else { return None };
        let delta = choice.field("delta")?.as_map()?;
        let adds = |field: &str| get_some(delta, field).is_some_and(|json| json.as_str() != Some(""));
        let mut full = std::iter::once("content").chain(REASONING).filter(|field| adds(field));
        let field = full.next()?;
        let others = ["refusal", "tool_calls", "function_call"].into_iter().chain(REASONING_COPIES);
        if full.next().is_some() || others.into_iter().any(adds) {
            return None;
        }
        // A piece that was written with escapes is no part of the text.
        let Some(Json::Text(Cow::Borrowed(piece))) = get(delta, field) else { return None };
        let (before, rest) = text.split_at_checked(piece.as_ptr().addr().checked_sub(text.as_ptr().addr())?)?;
        let after = rest.strip_prefix(piece)?;
        (before.ends_with('"') && after.starts_with('"')).then(|| Self {
            before: before.to_owned(),
            after: after.to_owned(),
            field,
        })
    }

    /// The piece of text in a chunk that repeats the frame around another one.
    pub(super) fn piece<'a>(&self, text: &'a str) -> Option<Cow<'a, str>> {
        let piece = text.strip_prefix(self.before.as_str())?.strip_suffix(self.after.as_str())?;
        match piece.bytes().any(|byte| matches!(byte, b'"' | b'\\' | ..=0x1f)) {
            _ if piece.is_empty() => None,
            false => Some(Cow::Borrowed(piece)),
            // Escapes; or the frame's end stands within the chunk, which then is no string up to there.
            true => serde_json::from_str(&text[self.before.len() - 1..=self.before.len() + piece.len()])
                .ok()
                .map(Cow::Owned),
        }
    }
}
