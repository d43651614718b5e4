//! `monban completions`: a shell's completion script.

use clap::CommandFactory as _;

use super::Io;
use crate::exit;

/// The arguments of `monban completions`.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

pub(super) fn run(args: CompletionsArgs, io: &mut Io) -> anyhow::Result<u8> {
    // Generated into memory first: clap_complete panics when a pipe closes under it.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::Cli::command(), "monban", &mut script);
    io.out.write_all(&script)?;
    Ok(exit::PASS)
}
