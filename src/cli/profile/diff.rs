//! `monban profile diff`: each profile against the first.

use std::io::Write as _;

use serde_json::json;

use super::{ProfileFiles, load_all, print_json, unreadable};
use crate::cli::{DataFormat, Io};
use crate::diagnostic::escape;
use crate::exit;
use crate::profile::{Change, Profile, diff};

pub(super) fn run(args: &ProfileFiles, io: &mut Io) -> anyhow::Result<u8> {
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
        print(first, second, &changes, io)?;
    }
    print_json(values, args.format, io)?;
    Ok(exit::PASS)
}

fn print(first: &Profile, second: &Profile, changes: &[Change], io: &mut Io) -> anyhow::Result<()> {
    let shown = |value: &Option<String>| escape(value.as_deref().unwrap_or("(default)")).into_owned();
    writeln!(io.out, "{} → {}", escape(&first.title()), escape(&second.title()))?;
    for change in changes {
        let (axis, from, to) = (change.axis.name(), shown(&change.from), shown(&change.to));
        writeln!(io.out, "  {axis}: {from} → {to}\n      {}", change.trade)?;
    }
    let verdict = match changes.len() {
        0 => "no axis differs: the same profile".to_owned(),
        1 => "exactly one axis differs: a comparison says something about it".to_owned(),
        n => format!("{n} axes differ: a comparison cannot say which made the difference"),
    };
    writeln!(io.out, "  {verdict}")?;
    Ok(())
}
