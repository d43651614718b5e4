//! How a run asks: [`RunOptions`], kept in the manifest so that `--resume` asks the same way.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How a run asks. What shapes the requests themselves is the plan's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOptions {
    /// Attempts in flight.
    pub concurrency: u32,
    /// Seconds one request may take.
    pub timeout_s: f64,
    /// Retries one request may take, for whatever reason.
    pub retries: u32,
    /// Requests a second, retries included, at most.
    pub rate: Option<f64>,
    /// Seconds without any answer after which the endpoint is given up.
    pub patience_s: f64,
    /// Seconds what is in flight may go on after an interrupt.
    pub grace_s: f64,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { concurrency: 4, timeout_s: 120.0, retries: 2, rate: None, patience_s: 15.0, grace_s: 3.0 }
    }
}

impl RunOptions {
    pub(super) fn timeout(&self) -> Duration {
        seconds(self.timeout_s)
    }

    pub(super) fn patience(&self) -> Duration {
        seconds(self.patience_s)
    }

    pub(super) fn grace(&self) -> Duration {
        seconds(self.grace_s)
    }
}

/// Whatever was written, a duration: at least a millisecond, at most a day.
fn seconds(value: f64) -> Duration {
    Duration::from_secs_f64(if value.is_nan() { 0.001 } else { value.clamp(0.001, 86_400.0) })
}
