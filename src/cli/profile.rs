//! `monban profile`: read, check and compare launch profiles.

use std::path::PathBuf;

use super::{DataFormat, Io};

/// The arguments of `monban profile`.
#[derive(Debug, clap::Args)]
pub struct ProfileArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ProfileCommand,
}

/// What can be done with profiles.
#[derive(Debug, clap::Subcommand)]
pub enum ProfileCommand {
    /// Show a profile as understood
    Show(ProfileFiles),
    /// Say what is wrong with a profile; never launches anything
    Check(ProfileFiles),
    /// Say which axes differ between profiles
    Diff(ProfileFiles),
    /// Print the command line a profile amounts to; never launches anything
    Command(ProfileFiles),
}

/// Profile files.
#[derive(Debug, clap::Args)]
pub struct ProfileFiles {
    /// Launch profiles: YAML, a shell script, a Compose file, …
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: DataFormat,
}

pub(super) fn run(_args: ProfileArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("profile")
}
