//! `monban profile`: read, check and compare launch profiles. Nothing is started or contacted.

mod check;
mod command;
mod diff;
mod show;

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::Value;

use super::{DataFormat, Io};
use crate::diagnostic::{Diagnostic, Source, render as draw, to_json};
use crate::exit;
use crate::profile::{Profile, read};

/// Larger files are not launch profiles.
const LARGEST: u64 = 1 << 20;

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
    /// Show a profile as understood: what each item decides, costs and hides
    Show(ShowArgs),
    /// Say what is wrong with profiles, each and together; never launches anything
    Check(CheckArgs),
    /// Say which axes differ between profiles, and what each difference trades
    Diff(ProfileFiles),
    /// Print the launch a profile stands for; never launches anything
    Command(CommandArgs),
}

/// Profile files.
#[derive(Debug, clap::Args)]
pub struct ProfileFiles {
    /// Launch profiles: YAML, a shell script, a Compose file, …; - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: DataFormat,
}

/// The arguments of `monban profile show`.
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// The files.
    #[command(flatten)]
    pub files: ProfileFiles,
    /// The language: en or ja
    #[arg(long, value_enum, default_value_t)]
    pub lang: LangArg,
}

/// The language of a reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LangArg {
    /// English.
    #[default]
    En,
    /// Japanese.
    Ja,
}

/// The arguments of `monban profile check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// The files.
    #[command(flatten)]
    pub files: ProfileFiles,
    /// The engine's version, where the file does not say
    #[arg(long, value_name = "VERSION")]
    pub engine_version: Option<String>,
    /// The model, where the file does not say
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,
}

/// The arguments of `monban profile command`.
#[derive(Debug, clap::Args)]
pub struct CommandArgs {
    /// The files.
    #[command(flatten)]
    pub files: ProfileFiles,
    /// Which form to print
    #[arg(long = "as", value_enum, default_value_t, value_name = "FORM")]
    pub form: FormArg,
    /// Compare with this command, script or file item by item; - for standard input
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
}

/// The forms a launch is printed in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum FormArg {
    /// A command line.
    #[default]
    Command,
    /// The engine's configuration file.
    Yaml,
    /// A Compose service.
    Compose,
}

pub(super) fn run(args: ProfileArgs, io: &mut Io) -> anyhow::Result<u8> {
    match args.command {
        ProfileCommand::Show(args) => show::run(&args, io),
        ProfileCommand::Check(args) => check::run(&args, io),
        ProfileCommand::Diff(args) => diff::run(&args, io),
        ProfileCommand::Command(args) => command::run(&args, io),
    }
}

/// A file's text, bounded.
fn load(path: &std::path::Path, io: &mut Io) -> anyhow::Result<Source> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    if name == "-" {
        (&mut io.input).take(LARGEST + 1).read_to_end(&mut bytes)?;
    } else {
        File::open(path)
            .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
            .with_context(|| name.clone())?;
    }
    anyhow::ensure!(bytes.len() as u64 <= LARGEST, "{name}: larger than {LARGEST} bytes: no launch profile is");
    let text = String::from_utf8(bytes).map_err(|_| anyhow::anyhow!("{name}: not UTF-8"))?;
    Ok(Source::new(name, text.trim_start_matches('\u{feff}')))
}

/// A file with its profiles.
type Loaded = (Source, Vec<Profile>);

/// A file that is none, and why.
type Unreadable = (Source, Box<Diagnostic>);

/// The profiles of all files; a file that is none ends it with the diagnostic drawn.
fn load_all(args: &ProfileFiles, io: &mut Io) -> anyhow::Result<Result<Vec<Loaded>, Unreadable>> {
    let mut all = Vec::new();
    for path in &args.files {
        let source = load(path, io)?;
        match read(&source) {
            Ok(profiles) => all.push((source, profiles)),
            Err(diagnostic) => return Ok(Err((source, diagnostic))),
        }
    }
    Ok(Ok(all))
}

/// A file that cannot be read as a profile: said in the form asked for.
fn unreadable(source: &Source, found: Box<Diagnostic>, format: DataFormat, io: &mut Io) -> anyhow::Result<u8> {
    if format == DataFormat::Json {
        writeln!(io.out, "{}", to_json(source.name(), &[*found]))?;
    } else {
        write!(io.err, "{}", draw(&[*found], &[source], io.err_color))?;
    }
    Ok(exit::USAGE)
}

/// One value alone, several as a list.
fn print_json(mut values: Vec<Value>, format: DataFormat, io: &mut Io) -> anyhow::Result<()> {
    if format == DataFormat::Json {
        let value = if values.len() == 1 { values.remove(0) } else { Value::Array(values) };
        writeln!(io.out, "{value:#}")?;
    }
    Ok(())
}
