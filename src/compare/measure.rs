//! The figures of one run, with intervals.

use serde::Serialize;

use super::stats::percentile_interval;
use crate::record::{Histogram, RunRecord, wilson95};

/// A figure and its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Its interval; `None` where none can be said.
    pub ci95: Option<[f64; 2]>,
}

/// What is set side by side. Rates 0 to 1, times in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "each is the figure it is named after")]
pub struct Measures {
    pub pass: Option<Estimate>,
    pub intent: Option<Estimate>,
    pub truncated: Option<Estimate>,
    pub server_fault: Option<Estimate>,
    pub error: Option<Estimate>,
    pub ttft_ms: [Option<Estimate>; 3],
    pub latency_ms: [Option<Estimate>; 3],
    pub tokens_per_s: Option<f64>,
    pub requests_per_s: Option<f64>,
    pub completion_tokens: u64,
    pub prompt_tokens: u64,
}

impl Measures {
    /// The figures of a run.
    #[must_use]
    pub fn of(record: &RunRecord) -> Self {
        let (counts, performance) = (&record.counts, &record.performance);
        let share = |part: u64, whole: u64| {
            let ci95 = wilson95(part, whole)?;
            Some(Estimate { value: real(part) / real(whole), ci95: Some(ci95) })
        };
        let asked = counts.attempts - counts.skipped;
        let (intent_passed, intent_judged) = record
            .tasks
            .iter()
            .fold((0, 0), |(passed, judged), task| (passed + task.intent_passed, judged + task.intent_judged));
        let rate = |amount: u64, per: f64| (per > 0.0 && amount > 0).then(|| real(amount) / per);
        Self {
            pass: share(counts.passed, counts.judged()),
            intent: share(intent_passed, intent_judged),
            truncated: share(counts.truncated, asked),
            server_fault: share(counts.server_fault, asked),
            error: share(counts.error, asked),
            ttft_ms: percentiles(&performance.ttft_us),
            latency_ms: percentiles(&performance.latency_us),
            tokens_per_s: rate(performance.completion_tokens, real(performance.generation_us) / 1e6),
            requests_per_s: rate(performance.exchanges - performance.errors, real(performance.wall_ms) / 1e3),
            completion_tokens: performance.completion_tokens,
            prompt_tokens: performance.prompt_tokens,
        }
    }
}

fn percentiles(histogram: &Histogram) -> [Option<Estimate>; 3] {
    [50.0, 95.0, 99.0].map(|percent| {
        let ci95 = percentile_interval(histogram, percent).map(|interval| interval.map(|us| us / 1e3));
        histogram.percentile(percent).map(|us| Estimate { value: us / 1e3, ci95 })
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts and microseconds")]
fn real(count: u64) -> f64 {
    count as f64
}
