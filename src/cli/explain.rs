//! `monban explain`: what a name means.

use super::Io;

/// The arguments of `monban explain`.
#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    /// A rule, scorer, parser, model family, outcome or exit code
    #[arg(value_name = "NAME")]
    pub name: String,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::DataFormat,
}

pub(super) fn run(_args: ExplainArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("explain")
}
