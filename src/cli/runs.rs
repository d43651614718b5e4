//! `monban runs`: list the runs.

use std::io::Write as _;

use serde_json::{Value, json};

use super::{DataFormat, Io};
use crate::exit;
use crate::record::{RunDir, RunRecord, Store, StoreErrorKind};
use crate::report::{json_text, terminal};

/// The arguments of `monban runs`.
#[derive(Debug, clap::Args)]
pub struct RunsArgs {
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "MONBAN_RUNS_DIR")]
    pub runs_dir: std::path::PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::DataFormat,
}

pub(super) fn run(args: RunsArgs, io: &mut Io) -> anyhow::Result<u8> {
    let mut rows = Vec::new();
    for dir in Store::new(&args.runs_dir).list() {
        match dir.record() {
            Ok(record) => rows.push(Row::of(&dir, &record)),
            Err(error) => writeln!(io.err, "note: {}", terminal(&error.to_string()))?,
        }
    }
    match args.format {
        DataFormat::Json => {
            let rows: Vec<&Value> = rows.iter().map(|row| &row.json).collect();
            writeln!(io.out, "{}", json_text(serde_json::to_string_pretty(&rows)?))?;
        }
        DataFormat::Table if rows.is_empty() => {
            writeln!(io.err, "no runs in {}; `monban run` makes one", args.runs_dir.display())?;
        }
        DataFormat::Table => {
            let width = rows.iter().map(|row| row.id.len()).max().unwrap_or(0);
            for row in &rows {
                writeln!(io.out, "{:width$}  {:13}  {}", row.id, row.state, terminal(&row.words))?;
            }
        }
    }
    io.out.flush()?;
    Ok(exit::PASS)
}

struct Row {
    id: String,
    state: &'static str,
    words: String,
    json: Value,
}

impl Row {
    fn of(dir: &RunDir, record: &RunRecord) -> Self {
        let state = state(dir, record);
        let (counts, rates, start) = (&record.counts, record.rates(), &record.start);
        let rate = rates.pass.map_or("no rate".to_owned(), |rate| format!("{:.0} %", rate * 100.0));
        let words = format!(
            "{rate} ({}/{} judged, {} attempts)  {}",
            counts.passed,
            counts.judged(),
            counts.attempts,
            start.model
        );
        let json = json!({
            "run_id": dir.id(), "state": state, "started": start.started,
            "finished": record.end.as_ref().map(|end| &end.finished), "reason": record.end.as_ref().map(|end| &end.reason),
            "environment": start.environment, "base_url": start.base_url, "model": start.model, "route": start.route,
            "suites": start.suites, "counts": counts, "rates": rates,
        });
        Self { id: dir.id(), state, words, json }
    }
}

/// The verdict of a run that ended by itself; `interrupted`, `unfinished` or `running` of one that did not.
fn state(dir: &RunDir, record: &RunRecord) -> &'static str {
    match &record.end {
        Some(end) if end.reason == crate::runner::Stop::INTERRUPTED => "interrupted",
        Some(_) => record.verdict(None).word(),
        None => match dir.lock() {
            Err(error) if error.kind == StoreErrorKind::Locked => "running",
            _ => "unfinished",
        },
    }
}
