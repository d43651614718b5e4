//! `monban runs`: list the runs.

use super::Io;

/// The arguments of `monban runs`.
#[derive(Debug, clap::Args)]
pub struct RunsArgs {
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "MONBAN_RUNS_DIR")]
    pub runs_dir: std::path::PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::DataFormat,
}

pub(super) fn run(_args: RunsArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("runs")
}
