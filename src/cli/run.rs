//! `monban run`: suites × endpoint → a run.

use std::io::Write as _;
use std::sync::Arc;

use monban_scorers::diagnosis::{Context, RunSignals};
use serde_json::{Value, json};

use super::Io;
use super::asked::{self, Asked};
use super::endpoint::{client, discover, model, note_unserved, runtime};
use super::launched::Launched;
use super::live::{self, Live, Telling};
use super::output::Output;
use crate::compare::{Side, compare};
use crate::endpoint::Client;
use crate::endpoint::identify::Identity;
use crate::exit;
use crate::plan::Plan;
use crate::record::{RunDir, RunRecord, RunStart, Store, run_id};
use crate::report::terminal;
use crate::runner::{Book, RunOptions};

/// The arguments of `monban run`.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// Suites: a built-in name or a path to a TOML file
    #[arg(value_name = "SUITE", required_unless_present = "resume", value_parser = super::options::suite())]
    pub suites: Vec<String>,
    /// The endpoint.
    #[command(flatten)]
    pub endpoint: super::EndpointArgs,
    /// Requests in flight; several levels (1,8) are run one after the other and compared
    #[arg(long, value_name = "N", default_value = "4", value_delimiter = ',', allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub concurrency: Vec<u32>,
    /// Attempts a task, instead of what the suite says
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000), allow_negative_numbers = true)]
    pub repeat: Option<u32>,
    /// Ask streamed, plain, or both; default: what the suite says
    #[arg(long, value_enum)]
    pub stream: Option<crate::suite::StreamMode>,
    /// Retries one request may take
    #[arg(long, value_name = "N", default_value_t = 2, allow_negative_numbers = true)]
    pub retries: u32,
    /// Requests a second at most
    #[arg(long, value_name = "RPS", value_parser = super::options::positive, allow_negative_numbers = true)]
    pub rate: Option<f64>,
    /// Token budget of every task, instead of what the suite says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    pub max_tokens: Option<u64>,
    /// Only tasks with this tag; may be repeated
    #[arg(long, value_name = "T")]
    pub tag: Vec<String>,
    /// Only tasks whose id matches this glob; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub task: Vec<String>,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "MONBAN_RUNS_DIR")]
    pub runs_dir: std::path::PathBuf,
    /// Take up an interrupted run: ask what has no final outcome
    #[arg(long, value_name = "RUN_ID")]
    pub resume: Option<String>,
    /// Fail below this pass rate, 0 to 1, instead of at the first wrong answer
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    pub fail_under: Option<f64>,
    /// Say what would be asked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: super::ReportFormat,
    /// Write the report to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
}

pub(super) fn run(args: RunArgs, io: &mut Io) -> anyhow::Result<u8> {
    if args.fail_under.is_some_and(|rate| !(0.0..=1.0).contains(&rate)) {
        anyhow::bail!("--fail-under is a rate between 0 and 1");
    }
    if args.output.is_some() && args.concurrency.len() > 1 && args.resume.is_none() {
        anyhow::bail!(
            "--output takes one report, several --concurrency levels make one each: `monban report` writes each"
        );
    }
    // Before the first request: a run must not end without its report.
    let output = args.output.as_deref().map(Output::to).transpose()?;
    if let Some(id) = args.resume.clone() {
        return super::resume::run(&id, args, output, io);
    }
    fresh(&args, output, io)
}

/// A run that is not one taken up again.
fn fresh(args: &RunArgs, output: Option<Output>, io: &mut Io) -> anyhow::Result<u8> {
    let launched = match args.endpoint.profile.as_deref().map(|path| Launched::read(path, io.err_color)).transpose()? {
        Some(Err(drawn)) => return Ok(io.refuse(&drawn)?),
        Some(Ok(launched)) => Some(launched),
        None => None,
    };
    let defaults = launched.as_ref().map(Launched::defaults).unwrap_or_default();
    let asked = asked(args);
    let Some(base) = args.endpoint.base_url.as_ref().or(defaults.base_url.as_ref()) else {
        anyhow::bail!("no endpoint: pass --base-url http://HOST:PORT/v1 (or set MONBAN_BASE_URL)");
    };
    // Before the endpoint is asked for its model: with a wrong suite nothing is sent.
    let suites = match asked::load(&args.suites, io.err_color) {
        Ok(suites) => suites,
        Err(drawn) => return Ok(io.refuse(&drawn)?),
    };
    let client = client(base.parse()?, asked.api_key_env.as_deref())?;
    let runtime = runtime()?;
    let named = args.endpoint.model.clone().or(defaults.model);
    let model = match named.map_or_else(|| model(&args.endpoint, &client, &runtime), |named| Ok(Ok(named)))? {
        Ok(model) => model,
        Err(why) => {
            writeln!(io.err, "error: {}", terminal(&why))?;
            return Ok(exit::INVALID);
        }
    };
    let plan = Arc::new(asked.plan_of(suites, &model)?);
    // It lives as long as the process: taking a large one apart at the end would only take time.
    std::mem::forget(Arc::clone(&plan));
    if args.dry_run {
        return dry_run(&plan, args.format, io);
    }
    let identity = discover(&client, &runtime).of_model(&model);
    note_unserved(&identity, &model, io)?;
    let endpoint = Asking { client, runtime, plan, model, identity, launched };
    if let Some(launched) = &endpoint.launched {
        launched.faults(&endpoint.context(args)).iter().try_for_each(|fault| writeln!(io.err, "{fault}"))?;
    }
    match args.concurrency.as_slice() {
        [_] | [] => endpoint.level(args, &asked, output, io),
        levels => endpoint.levels(levels, args, &asked, io),
    }
}

/// An endpoint about to be asked.
struct Asking {
    client: Client,
    runtime: tokio::runtime::Runtime,
    plan: Arc<Plan>,
    model: String,
    identity: Identity,
    launched: Option<Launched>,
}

impl Asking {
    /// One run, told at its end.
    fn level(&self, args: &RunArgs, asked: &Asked, output: Option<Output>, io: &mut Io) -> anyhow::Result<u8> {
        let (dir, record) = self.ask(args, asked, io)?;
        live::tell(&dir, &record, &Telling { format: args.format, output, fail_under: args.fail_under }, io)
    }

    /// The same plan at each level of concurrency, then each compared with the first.
    fn levels(&self, levels: &[u32], args: &RunArgs, asked: &Asked, io: &mut Io) -> anyhow::Result<u8> {
        let mut worst = exit::PASS;
        let mut sides = Vec::new();
        for level in levels {
            let mut asked = asked.clone();
            asked.run.concurrency = *level;
            let (dir, record) = self.ask(args, &asked, io)?;
            let telling = Telling { format: args.format, output: None, fail_under: args.fail_under };
            let code = live::tell(&dir, &record, &telling, io)?;
            if code == exit::INTERRUPTED {
                return Ok(code);
            }
            worst = worst.max(code);
            sides.push(Side::read(dir)?);
        }
        if let Some((first, others)) = sides.split_first() {
            others.iter().try_for_each(|other| super::compare::tell(&compare(first, other, false), args.format, io))?;
        }
        Ok(worst)
    }

    fn ask(&self, args: &RunArgs, asked: &Asked, io: &mut Io) -> anyhow::Result<(RunDir, RunRecord)> {
        let start = self.start(args, asked)?;
        let beforehand = serde_json::from_value(start.profile.get("beforehand").cloned().unwrap_or_else(|| json!([])))?;
        let book = Book::begin(&Store::new(&args.runs_dir), &start)?;
        writeln!(io.err, "run {}: {} attempts at {}", start.run_id, self.plan.attempt_count(), start.base_url)?;
        let live = Live {
            client: self.client.clone(),
            plan: Arc::clone(&self.plan),
            context: start.context,
            options: asked.run.clone(),
            book,
            signals: RunSignals::default(),
            beforehand,
            heard: self.identity.reached,
        };
        live.run(&self.runtime, io)
    }

    /// As told, else as seen.
    fn route(&self, args: &RunArgs) -> String {
        let seen = || self.identity.context.route.clone();
        args.endpoint.route.clone().or_else(seen).unwrap_or_else(|| "direct".to_owned())
    }

    /// What is known of the endpoint.
    fn context(&self, args: &RunArgs) -> Context {
        let mut context = Context {
            model: self.identity.context.model.clone().or_else(|| Some(self.model.clone())),
            route: Some(self.route(args)),
            ..self.identity.context.clone()
        };
        if let Some(launched) = &self.launched {
            launched.tell(&mut context);
        }
        context
    }

    fn start(&self, args: &RunArgs, asked: &Asked) -> anyhow::Result<RunStart> {
        let now = jiff::Timestamp::now();
        let environment = environment(&args.endpoint.environment, &self.identity);
        let suites: Vec<&str> = self.plan.suites.iter().map(|suite| suite.name.as_str()).collect();
        let context = self.context(args);
        let mut profile = Value::Null;
        if let Some(launched) = &self.launched {
            profile = launched.record(&context);
            // Kept, so that a run taken up again tells it again.
            profile["beforehand"] = serde_json::to_value(launched.findings(self.plan.needs(), &self.identity))?;
        }
        let subject = self.launched.as_ref().map_or_else(|| self.model.clone(), Launched::title);
        Ok(RunStart {
            run_id: run_id(now, &suites.join("-"), &subject, &environment),
            monban_version: env!("CARGO_PKG_VERSION").to_owned(),
            started: now.to_string(),
            environment,
            base_url: self.client.base().to_string(),
            model: self.model.clone(),
            route: self.route(args),
            context,
            identity: serde_json::to_value(&self.identity.facts)?,
            profile,
            suites: self.plan.suites.clone(),
            tasks: self.plan.task_refs(),
            options: serde_json::to_value(asked)?,
        })
    }
}

fn asked(args: &RunArgs) -> Asked {
    Asked {
        run: RunOptions {
            concurrency: args.concurrency.first().copied().unwrap_or(4),
            timeout_s: args.endpoint.timeout,
            retries: args.retries,
            rate: args.rate,
            ..RunOptions::default()
        },
        stream: args.stream,
        repeat: args.repeat,
        max_tokens: args.max_tokens,
        tags: args.tag.clone(),
        tasks: args.task.clone(),
        fail_under: args.fail_under,
        api_key_env: args.endpoint.api_key_env.clone(),
    }
}

/// `harness` where the simulated endpoint answers, whatever the label; else `real:` and the label.
fn environment(label: &str, identity: &Identity) -> String {
    if identity.fact("server") == Some("monban-harness") {
        return "harness".to_owned();
    }
    if label == "harness" || label.starts_with("real:") { label.to_owned() } else { format!("real:{label}") }
}

fn dry_run(plan: &Plan, format: super::ReportFormat, io: &mut Io) -> anyhow::Result<u8> {
    for task in &plan.tasks {
        let suite = &plan.suites[task.suite].name;
        let bodies: Vec<_> = task.stream.modes().iter().map(|mode| task.body(*mode)).collect();
        if format == super::ReportFormat::Json {
            let line = json!({"suite": suite, "id": task.id, "repeat": task.repeat, "requests": bodies});
            writeln!(io.out, "{line}")?;
            continue;
        }
        writeln!(io.out, "{} {} × {}", terminal(suite), terminal(&task.id), task.repeat)?;
        for body in bodies {
            writeln!(io.out, "  {}", terminal(body.get()))?;
        }
    }
    io.out.flush()?;
    writeln!(io.err, "{} tasks, {} attempts; nothing was sent", plan.tasks.len(), plan.attempt_count())?;
    Ok(exit::PASS)
}
