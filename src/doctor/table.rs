//! The report for people: identity, matrix, findings, flags. Everything a server said is escaped.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr as _;

use super::report::{Capability, Report, Status};
use crate::report::{excerpt, terminal, write_findings};

/// The widest evidence in the matrix.
const EVIDENCE: usize = 96;

/// Writes the report as a table.
///
/// # Errors
/// The output cannot be written.
pub fn write(report: &Report, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    header(report, out)?;
    // Where nothing was answered, two dozen rows would say so.
    let silent = report.completions == 0;
    let (unasked, told): (Vec<_>, Vec<_>) = report.capabilities.iter().partition(|row| silent && is_unasked(row));
    matrix(&told, colour, out)?;
    if !unasked.is_empty() {
        writeln!(out, "  {} more capabilities were not looked at, for nothing was answered\n", unasked.len())?;
    }
    write_findings(&report.findings, colour, out)?;
    flags(report, out)?;
    let seconds = report.wall_ms as f64 / 1000.0;
    writeln!(
        out,
        "{} requests, {} completions, {seconds:.1} s · exit {}",
        report.requests, report.completions, report.exit_code
    )
}

fn header(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let identity = &report.identity;
    let engine = identity.engine.as_deref().unwrap_or("unknown engine");
    let version = identity.engine_version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let line = format!("{} at {} · {engine}{version} · {}", report.model, report.endpoint, report.environment);
    writeln!(out, "{}", terminal(&line))?;
    for fact in report.facts.iter().filter(|fact| !matches!(fact.fact.as_str(), "server" | "chat_template")).take(12) {
        let line = format!("  {}: {} ({})", fact.fact, fact.value, fact.source);
        writeln!(out, "{}", terminal(&line))?;
    }
    writeln!(out)
}

fn is_unasked(row: &Capability) -> bool {
    row.status == Status::Inconclusive
        && ["not asked", "no streamed answer", "no answer"].iter().any(|words| row.evidence.contains(words))
}

fn matrix(capabilities: &[&Capability], colour: bool, out: &mut dyn Write) -> io::Result<()> {
    let widest = capabilities.iter().map(|row| row.capability.width()).max().unwrap_or(0);
    let ways = capabilities.iter().map(|row| row.how.width()).max().unwrap_or(0);
    for row in capabilities {
        let name = format!("{}{}", row.capability, " ".repeat(widest - row.capability.width()));
        let status = paint(row.status, colour);
        let how = format!("{}{}", row.how, " ".repeat(ways - row.how.width()));
        let line = format!("  {name}  {status}  {how}  {}", excerpt(&row.evidence, EVIDENCE));
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out)
}

fn paint(status: Status, colour: bool) -> String {
    let word = format!("{:<12}", status.word());
    let style = match status {
        _ if !colour => return word,
        Status::Ok => anstyle::AnsiColor::Green,
        Status::Broken => anstyle::AnsiColor::Red,
        Status::Ignored | Status::Refused => anstyle::AnsiColor::Yellow,
        Status::Inconclusive | Status::NotApplicable => anstyle::AnsiColor::BrightBlack,
    };
    let style = style.on_default();
    format!("{style}{word}{style:#}")
}

fn flags(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let flags = &report.flags;
    if flags.tool.is_none() && flags.reasoning.is_none() {
        return Ok(());
    }
    writeln!(out, "flags for {}:", terminal(&flags.basis))?;
    for text in flags.tool.iter().chain(&flags.reasoning).chain(&flags.notes) {
        writeln!(out, "  {}", terminal(text))?;
    }
    writeln!(out)
}
