//! `monban run`: suites × endpoint → a run.

use super::Io;

/// The arguments of `monban run`.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// Suites: a built-in name or a path to a TOML file
    #[arg(value_name = "SUITE", required_unless_present = "resume")]
    pub suites: Vec<String>,
    /// The endpoint.
    #[command(flatten)]
    pub endpoint: super::EndpointArgs,
    /// Requests in flight
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub concurrency: u32,
    /// Attempts a task, instead of what the suite says
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: Option<u32>,
    /// Ask streamed, plain, or both; default: what the suite says
    #[arg(long, value_enum)]
    pub stream: Option<crate::suite::StreamMode>,
    /// Retries one request may take
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub retries: u32,
    /// Requests a second at most
    #[arg(long, value_name = "RPS")]
    pub rate: Option<f64>,
    /// Token budget of every task, instead of what the suite says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
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
    #[arg(long, value_name = "RATE")]
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

pub(super) fn run(_args: RunArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("run")
}
