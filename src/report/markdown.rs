//! Markdown for pull requests and chats.

use std::io::{self, Write};

use super::Input;
use super::escape::{excerpt, markdown};
use super::figures;

/// Writes the report.
pub(super) fn write(input: &Input<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (record, start) = (input.record, &input.record.start);
    let verdict = record.verdict(input.fail_under);
    writeln!(out, "## monban: {} — {}\n", verdict.word(), markdown(&start.model))?;
    for line in figures::cause_lines(record) {
        writeln!(out, "**{}**\n", markdown(&line))?;
    }
    writeln!(out, "{}\n", markdown(&figures::rate_line(record)))?;
    if let Some(line) = figures::intent_line(record) {
        writeln!(out, "{}\n", markdown(&line))?;
    }
    writeln!(out, "| suite | task | outcome | latency p50 | why |\n|---|---|---|---:|---|")?;
    for (at, task) in record.tasks.iter().enumerate() {
        let outcomes: Vec<String> = figures::outcomes(&task.counts)
            .iter()
            .filter(|(.., count)| *count > 0)
            .map(
                |(_, name, count)| {
                    if task.counts.attempts > 1 { format!("{name} {count}") } else { (*name).to_owned() }
                },
            )
            .collect();
        let latency = task.latency_us.percentile(50.0).map_or_else(|| "–".to_owned(), figures::time);
        let why = markdown(&excerpt(&task.why, 200));
        let (suite, id) = (markdown(input.suite_of(at)), markdown(input.id_of(at)));
        writeln!(out, "| {suite} | {id} | {} | {latency} | {why} |", outcomes.join(", "))?;
    }
    findings(input, out)?;
    let performance = &record.performance;
    writeln!(out, "\n| | p50 · p95 · p99 |\n|---|---|")?;
    writeln!(out, "| latency | {} |", figures::percentiles(&performance.latency_us))?;
    writeln!(out, "| TTFT | {} |", figures::percentiles(&performance.ttft_us))?;
    let engine = start.context.engine.as_deref().unwrap_or("engine not known");
    let version = start.context.engine_version.as_deref().unwrap_or("");
    let place = format!("{engine} {version} · {} · {} · run {}", start.route, start.environment, start.run_id);
    writeln!(out, "\n{}", markdown(&place))
}

fn findings(input: &Input<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in &input.record.findings {
        writeln!(
            out,
            "\n**{}** ({} attempts): {}",
            markdown(&finding.rule),
            finding.count,
            markdown(&finding.message)
        )?;
        for evidence in finding.evidence.iter().take(2) {
            let seen = format!("{} {}: {}", evidence.task, evidence.place, excerpt(&evidence.excerpt, 160));
            writeln!(out, "- seen: {}", markdown(&seen))?;
        }
        for fix in &finding.fix {
            writeln!(out, "- fix: {}", markdown(fix))?;
        }
    }
    Ok(())
}
