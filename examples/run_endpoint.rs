//! Runs a suite against an endpoint from Rust, in memory: `cargo run --example run_endpoint -- URL MODEL [SUITE]`.
//!
//! Without arguments it starts the embedded simulated endpoint and asks that.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::sync::Arc;

use monban::endpoint::harness::{Brain, Harness, Options as HarnessOptions, ParserChoice};
use monban::endpoint::{Client, ClientOptions};
use monban::plan::{Options, Plan};
use monban::record::{Event, Fold, RunStart};
use monban::report::{Format, Input};
use monban::runner::{Run, RunOptions, Sink, Stop};
use monban_scorers::Registry;
use monban_scorers::diagnosis::{Context, RunSignals};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (url, model, harness) = match (args.next(), args.next()) {
        (Some(url), Some(model)) => (url, model, None),
        _ => {
            let options = HarnessOptions::new("vllm", "hermes", &ParserChoice::Right, &ParserChoice::Right)?;
            let model = options.model.clone();
            let harness = Harness::start(options, Brain::builtin(), 0).await?;
            (harness.base_url(), model, Some(harness))
        }
    };

    let suite = args.next().unwrap_or_else(|| "smoke".to_owned());
    let suite = monban::suite::load(&suite, &Registry::builtin()).into_suite(false)?;
    let plan = Plan::new(vec![suite], &Options { model: model.clone(), ..Options::default() })?;

    // The record is a fold of events; this one is kept in memory only. `Book::begin` keeps it on disk.
    let mut fold = Fold::default();
    fold.apply(&Event::RunStart(RunStart {
        base_url: url.clone(),
        model: model.clone(),
        suites: plan.suites.clone(),
        tasks: plan.task_refs(),
        ..RunStart::default()
    }));
    let record = monban::runner::run(Run {
        client: Client::new(url.parse()?, &ClientOptions::default())?,
        plan: Arc::new(plan),
        context: Context { model: Some(model), ..Context::default() },
        options: RunOptions::default(),
        signals: RunSignals::default(),
        beforehand: Vec::new(),
        heard: false,
        sink: Sink::new(None, fold),
        stop: Stop::default(),
    })
    .await?;

    print!("{}", monban::report::render(Format::Table, &Input::of(&record))?);
    println!("verdict: {}, pass@1: {:?}", record.verdict(None).word(), record.pass_k(1).map(|rates| rates.any));
    if let Some(harness) = harness {
        harness.stop().await;
    }
    Ok(())
}
