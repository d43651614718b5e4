//! One row an attempt, streamed from the journal.

use std::io::{self, Write};

use super::Input;
use super::escape;
use super::figures;

const HEADER: [&str; 11] = [
    "run_id",
    "suite",
    "task",
    "attempt",
    "outcome",
    "why",
    "latency_ms",
    "ttft_ms",
    "prompt_tokens",
    "completion_tokens",
    "findings",
];

/// Writes the report.
pub(super) fn write(input: &Input<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    rows.write_record(HEADER)?;
    for done in input.attempts()? {
        let done = done?;
        let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
        let measured: Vec<_> = done.measures.iter().filter(|measure| measure.answered).collect();
        let latency = measured.iter().map(|measure| measure.timing.latency_us).max();
        let ttft = measured.iter().filter(|measure| measure.streamed).find_map(|measure| measure.timing.ttft_us());
        let ms = |us: Option<u64>| us.map(|us| format!("{:.3}", us as f64 / 1e3)).unwrap_or_default();
        let rules: Vec<&str> = done.findings.iter().map(|finding| finding.rule.as_str()).collect();
        rows.write_record([
            escape::csv(&input.record.start.run_id),
            escape::csv(input.suite_of(done.task)),
            escape::csv(input.id_of(done.task)),
            done.attempt.to_string(),
            figures::name(done.outcome).to_owned(),
            escape::csv(&done.why),
            ms(latency),
            ms(ttft),
            number(measured.iter().find_map(|measure| measure.usage.prompt_tokens)),
            number(measured.iter().find_map(|measure| measure.usage.completion_tokens)),
            escape::csv(&rules.join(" ")),
        ])?;
    }
    rows.flush()
}
