//! `monban score`: judge stored responses against a suite.

use super::Io;

/// The arguments of `monban score`.
#[derive(Debug, clap::Args)]
pub struct ScoreArgs {
    /// A built-in suite or a path to a TOML file
    #[arg(value_name = "SUITE")]
    pub suite: String,
    /// JSONL of {"id", "response"}, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub responses: std::path::PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::ReportFormat,
}

pub(super) fn run(_args: ScoreArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("score")
}
