//! Flags that are not what they seem: mistyped, removed, of the wrong type, given twice.

use super::subject::Subject;
use super::{ProfileRule, rule};
use crate::diagnostic::{Diagnostic, nearest};
use crate::profile::flags::Presence;
use crate::profile::model::{FaultKind, Form, Origin, Setting};

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
    rule("removed_flag", "the engine's version no longer has the flag", removed),
    rule("flag_needs_newer_engine", "the engine's version does not have the flag yet", too_new),
    rule("bad_value", "a value of the wrong type or out of range", bad_value),
    rule("extra_args_contradict", "extra_args say something else than the typed field", contradiction),
    rule("duplicate_flag", "a flag is given twice with different values", duplicate),
    rule("yaml_overrides_cli", "the options file silently overrides the command line", options_win),
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
    for (first, second, name) in split_flags(s) {
        let message = format!("`{} {}` is one flag torn apart", first.name, second.name);
        out.push(
            s.error("malformed_flag", first.span.start..second.span.end, message)
                .fix(format!("--{name} {}", second.value)),
        );
    }
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
        let near = nearest(&setting.key, table.names().chain(typed.iter().copied()))
            .filter(|name| mistyped(&setting.key, name) || table.complete);
        let close = near.is_some_and(|name| mistyped(&setting.key, name));
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

/// Whether a word is a known name with a slip of the finger.
fn mistyped(word: &str, name: &str) -> bool {
    let near = strsim::damerau_levenshtein(&word.replace('-', ""), &name.replace('-', ""));
    near <= 2 && near * 4 <= word.len()
}

fn removed(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    presence(s, Presence::Removed, |setting, name| {
        let table = s.table()?;
        let last = *table.versions_of(name).last()?;
        let fix = table.successor(name).map_or_else(
            || format!("remove it; {last} is the last checked version that has it"),
            |text| {
                if text.starts_with("--") { format!("{text} takes its place") } else { text.to_owned() }
            },
        );
        let span = setting.span.clone();
        Some(if s.version.is_some() {
            let message = format!("{} no longer has `{}`: it does not start", s.engine_title(), setting.name);
            s.error("removed_flag", span, message).fix(fix)
        } else {
            let newest = table.versions.last().map(String::as_str).unwrap_or_default();
            let message = format!("`{}` is gone in {} {newest}; {last} still had it", setting.name, s.engine_title());
            s.info("removed_flag", span, message).fix(fix)
        })
    })
    .into_iter()
    .for_each(|found| out.push(found));
}

fn too_new(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    presence(s, Presence::NotYet, |setting, name| {
        let first = *s.table()?.versions_of(name).first()?;
        let message = format!("{} does not have `{}` yet: it does not start", s.engine_title(), setting.name);
        let fix = format!("{first} is the first checked version that has it");
        s.version.map(|_| s.error("flag_needs_newer_engine", setting.span.clone(), message).fix(fix))
    })
    .into_iter()
    .for_each(|found| out.push(found));
}

fn presence(s: &Subject<'_>, wanted: Presence, tell: impl Fn(&Setting, &str) -> Option<Diagnostic>) -> Vec<Diagnostic> {
    let Some(table) = s.table() else { return Vec::new() };
    let known = s.profile.settings.iter().filter(|setting| setting.known && !setting.name.is_empty());
    known
        .filter_map(|setting| {
            let name = table.find(setting.name.trim_start_matches('-'))?.name;
            (table.presence(name, s.version) == wanted).then(|| tell(setting, name)).flatten()
        })
        .collect()
}

fn bad_value(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    for setting in &s.profile.settings {
        let Some(expected) = &setting.mistyped else { continue };
        let message = format!("`{}` is not what `{}` takes: {expected}", setting.value, setting.name);
        out.push(s.error("bad_value", setting.value_span.clone(), message).maybe_fix(advice(s, setting)));
    }
}

/// What was meant by a value of the wrong kind, where that is plain.
fn advice(s: &Subject<'_>, setting: &Setting) -> Option<String> {
    let number: Option<f64> = setting.value.trim_end_matches('%').parse().ok();
    match setting.key.as_str() {
        "dtype" => {
            Some("this is the compute type; weights are quantised by the checkpoint or `--quantization`".to_owned())
        }
        "gpu-memory-utilization" => {
            number.filter(|n| *n > 1.0 && *n <= 100.0).map(|n| format!("a share of 1: {}", n / 100.0))
        }
        _ => {
            let table = s.table()?;
            let json = matches!(
                table.of(table.name_of(&setting.key)?),
                crate::profile::FlagType::Json | crate::profile::FlagType::Mm
            );
            json.then(|| "quote the whole JSON in single quotes: '{\"key\": 1}'".to_owned())
        }
    }
}

fn contradiction(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    for extra in
        s.profile.settings.iter().filter(|setting| setting.origin == Origin::ExtraArg && setting.path.is_none())
    {
        let typed =
            s.profile.settings.iter().find(|setting| setting.origin == Origin::Field && setting.key == extra.key);
        let Some(typed) = typed.filter(|typed| typed.value != extra.value) else { continue };
        let message =
            format!("`{}` is `{}` here, but `{}` says `{}`", extra.name, extra.value, typed.name, typed.value);
        out.push(
            s.error("extra_args_contradict", extra.span.clone(), message)
                .related(typed.span.clone(), "the typed field")
                .fix("keep one of the two: the extra argument wins at launch, the field is what people read"),
        );
    }
}

fn duplicate(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let settings = &s.profile.settings;
    for (at, setting) in settings.iter().enumerate() {
        let earlier = settings[..at].iter().rev().find(|other| {
            other.key == setting.key && other.path == setting.path && other.origin == setting.origin && other.known
        });
        let Some(earlier) = earlier.filter(|earlier| earlier.value != setting.value && setting.known) else { continue };
        if s.profile.form == Form::Launcher || s.profile.form == Form::LiteLlm {
            continue;
        }
        let message = format!(
            "`{}` is given twice: `{}`, then `{}`; the last one counts",
            shown(setting),
            earlier.value,
            setting.value
        );
        out.push(
            s.warning("duplicate_flag", setting.span.clone(), message)
                .related(earlier.span.clone(), "first here")
                .fix("keep the one that is meant"),
        );
    }
}

fn shown(setting: &Setting) -> &str {
    if setting.name.is_empty() { "model" } else { &setting.name }
}

fn options_win(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let said = |origin: Origin| s.profile.settings.iter().filter(move |setting| setting.origin == origin);
    for option in said(Origin::Options) {
        let Some(flag) = said(Origin::Flag).find(|flag| flag.key == option.key && flag.value != option.value) else {
            continue;
        };
        let message =
            format!("`{}` is `{}`, but the options file says `{}` and wins", flag.name, flag.value, option.value);
        out.push(
            s.warning("yaml_overrides_cli", flag.span.clone(), message)
                .related(option.span.clone(), "this counts")
                .fix("keep one of the two"),
        );
    }
}
