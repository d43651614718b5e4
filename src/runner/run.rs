//! The run itself: workers over a queue, watched until it is done or stopped.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use monban_scorers::Exchange;
use monban_scorers::diagnosis::{Context, Finding, RunSignals, run_findings};
use tokio::task::{JoinSet, spawn_blocking, yield_now};

use super::ask;
use super::breaker::Breaker;
use super::judged::attempt_done;
use super::options::RunOptions;
use super::pace::Pace;
use super::queue::Queue;
use super::retry::RetryPolicy;
use super::silence;
use super::sink::{Sink, lock};
use super::stop::{Level, Stop};
use crate::endpoint::Client;
use crate::plan::{Plan, Planned};
use crate::record::{Event, RunEnd, RunRecord, line};

/// How long what is in flight may go on when the endpoint was given up: enough to book the tries that were made.
const AFTERMATH: Duration = Duration::from_millis(300);

/// Answers of this many bytes are judged beside the asking, which must see when the next answer arrives: a megabyte of
/// hostile markup takes half a second.
const LARGE: usize = 16 << 10;

/// How often a run looks whether the endpoint is dead while nothing arrives.
const TICK: Duration = Duration::from_millis(250);

/// What a run needs.
#[derive(Debug)]
pub struct Run {
    /// The endpoint.
    pub client: Client,
    /// What to ask; its tasks are those of `RunStart::tasks`.
    pub plan: Arc<Plan>,
    /// What is known of the endpoint.
    pub context: Context,
    /// How to ask.
    pub options: RunOptions,
    /// What earlier parts of the run showed; empty for a new run.
    pub signals: RunSignals,
    /// What is known before the first request, of the profile and the suite.
    pub beforehand: Vec<Finding>,
    /// The endpoint answered something already: then silence is slowness.
    pub heard: bool,
    /// Where the events go. Has seen `RunStart`, and `Resumed` where the run is taken up again.
    pub sink: Sink,
    /// Ends the run early.
    pub stop: Stop,
}

/// What the workers share.
pub(super) struct Shared {
    pub(super) client: Client,
    pub(super) options: RunOptions,
    pub(super) policy: RetryPolicy,
    pub(super) pace: Option<Pace>,
    pub(super) breaker: Mutex<Breaker>,
    pub(super) stop: Stop,
    plan: Arc<Plan>,
    context: Context,
    queue: Mutex<Queue>,
    pub(super) sink: Mutex<Sink>,
    signals: Mutex<RunSignals>,
    failure: Mutex<Option<io::Error>>,
}

impl Shared {
    /// A journal that cannot be written ends the run.
    pub(super) fn note_failure(&self, written: io::Result<()>) {
        if let Err(error) = written {
            self.stop.end(Level::Now, &format!("the journal cannot be written: {error}"));
            lock(&self.failure).get_or_insert(error);
        }
    }
}

/// Asks every attempt that has no final outcome, then says what all of them amount to.
///
/// # Errors
/// When the journal cannot be written. What was journaled before stands, and the run can be resumed.
pub async fn run(mut run: Run) -> io::Result<RunRecord> {
    let started = Instant::now();
    let stop = run.stop.clone();
    for finding in std::mem::take(&mut run.beforehand) {
        run.sink.emit(&Event::RunFinding(finding))?;
    }
    let heard = run.heard;
    let (shared, workers) = prepare(run);
    let shared = Arc::new(shared);
    let mut set = JoinSet::new();
    for _ in 0..workers {
        set.spawn(worker(Arc::clone(&shared)));
    }
    watch(&shared, heard, &mut set).await;
    drop(set);
    if let Some(error) = lock(&shared.failure).take() {
        return Err(error);
    }
    let end = RunEnd {
        finished: jiff::Timestamp::now().to_string(),
        wall_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        reason: stop.reason().unwrap_or("done").to_owned(),
    };
    let mut sink = lock(&shared.sink);
    for finding in run_findings(&lock(&shared.signals), &shared.context) {
        sink.emit(&Event::RunFinding(finding))?;
    }
    sink.emit(&Event::RunEnd(end))?;
    sink.sync()?;
    Ok(sink.fold().record())
}

fn prepare(run: Run) -> (Shared, u64) {
    let options = run.options;
    let queue = Queue::new(run.plan.tasks.iter().map(|task| task.repeat).collect(), run.sink.fold().done().clone());
    let attempts = queue.len();
    let shared = Shared {
        policy: RetryPolicy::new(options.retries),
        pace: Pace::new(options.rate),
        breaker: Mutex::new(Breaker::new(&options, attempts)),
        client: run.client,
        stop: run.stop,
        plan: run.plan,
        context: run.context,
        queue: Mutex::new(queue),
        sink: Mutex::new(run.sink),
        signals: Mutex::new(run.signals),
        failure: Mutex::new(None),
        options,
    };
    let workers = u64::from(shared.options.concurrency.max(1)).min(attempts);
    (shared, workers)
}

async fn worker(shared: Arc<Shared>) {
    let mut given_up = std::pin::pin!(shared.stop.reached(Level::Now));
    while shared.stop.level() == Level::Go {
        let Some(at) = lock(&shared.queue).next() else { break };
        let Some(task) = shared.plan.tasks.get(at.0) else { continue };
        let mut exchanges = Vec::with_capacity(2);
        let whole = tokio::select! {
            () = &mut given_up => false,
            () = ask::attempt(&shared, task, at, &mut exchanges) => true,
        };
        // Of an attempt given up in its midst, what went wrong is kept; what went well is half of an answer.
        if exchanges.is_empty() || (!whole && !exchanges.iter().all(went_wrong)) {
            if whole { continue } else { break }
        }
        if exchanges.iter().map(|exchange| exchange.body.size()).sum::<usize>() < LARGE {
            let event = judge(&shared, at, task, exchanges);
            shared.note_failure(lock(&shared.sink).take(&event));
        } else {
            judge_beside(&shared, at, exchanges).await;
        }
        // Others whose answers are here are judged first: one write does for all of them.
        yield_now().await;
        let written = lock(&shared.sink).write();
        shared.note_failure(written);
    }
}

fn went_wrong(exchange: &Exchange) -> bool {
    exchange.error.is_some() || exchange.status.is_none_or(|status| status >= 300)
}

/// Judges and books on another thread. What arrived whole is judged even when the run is being given up.
async fn judge_beside(shared: &Arc<Shared>, at: (usize, u32), exchanges: Vec<Exchange>) {
    let own = Arc::clone(shared);
    let judging = spawn_blocking(move || {
        let Some(task) = own.plan.tasks.get(at.0) else { return };
        let event = judge(&own, at, task, exchanges);
        // Its line is made outside the lock, for which the asking waits.
        own.note_failure(line(&event).map(|line| lock(&own.sink).take_line(&event, &line)));
    });
    let judging = judging.await;
    if let Some(panic) = judging.err().and_then(|error| error.try_into_panic().ok()) {
        std::panic::resume_unwind(panic);
    }
}

fn judge(shared: &Shared, at: (usize, u32), task: &Planned, exchanges: Vec<Exchange>) -> Event {
    Event::AttemptDone(attempt_done(at, task, exchanges, &shared.context, &shared.signals))
}

/// Waits for the workers; gives up a dead endpoint; after a stop, what is in flight gets its moment.
async fn watch(shared: &Shared, heard: bool, workers: &mut JoinSet<()>) {
    let mut tick = tokio::time::interval(TICK);
    let mut silence = std::pin::pin!(silence::watch(shared, heard));
    let mut listening = true;
    let mut draining: Option<Instant> = None;
    loop {
        tokio::select! {
            joined = workers.join_next() => if joined.is_none() { return },
            _ = tick.tick() => {}
            () = &mut silence, if listening => listening = false,
            () = shared.stop.reached(Level::Drain), if draining.is_none() => {}
        }
        if let Some(why) = lock(&shared.breaker).open() {
            shared.stop.end(Level::Drain, &format!("circuit_open: {why}"));
        }
        if shared.stop.level() >= Level::Drain {
            let since = *draining.get_or_insert_with(Instant::now);
            let interrupted = shared.stop.reason() == Some(Stop::INTERRUPTED);
            let grace = if interrupted { shared.options.grace() } else { AFTERMATH };
            if since.elapsed() >= grace {
                shared.stop.end(Level::Now, "");
            }
        }
    }
}
