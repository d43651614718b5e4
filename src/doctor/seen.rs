//! What was asked and answered: [`Probe`]s in, [`Seen`] out. Pure.

use monban_scorers::completion::{self, Completion, Fault};
use monban_scorers::{Answer, Exchange, Mode};
use serde_json::Value;

/// One request to send.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Probe {
    /// Which; with the mode it is unique.
    pub(super) id: &'static str,
    /// Plain or streamed.
    pub(super) mode: Mode,
    /// Where it goes.
    pub(super) to: To,
    /// The body.
    pub(super) body: Value,
}

/// Where a probe goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum To {
    /// Chat completions.
    Chat,
    /// Chat completions, without the key.
    Anonymous,
    /// Another path that takes JSON.
    Post(&'static str),
    /// A path that is only read.
    Get(&'static str),
}

impl Probe {
    /// A plain chat request.
    pub(super) fn chat(id: &'static str, body: Value) -> Self {
        Self { id, mode: Mode::Plain, to: To::Chat, body }
    }
}

/// A probe and what came of it.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) probe: Probe,
    /// `None` when there was no time left.
    pub(super) exchange: Option<Exchange>,
}

/// The answer to a probe, read.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    /// A completion.
    Completion(Box<Completion>),
    /// None, and why.
    Fault(Box<Fault>),
    /// Not asked, or not answered before the time was up.
    Unasked,
}

impl Reply {
    pub(super) fn completion(&self) -> Option<&Completion> {
        match self {
            Self::Completion(completion) => Some(completion),
            Self::Fault(_) | Self::Unasked => None,
        }
    }
}

/// Everything that was asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen(pub(super) Vec<Asked>);

impl Seen {
    /// The exchange of a probe.
    pub(super) fn exchange(&self, id: &str, mode: Mode) -> Option<&Exchange> {
        self.0.iter().find(|asked| asked.probe.id == id && asked.probe.mode == mode)?.exchange.as_ref()
    }

    /// The answer to a plain probe.
    pub(super) fn reply(&self, id: &str) -> Reply {
        self.reply_in(id, Mode::Plain)
    }

    /// The answer to a probe in a mode.
    pub(super) fn reply_in(&self, id: &str, mode: Mode) -> Reply {
        match self.exchange(id, mode).map(completion::read) {
            Some(Answer::Completion(completion)) => Reply::Completion(Box::new(completion)),
            Some(Answer::Fault(fault)) => Reply::Fault(Box::new(fault)),
            None => Reply::Unasked,
        }
    }

    /// The JSON body of an answer with a good status.
    pub(super) fn json(&self, id: &str) -> Option<Value> {
        let exchange = self.exchange(id, Mode::Plain).filter(|one| one.status.is_some_and(|status| status < 300))?;
        serde_json::from_slice(&exchange.body.bytes()).ok()
    }

    /// Everything that was answered.
    pub(super) fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.0.iter().filter_map(|asked| asked.exchange.as_ref())
    }

    /// How many completions arrived.
    pub(super) fn completions(&self) -> usize {
        self.exchanges().filter(|exchange| completion::read(exchange).completion().is_some()).count()
    }
}
