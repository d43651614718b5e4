//! `monban run --resume`: takes a run up again, as it was asked, where it began.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::Mutex;

use monban_scorers::Outcome;
use monban_scorers::diagnosis::{Context, RunSignals};
use serde_json::json;

use super::Io;
use super::asked::Asked;
use super::endpoint::{client, discover, runtime};
use super::live::{self, Live, Telling};
use super::output::Output;
use super::run::RunArgs;
use crate::endpoint::BaseUrl;
use crate::plan::Plan;
use crate::record::{RunDir, RunStart, Store};
use crate::report::terminal;
use crate::runner::{Book, attempt_done};

/// Takes a run up again, as it was asked.
pub(super) fn run(id: &str, args: RunArgs, output: Option<Output>, io: &mut Io) -> anyhow::Result<u8> {
    let dir = Store::new(&args.runs_dir).open(id)?;
    let start = dir.start()?;
    let asked: Asked = serde_json::from_value(start.options.clone())
        .map_err(|error| anyhow::anyhow!("the manifest of {} does not say how it was asked: {error}", dir.id()))?;
    let sources: Vec<String> = start.suites.iter().map(|suite| suite.source.clone()).collect();
    let plan = match asked.plan(&sources, &start.model, io.err_color)? {
        Ok(plan) => plan,
        Err(drawn) => return Ok(io.refuse(&drawn)?),
    };
    same_plan(&start, &plan)?;
    let fail_under = args.fail_under.or(asked.fail_under);
    let telling = Telling { format: args.format, output, fail_under };
    let client = client(start.base_url.parse()?, asked.api_key_env.as_deref())?;
    if let Some(other) = args.endpoint.base_url.as_deref().filter(|other| !is_same(other, client.base())) {
        writeln!(
            io.err,
            "note: the run goes on at {}, where it began; {} is not asked",
            start.base_url,
            terminal(other)
        )?;
    }
    let book = Book::resume(dir)?;
    let left = plan.attempt_count().saturating_sub(book.sink.fold().done().len());
    writeln!(io.err, "run {}: {left} of {} attempts left", start.run_id, plan.attempt_count())?;
    let signals = seen(&book.dir, &plan, &start.context)?;
    let beforehand = serde_json::from_value(start.profile.get("beforehand").cloned().unwrap_or_else(|| json!([])))?;
    let runtime = runtime()?;
    let heard = discover(&client, &runtime).reached;
    let live = Live {
        client,
        plan: Arc::new(plan),
        context: start.context,
        options: asked.run,
        book,
        signals,
        beforehand,
        heard,
    };
    let (dir, record) = live.run(&runtime, io)?;
    live::tell(&dir, &record, &telling, io)
}

fn is_same(written: &str, base: &BaseUrl) -> bool {
    written.parse::<BaseUrl>().is_ok_and(|other| other.to_string() == base.to_string())
}

/// What the attempts that have their outcome show of the whole run: they are judged again, for it is not journaled.
fn seen(dir: &RunDir, plan: &Plan, context: &Context) -> anyhow::Result<RunSignals> {
    let signals = Mutex::new(RunSignals::default());
    for done in dir.attempts()? {
        let done = done?;
        if let Some(task) = plan.tasks.get(done.task).filter(|_| done.outcome != Outcome::Error) {
            attempt_done((done.task, done.attempt), task, done.exchanges, context, &signals);
        }
    }
    Ok(signals.into_inner().unwrap_or_default())
}

/// A run goes on with what it was begun with, or not at all.
fn same_plan(start: &RunStart, plan: &Plan) -> anyhow::Result<()> {
    for (then, now) in start.suites.iter().zip(&plan.suites) {
        if then.digest != now.digest {
            anyhow::bail!(
                "suite `{}` changed since the run began ({} then, {} now): restore it, or begin a new run",
                then.name,
                then.digest,
                now.digest
            );
        }
    }
    if start.suites.len() != plan.suites.len() || start.tasks != plan.task_refs() {
        anyhow::bail!("the tasks are not those the run began with: restore the suites, or begin a new run");
    }
    Ok(())
}
