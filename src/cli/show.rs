//! `monban show`: one run, or one task's attempts with their wire.

use std::io::Write as _;

use monban_scorers::{Body, Exchange};

use super::{DataFormat, Io, hint};
use crate::diagnostic::nearest;
use crate::exit;
use crate::record::{AttemptDone, RunDir, RunStart, Store};
use crate::report::{json_text, terminal};

/// The arguments of `monban show`.
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// The run: its id, an unambiguous prefix, or `last`
    #[arg(value_name = "RUN_ID", default_value = "last")]
    pub run: String,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "MONBAN_RUNS_DIR")]
    pub runs_dir: std::path::PathBuf,
    /// Only this task
    #[arg(long, value_name = "ID")]
    pub task: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::DataFormat,
}

pub(super) fn run(args: ShowArgs, io: &mut Io) -> anyhow::Result<u8> {
    let dir = Store::new(&args.runs_dir).open(&args.run)?;
    match &args.task {
        Some(task) => show_task(&dir, task, args.format, io)?,
        None => show_run(&dir, args.format, io)?,
    }
    io.out.flush()?;
    Ok(exit::PASS)
}

fn show_run(dir: &RunDir, format: DataFormat, io: &mut Io) -> anyhow::Result<()> {
    let record = dir.record()?;
    if format == DataFormat::Json {
        return Ok(writeln!(io.out, "{}", json_text(serde_json::to_string_pretty(&record)?))?);
    }
    let start = &record.start;
    let ended = record.end.as_ref().map_or_else(
        || format!("not ended; {}", hint::resume(dir)),
        |end| format!("{} ({})", end.finished, end.reason),
    );
    let suites: Vec<_> =
        start.suites.iter().map(|suite| format!("{} {} {}", suite.name, suite.version, suite.digest)).collect();
    for (key, value) in [
        ("run", dir.id()),
        ("started", start.started.clone()),
        ("ended", ended),
        ("endpoint", format!("{} · {} · {}", start.base_url, start.model, start.route)),
        ("environment", start.environment.clone()),
        ("suites", suites.join("; ")),
        ("options", start.options.to_string()),
        ("counts", serde_json::to_string(&record.counts)?),
        ("journal", dir.journal_path().display().to_string()),
    ] {
        writeln!(io.out, "{key:12} {}", terminal(&value))?;
    }
    for (task, of) in record.tasks.iter().zip(&start.tasks) {
        writeln!(io.out, "{:12} {}/{} passed {}", "task", task.counts.passed, task.counts.attempts, terminal(&of.id))?;
    }
    Ok(writeln!(io.err, "\n`{} --task ID` shows what went over the wire", hint::of_run("show", dir))?)
}

fn show_task(dir: &RunDir, id: &str, format: DataFormat, io: &mut Io) -> anyhow::Result<()> {
    let start = dir.start()?;
    let tasks = fitting(dir, &start, id)?;
    let mut shown = Vec::new();
    for done in dir.attempts()? {
        let done = done?;
        if !tasks.contains(&done.task) {
            continue;
        }
        match format {
            DataFormat::Json => shown.push(done),
            DataFormat::Table => show_attempt(&start.tasks[done.task].id, &done, io)?,
        }
    }
    if format == DataFormat::Json {
        writeln!(io.out, "{}", json_text(serde_json::to_string_pretty(&shown)?))?;
    }
    Ok(())
}

/// The tasks of this id; the same id may stand in two suites.
fn fitting(dir: &RunDir, start: &RunStart, id: &str) -> anyhow::Result<Vec<usize>> {
    let found: Vec<usize> = (0..start.tasks.len()).filter(|at| start.tasks[*at].id == id).collect();
    if found.is_empty() {
        let names = start.tasks.iter().map(|task| task.id.as_str());
        let Some(near) = nearest(id, names) else {
            anyhow::bail!("no task `{id}` in this run; `{}` lists them", hint::of_run("show", dir));
        };
        anyhow::bail!("no task `{id}` in this run; the nearest is `{near}`");
    }
    Ok(found)
}

fn show_attempt(id: &str, done: &AttemptDone, io: &mut Io) -> anyhow::Result<()> {
    let outcome = serde_json::to_value(done.outcome)?;
    writeln!(io.out, "── {} · attempt {} · {}", terminal(id), done.attempt, outcome.as_str().unwrap_or_default())?;
    for scored in &done.expectations {
        let intent = scored.intent.as_ref().map(|intent| format!(" · as the model wrote it: {}", intent.word()));
        let line = format!(
            "{} {} {}{}",
            scored.delivered.word(),
            scored.scorer,
            scored.delivered.reason(),
            intent.unwrap_or_default()
        );
        writeln!(io.out, "   {}", terminal(&line))?;
    }
    for finding in &done.findings {
        writeln!(io.out, "   ! {}: {}", terminal(&finding.rule), terminal(&finding.message))?;
    }
    done.exchanges.iter().try_for_each(|exchange| show_exchange(exchange, io))
}

fn show_exchange(exchange: &Exchange, io: &mut Io) -> anyhow::Result<()> {
    for one in &exchange.tries {
        let what = one
            .error
            .as_ref()
            .map_or_else(|| format!("status {}", one.status.unwrap_or_default()), |error| error.message.clone());
        writeln!(io.out, "   … {}, tried again after {} ms", terminal(&what), one.waited_ms)?;
    }
    writeln!(io.out, "   > POST {}", terminal(&exchange.url))?;
    writeln!(io.out, "   > {}", terminal(exchange.request.get()))?;
    if let Some(status) = exchange.status {
        writeln!(
            io.out,
            "   < {status} after {} µs, whole after {} µs",
            exchange.headers_us.unwrap_or_default(),
            exchange.total_us
        )?;
    }
    for (name, value) in &exchange.headers {
        writeln!(io.out, "   < {}: {}", terminal(name), terminal(value))?;
    }
    match &exchange.body {
        Body::None => {}
        Body::Plain(raw) => show_bytes("", &raw.0, io)?,
        Body::Pieces(pieces) => {
            pieces.iter().try_for_each(|piece| show_bytes(&format!("[{:>8} µs] ", piece.at_us), &piece.raw.0, io))?;
        }
    }
    if let Some(error) = &exchange.error {
        writeln!(io.out, "   ✗ {}", terminal(&error.message))?;
    }
    Ok(())
}

fn show_bytes(head: &str, bytes: &[u8], io: &mut Io) -> anyhow::Result<()> {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        writeln!(io.out, "   < {head}{}", terminal(line))?;
    }
    Ok(())
}
