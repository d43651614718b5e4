//! `monban demo`: one model behind the right tool parser and behind a wrong one, offline, both tables.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use monban_scorers::Registry;
use monban_scorers::diagnosis::RunSignals;

use super::endpoint::{client, runtime};
use super::live::Live;
use super::{DataFormat, Io};
use crate::endpoint::harness::{Brain, Harness, Options, ParserChoice};
use crate::endpoint::identify::identify;
use crate::exit;
use crate::plan::{self, Plan};
use crate::record::{RunDir, RunRecord, RunStart, Store, run_id};
use crate::report::{self, Format, Input};
use crate::runner::{Book, RunOptions};
use crate::suite;

/// The arguments of `monban demo`.
#[derive(Debug, clap::Args)]
pub struct DemoArgs {
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: DataFormat,
}

/// The engine, the family its model writes, and a parser people pick for it by mistake (QwenLM/Qwen3-Coder#537).
const ENGINE: &str = "vllm@0.33.0";
const FAMILY: &str = "qwen3_coder_xml";
const WRONG: &str = "hermes";

pub(super) fn run(args: DemoArgs, io: &mut Io) -> anyhow::Result<u8> {
    let folder = tempfile::tempdir()?;
    let store = Store::new(folder.path());
    let right = side(&ParserChoice::Right, &store, io)?;
    let wrong = side(&ParserChoice::Named(WRONG.to_owned()), &store, io)?;
    let titles = ["the right tool parser", "the same model, the same answers, a wrong tool parser"];
    if args.format == DataFormat::Json {
        write!(io.out, "[")?;
    }
    for (at, ((dir, record, flag), title)) in [right, wrong].iter().zip(titles).enumerate() {
        let mut input = Input { dir: Some(dir), ..Input::of(record) };
        input.style.colour = io.out_color;
        if args.format == DataFormat::Json {
            write!(io.out, "{}", if at > 0 { "," } else { "" })?;
            report::write(Format::Json, &input, &mut io.out)?;
            continue;
        }
        writeln!(io.out, "{}── {title}: --tool-call-parser {flag} ──\n", if at > 0 { "\n" } else { "" })?;
        report::write(Format::Table, &input, &mut io.out)?;
    }
    if args.format == DataFormat::Json {
        writeln!(io.out, "]")?;
    }
    io.out.flush()?;
    Ok(exit::PASS)
}

/// Starts a simulated server, runs `smoke` against it, stops it.
fn side(parser: &ParserChoice, store: &Store, io: &mut Io) -> anyhow::Result<(RunDir, RunRecord, String)> {
    let mut options = Options::new(ENGINE, FAMILY, parser, &ParserChoice::None).map_err(anyhow::Error::msg)?;
    options.ttft = Duration::from_millis(20);
    options.tokens_per_second = 1_000.0;
    options.reasoning_family = None;
    let (flag, model) = (options.tool_parser.clone().unwrap_or_default(), options.model.clone());
    let runtime = runtime()?;
    let harness = runtime.block_on(Harness::start(options, Brain::builtin(), 0))?;
    let client = client(harness.base_url().parse()?, None)?;
    let smoke = suite::load("smoke", &Registry::builtin()).into_suite(io.err_color).map_err(anyhow::Error::msg)?;
    let plan = Plan::new(vec![smoke], &plan::Options { model: model.clone(), ..plan::Options::default() })?;
    let identity = runtime.block_on(identify(&client));
    let now = jiff::Timestamp::now();
    let start = RunStart {
        run_id: run_id(now, "smoke", &flag, "harness"),
        monban_version: env!("CARGO_PKG_VERSION").to_owned(),
        started: now.to_string(),
        environment: "harness".to_owned(),
        base_url: client.base().to_string(),
        model,
        route: "direct".to_owned(),
        context: identity.context.clone(),
        identity: serde_json::to_value(&identity.facts)?,
        suites: plan.suites.clone(),
        tasks: plan.task_refs(),
        ..RunStart::default()
    };
    let book = Book::begin(store, &start)?;
    let live = Live {
        client,
        plan: Arc::new(plan),
        context: start.context,
        options: RunOptions::default(),
        book,
        signals: RunSignals::default(),
        beforehand: Vec::new(),
        heard: true,
    };
    let (dir, record) = live.run(&runtime, io)?;
    runtime.block_on(harness.stop());
    Ok((dir, record, flag))
}
