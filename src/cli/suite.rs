//! `monban suite`: list, check, import, and the schema of suite files.

use std::path::PathBuf;

use super::{DataFormat, Io};

/// The arguments of `monban suite`.
#[derive(Debug, clap::Args)]
pub struct SuiteArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: SuiteCommand,
}

/// What can be done with suites.
#[derive(Debug, clap::Subcommand)]
pub enum SuiteCommand {
    /// List the built-in suites
    List(ListArgs),
    /// Say what is wrong with suites, and which tasks a model that cannot answer would pass
    Check(CheckArgs),
    /// Write a suite from JSONL of {prompt, expected, tools}
    Import(ImportArgs),
    /// Print the JSON schema of suite files, for editors
    Schema,
}

/// The arguments of `monban suite list`.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: DataFormat,
}

/// The arguments of `monban suite check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Built-in names or paths to TOML files
    #[arg(value_name = "SUITE", required = true)]
    pub suites: Vec<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: DataFormat,
}

/// The arguments of `monban suite import`.
#[derive(Debug, clap::Args)]
pub struct ImportArgs {
    /// JSONL, one task a line; - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The suite's name; default: the file's
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

pub(super) fn run(_args: SuiteArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("suite")
}
