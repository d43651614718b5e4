//! `monban rescore`: judge a run's stored answers again.

use super::Io;

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
    #[arg(long, value_name = "SUITE")]
    pub suite: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::ReportFormat,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
}

pub(super) fn run(_args: RescoreArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("rescore")
}
