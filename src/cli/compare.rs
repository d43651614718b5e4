//! `monban compare`: comparability first, then quality and performance.

use super::Io;

/// The arguments of `monban compare`.
#[derive(Debug, clap::Args)]
pub struct CompareArgs {
    /// Two runs or more; the first is the baseline
    #[arg(value_name = "RUN", num_args = 2.., required = true)]
    pub runs: Vec<String>,
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

pub(super) fn run(_args: CompareArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("compare")
}
