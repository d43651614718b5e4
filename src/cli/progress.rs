//! How far a run is: a live bar on a terminal, a line now and then when piped.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Io;
use crate::record::{Counts, Event};
use crate::runner::Observer;

/// The longest silence when piped, as long as attempts end.
const SILENCE: Duration = Duration::from_secs(10);

/// An error stream that the progress and the subcommand both write to.
#[derive(Clone)]
struct Shared(Arc<Mutex<Box<dyn Write + Send>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).flush()
    }
}

/// The progress of a run of `total` attempts on `io.err`.
pub(super) fn observer(io: &mut Io, total: u64) -> Box<dyn Observer> {
    if io.err_terminal {
        return Box::new(Bar::new(total));
    }
    let shared = Shared(Arc::new(Mutex::new(std::mem::replace(&mut io.err, Box::new(io::sink())))));
    io.err = Box::new(shared.clone());
    let now = Instant::now();
    Box::new(Lines { err: shared, total, counts: Counts::default(), started: now, said: now, tenths: 0 })
}

/// What stands beside the number of attempts.
fn words(counts: &Counts) -> String {
    let named = [
        (counts.passed, "passed"),
        (counts.failed, "failed"),
        (counts.server_fault, "server fault"),
        (counts.truncated, "truncated"),
        (counts.error, "error"),
    ];
    let some: Vec<String> =
        named.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    some.join(" · ")
}

struct Bar {
    bar: ProgressBar,
    counts: Counts,
}

impl Bar {
    fn new(total: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(8));
        let template = "{bar:24} {pos}/{len} {elapsed} (eta {eta}) {msg}";
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar, counts: Counts::default() }
    }
}

impl Observer for Bar {
    fn event(&mut self, event: &Event) {
        match event {
            Event::AttemptDone(done) => {
                self.counts.count(done.outcome);
                self.bar.inc(1);
                self.bar.set_message(words(&self.counts));
            }
            Event::RunEnd(_) => self.bar.finish_and_clear(),
            _ => {}
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

struct Lines {
    err: Shared,
    total: u64,
    counts: Counts,
    started: Instant,
    said: Instant,
    tenths: u64,
}

impl Observer for Lines {
    fn event(&mut self, event: &Event) {
        let Event::AttemptDone(done) = event else { return };
        self.counts.count(done.outcome);
        let (attempts, total) = (self.counts.attempts, self.total.max(1));
        let tenths = attempts * 10 / total;
        if tenths == self.tenths && self.said.elapsed() < SILENCE {
            return;
        }
        (self.tenths, self.said) = (tenths, Instant::now());
        let (percent, seconds) = (attempts * 100 / total, self.started.elapsed().as_secs_f64());
        let line = format!("{attempts}/{total} ({percent} %) after {seconds:.1} s: {}\n", words(&self.counts));
        // Progress that nobody can read is no reason to stop.
        let _ = self.err.write_all(line.as_bytes());
    }
}
