//! `monban suite`: list, check, import, and the schema of suite files.

use std::path::PathBuf;

use monban_scorers::Registry;
use serde_json::json;

use super::{DataFormat, Io};
use crate::diagnostic::{self, Severity};
use crate::exit;
use crate::suite::{self, BUILTIN, Loaded, null_models};

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
    /// Write a suite from JSONL of {prompt, expected, tools, calls}
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
    #[arg(value_name = "SUITE", required = true, value_parser = super::options::suite())]
    pub suites: Vec<String>,
    /// How to print; json is one object for each suite, one a line
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

pub(super) fn run(args: SuiteArgs, io: &mut Io) -> anyhow::Result<u8> {
    match args.command {
        SuiteCommand::List(args) => list(&args, io),
        SuiteCommand::Check(args) => check(&args, io),
        SuiteCommand::Import(args) => import(&args, io),
        SuiteCommand::Schema => {
            write!(io.out, "{}", serde_json::to_string_pretty(&suite::schema(&Registry::builtin()))?)?;
            writeln!(io.out)?;
            Ok(exit::PASS)
        }
    }
}

fn list(args: &ListArgs, io: &mut Io) -> anyhow::Result<u8> {
    let registry = Registry::builtin();
    let mut rows = Vec::with_capacity(BUILTIN.len());
    for builtin in BUILTIN {
        let suite = suite::load(builtin.name, &registry).into_suite(false).map_err(anyhow::Error::msg)?;
        rows.push(suite);
    }
    if args.format == DataFormat::Json {
        let rows = rows.iter().map(|suite| {
            json!({"name": suite.name, "version": suite.version, "description": suite.description,
                "digest": suite.digest, "tasks": suite.tasks.len(), "stream": suite.stream})
        });
        writeln!(io.out, "{}", json!(rows.collect::<Vec<_>>()))?;
        return Ok(exit::PASS);
    }
    let width = rows.iter().map(|suite| suite.name.len()).max().unwrap_or(0);
    for suite in rows {
        writeln!(io.out, "{:width$}  {:>3} tasks  {}", suite.name, suite.tasks.len(), suite.description)?;
    }
    Ok(exit::PASS)
}

fn check(args: &CheckArgs, io: &mut Io) -> anyhow::Result<u8> {
    let registry = Registry::builtin();
    let mut code = exit::PASS;
    for name in &args.suites {
        let Loaded { source, parsed } = suite::load(name, &registry);
        let mut found = parsed.diagnostics;
        if let Some(suite) = &parsed.suite {
            found.extend(null_models::check(suite, &source));
        }
        let errors = found.iter().filter(|found| found.severity == Severity::Error).count();
        code = code.max(match (parsed.readable, errors) {
            (false, _) => exit::USAGE,
            (true, 0) => exit::PASS,
            (true, _) => exit::FAIL,
        });
        if args.format == DataFormat::Json {
            writeln!(io.out, "{}", diagnostic::to_json(name, &found))?;
            continue;
        }
        write!(io.out, "{}", diagnostic::render(&found, &[&source], io.out_color))?;
        let others = found.len() - errors;
        let name = diagnostic::escape(name);
        match (&parsed.suite, errors, others) {
            (Some(suite), 0, 0) => writeln!(io.out, "{name}: clean, {} tasks, {}", suite.tasks.len(), suite.digest)?,
            _ => writeln!(io.out, "{name}: {errors} errors, {others} warnings")?,
        }
    }
    Ok(code)
}

fn import(args: &ImportArgs, io: &mut Io) -> anyhow::Result<u8> {
    let file = args.file.to_string_lossy().into_owned();
    let text = super::options::read_input(&args.file, io)?;
    let stem = args.file.file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
    let name = args.name.clone().or(stem).filter(|name| name != "-").unwrap_or_else(|| "imported".to_owned());
    let suite = match suite::import(&name, &file, &text) {
        Ok(suite) => suite,
        Err(found) => {
            write!(io.err, "{}", diagnostic::render(&found, &[], io.err_color))?;
            return Ok(exit::USAGE);
        }
    };
    let Loaded { source, parsed } =
        suite::check_text(&format!("the suite made of {file}"), &suite, &Registry::builtin());
    if parsed.suite.is_none() {
        write!(io.err, "{}", diagnostic::render(&parsed.diagnostics, &[&source], io.err_color))?;
        return Ok(exit::USAGE);
    }
    write!(io.out, "{suite}")?;
    Ok(exit::PASS)
}
