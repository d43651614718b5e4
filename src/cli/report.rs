//! `monban report`: write a run's report.

use super::Io;

/// The arguments of `monban report`.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// The run: its id, an unambiguous prefix, or `last`
    #[arg(value_name = "RUN_ID", default_value = "last")]
    pub run: String,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "MONBAN_RUNS_DIR")]
    pub runs_dir: std::path::PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::ReportFormat,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
}

pub(super) fn run(_args: ReportArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("report")
}
