//! `monban profile command`: the launch a profile stands for, and whether a given one agrees with it. Nothing is started.

use std::io::Write as _;

use serde_json::json;

use super::{CommandArgs, FormArg, load, load_all, print_json, unreadable};
use crate::cli::{DataFormat, Io};
use crate::diagnostic::escape;
use crate::exit;
use crate::profile::{Item, Profile, Rendering, agreement, read, render};

pub(super) fn run(args: &CommandArgs, io: &mut Io) -> anyhow::Result<u8> {
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
