//! `monban demo`: the right parser and a wrong one side by side, offline.

use super::Io;

/// The arguments of `monban demo`.
#[derive(Debug, clap::Args)]
pub struct DemoArgs {
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::DataFormat,
}

pub(super) fn run(_args: DemoArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("demo")
}
