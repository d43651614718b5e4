//! `monban score`: judge stored responses against a suite.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek as _, SeekFrom, Write as _};

use anyhow::Context as _;
use monban_scorers::Exchange;
use monban_scorers::diagnosis::Context;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::asked::Asked;
use super::lines::{Line, Lines};
use super::{Io, report};
use crate::diagnostic::did_you_mean;
use crate::plan::Plan;
use crate::record::{RunStart, Store, run_id};
use crate::report::Input;
use crate::runner::{Book, Stored, rejudge};

/// Lines with a note of their own, at most.
const TOLD: usize = 20;

/// The arguments of `monban score`.
#[derive(Debug, clap::Args)]
pub struct ScoreArgs {
    /// A built-in suite or a path to a TOML file
    #[arg(value_name = "SUITE", value_parser = super::options::suite())]
    pub suite: String,
    /// JSONL of {"id", "response"}, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub responses: std::path::PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::ReportFormat,
}

pub(super) fn run(args: ScoreArgs, io: &mut Io) -> anyhow::Result<u8> {
    let plan = match Asked::default().plan(std::slice::from_ref(&args.suite), "stored", io.err_color)? {
        Ok(plan) => plan,
        Err(drawn) => return Ok(io.refuse(&drawn)?),
    };
    let input = input(&args, io)?;
    let by_id: HashMap<&str, usize> = plan.tasks.iter().enumerate().map(|(at, task)| (task.id.as_str(), at)).collect();
    let repeats = count(reader(&input)?, &by_id)?;
    if repeats.iter().all(|answers| *answers == 0) {
        let name = if is_stdin(&args) { "standard input".to_owned() } else { args.responses.display().to_string() };
        anyhow::bail!("{name} holds no line: give JSONL, one {{\"id\", \"response\"}} a line");
    }
    // The report reads single attempts from a journal; this one is gone when it is written.
    let folder = tempfile::tempdir()?;
    let mut book = Book::begin(&Store::new(folder.path()), &start(&plan, &repeats))?;
    let (mut asked, mut mended) = (vec![0; plan.tasks.len()], Vec::new());
    let stored = Lines::new(reader(&input)?).map(|line| {
        let line = line?;
        let (value, departs) = read(&line)?;
        mended.extend((!departs.is_empty()).then_some(line.number));
        stored(&line, value, &plan, &by_id, &mut asked)
    });
    let record = rejudge(&plan, &Context::default(), stored, 0, &mut book.sink)?;
    for line in mended.iter().take(TOLD) {
        writeln!(io.err, "note: line {line} is no strict JSON: it was read, with replacements for what cannot be")?;
    }
    let view = Input { dir: Some(&book.dir), ..Input::of(&record) };
    report::emit(args.format, view, None, io)?;
    Ok(record.verdict(None).exit_code())
}

/// The responses as a file: standard input is spooled, for it is read twice.
fn input(args: &ScoreArgs, io: &mut Io) -> anyhow::Result<File> {
    if !is_stdin(args) {
        let path = args.responses.display();
        return File::open(&args.responses).with_context(|| format!("cannot read {path}"));
    }
    let mut spool = tempfile::tempfile()?;
    std::io::copy(&mut io.input, &mut spool)?;
    Ok(spool)
}

fn is_stdin(args: &ScoreArgs) -> bool {
    args.responses.as_os_str() == "-"
}

fn reader(file: &File) -> anyhow::Result<BufReader<File>> {
    let mut file = file.try_clone()?;
    file.seek(SeekFrom::Start(0))?;
    Ok(BufReader::new(file))
}

fn read<T: DeserializeOwned>(line: &Line) -> anyhow::Result<(T, BTreeSet<String>)> {
    line.read().map_err(|unread| anyhow::anyhow!("line {}: {unread}", line.number))
}

/// As much of a line as says which task it answers.
#[derive(Deserialize)]
struct Head {
    #[serde(alias = "task_id")]
    id: Option<String>,
    task: Option<Value>,
}

impl Head {
    fn place(line: &Line, by_id: &HashMap<&str, usize>) -> anyhow::Result<usize> {
        let number = line.number;
        let (head, _): (Self, _) = read(line)?;
        let task = head.task.as_ref().and_then(Value::as_str);
        let Some(id) = task.or(head.id.as_deref()) else {
            anyhow::bail!("line {number} does not say which task it answers: give \"id\"");
        };
        by_id.get(id).copied().ok_or_else(|| {
            let hint = did_you_mean(id, by_id.keys().copied()).map(|hint| format!("; {hint}")).unwrap_or_default();
            anyhow::anyhow!("line {number}: the suite has no task `{id}`{hint}")
        })
    }
}

/// How many answers each task has; one that has none was not asked.
fn count(lines: impl BufRead, by_id: &HashMap<&str, usize>) -> anyhow::Result<Vec<u32>> {
    let mut repeats = vec![0; by_id.len()];
    for line in Lines::new(lines) {
        repeats[Head::place(&line?, by_id)?] += 1;
    }
    Ok(repeats)
}

fn stored(
    line: &Line,
    mut value: Value,
    plan: &Plan,
    by_id: &HashMap<&str, usize>,
    asked: &mut [u32],
) -> anyhow::Result<Stored> {
    let task = Head::place(line, by_id)?;
    if let Some(line) = value.as_object_mut() {
        line.entry("request").or_insert_with(|| plan.tasks[task].request().body().clone());
    }
    let exchanges =
        Exchange::from_stored_line(&value).map_err(|error| anyhow::anyhow!("line {}: {error}", line.number))?;
    let attempt = asked[task];
    asked[task] += 1;
    Ok(Stored { task, attempt, exchanges })
}

fn start(plan: &Plan, repeats: &[u32]) -> RunStart {
    let mut tasks = plan.task_refs();
    for (task, repeat) in tasks.iter_mut().zip(repeats) {
        task.repeat = (*repeat).max(1);
    }
    let now = jiff::Timestamp::now();
    RunStart {
        run_id: run_id(now, &plan.suites[0].name, "stored", "stored"),
        monban_version: env!("CARGO_PKG_VERSION").to_owned(),
        started: now.to_string(),
        environment: "stored".to_owned(),
        model: "stored".to_owned(),
        suites: plan.suites.clone(),
        tasks,
        ..RunStart::default()
    }
}
