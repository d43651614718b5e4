//! `monban rescore`: judge a run's stored answers again.

use std::collections::HashMap;

use super::Io;
use super::asked::Asked;
use super::live::{self, Telling};
use super::output::Output;
use crate::plan::Plan;
use crate::record::{AttemptDone, RunDir, RunStart, Store, StoreError, TaskRef};
use crate::runner::{Book, Stored, rejudge};

/// The arguments of `monban rescore`.
#[derive(Debug, clap::Args)]
pub struct RescoreArgs {
    /// The run: its id, an unambiguous prefix, or `last`
    #[arg(value_name = "RUN_ID", default_value = "last")]
    pub run: String,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "MONBAN_RUNS_DIR")]
    pub runs_dir: std::path::PathBuf,
    /// Judge by this suite instead of the recorded one
    #[arg(long, value_name = "SUITE", value_parser = super::options::suite())]
    pub suite: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::ReportFormat,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
}

pub(super) fn run(args: RescoreArgs, io: &mut Io) -> anyhow::Result<u8> {
    let output = args.output.as_deref().map(Output::to).transpose()?;
    let store = Store::new(&args.runs_dir);
    let dir = store.open(&args.run)?;
    let old = dir.record()?;
    let asked: Asked = serde_json::from_value(old.start.options.clone())?;
    let suites = match &args.suite {
        Some(suite) => vec![suite.clone()],
        None => old.start.suites.iter().map(|suite| suite.source.clone()).collect(),
    };
    let plan = match asked.plan(&suites, &old.start.model, io.err_color)? {
        Ok(plan) => plan,
        Err(drawn) => return Ok(io.refuse(&drawn)?),
    };
    let places = places(&old.start, &plan)?;
    let start = start(&store, &dir, &old.start, &plan, &places);
    let mut book = Book::begin(&store, &start)?;
    let stored = dir.attempts()?.map(|done| {
        let AttemptDone { task, attempt, exchanges, .. } = done?;
        Ok::<_, StoreError>(Stored { task: places.get(task).copied().unwrap_or(usize::MAX), attempt, exchanges })
    });
    let wall_ms = old.performance.wall_ms;
    let record = rejudge(&plan, &start.context, stored, wall_ms, &mut book.sink)?;
    book.dir.write_manifest(&record)?;
    let telling = Telling { format: args.format, output, fail_under: asked.fail_under };
    live::tell(&book.dir, &record, &telling, io)
}

/// Where each task of the run stands in the plan.
fn places(old: &RunStart, plan: &Plan) -> anyhow::Result<Vec<usize>> {
    let mut places = HashMap::new();
    for (at, task) in plan.tasks.iter().enumerate() {
        places.entry(task.id.as_str()).or_insert_with(Vec::new).push((plan.suites[task.suite].name.as_str(), at));
    }
    let place = |task: &TaskRef| {
        let suite = old.suites.get(task.suite).map(|suite| suite.name.as_str());
        let fitting = places.get(task.id.as_str())?;
        let same = fitting.iter().find(|(name, _)| Some(*name) == suite);
        same.or(fitting.first()).map(|(_, at)| *at)
    };
    let found: Result<Vec<usize>, &TaskRef> = old.tasks.iter().map(|task| place(task).ok_or(task)).collect();
    found.map_err(|task| {
        anyhow::anyhow!("the suite has no task `{}`, which the run asked; give the suite it ran", task.id)
    })
}

/// The run this becomes: the old one under a new id, with the new suites' digests.
fn start(store: &Store, dir: &RunDir, old: &RunStart, plan: &Plan, places: &[usize]) -> RunStart {
    let taken = |id: &String| store.exists(id);
    let run_id = (1u32..).map(|n| format!("{}.rescore-{n}", dir.id())).find(|id| !taken(id)).unwrap_or_default();
    let mut tasks = plan.task_refs();
    tasks.iter_mut().for_each(|task| task.repeat = 0);
    for (task, place) in old.tasks.iter().zip(places) {
        tasks[*place].repeat = task.repeat;
    }
    let monban_version = env!("CARGO_PKG_VERSION").to_owned();
    RunStart { run_id, monban_version, suites: plan.suites.clone(), tasks, ..old.clone() }
}
