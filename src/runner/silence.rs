//! Tells a dead endpoint from a slow model while no request has been answered: [`watch`].
//!
//! A model may load or think for minutes, and its server still answers a GET. What never answered anything, then is
//! silent to every request, and lets a GET go unanswered too, will not begin to.

use monban_scorers::{Blame, Confidence, Exchange, Finding, Severity};
use tokio::time::{Instant, sleep, timeout};

use super::run::Shared;
use super::sink::lock;
use super::stop::Level;
use crate::record::Event;

/// What any server answers at once, with whatever status.
const PATHS: [&str; 2] = ["/v1/models", "/health"];

/// Ends the run where the endpoint is dead; `heard`: it answered something before.
pub(super) async fn watch(shared: &Shared, heard: bool) {
    let (started, patience) = (Instant::now(), shared.options.patience());
    sleep(patience).await;
    if heard || !lock(&shared.breaker).is_untouched() {
        return;
    }
    let answers = async {
        let (one, other) = tokio::join!(shared.client.get(PATHS[0]), shared.client.get(PATHS[1]));
        [one, other].iter().any(spoke)
    };
    // With the patience, and what discovery took before, still within half a minute.
    let answered = timeout(patience / 4, answers).await.unwrap_or(false);
    if !answered && lock(&shared.breaker).is_untouched() {
        let (seconds, [one, other]) = (started.elapsed().as_secs(), PATHS);
        let why = format!("no answer for {seconds} s to any request, nor to GET {one} and {other}");
        let told = lock(&shared.sink).emit(&Event::RunFinding(finding(&why)));
        shared.stop.end(Level::Drain, &format!("circuit_open: {why}"));
        shared.note_failure(told);
    }
}

/// No request came back to be booked, so the run says it.
fn finding(why: &str) -> Finding {
    let message = format!("connections are accepted and nothing is sent: {why}");
    let fix = "look whether the server is frozen (its log, its GPU), and restart it".to_owned();
    let finding = Finding::new("unreachable_or_loading", Severity::Error, Blame::Endpoint, Confidence::High, message);
    Finding { fix: vec![fix], ..finding }
}

fn spoke(exchange: &Exchange) -> bool {
    exchange.status.is_some()
}
