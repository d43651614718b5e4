//! Would a stock OpenAI client have read this answer? [`strict_client`] asks async-openai's types, and says where they
//! break.
//!
//! Not part of reading: it parses the answer once more, so that it is asked only where something else departs.

use super::{Deviation, Exchange};

/// Where async-openai's types refuse the answer; `None` where they accept it, and without the feature `strict-client`.
///
/// Only answers under a status of success are asked about. In a stream the first chunk that breaks counts.
#[must_use]
pub fn strict_client(exchange: &Exchange) -> Option<Deviation> {
    #[cfg(feature = "strict-client")]
    return with_types::check(exchange);
    #[cfg(not(feature = "strict-client"))]
    {
        let _ = exchange;
        None
    }
}

#[cfg(feature = "strict-client")]
mod with_types {
    use async_openai::types::chat::{CreateChatCompletionResponse, CreateChatCompletionStreamResponse};
    use serde::de::DeserializeOwned;

    use super::{Deviation, Exchange};
    use crate::completion::deviation::Notes;
    use crate::completion::sse::{Event, Events};
    use crate::completion::{Body, Mode};

    pub(super) fn check(exchange: &Exchange) -> Option<Deviation> {
        if !exchange.status.is_some_and(|status| (200..300).contains(&status)) {
            return None;
        }
        match exchange.mode {
            Mode::Plain => refusal::<CreateChatCompletionResponse>(&exchange.body.bytes())
                .map(|(path, error)| Deviation::new("strict_client", path, error)),
            Mode::Stream => stream(&exchange.body),
        }
    }

    fn stream(body: &Body) -> Option<Deviation> {
        let mut found = None;
        let mut number = 0_usize;
        let mut sink = |_: &mut Notes, event: Event<'_>| {
            number += 1;
            if found.is_none() && event.data.as_ref() != b"[DONE]" {
                found = refusal::<CreateChatCompletionStreamResponse>(&event.data)
                    .map(|(path, error)| Deviation::new("strict_client", format_args!("event {number} {path}"), error));
            }
        };
        let (mut events, mut notes) = (Events::default(), Notes::default());
        match body {
            Body::Pieces(pieces) => {
                pieces.iter().for_each(|piece| events.feed(&piece.raw.0, None, &mut notes, &mut sink));
            }
            other => events.feed(&other.bytes(), None, &mut notes, &mut sink),
        }
        events.finish(None, &mut notes, &mut sink);
        if number == 0 {
            return Some(Deviation::new("strict_client", "", "no event: a client waits for the first chunk in vain"));
        }
        found
    }

    /// The path at which the type breaks, and the error.
    fn refusal<T: DeserializeOwned>(bytes: &[u8]) -> Option<(String, String)> {
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        match serde_path_to_error::deserialize::<_, T>(&mut reader) {
            Ok(_) => None,
            Err(error) => Some((error.path().to_string(), error.inner().to_string())),
        }
    }
}
