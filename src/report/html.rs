//! One HTML page that stands alone: no script, nothing fetched. Everything is escaped by the template engine.

use std::io::{self, Write};

use minijinja::{AutoEscape, Environment};
use serde_json::{Value, json};

use super::Input;
use super::escape::{excerpt, lines, terminal};
use super::figures;

const PAGE: &str = include_str!("report.html");

/// Writes the report.
pub(super) fn write(input: &Input<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("report.html", PAGE).map_err(io::Error::other)?;
    let page = environment.get_template("report.html").map_err(io::Error::other)?;
    let text = page.render(minijinja::value::Serde(view(input))).map_err(io::Error::other)?;
    // The engine escapes markup; what hides or turns text round is escaped here, whichever field it came by.
    out.write_all(lines(&text).as_bytes())
}

fn view(input: &Input<'_>) -> Value {
    let (record, start) = (input.record, &input.record.start);
    let tasks: Vec<Value> = record.tasks.iter().enumerate().map(|(at, _)| task(input, at)).collect();
    let findings: Vec<Value> = record
        .findings
        .iter()
        .map(|finding| {
            let seen: Vec<String> = finding
                .evidence
                .iter()
                .map(|evidence| format!("{} {}: {}", evidence.task, evidence.place, excerpt(&evidence.excerpt, 300)))
                .collect();
            json!({
                "rule": finding.rule, "severity": finding.severity, "blame": finding.blame,
                "message": terminal(&finding.message), "count": finding.count, "seen": seen, "fix": finding.fix,
            })
        })
        .collect();
    json!({
        "run_id": start.run_id, "verdict": record.verdict(input.fail_under).word(),
        "model": terminal(&start.model), "base_url": start.base_url, "route": start.route,
        "environment": start.environment,
        "engine": start.context.engine, "engine_version": start.context.engine_version,
        "started": start.started, "suites": start.suites,
        "rate": figures::rate_line(record), "intent": figures::intent_line(record),
        "cause": figures::cause_lines(record).iter().map(|line| terminal(line)).collect::<Vec<_>>(),
        "tasks": tasks, "findings": findings,
        "latency": figures::percentiles(&record.performance.latency_us),
        "ttft": figures::percentiles(&record.performance.ttft_us),
    })
}

fn task(input: &Input<'_>, at: usize) -> Value {
    let task = &input.record.tasks[at];
    let outcomes: Vec<Value> = figures::outcomes(&task.counts)
        .iter()
        .filter(|(.., count)| *count > 0)
        .map(|(outcome, label, count)| json!({ "name": figures::name(*outcome), "label": label, "count": count }))
        .collect();
    json!({
        "suite": input.suite_of(at), "id": input.id_of(at), "outcomes": outcomes, "attempts": task.counts.attempts,
        "latency": task.latency_us.percentile(50.0).map(figures::time), "why": terminal(&task.why),
    })
}
