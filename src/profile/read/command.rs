//! A shell text with launch commands → profiles: [`read`].
//!
//! Understands assignments before the command, `bash -c`, `docker run`, and a section of YAML behind a command
//! (`# opts.yaml`), which is the file its `--config` names.

use std::ops::Range;

use super::{argv, config, docker, launcher, program};
use crate::diagnostic::Source;
use crate::profile::model::{Form, Profile};
use crate::profile::setting::{Fault, FaultKind, Origin, Placed};
use crate::profile::words::{self, Lexed, Word};
use crate::profile::yaml;

/// All launches of a text.
pub(super) fn read(source: &Source) -> Vec<Profile> {
    let text = source.text();
    let options = options_at(text);
    let lexed = words::commands(&text[..options.start], 0);
    let is_unit = text.lines().any(|line| line.trim() == "[Service]");
    let mut exports = Vec::new();
    let mut profiles = Vec::new();
    for command in &lexed.commands {
        match launch(source, command) {
            Some(mut profile) => {
                profile.env.splice(0..0, exports.iter().cloned());
                profiles.push(profile);
            }
            None if is_unit => exports.extend(directive(command)),
            None => exports.extend(assignments(command)),
        }
    }
    if let [profile] = profiles.as_mut_slice() {
        faults(profile, &lexed);
        attach_options(profile, source, options);
    } else {
        for profile in &mut profiles {
            let span = profile.span.clone();
            faults_within(profile, &lexed, &span);
        }
    }
    profiles
}

/// The profile of one command.
pub(super) fn launch(source: &Source, command: &[Word]) -> Option<Profile> {
    let span = words::span(command)?;
    if let Some(profile) = docker::launch(source, command) {
        return Some(profile);
    }
    if let Some(inner) = shell_string(source, command) {
        return words::commands(&inner.text, inner.span.start).commands.iter().find_map(|words| launch(source, words));
    }
    let found = program::find(command)?;
    if found.engine == "xinference" {
        return Some(launcher::command(source, command, &found, span));
    }
    let mut profile = Profile::new(source, Form::Command, span);
    found.engine.clone_into(&mut profile.engine);
    profile.env = assignments(&command[..found.at]);
    let head = &command[found.at..found.args.min(command.len())];
    let text = head.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    profile.program = Some(Placed::new(
        text,
        head.first().map_or(0, |word| word.span.start)..head.last().map_or(0, |word| word.span.end),
    ));
    argv::arguments(&mut profile, &command[found.args.min(command.len())..], Origin::Flag);
    Some(profile)
}

/// The text of `bash -c '…'`, where its bytes are those of the file.
fn shell_string(source: &Source, command: &[Word]) -> Option<Placed> {
    let at = command.iter().position(|word| matches!(word.text.rsplit('/').next(), Some("bash" | "sh")))?;
    let flag = command[at + 1..].iter().position(|word| matches!(word.text.as_str(), "-c" | "-lc" | "-ec" | "-exc"))?;
    inner(source, command.get(at + 1 + flag + 1)?)
}

/// A word that holds a command of its own.
pub(super) fn inner(source: &Source, word: &Word) -> Option<Placed> {
    let raw = source.text().get(word.span.clone())?;
    let bare = raw.trim_matches(['\'', '"']);
    let start = word.span.start + raw.find(bare).unwrap_or(0);
    (bare == word.text).then(|| Placed::new(bare, start..start + bare.len()))
}

/// `NAME=value` at a command's front, behind `export` or `env` too.
fn assignments(words: &[Word]) -> Vec<(Placed, Placed)> {
    words
        .iter()
        .filter_map(|word| {
            let (name, value) = words::assignment(&word.text)?;
            let at = (word.span.start + name.len() + 1).min(word.span.end);
            Some((
                Placed::new(name, word.span.start..(word.span.start + name.len()).min(word.span.end)),
                Placed::new(value, at..word.span.end),
            ))
        })
        .collect()
}

/// `Environment="A=b" C=d` of a systemd unit. Its other keys look like variables and are none.
fn directive(words: &[Word]) -> Vec<(Placed, Placed)> {
    const KEY: &str = "Environment=";
    let Some(first) = words.first().and_then(|word| word.text.strip_prefix(KEY).map(|text| (word, text))) else {
        return Vec::new();
    };
    let (word, text) = first;
    let from = (word.span.start + KEY.len()).min(word.span.end);
    let mut words = words.to_vec();
    words[0] = Word::new(text, from..word.span.end);
    assignments(&words)
}

fn faults(profile: &mut Profile, lexed: &Lexed) {
    let everything = 0..usize::MAX;
    faults_within(profile, lexed, &everything);
}

fn faults_within(profile: &mut Profile, lexed: &Lexed, span: &Range<usize>) {
    let within = |at: &Range<usize>| span.contains(&at.start);
    for at in lexed.broken_continuations.iter().filter(|at| within(at)) {
        profile.faults.push(Fault { kind: FaultKind::BrokenContinuation, text: "\\ ".to_owned(), span: at.clone() });
    }
    if let Some(at) = lexed.unclosed.clone().filter(within) {
        profile.faults.push(Fault { kind: FaultKind::Unclosed, text: "quote".to_owned(), span: at });
    }
}

/// The bytes of a YAML section behind the command: from a comment that names a YAML file on.
fn options_at(text: &str) -> Range<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let comment = line.trim().strip_prefix('#').map(str::trim).unwrap_or_default();
        let file = comment.trim_end_matches(':').rsplit(' ').next().unwrap_or_default();
        if at > 0 && (file.ends_with(".yaml") || file.ends_with(".yml")) {
            return at..text.len();
        }
        at += line.len();
    }
    text.len()..text.len()
}

fn attach_options(profile: &mut Profile, source: &Source, span: Range<usize>) {
    if span.is_empty() || profile.get("config").is_none() {
        return;
    }
    // Blanks in place of the command keep every byte where it is.
    let mut padded: String = source.text()[..span.start].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
    let missing = span.start - padded.len();
    padded.push_str(&" ".repeat(missing));
    let start = padded.rfind('\n').map_or(0, |n| n + 1);
    padded.replace_range(start.., &"#".repeat(padded.len() - start));
    padded.push_str(&source.text()[span.clone()]);
    if let Ok(root) = yaml::parse(&padded) {
        config::options(profile, &root);
        profile.span.end = span.end;
    }
}
