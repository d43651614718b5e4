//! `monban harness`: serve the embedded simulated endpoint.

use anyhow::Context as _;

use monban_scorers::catalogue;

use super::Io;
use crate::endpoint::harness::fault::KINDS;
use crate::endpoint::harness::{Brain, Harness, Options, ParserChoice};
use crate::exit;

/// The arguments of `monban harness`.
#[derive(Debug, clap::Args)]
pub struct HarnessArgs {
    /// The port on 127.0.0.1; 0 takes a free one
    #[arg(long, value_name = "P", default_value_t = 0)]
    pub port: u16,
    /// The model family whose markup the simulated model writes
    #[arg(long, value_name = "F", default_value = "hermes")]
    pub family: String,
    /// The tool parser the simulated server runs with, or none; default: the right one
    #[arg(long, value_name = "X")]
    pub tool_parser: Option<String>,
    /// The reasoning parser the simulated server runs with, or none; default: the right one
    #[arg(long, value_name = "Y")]
    pub reasoning_parser: Option<String>,
    /// The engine to behave like: vllm, sglang, tensorrt_llm, llama_cpp, atlas; with a version: vllm@0.33.0
    #[arg(long, value_name = "E", default_value = "vllm")]
    pub engine: String,
    /// A fault to show, `name` or `name:share`; may be repeated
    #[arg(long, value_name = "FAULT", long_help = faults())]
    pub fault: Vec<String>,
    /// The model's name [default: made from the family]
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// The model does not think, whatever its family does
    #[arg(long = "no-thinking", action = clap::ArgAction::SetFalse)]
    pub thinks: bool,
    /// Milliseconds to the first token
    #[arg(long, value_name = "MS", default_value_t = 5.0)]
    pub ttft_ms: f64,
    /// Tokens a second after the first; 0 for no pause
    #[arg(long, value_name = "N", default_value_t = 2000.0)]
    pub tokens_per_second: f64,
    /// The environment variable that holds the key to ask for
    #[arg(long, value_name = "VAR")]
    pub api_key_env: Option<String>,
}

/// The faults as `--help` lists them.
fn faults() -> String {
    let widest = KINDS.iter().map(|(name, ..)| name.len()).max().unwrap_or_default();
    let rows = KINDS.iter().map(|(name, _, what)| format!("- {name:widest$}  {what}"));
    let head = "A fault to show, `name` or `name:share` (a part of the requests); may be repeated:\n";
    std::iter::once(head.to_owned()).chain(rows).collect::<Vec<_>>().join("\n")
}

pub(super) fn run(args: HarnessArgs, io: &mut Io) -> anyhow::Result<u8> {
    let options = options(&args).map_err(anyhow::Error::msg)?;
    let told = format!(
        "{} {}, {} markup, tool parser {}, reasoning parser {}",
        options.engine,
        options.version,
        options.family,
        options.tool_parser.as_deref().unwrap_or("none"),
        options.reasoning_parser.as_deref().unwrap_or("none"),
    );
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let model = options.model.clone();
        let running = Harness::start(options, Brain::builtin(), args.port).await.context("the port cannot be taken")?;
        writeln!(io.out, "ready {} model {model}", running.base_url())?;
        io.out.flush()?;
        writeln!(io.err, "simulated: {told}; ends on Ctrl-C")?;
        tokio::signal::ctrl_c().await?;
        running.stop().await;
        Ok(exit::PASS)
    })
}

/// The options a command line stands for.
fn options(args: &HarnessArgs) -> Result<Options, String> {
    let (tool, reasoning) =
        (ParserChoice::read(args.tool_parser.as_deref()), ParserChoice::read(args.reasoning_parser.as_deref()));
    let mut options = Options::new(&args.engine, &args.family, &tool, &reasoning)?;
    if let Some(model) = &args.model {
        options.model.clone_from(model);
    }
    let named = args.model.as_deref().and_then(catalogue::model_rule);
    if !args.thinks || named.is_some_and(|rule| rule.thinks() == "never") {
        (options.reasoning_family, options.reasoning_parser) =
            (None, if reasoning == ParserChoice::Right { None } else { options.reasoning_parser });
    }
    options.faults = args.fault.iter().map(|fault| fault.parse()).collect::<Result<_, _>>()?;
    options.ttft =
        std::time::Duration::try_from_secs_f64(args.ttft_ms / 1e3).map_err(|error| format!("--ttft-ms: {error}"))?;
    options.tokens_per_second = args.tokens_per_second;
    if let Some(variable) = &args.api_key_env {
        options.api_key =
            Some(std::env::var(variable).map_err(|_| format!("the environment variable {variable} is not set"))?);
    }
    Ok(options)
}
