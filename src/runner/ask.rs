//! One request, tried as often as the policy allows; one attempt, all its requests.

use std::time::Duration;

use monban_scorers::completion::Try;
use monban_scorers::{Exchange, Mode, RawJson};
use tokio::time::{Instant, sleep_until};

use super::run::Shared;
use super::sink::lock;
use super::stop::Level;
use crate::plan::Planned;

/// Puts the exchanges of one attempt into `exchanges`, each as it ends; none when it was stopped before the first.
pub(super) async fn attempt(shared: &Shared, task: &Planned, at: (usize, u32), exchanges: &mut Vec<Exchange>) {
    for mode in task.stream.modes() {
        let Some(exchange) = request(shared, at, *mode, &task.body(*mode), exchanges.is_empty()).await else { return };
        exchanges.push(exchange);
    }
}

/// One request with its retries. A stop ends the waiting, not the asking.
async fn request(shared: &Shared, at: (usize, u32), mode: Mode, body: &RawJson, first: bool) -> Option<Exchange> {
    let timeout = shared.options.timeout();
    let mut tries = Vec::new();
    loop {
        let slot = shared.pace.as_ref().map(super::pace::Pace::slot);
        if !wait_until(shared, slot).await && first && tries.is_empty() {
            return None;
        }
        lock(&shared.breaker).ask();
        let mut exchange = shared.client.ask(mode, body, timeout).await;
        note(shared, at, &exchange);
        let wait = shared.policy.wait(&exchange, tries.len(), timeout);
        let retry = match wait {
            Some(wait) => wait_until(shared, Some(Instant::now() + wait)).await,
            None => false,
        };
        if !retry {
            exchange.tries = tries;
            return Some(exchange);
        }
        tries.push(Try {
            status: exchange.status,
            error: exchange.error,
            waited_ms: wait.map_or(0, |wait: Duration| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
        });
    }
}

/// Waits; `false` when the run is being stopped.
async fn wait_until(shared: &Shared, when: Option<Instant>) -> bool {
    let Some(when) = when else { return true };
    if when <= Instant::now() {
        return shared.stop.level() == Level::Go;
    }
    tokio::select! {
        () = sleep_until(when) => true,
        () = shared.stop.reached(Level::Drain) => false,
    }
}

fn note(shared: &Shared, at: (usize, u32), exchange: &Exchange) {
    let mut breaker = lock(&shared.breaker);
    breaker.note(at, exchange);
    if let Some(why) = breaker.open() {
        shared.stop.end(Level::Drain, &format!("circuit_open: {why}"));
    }
}
