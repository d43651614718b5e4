//! Texts → [`Profile`]s: the form is found, then its reader asked. Nothing is opened but the text handed in.
//!
//! [`read`] for a file, [`scan_text`] for a text of which nobody knows whether it is a profile at all.

mod argv;
mod command;
mod compose;
mod config;
mod docker;
mod kubernetes;
mod launcher;
mod litellm;
mod program;
mod said;
mod typed;

use super::model::{Form, Profile};
use super::yaml::{self, Broken, LARGEST, Node};
use crate::diagnostic::{Diagnostic, Source};

/// Reads all profiles of a text: a Compose file or a script may hold several.
///
/// # Errors
/// A diagnostic, where the text is not a launch profile in any form known here.
pub fn read(source: &Source) -> Result<Vec<Profile>, Box<Diagnostic>> {
    let text = source.text();
    if text.len() > LARGEST {
        return Err(unreadable(source, "too large for a launch profile", "give the profile alone, without its logs"));
    }
    let parsed = yaml::parse(text);
    if let Ok(root) = &parsed {
        let profiles = mapping(source, root);
        if !profiles.is_empty() {
            return Ok(profiles);
        }
    }
    if parsed.is_err() {
        let profiles = documents(source);
        if !profiles.is_empty() {
            return Ok(profiles);
        }
    }
    let profiles = command::read(source);
    if !profiles.is_empty() {
        return Ok(profiles);
    }
    Err(match parsed {
        Err(broken) if looks_like_yaml(text) => not_yaml(source, &broken),
        _ => unreadable(
            source,
            "no launch profile is recognised here",
            "known forms: typed profile, vLLM --config YAML, a launch command or a script with it (shell, systemd), \
             a Compose service, a Kubernetes manifest, a LiteLLM config",
        ),
    })
}

/// The first profile of whatever text this is; `None` where it is none.
#[must_use]
pub fn scan_text(text: &str) -> Option<Profile> {
    read(&Source::new("profile", text)).ok()?.into_iter().next()
}

/// A file of several YAML documents, as Kubernetes manifests are: the profiles of each.
fn documents(source: &Source) -> Vec<Profile> {
    /// Each is read over the whole length of the file.
    const MOST: usize = 64;
    let text = source.text();
    let mut starts = vec![0];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if line.trim_end() == "---" || line.starts_with("--- ") {
            starts.push(at);
        }
    }
    if starts.len() < 2 || starts.len() > MOST {
        return Vec::new();
    }
    starts.push(text.len());
    let documents = starts.windows(2).filter_map(|pair| yaml::parse(&alone(text, pair[0]..pair[1])).ok());
    documents.flat_map(|root| mapping(source, &root)).collect()
}

/// A part of a text with blanks in place of the rest, so that every byte stays where it is.
fn alone(text: &str, span: std::ops::Range<usize>) -> String {
    let part = text.get(span.clone()).unwrap_or_default();
    let part = part.trim_end().strip_suffix("---").unwrap_or(part);
    let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
    let mut out: String = text.bytes().take(span.start).map(blank).collect();
    out.push_str(part);
    out
}

fn mapping(source: &Source, root: &Node) -> Vec<Profile> {
    let has = |key: &str| root.get(key).is_some();
    if root.entries().is_empty() {
        return Vec::new();
    }
    if has("services") || (has("image") && (has("command") || has("entrypoint"))) {
        return compose::read(source, root);
    }
    if has("model_list") {
        return vec![litellm::read(source, root)];
    }
    if has("model_engine") || (has("model_name") && has("model_uid")) {
        return vec![launcher::mapping(source, root)];
    }
    if has("profile_name") || has("model_key") || has("runtime") || has("extra_args") || has("purpose") {
        return vec![typed::read(source, root)];
    }
    if has("kind") || has("apiVersion") || has("spec") || has("containers") || has("args") || has("command") {
        return kubernetes::read(source, root);
    }
    if let Some(client) = client(source, root) {
        return vec![client];
    }
    config::read(source, root).into_iter().collect()
}

/// A client's list of models with their providers: it launches nothing.
fn client(source: &Source, root: &Node) -> Option<Profile> {
    let models = root.get("models")?.items();
    let named = |node: &Node| node.get("provider").is_some() || node.get("apiBase").is_some();
    models.iter().any(named).then(|| {
        let mut profile = Profile::new(source, Form::Client, 0..source.text().len());
        let provider = models.iter().find_map(|node| node.get("provider")?.scalar()).unwrap_or_default();
        monban_scorers::catalogue::engine_id(&provider).unwrap_or_default().clone_into(&mut profile.engine);
        profile
    })
}

/// Whether a text was meant as YAML: its first line that is no comment begins with `key:`.
fn looks_like_yaml(text: &str) -> bool {
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#') && *line != "---")
        .and_then(|line| line.split_once(':'))
        .is_some_and(|(key, rest)| {
            key.chars().all(|c| c.is_ascii_alphanumeric() || "_-\"'{ ".contains(c)) && !rest.starts_with("//")
        })
}

fn unreadable(source: &Source, message: &str, fix: &str) -> Box<Diagnostic> {
    let first = 0..source.text().lines().next().map_or(0, str::len);
    Box::new(Diagnostic::error("unreadable_profile", message).at(source, first).fix(fix))
}

fn not_yaml(source: &Source, broken: &Broken) -> Box<Diagnostic> {
    let found = Diagnostic::error("invalid_yaml", broken.message.clone());
    let Some(at) = broken.at else { return Box::new(found.in_file(source.name(), None)) };
    let length = source.text().get(at..).and_then(|rest| rest.lines().next()).map_or(0, str::len);
    Box::new(found.at(source, at..at + length))
}
