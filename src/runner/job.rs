//! [`Job`]: one task, ready to be asked.

use std::sync::Arc;

use monban_scorers::{Expectation, Mode, RawJson, Request};
use serde_json::Value;

use crate::suite::StreamMode;

/// One task of a plan, everything parsed.
#[derive(Debug)]
pub struct Job {
    /// The task's id.
    pub id: String,
    /// How many attempts it gets.
    pub repeat: u32,
    /// Streamed, plain or both.
    pub stream: StreamMode,
    /// What is asked; `request.body` is what goes over the wire but for `stream`.
    pub request: Request,
    /// What must hold.
    pub expectations: Arc<[Expectation]>,
}

impl Job {
    /// The bodies of one attempt, in the order asked: the stream first, so that its time to first token is not that of
    /// a prompt the server has just seen.
    #[must_use]
    pub fn bodies(&self) -> Vec<(Mode, RawJson)> {
        let modes: &[Mode] = match self.stream {
            StreamMode::Off => &[Mode::Plain],
            StreamMode::On => &[Mode::Stream],
            StreamMode::Both => &[Mode::Stream, Mode::Plain],
        };
        modes.iter().map(|mode| (*mode, self.body(*mode))).collect()
    }

    fn body(&self, mode: Mode) -> RawJson {
        match (mode, &self.request.body) {
            (Mode::Stream, Value::Object(body)) => {
                let mut body = body.clone();
                body.insert("stream".to_owned(), Value::Bool(true));
                // Without it most engines send no token counts in a stream.
                body.entry("stream_options").or_insert_with(|| serde_json::json!({ "include_usage": true }));
                RawJson::of(&Value::Object(body))
            }
            (_, body) => RawJson::of(body),
        }
    }
}
