//! `monban scorers`: the list of scorers, or one's manual.

use super::{DataFormat, Io};

/// The arguments of `monban scorers`.
#[derive(Debug, clap::Args)]
pub struct ScorersArgs {
    /// Print this scorer's manual
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: DataFormat,
}

pub(super) fn run(_args: ScorersArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("scorers")
}
