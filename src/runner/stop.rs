//! [`Stop`]: ends a run early, from outside (an interrupt) or inside (a dead endpoint, a full disk).

use std::sync::{Arc, OnceLock};

use tokio::sync::watch;

use crate::record::RunEnd;

/// How far a run is on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Going on.
    Go,
    /// Nothing new is begun, no retry is waited for.
    Drain,
    /// What is in flight is given up.
    Now,
}

/// A handle to end a run; clones are the same handle.
#[derive(Clone, Debug)]
pub struct Stop {
    level: Arc<watch::Sender<Level>>,
    reason: Arc<OnceLock<String>>,
}

impl Default for Stop {
    fn default() -> Self {
        Self { level: Arc::new(watch::Sender::new(Level::Go)), reason: Arc::default() }
    }
}

impl Stop {
    /// The reason an interrupted run ends with.
    pub const INTERRUPTED: &str = RunEnd::INTERRUPTED;

    /// Ends the run on behalf of its user: once, what is in flight may finish for a moment; twice, it may not.
    pub fn interrupt(&self) {
        let next = if self.level() == Level::Go { Level::Drain } else { Level::Now };
        self.end(next, Self::INTERRUPTED);
    }

    /// Ends the run. The first reason stands.
    pub fn end(&self, level: Level, reason: &str) {
        self.reason.get_or_init(|| reason.to_owned());
        self.level.send_if_modified(|now| {
            let later = level > *now;
            *now = level.max(*now);
            later
        });
    }

    /// How far it is.
    #[must_use]
    pub fn level(&self) -> Level {
        *self.level.borrow()
    }

    /// Why it ends, once it does.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.get().map(String::as_str)
    }

    /// Waits until it is at least so far.
    pub async fn reached(&self, level: Level) {
        // It cannot be closed: `self` holds the sender.
        let _ = self.level.subscribe().wait_for(|now| *now >= level).await;
    }
}
