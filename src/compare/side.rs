//! One run as a comparison sees it: its record, and each attempt's outcome.

use std::collections::BTreeMap;
use std::fmt;

use monban_scorers::Outcome;

use crate::record::{AttemptDone, RunDir, RunRecord};

/// One side of a comparison.
#[derive(Debug)]
pub struct Side {
    /// The run's record.
    pub record: RunRecord,
    /// Where its journal is.
    pub dir: Option<RunDir>,
    /// Attempts by (suite, task): the outcome of each, by attempt number.
    pub outcomes: BTreeMap<(String, String), BTreeMap<u32, Outcome>>,
    /// Latency of the first exchange that was sent, over the median: a cold start shows here. `None` where not known.
    pub warm_up: Option<f64>,
}

/// Why a run cannot be compared.
#[derive(Debug)]
pub struct SideError(String);

impl fmt::Display for SideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SideError {}

impl Side {
    /// Reads a run.
    ///
    /// # Errors
    /// When its journal cannot be read.
    pub fn read(dir: RunDir) -> Result<Self, SideError> {
        let failed = |error: &dyn fmt::Display| SideError(error.to_string());
        let record = dir.record().map_err(|error| failed(&error))?;
        let mut side = Self { record, dir: None, outcomes: BTreeMap::new(), warm_up: None };
        let mut first: Option<(u64, u64)> = None;
        for attempt in dir.attempts().map_err(|error| failed(&error))? {
            let done = attempt.map_err(|error| failed(&error))?;
            side.book(&done);
            let exchanges =
                done.exchanges.iter().filter(|exchange| exchange.sent_ms > 0 && exchange.status == Some(200));
            if let Some(earliest) = exchanges.map(|exchange| (exchange.sent_ms, exchange.total_us)).min() {
                first = Some(first.map_or(earliest, |first| first.min(earliest)));
            }
        }
        let median = side.record.performance.latency_us.percentile(50.0);
        #[expect(clippy::cast_precision_loss, reason = "microseconds")]
        let over = |(_, us): (u64, u64)| median.map(|median| us as f64 / median.max(1.0));
        side.warm_up = first.and_then(over);
        side.dir = Some(dir);
        Ok(side)
    }

    /// Books one attempt's outcome.
    pub fn book(&mut self, done: &AttemptDone) {
        let start = &self.record.start;
        let Some(task) = start.tasks.get(done.task) else { return };
        let suite = start.suites.get(task.suite).map(|suite| suite.name.clone()).unwrap_or_default();
        self.outcomes.entry((suite, task.id.clone())).or_default().insert(done.attempt, done.outcome);
    }
}
