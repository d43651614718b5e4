//! `monban profile show`.

use std::io::Write as _;

use super::{LangArg, ShowArgs, load_all, print_json, unreadable};
use crate::cli::{DataFormat, Io};
use crate::exit;
use crate::profile::{Known, Lang, reading};

pub(super) fn run(args: &ShowArgs, io: &mut Io) -> anyhow::Result<u8> {
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
