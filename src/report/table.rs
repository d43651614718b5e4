//! The table for people: what is pasted into a chat. Aligned with Japanese text, nothing hostile gets through.

use std::io::{self, Write};

use monban_scorers::{Finding, Outcome, Severity};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::Input;
use super::escape::{excerpt, terminal};
use super::figures;
use crate::record::{Counts, RunVerdict};

/// The widest a line of why gets when the terminal says nothing.
const WHY: usize = 100;

/// Writes the report.
pub(super) fn write(input: &Input<'_>, out: &mut dyn Write) -> io::Result<()> {
    let paint = Paint(input.style.colour);
    for line in figures::cause_lines(input.record) {
        writeln!(out, "{}", paint.bold(&terminal(&line)))?;
    }
    header(input, out)?;
    tasks(input, &paint, out)?;
    write_findings(&input.record.findings, input.style.colour, out)?;
    footer(input, &paint, out)
}

fn header(input: &Input<'_>, out: &mut dyn Write) -> io::Result<()> {
    let start = &input.record.start;
    let engine = match (&start.context.engine, &start.context.engine_version) {
        (Some(engine), Some(version)) => format!(" · {engine} {version}"),
        (Some(engine), None) => format!(" · {engine}"),
        _ => String::new(),
    };
    let line = format!("{} at {}{engine} · {} · {}", start.model, start.base_url, start.route, start.environment);
    // Stored answers name no address.
    let line = if start.base_url.is_empty() { format!("{}{engine}", start.model) } else { line };
    writeln!(out, "{}", terminal(&line))?;
    for suite in &start.suites {
        let digest: String = suite.digest.trim_start_matches("sha256:").chars().take(12).collect();
        writeln!(out, "suite {} {} ({digest})", terminal(&suite.name), terminal(&suite.version))?;
    }
    if let Some(name) = start.profile.get("name").and_then(|name| name.as_str()) {
        writeln!(out, "profile {}", terminal(name))?;
    }
    writeln!(out)
}

fn tasks(input: &Input<'_>, paint: &Paint, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<[String; 4]> = (0..input.record.tasks.len()).map(|at| row(input, at)).collect();
    let columns = [0, 1, 2].map(|column| rows.iter().map(|row| row[column].width()).max().unwrap_or(0));
    let left = columns.iter().sum::<usize>() + 8;
    let why = if input.style.width > left + 20 { input.style.width - left } else { WHY };
    for (at, row) in rows.iter().enumerate() {
        let counts = &input.record.tasks[at].counts;
        let line = format!(
            "  {}  {}  {:>latency$}  ",
            fill(&row[0], columns[0]),
            paint.outcome(&fill(&row[1], columns[1]), counts),
            row[2],
            latency = columns[2]
        );
        writeln!(out, "{}", format!("{line}{}", fit(&row[3], why)).trim_end())?;
    }
    writeln!(out)
}

/// Task, outcome, latency, why.
fn row(input: &Input<'_>, at: usize) -> [String; 4] {
    let task = &input.record.tasks[at];
    let several = input.record.start.suites.len() > 1;
    let id = if several { format!("{}/{}", input.suite_of(at), input.id_of(at)) } else { input.id_of(at).to_owned() };
    let latency = task.latency_us.percentile(50.0).map_or_else(|| "–".to_owned(), figures::time);
    [excerpt(&id, 48), outcome(&task.counts), latency, excerpt(&task.why, 400)]
}

/// `passed`, or for several attempts `passed 3/5 · error 2`.
fn outcome(counts: &Counts) -> String {
    let present: Vec<_> = figures::outcomes(counts).into_iter().filter(|(.., count)| *count > 0).collect();
    match present.as_slice() {
        [(_, name, count)] if *count == counts.attempts && *count <= 1 => (*name).to_owned(),
        [] => "skipped".to_owned(),
        several => several
            .iter()
            .map(|(_, name, count)| format!("{name} {count}/{}", counts.attempts))
            .collect::<Vec<_>>()
            .join(" · "),
    }
}

/// Writes findings as every table shows them, and a blank line after them.
///
/// # Errors
/// The output cannot be written.
pub fn write_findings(findings: &[Finding], colour: bool, out: &mut dyn Write) -> io::Result<()> {
    for finding in findings {
        one_finding(finding, &Paint(colour), out)?;
    }
    if findings.is_empty() { Ok(()) } else { writeln!(out) }
}

fn one_finding(finding: &Finding, paint: &Paint, out: &mut dyn Write) -> io::Result<()> {
    let severity = word(&finding.severity);
    let times = if finding.count > 1 { format!(" (in {} attempts)", finding.count) } else { String::new() };
    let head = format!("{severity}[{}]", terminal(&finding.rule));
    writeln!(out, "{} blame: {}{times}", paint.severity(&head, finding.severity), word(&finding.blame))?;
    writeln!(out, "  {}", terminal(&finding.message))?;
    for evidence in finding.evidence.iter().take(2) {
        let task = if evidence.task.is_empty() { String::new() } else { format!("{} · ", terminal(&evidence.task)) };
        writeln!(out, "  seen: {task}{}: {}", terminal(&evidence.place), excerpt(&evidence.excerpt, 160))?;
    }
    for ruled_out in finding.ruled_out.iter().take(2) {
        writeln!(out, "  ruled out: {}", terminal(ruled_out))?;
    }
    for fix in finding.fix.iter().take(3) {
        writeln!(out, "  fix: {}", paint.bold(&terminal(fix)))?;
    }
    Ok(())
}

fn footer(input: &Input<'_>, paint: &Paint, out: &mut dyn Write) -> io::Result<()> {
    let (record, performance) = (input.record, &input.record.performance);
    let verdict = record.verdict(input.fail_under);
    writeln!(out, "{}  {}", paint.verdict(&verdict.word().to_uppercase(), verdict), figures::rate_line(record))?;
    if let Some(line) = figures::intent_line(record) {
        writeln!(out, "  {line}")?;
    }
    let counted: Vec<String> = figures::outcomes(&record.counts)
        .iter()
        .filter(|(outcome, _, count)| *count > 0 && *outcome != Outcome::Passed)
        .map(|(_, name, count)| format!("{count} {name}"))
        .collect();
    if !counted.is_empty() {
        writeln!(out, "  not passed: {}", counted.join(" · "))?;
    }
    for pass in record.pass_ks() {
        writeln!(
            out,
            "  pass@{k} {} · pass^{k} {}",
            figures::percent(pass.any),
            figures::percent(pass.all),
            k = pass.k
        )?;
    }
    let histograms = [
        ("latency", &performance.latency_us),
        ("TTFT", &performance.ttft_us),
        ("  to reasoning", &performance.ttft_reasoning_us),
        ("  to text", &performance.ttft_text_us),
        ("  to tool call", &performance.ttft_tool_us),
    ];
    for (name, histogram) in histograms.into_iter().filter(|(_, histogram)| histogram.count() > 0) {
        writeln!(out, "  {name:<14} p50 · p95 · p99  {}", figures::percentiles(histogram))?;
    }
    writeln!(out, "  {}", throughput(input))?;
    writeln!(out, "run {}", terminal(&record.start.run_id))
}

fn throughput(input: &Input<'_>) -> String {
    let performance = &input.record.performance;
    let mut parts = Vec::new();
    if let Some(rate) = figures::tokens_per_second(performance) {
        parts.push(format!("{rate:.1} tokens/s a request"));
    }
    if let Some(rate) = figures::requests_per_second(performance) {
        parts.push(format!("{rate:.2} requests/s"));
    }
    if let Some(rate) = figures::error_rate(performance) {
        parts.push(format!(
            "{} of {} requests failed ({})",
            performance.errors,
            performance.exchanges,
            figures::percent(rate)
        ));
    }
    if performance.retries > 0 {
        parts.push(format!("{} retries", performance.retries));
    }
    parts.join(" · ")
}

/// The serialised name of a plain enum.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn fill(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// As much of a text as fits into so many columns.
fn fit(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let kept: String = text
        .chars()
        .take_while(|character| {
            used += character.width().unwrap_or(0);
            used <= columns
        })
        .collect();
    format!("{kept}…")
}

/// Colours, or none.
struct Paint(bool);

impl Paint {
    fn paint(&self, text: &str, style: anstyle::Style) -> String {
        if self.0 { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    fn colour(&self, text: &str, colour: anstyle::AnsiColor) -> String {
        self.paint(text, anstyle::Style::new().fg_color(Some(colour.into())).bold())
    }

    fn bold(&self, text: &str) -> String {
        self.paint(text, anstyle::Style::new().bold())
    }

    fn outcome(&self, text: &str, counts: &Counts) -> String {
        use anstyle::AnsiColor::{Green, Magenta, Red, Yellow};
        let colour = match counts {
            counts if counts.failed > 0 => Red,
            counts if counts.server_fault > 0 => Magenta,
            counts if counts.passed == counts.attempts => Green,
            _ => Yellow,
        };
        self.colour(text, colour)
    }

    fn severity(&self, text: &str, severity: Severity) -> String {
        use anstyle::AnsiColor::{Blue, Red, Yellow};
        self.colour(
            text,
            match severity {
                Severity::Error => Red,
                Severity::Warning => Yellow,
                Severity::Info => Blue,
            },
        )
    }

    fn verdict(&self, text: &str, verdict: RunVerdict) -> String {
        use anstyle::AnsiColor::{Green, Magenta, Red, Yellow};
        self.colour(
            text,
            match verdict {
                RunVerdict::Pass => Green,
                RunVerdict::Fail => Red,
                RunVerdict::Misconfigured => Magenta,
                RunVerdict::Invalid => Yellow,
            },
        )
    }
}
