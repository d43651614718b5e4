//! Judges stored exchanges, in parallel and without an endpoint: what `score` and `rescore` do.

use std::fmt;
use std::io;
use std::sync::Mutex;

use monban_scorers::Exchange;
use monban_scorers::diagnosis::{Context, Finding, RunSignals, run_findings};
use rayon::prelude::*;

use super::judged::attempt_done;
use super::sink::{Sink, lock};
use crate::plan::Plan;
use crate::record::{Event, RunEnd, RunRecord, line};

/// How many attempts are in memory at a time.
const BATCH: usize = 256;

/// One stored attempt.
#[derive(Debug)]
pub struct Stored {
    /// Index into [`Plan::tasks`].
    pub task: usize,
    /// 0-based attempt number.
    pub attempt: u32,
    /// The wire.
    pub exchanges: Vec<Exchange>,
}

/// Why stored attempts cannot be judged.
#[derive(Debug)]
pub enum RejudgeError<E> {
    /// Where they come from failed.
    Source(E),
    /// The journal cannot be written.
    Journal(io::Error),
}

impl<E: fmt::Display> fmt::Display for RejudgeError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => error.fmt(f),
            Self::Journal(error) => write!(f, "the journal cannot be written: {error}"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for RejudgeError<E> {}

/// Judges stored attempts by a plan; the events come in the order of the attempts. `wall_ms` is how long the asking took.
///
/// # Errors
/// When the attempts cannot be read or the journal not written.
pub fn rejudge<E>(
    plan: &Plan,
    context: &Context,
    stored: impl Iterator<Item = Result<Stored, E>>,
    wall_ms: u64,
    sink: &mut Sink,
) -> Result<RunRecord, RejudgeError<E>> {
    let signals = Mutex::new(RunSignals::default());
    let mut stored = stored.peekable();
    while stored.peek().is_some() {
        let batch: Vec<Stored> = stored.by_ref().take(BATCH).collect::<Result<_, E>>().map_err(RejudgeError::Source)?;
        let judged: Vec<_> =
            batch.into_par_iter().filter_map(|stored| judge(plan, context, stored, &signals)).collect();
        for judged in judged {
            let (event, line) = judged.map_err(RejudgeError::Journal)?;
            sink.take_line(&event, &line);
        }
        sink.write().map_err(RejudgeError::Journal)?;
    }
    conclude(sink, run_findings(&lock(&signals), context), wall_ms).map_err(RejudgeError::Journal)
}

fn judge(
    plan: &Plan,
    context: &Context,
    stored: Stored,
    signals: &Mutex<RunSignals>,
) -> Option<io::Result<(Event, Vec<u8>)>> {
    let task = plan.tasks.get(stored.task)?;
    let event =
        Event::AttemptDone(attempt_done((stored.task, stored.attempt), task, stored.exchanges, context, signals));
    Some(line(&event).map(|line| (event, line)))
}

fn conclude(sink: &mut Sink, findings: Vec<Finding>, wall_ms: u64) -> io::Result<RunRecord> {
    for finding in findings {
        sink.emit(&Event::RunFinding(finding))?;
    }
    let end = RunEnd { finished: jiff::Timestamp::now().to_string(), wall_ms, reason: "done".to_owned() };
    sink.emit(&Event::RunEnd(end))?;
    sink.sync()?;
    Ok(sink.fold().record())
}
