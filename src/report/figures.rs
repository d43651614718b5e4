//! The figures of a run in words and in JSON, said once for all formats.

use serde_json::{Value, json};

use crate::record::{Counts, Histogram, Performance, RunRecord, RunVerdict};
use monban_scorers::{Finding, Outcome, Severity};

/// `12.3 ms`, `4.56 s`: three significant digits are enough.
pub(super) fn time(us: f64) -> String {
    match us {
        us if us < 10_000.0 => format!("{:.1} ms", us / 1e3),
        us if us < 1_000_000.0 => format!("{:.0} ms", us / 1e3),
        us => format!("{:.2} s", us / 1e6),
    }
}

/// `p50 · p95 · p99`, or a dash where nothing was measured.
pub(super) fn percentiles(histogram: &Histogram) -> String {
    let at = |percent| histogram.percentile(percent).map_or_else(|| "–".to_owned(), time);
    if histogram.percentile(50.0).is_none() {
        return "–".to_owned();
    }
    format!("{} · {} · {}", at(50.0), at(95.0), at(99.0))
}

/// `87.5 %`.
pub(super) fn percent(rate: f64) -> String {
    format!("{:.1} %", rate * 100.0)
}

/// Tokens generated in a second of generating.
pub(super) fn tokens_per_second(performance: &Performance) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "counts and microseconds")]
    let (tokens, seconds) = (performance.completion_tokens as f64, performance.generation_us as f64 / 1e6);
    (tokens > 0.0 && seconds > 0.0).then(|| tokens / seconds)
}

/// Exchanges answered in a second of the run.
pub(super) fn requests_per_second(performance: &Performance) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "counts and milliseconds")]
    let (answered, seconds) = ((performance.exchanges - performance.errors) as f64, performance.wall_ms as f64 / 1e3);
    (seconds > 0.0).then(|| answered / seconds)
}

/// Exchanges without an answer, of all.
pub(super) fn error_rate(performance: &Performance) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    let (errors, all) = (performance.errors as f64, performance.exchanges as f64);
    (all > 0.0).then(|| errors / all)
}

/// The outcomes with their counts, the red ones first, in the order a reader asks.
pub(super) fn outcomes(counts: &Counts) -> [(Outcome, &'static str, u64); 6] {
    [
        (Outcome::Failed, "failed", counts.failed),
        (Outcome::ServerFault, "server fault", counts.server_fault),
        (Outcome::Error, "error", counts.error),
        (Outcome::Truncated, "truncated", counts.truncated),
        (Outcome::Skipped, "skipped", counts.skipped),
        (Outcome::Passed, "passed", counts.passed),
    ]
}

/// The outcome's name in JSON.
pub(super) fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::Truncated => "truncated",
        Outcome::ServerFault => "server_fault",
        Outcome::Error => "error",
        Outcome::Skipped => "skipped",
    }
}

/// What kept a run from being judged, where that is known: said before anything else. The rate stays unknown.
pub(crate) fn cause(record: &RunRecord) -> Option<&Finding> {
    let unjudged = record.verdict(None) == RunVerdict::Invalid;
    let mut errors = record.findings.iter().filter(|finding| unjudged && finding.severity == Severity::Error);
    // What an attempt showed kept it from its answer; what was known before it may not have.
    let of_attempts = |finding: &&Finding| finding.evidence.iter().any(|evidence| !evidence.task.is_empty());
    errors.clone().find(of_attempts).or_else(|| errors.next())
}

/// `not judged: the server refuses tool calls… (auto_tool_choice_missing; blame: server_config)`, and the first remedy.
pub(crate) fn cause_lines(record: &RunRecord) -> Vec<String> {
    let Some(cause) = cause(record) else { return Vec::new() };
    let blame = serde_json::to_value(cause.blame).unwrap_or_default();
    let blame = blame.as_str().unwrap_or_default();
    let why = format!("not judged: {} ({}; blame: {blame})", cause.message, cause.rule);
    std::iter::once(why).chain(cause.fix.first().map(|fix| format!("fix first: {fix}"))).collect()
}

/// `passed 3/12 as served · 11/12 as the model wrote it`, with the bounds where something was not judged.
pub(super) fn rate_line(record: &RunRecord) -> String {
    let (counts, rates) = (&record.counts, record.rates());
    let Some(pass) = rates.pass else {
        let (passed, judged) = intent(record);
        let written = if judged > 0 { format!(" · as the model wrote it {passed}/{judged}") } else { String::new() };
        return format!("no rate: of {} attempts none was judged{written}", counts.attempts);
    };
    let mut line = format!("passed {}/{} judged = {}", counts.passed, counts.judged(), percent(pass));
    if let Some([low, high]) = rates.ci95 {
        line.push_str(&format!(" (95 % {}–{})", percent(low), percent(high)));
    }
    if let (Some(low), Some(high)) = (rates.pass_low, rates.pass_high)
        && high - low > f64::EPSILON
    {
        let unjudged = counts.attempts - counts.judged();
        line.push_str(&format!(" · with the {unjudged} not judged: {} to {}", percent(low), percent(high)));
    }
    line
}

/// `as served 0/12 · as the model wrote it 11/12`; `None` while both say the same.
pub(super) fn intent_line(record: &RunRecord) -> Option<String> {
    let (passed, judged) = intent(record);
    let served = record.counts.judged() + record.counts.server_fault;
    let unknown = served.saturating_sub(judged);
    let unknown = if unknown > 0 { format!(" ({unknown} not known)") } else { String::new() };
    (record.counts.server_fault > 0).then(|| {
        format!("as served {}/{served} · as the model wrote it {passed}/{judged}{unknown}", record.counts.passed)
    })
}

fn intent(record: &RunRecord) -> (u64, u64) {
    record
        .tasks
        .iter()
        .fold((0, 0), |(passed, judged), task| (passed + task.intent_passed, judged + task.intent_judged))
}

/// `{p50, p95, p99}` in milliseconds, null where nothing was measured.
pub(super) fn percentiles_json(histogram: &Histogram) -> Value {
    let at = |percent| histogram.percentile(percent).map(|us| (us / 1e3 * 1e3).round() / 1e3);
    json!({ "p50": at(50.0), "p95": at(95.0), "p99": at(99.0), "count": histogram.count() })
}

/// The performance block of the JSON report.
pub(super) fn performance_json(performance: &Performance) -> Value {
    json!({
        "ttft_ms": percentiles_json(&performance.ttft_us),
        "ttft_reasoning_ms": percentiles_json(&performance.ttft_reasoning_us),
        "ttft_text_ms": percentiles_json(&performance.ttft_text_us),
        "ttft_tool_ms": percentiles_json(&performance.ttft_tool_us),
        "latency_ms": percentiles_json(&performance.latency_us),
        "tokens_per_s": tokens_per_second(performance),
        "requests_per_s": requests_per_second(performance),
        "error_rate": error_rate(performance),
        "retries": performance.retries,
        "exchanges": performance.exchanges,
        "prompt_tokens": performance.prompt_tokens,
        "completion_tokens": performance.completion_tokens,
        "wall_ms": performance.wall_ms,
    })
}
