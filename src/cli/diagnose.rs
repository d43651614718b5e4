//! `monban diagnose`: stored exchanges in, one verdict a line out.

use super::Io;

/// The arguments of `monban diagnose`.
#[derive(Debug, clap::Args)]
pub struct DiagnoseArgs {
    /// JSONL of {"request", "response"}, or - for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: std::path::PathBuf,
}

pub(super) fn run(_args: DiagnoseArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("diagnose")
}
