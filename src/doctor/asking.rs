//! Sends probes, a few at a time, until the time is up. Asks and keeps; reads nothing.

use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use monban_scorers::completion::TransportErrorKind;
use monban_scorers::{Exchange, RawJson};
use tokio::time::{Instant, timeout_at};

use super::seen::{Asked, Probe, To};
use crate::endpoint::Client;

/// Who asks, and until when.
#[derive(Clone, Debug)]
pub(super) struct Asking<'a> {
    pub(super) client: &'a Client,
    /// The same endpoint without the key, where one is used.
    pub(super) anonymous: Option<&'a Client>,
    /// Probes in flight.
    pub(super) at_once: usize,
    /// The longest wait for one answer.
    pub(super) patience: Duration,
    /// When everything ends.
    pub(super) deadline: Instant,
}

impl Asking<'_> {
    /// Asks all, the first of the list first; what does not get its turn in time is left unasked.
    pub(super) async fn all(&self, probes: Vec<Probe>) -> Vec<Asked> {
        stream::iter(probes).map(|probe| self.one(probe)).buffer_unordered(self.at_once).collect().await
    }

    /// Asks one.
    pub(super) async fn one(&self, probe: Probe) -> Asked {
        let exchange = match Instant::now() < self.deadline {
            true => timeout_at(self.deadline, self.insist(&probe)).await.ok().flatten(),
            false => None,
        };
        Asked { probe, exchange }
    }

    /// A connection that a server closed under the request is none of the answers: asked again, once.
    async fn insist(&self, probe: &Probe) -> Option<Exchange> {
        let exchange = self.send(probe).await?;
        let closed = exchange.status.is_none()
            && exchange.error.as_ref().is_some_and(|error| error.kind == TransportErrorKind::Cut);
        if closed { self.send(probe).await } else { Some(exchange) }
    }

    async fn send(&self, probe: &Probe) -> Option<Exchange> {
        let body = || RawJson::of(&probe.body);
        Some(match probe.to {
            To::Chat => self.client.ask(probe.mode, &body(), self.patience).await,
            To::Anonymous => self.anonymous?.ask(probe.mode, &body(), self.patience).await,
            To::Post(path) => self.client.post_json(path, &probe.body).await,
            To::Get(path) => self.client.get(path).await,
        })
    }
}
