//! A run in this process: the runtime, the signals, the report at the end. What `run` and `demo` share.

use std::io::Write as _;
use std::sync::Arc;

use monban_scorers::Finding;
use monban_scorers::diagnosis::{Context, RunSignals};

use super::io::BrokenOff;
use super::output::Output;
use super::{Io, ReportFormat, hint, progress, report};
use crate::endpoint::Client;
use crate::plan::Plan;
use crate::record::{RunDir, RunRecord};
use crate::report::{Input, cause_lines, terminal};
use crate::runner::{Book, Run, RunOptions, Stop, run};

/// What a run needs, with its place on disk taken.
pub(super) struct Live {
    pub(super) client: Client,
    pub(super) plan: Arc<Plan>,
    pub(super) context: Context,
    pub(super) options: RunOptions,
    pub(super) book: Book,
    /// What the parts before a resumption showed.
    pub(super) signals: RunSignals,
    /// The endpoint answered something already.
    pub(super) heard: bool,
    /// What is known before the first request.
    pub(super) beforehand: Vec<Finding>,
}

/// How the end of a run is told.
pub(super) struct Telling {
    pub(super) format: ReportFormat,
    pub(super) output: Option<Output>,
    pub(super) fail_under: Option<f64>,
}

impl Live {
    /// Runs to the end, or until a signal; writes the manifest.
    pub(super) fn run(self, runtime: &tokio::runtime::Runtime, io: &mut Io) -> anyhow::Result<(RunDir, RunRecord)> {
        let Book { dir, sink, lock } = self.book;
        let left: u64 = self.plan.attempt_count().saturating_sub(sink.fold().done().len());
        let stop = Stop::default();
        let signals = runtime.spawn(signals(stop.clone()));
        let record = runtime.block_on(run(Run {
            client: self.client,
            plan: self.plan,
            context: self.context,
            options: self.options,
            signals: self.signals,
            beforehand: self.beforehand,
            heard: self.heard,
            sink: sink.observe(progress::observer(io, left)),
            stop,
        }));
        signals.abort();
        let broken_off = |what: &dyn std::fmt::Display| {
            BrokenOff(format!("the run cannot be written: {what}; make room, then: {}", hint::resume(&dir)))
        };
        let record = record.map_err(|error| broken_off(&error))?;
        dir.write_manifest(&record).map_err(|error| broken_off(&error))?;
        drop(lock);
        Ok((dir, record))
    }
}

/// Interrupts the run at the first SIGINT or SIGTERM; at the second it does not wait for what is in flight.
async fn signals(stop: Stop) {
    #[cfg(unix)]
    let mut term = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).ok();
    loop {
        #[cfg(unix)]
        let terminated = async {
            match &mut term {
                Some(term) => term.recv().await,
                None => std::future::pending().await,
            }
        };
        #[cfg(not(unix))]
        let terminated = std::future::pending::<Option<()>>();
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => if interrupted.is_err() { return },
            _ = terminated => {}
        }
        stop.interrupt();
    }
}

/// Why a run is worth taking up again, and what that asks.
pub(super) fn unfinished(record: &RunRecord) -> Option<String> {
    let reason = record.end.as_ref().map_or("not ended", |end| end.reason.as_str());
    if reason != "done" {
        return Some(format!("{reason}; take it up again: "));
    }
    let counts = &record.counts;
    let open = [(counts.error, "without an answer"), (counts.skipped, "not asked")];
    let open: Vec<String> =
        open.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    (!open.is_empty()).then(|| format!("{}; to ask exactly those again: ", open.join(" and ")))
}

/// Prints the report and says what the run comes to.
pub(super) fn tell(dir: &RunDir, record: &RunRecord, telling: &Telling, io: &mut Io) -> anyhow::Result<u8> {
    let input = Input { dir: Some(dir), fail_under: telling.fail_under, ..Input::of(record) };
    if let Err(error) = report::emit(telling.format, input, telling.output.as_ref(), io) {
        // The report is lost, the run is not.
        writeln!(io.err, "the run is kept: {}", hint::of_run("report", dir))?;
        return Err(error);
    }
    // The table begins with it.
    if telling.format != ReportFormat::Table || telling.output.is_some() {
        for line in cause_lines(record) {
            writeln!(io.err, "{}", terminal(&line))?;
        }
    }
    // Either line ends with the run's id.
    match unfinished(record) {
        Some(why) => writeln!(io.err, "{}{}", terminal(&why), hint::resume(dir))?,
        None => writeln!(io.err, "kept in {}", terminal(&dir.path().display().to_string()))?,
    }
    io.err.flush()?;
    Ok(record.exit_code(telling.fail_under))
}
