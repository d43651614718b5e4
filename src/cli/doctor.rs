//! `monban doctor`: capability matrix and findings.

use super::Io;

/// The arguments of `monban doctor`.
#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    /// The endpoint.
    #[command(flatten)]
    pub endpoint: super::EndpointArgs,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::DataFormat,
}

pub(super) fn run(_args: DoctorArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("doctor")
}
