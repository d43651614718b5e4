//! `monban profile`: read, check and compare launch profiles. Nothing is started or contacted.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::{DataFormat, Io};
use crate::diagnostic::{Diagnostic, Severity, Source, escape, render as draw, to_json};
use crate::exit;
use crate::profile::{
    Item, Known, Lang, Profile, Rendering, agreement, check, check_together, diff, read, reading, render,
};

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
        ProfileCommand::Show(args) => show(&args, io),
        ProfileCommand::Check(args) => run_check(&args, io),
        ProfileCommand::Diff(args) => run_diff(&args, io),
        ProfileCommand::Command(args) => command(&args, io),
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

/// The profiles of all files; a file that is none ends it with the diagnostic drawn.
fn load_all(
    args: &ProfileFiles,
    io: &mut Io,
) -> anyhow::Result<Result<Vec<(Source, Vec<Profile>)>, (Source, Diagnostic)>> {
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
fn unreadable(source: &Source, found: Diagnostic, format: DataFormat, io: &mut Io) -> anyhow::Result<u8> {
    if format == DataFormat::Json {
        writeln!(io.out, "{}", to_json(source.name(), &[found]))?;
    } else {
        write!(io.err, "{}", draw(&[found], &[source], io.err_color))?;
    }
    Ok(exit::USAGE)
}

fn show(args: &ShowArgs, io: &mut Io) -> anyhow::Result<u8> {
    let all = match load_all(&args.files, io)? {
        Ok(all) => all,
        Err((source, found)) => return unreadable(&source, found, args.files.format, io),
    };
    let lang = if args.lang == LangArg::Ja { Lang::Ja } else { Lang::En };
    let mut values = Vec::new();
    for profile in all.iter().flat_map(|(_, profiles)| profiles) {
        let read = reading(profile, &Known::nothing(), lang);
        if args.files.format == DataFormat::Json {
            let mut value = serde_json::to_value(&read)?;
            value["file"] = profile.file().into();
            value["digest"] = profile.digest().into();
            value["parsed"] = profile.parsed_json();
            values.push(value);
        } else {
            writeln!(io.out, "{read}")?;
        }
    }
    print_json(values, args.files.format, io)?;
    Ok(exit::PASS)
}

/// One value alone, several as a list.
fn print_json(mut values: Vec<Value>, format: DataFormat, io: &mut Io) -> anyhow::Result<()> {
    if format == DataFormat::Json {
        let value = if values.len() == 1 { values.remove(0) } else { Value::Array(values) };
        writeln!(io.out, "{value:#}")?;
    }
    Ok(())
}

fn run_check(args: &CheckArgs, io: &mut Io) -> anyhow::Result<u8> {
    let all = match load_all(&args.files, io)? {
        Ok(all) => all,
        Err((source, found)) => return unreadable(&source, found, args.files.format, io),
    };
    let known = Known::nothing().engine_version(args.engine_version.clone()).model(args.model.clone());
    let profiles: Vec<Profile> = all.iter().flat_map(|(_, profiles)| profiles.iter().cloned()).collect();
    let mut found: Vec<Diagnostic> = profiles.iter().flat_map(|profile| check(profile, &known)).collect();
    found.extend(check_together(&profiles));
    if args.files.format == DataFormat::Json {
        let values = all.iter().map(|(source, _)| {
            let own: Vec<Diagnostic> =
                found.iter().filter(|diagnostic| diagnostic.file == source.name()).cloned().collect();
            to_json(source.name(), &own)
        });
        print_json(values.collect(), DataFormat::Json, io)?;
    } else {
        let sources: Vec<&Source> = all.iter().map(|(source, _)| source).collect();
        write!(io.out, "{}", draw(&found, &sources, io.out_color))?;
        let count = |severity| found.iter().filter(|diagnostic| diagnostic.severity == severity).count();
        let (errors, warnings, notes) = (count(Severity::Error), count(Severity::Warning), count(Severity::Info));
        writeln!(io.err, "{} profiles: {errors} errors, {warnings} warnings, {notes} notes", profiles.len())?;
    }
    let failed = found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(if failed { exit::FAIL } else { exit::PASS })
}

fn run_diff(args: &ProfileFiles, io: &mut Io) -> anyhow::Result<u8> {
    let all = match load_all(args, io)? {
        Ok(all) => all,
        Err((source, found)) => return unreadable(&source, found, args.format, io),
    };
    let profiles: Vec<&Profile> = all.iter().flat_map(|(_, profiles)| profiles).collect();
    anyhow::ensure!(profiles.len() >= 2, "two profiles are compared: name two files, or one that holds two");
    let mut values = Vec::new();
    for second in &profiles[1..] {
        let first = profiles[0];
        let changes = diff(first, second);
        if args.format == DataFormat::Json {
            values.push(json!({
                "a": {"file": first.file(), "name": first.title(), "digest": first.digest()},
                "b": {"file": second.file(), "name": second.title(), "digest": second.digest()},
                "changed": changes.len(),
                "one_axis": changes.len() == 1,
                "changes": changes,
            }));
            continue;
        }
        writeln!(io.out, "{} → {}", escape(&first.title()), escape(&second.title()))?;
        for change in &changes {
            let shown = |value: &Option<String>| {
                value.as_deref().map_or("(default)".into(), |value| escape(value).into_owned())
            };
            writeln!(
                io.out,
                "  {}: {} → {}\n      {}",
                change.axis.name(),
                shown(&change.from),
                shown(&change.to),
                change.trade
            )?;
        }
        let verdict = match changes.len() {
            0 => "no axis differs: the same profile".to_owned(),
            1 => "exactly one axis differs: a comparison says something about it".to_owned(),
            n => format!("{n} axes differ: a comparison cannot say which made the difference"),
        };
        writeln!(io.out, "  {verdict}")?;
    }
    print_json(values, args.format, io)?;
    Ok(exit::PASS)
}

fn command(args: &CommandArgs, io: &mut Io) -> anyhow::Result<u8> {
    let all = match load_all(&args.files, io)? {
        Ok(all) => all,
        Err((source, found)) => return unreadable(&source, found, args.files.format, io),
    };
    let profiles: Vec<&Profile> = all.iter().flat_map(|(_, profiles)| profiles).collect();
    if let Some(path) = &args.against {
        let other = load(path, io)?;
        return match read(&other) {
            Ok(others) => against(profiles[0], &others[0], args.files.format, io),
            Err(found) => unreadable(&other, found, args.files.format, io),
        };
    }
    let form = match args.form {
        FormArg::Command => Rendering::Command,
        FormArg::Yaml => Rendering::Yaml,
        FormArg::Compose => Rendering::Compose,
    };
    let mut values = Vec::new();
    for profile in profiles {
        let text = render(profile, form).map_err(|why| anyhow::anyhow!("{}: {why}", profile.file()))?;
        if profile.get("model").is_none() && args.files.format == DataFormat::Table {
            writeln!(io.err, "note: `model_key` stands for the model's path or repository")?;
        }
        if args.files.format == DataFormat::Json {
            values.push(json!({"file": profile.file(), "name": profile.title(), "text": text}));
        } else {
            // Line breaks are the text's own; nothing else in it may steer a terminal.
            for line in text.lines() {
                writeln!(io.out, "{}", escape(line))?;
            }
        }
    }
    print_json(values, args.files.format, io)?;
    Ok(exit::PASS)
}

fn against(profile: &Profile, other: &Profile, format: DataFormat, io: &mut Io) -> anyhow::Result<u8> {
    let items = agreement(profile, other);
    let agrees = items.iter().all(|item| item.agrees);
    if format == DataFormat::Json {
        writeln!(io.out, "{:#}", json!({"agrees": agrees, "items": items}))?;
    } else {
        for Item { key, profile, other, agrees } in &items {
            let shown = |value: &Option<String>| {
                value.as_deref().map_or("(default)".into(), |value| escape(value).into_owned())
            };
            let mark = if *agrees { "=" } else { "≠" };
            writeln!(io.out, "{mark} {}: {} | {}", escape(key), shown(profile), shown(other))?;
        }
        writeln!(io.err, "{}", if agrees { "profile and command agree" } else { "profile and command differ" })?;
    }
    Ok(if agrees { exit::PASS } else { exit::FAIL })
}
