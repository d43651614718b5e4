//! `monban profile check`: exit 1 with findings of severity `error`, 2 for what is no profile.

use std::io::Write as _;

use super::{CheckArgs, load_all, print_json, unreadable};
use crate::cli::{DataFormat, Io};
use crate::diagnostic::{Diagnostic, Severity, Source, render as draw, to_json};
use crate::exit;
use crate::profile::{Known, Profile, check, check_together};

pub(super) fn run(args: &CheckArgs, io: &mut Io) -> anyhow::Result<u8> {
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
