//! Flags that are written wrongly: torn, mistyped, with the wrong dash, joined with their values.

use super::subject::Subject;
use super::{ProfileRule, rule};
use crate::diagnostic::{Diagnostic, nearest};
use crate::profile::model::Form;
use crate::profile::setting::{FaultKind, Origin, Setting};

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule(
        "malformed_flag",
        "a flag that is split, has the wrong dash, lacks its value or is followed by a stray word",
        malformed,
    ),
    rule("list_item_with_space", "a list item holds a flag and its value: the engine sees one word", items),
    rule("config_not_expanded", "vLLM expands `--config FILE` only as two words", joined_config),
    rule("unknown_flag", "the engine has no such flag", unknown),
];

fn malformed(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    for fault in &s.profile.faults {
        let (message, fix) = match fault.kind {
            FaultKind::Stray => {
                (format!("no flag takes `{}`", fault.text), "quote a value that holds blanks, or remove the word")
            }
            FaultKind::WrongDash => {
                (format!("`{}` does not begin with two hyphens", fault.text), "write two plain hyphens: --")
            }
            FaultKind::BrokenContinuation => (
                "blanks after the backslash: the command ends here".to_owned(),
                "remove the blanks after the backslash",
            ),
            FaultKind::Unclosed => ("a quote is never closed".to_owned(), "close it"),
            FaultKind::SwitchWithValue => (
                format!("`{}` is a switch and takes no value", fault.text),
                "pass the switch alone, or --no-… to switch it off",
            ),
            FaultKind::NoValue => (format!("`{}` has no value", fault.text), "give it one"),
            FaultKind::ItemWithSpace | FaultKind::JoinedConfig => continue,
        };
        out.push(s.error("malformed_flag", fault.span.clone(), message).fix(fix));
    }
    for flag in dashed(s) {
        let message = format!("trtllm-serve spells its flags with underscores: it does not know `{}`", flag.name);
        out.push(
            s.error("malformed_flag", flag.span.clone(), message)
                .fix(format!("--{}", flag.name[2..].replace('-', "_"))),
        );
    }
    for (first, second, name) in split_flags(s) {
        let message = format!("`{} {}` is one flag torn apart", first.name, second.name);
        out.push(
            s.error("malformed_flag", first.span.start..second.span.end, message)
                .fix(format!("--{name} {}", second.value)),
        );
    }
}

/// TensorRT-LLM's flags written with hyphens.
fn dashed<'a>(s: &Subject<'a>) -> impl Iterator<Item = &'a Setting> {
    let on = s.engine == "tensorrt_llm";
    s.profile.settings.iter().filter(move |setting| {
        on && setting.origin == Origin::Flag
            && setting.known
            && setting.name.strip_prefix("--").is_some_and(|name| name.contains('-'))
    })
}

/// Two neighbours of which neither is a flag, but together they are.
fn split_flags<'a>(s: &Subject<'a>) -> Vec<(&'a Setting, &'a Setting, String)> {
    let Some(table) = s.table() else { return Vec::new() };
    let settings = &s.profile.settings;
    settings
        .windows(2)
        .filter_map(|pair| {
            let [first, second] = pair else { return None };
            if first.known || second.known {
                return None;
            }
            let joined = [format!("{}{}", first.key, second.key), format!("{}-{}", first.key, second.key)];
            let name = joined.iter().find_map(|name| table.find(name))?.name.to_owned();
            Some((first, second, name))
        })
        .collect()
}

fn items(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    for fault in s.profile.faults.iter().filter(|fault| fault.kind == FaultKind::ItemWithSpace) {
        let mut parts = fault.text.splitn(2, char::is_whitespace);
        let (name, value) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default().trim());
        out.push(
            s.error(
                "list_item_with_space",
                fault.span.clone(),
                format!("the engine gets `{}` as one word", fault.text),
            )
            .fix(format!("two items, `{name}` and `{value}`, or one: `{name}={value}`")),
        );
    }
}

fn joined_config(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    for fault in s.profile.faults.iter().filter(|fault| fault.kind == FaultKind::JoinedConfig) {
        let message = "vLLM does not expand `--config=FILE`: the file is ignored";
        out.push(s.warning("config_not_expanded", fault.span.clone(), message).fix(fault.text.replacen('=', " ", 1)));
    }
}

fn unknown(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(table) = s.table() else { return };
    let torn: Vec<usize> = split_flags(s).iter().flat_map(|(a, b, _)| [a.span.start, b.span.start]).collect();
    for setting in s.profile.unknown().filter(|setting| !torn.contains(&setting.span.start)) {
        let field = setting.origin == Origin::Field;
        let typed: &[&str] = if s.profile.form == Form::Typed { PROFILE_KEYS } else { &[] };
        let near = containing(&setting.key, table.names())
            .or_else(|| nearest(&setting.key, table.names().chain(typed.iter().copied())))
            .filter(|name| mistyped(&setting.key, name) || table.complete);
        // argparse may take the beginning of a name for the name.
        let abbreviated = table.names().any(|name| name.starts_with(&setting.key));
        let close = !abbreviated
            && near
                .is_some_and(|name| mistyped(&setting.key, name) || (s.engine == "vllm" && akin(&setting.key, name)));
        // Only one version of SGLang was read: what is not like any of its flags may be another version's.
        let severity_known = table.complete && (s.engine == "vllm" || field);
        if !close && !severity_known {
            continue;
        }
        let message = format!("{} has no flag `{}`", s.engine_title(), setting.name);
        let span = setting.span.clone();
        let found =
            if close { s.error("unknown_flag", span, message) } else { s.warning("unknown_flag", span, message) };
        out.push(found.maybe_fix(near.map(|name| {
            let name = if field { name.replace('-', "_") } else { format!("--{name}") };
            format!("did you mean `{name}`?")
        })));
    }
}

/// The typed profile's own keys.
const PROFILE_KEYS: &[&str] =
    &["profile-name", "purpose", "model-key", "runtime", "extra-args", "container-name", "image", "env"];

/// The shortest name that has all parts of a word: `tool-call-parser` for `tool-parser`.
fn containing<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let parts: Vec<&str> = word.split('-').filter(|part| part.len() > 2).collect();
    let has_all = |name: &&str| parts.len() > 1 && parts.iter().all(|part| name.split('-').any(|own| own == *part));
    names.filter(has_all).min_by_key(|name| name.len())
}

/// Whether two names share their parts but for one, or one goes on where the other ends.
fn akin(word: &str, name: &str) -> bool {
    word.starts_with(name) || containing(word, std::iter::once(name)).is_some()
}

/// Whether a word is a known name with a slip of the finger.
fn mistyped(word: &str, name: &str) -> bool {
    let near = strsim::damerau_levenshtein(&word.replace('-', ""), &name.replace('-', ""));
    near <= 2 && near * 4 <= word.len()
}
