//! Flags that are not what they seem: removed, too new, of the wrong value, given twice.

use super::subject::Subject;
use super::{ProfileRule, rule};
use crate::diagnostic::Diagnostic;
use crate::profile::flags::Presence;
use crate::profile::model::Form;
use crate::profile::setting::{Origin, Setting};
use monban_scorers::catalogue::Version;
use serde_json::Value;

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule("removed_flag", "the engine's version no longer has the flag", removed),
    rule("flag_needs_newer_engine", "the engine's version does not have the flag yet", too_new),
    rule("bad_value", "a value of the wrong type or out of range", bad_value),
    rule("extra_args_contradict", "extra_args say something else than the typed field", contradiction),
    rule("duplicate_flag", "a flag is given twice with different values", duplicate),
    rule("yaml_overrides_cli", "the options file silently overrides the command line", options_win),
];

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
    pairs_are_gone(s, out);
    blanks_without_backend(s, out);
}

/// vLLM 0.32.0 does not start with `disable_any_whitespace` where the grammar backend is left to itself.
fn blanks_without_backend(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let config =
        || s.profile.settings.iter().filter(|one| s.engine == "vllm" && one.key == "structured-outputs-config");
    let said = |setting: &Setting, key: &str| -> Option<String> {
        let whole = serde_json::from_str::<Value>(&setting.value).unwrap_or_default();
        let value = match setting.path.as_deref() {
            Some(path) => (path.replace('-', "_") == key).then(|| setting.value.clone()),
            None => whole.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)),
        };
        value.map(|value| value.to_ascii_lowercase())
    };
    let backend = config().find_map(|setting| said(setting, "backend"));
    if backend.as_deref().is_some_and(|name| ["xgrammar", "guidance"].contains(&name) || name.starts_with('$')) {
        return;
    }
    if let Some(setting) = config().find(|setting| said(setting, "disable_any_whitespace").as_deref() == Some("true")) {
        let message = "`disable_any_whitespace` without `backend` xgrammar or guidance: vLLM does not start";
        out.push(s.error("bad_value", setting.value_span.clone(), message).fix("add \"backend\": \"xgrammar\""));
    }
}

/// `image=2` was read in 0.8.5; 0.10.2 and later want JSON there, and refuse to start.
fn pairs_are_gone(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    if s.engine != "vllm" || s.version.is_none() || s.version < Version::parse("0.10.2") {
        return;
    }
    let limits = s.profile.settings.iter().filter(|one| one.key == "limit-mm-per-prompt" && one.path.is_none());
    for setting in limits.filter(|one| one.mistyped.is_none()) {
        // The value is JSON by now: what was written tells.
        let written = s.profile.source().text().get(setting.value_span.clone()).unwrap_or_default();
        if written.contains('=') && !written.contains('{') {
            let message = format!("`{written}` is not what `{}` takes: JSON", setting.name);
            let fix = format!("write it as '{}'", setting.value);
            out.push(s.error("bad_value", setting.value_span.clone(), message).fix(fix));
        }
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
            number.filter(|n| *n >= 5.0 && *n <= 100.0).map(|n| format!("a share of 1: {}", n / 100.0))
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
