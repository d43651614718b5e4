//! `monban show`: one run, or one attempt with its wire.

use super::Io;

/// The arguments of `monban show`.
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// The run: its id, an unambiguous prefix, or `last`
    #[arg(value_name = "RUN_ID", default_value = "last")]
    pub run: String,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "MONBAN_RUNS_DIR")]
    pub runs_dir: std::path::PathBuf,
    /// Only this task
    #[arg(long, value_name = "ID")]
    pub task: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::DataFormat,
}

pub(super) fn run(_args: ShowArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("show")
}
