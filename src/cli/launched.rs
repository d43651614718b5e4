//! The launch profile of a run: read before anything is sent, checked against the suite and the endpoint, recorded.

use std::path::Path;

use anyhow::Context as _;
use monban_scorers::Finding;
use monban_scorers::diagnosis::Context;
use serde_json::Value;

use super::hint;
use crate::diagnostic::{self, Diagnostic, Severity, Source};
use crate::endpoint::identify::Identity;
use crate::plan::Needs;
use crate::profile::{Discovered, Known, Profile, Rendering, RequestDefaults, check, read, render};
use crate::report::terminal;

/// The most faults that are told one by one.
const TOLD: usize = 12;

/// A profile as launched.
pub(super) struct Launched(Profile);

impl Launched {
    /// Reads the profile a command line names.
    ///
    /// # Errors
    /// When the file cannot be read; the inner error is the drawn diagnostic of a file that is no profile.
    pub(super) fn read(path: &Path, color: bool) -> anyhow::Result<Result<Self, String>> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read the profile {}", path.display()))?;
        let source = Source::new(path.display().to_string(), text);
        Ok(match read(&source) {
            Err(wrong) => Err(diagnostic::render(&[*wrong], &[&source], color)),
            Ok(profiles) => match <[Profile; 1]>::try_from(profiles) {
                Ok([only]) => Ok(Self(only)),
                Err(several) => Err(format!(
                    "{} holds {} launches; give a file with the one that was started\n",
                    path.display(),
                    several.len()
                )),
            },
        })
    }

    /// What requests take from it.
    pub(super) fn defaults(&self) -> RequestDefaults {
        self.0.request_defaults()
    }

    /// Its name, for run ids.
    pub(super) fn title(&self) -> String {
        self.0.title()
    }

    /// What the suite needs and it does not give, and where the endpoint contradicts it.
    pub(super) fn findings(&self, needs: Needs, identity: &Identity) -> Vec<Finding> {
        let mut found = self.0.check_needs(&needs);
        found.extend(self.0.conflicts(&Discovered {
            engine: identity.context.engine.clone(),
            version: identity.context.engine_version.clone(),
            max_model_len: identity.max_model_len,
            served_names: identity.served.clone(),
            tool_parser: identity.context.tool_parser.clone(),
            reasoning_parser: identity.context.reasoning_parser.clone(),
        }));
        found
    }

    /// What is wrong with it by itself, a line each, the errors first. Remarks are left to `profile check`.
    pub(super) fn faults(&self, context: &Context) -> Vec<String> {
        let mut found = check(&self.0, &known(context));
        found.retain(|found| found.severity != Severity::Info);
        found.sort_by_key(|found| std::cmp::Reverse(found.severity));
        let more = found.len().saturating_sub(TOLD);
        let mut lines: Vec<String> = found.iter().take(TOLD).map(line).collect();
        if more > 0 {
            lines.push(format!("note: {more} more: monban profile check {}", hint::word(self.0.file().as_ref())));
        }
        lines
    }

    /// For the manifest.
    pub(super) fn record(&self, context: &Context) -> Value {
        self.0.record_json(&known(context))
    }

    /// Adds to what is known of the endpoint what only the profile tells.
    pub(super) fn tell(&self, context: &mut Context) {
        let profile = &self.0;
        if context.engine.is_none() && !profile.engine.is_empty() {
            context.engine = Some(profile.engine.clone());
        }
        let version = profile.engine_version.as_ref().map(|version| version.text.clone());
        context.engine_version = context.engine_version.take().or(version);
        for (known, key) in
            [(&mut context.tool_parser, "tool-call-parser"), (&mut context.reasoning_parser, "reasoning-parser")]
        {
            if known.is_none() {
                *known = profile.value(key).map(str::to_owned);
            }
        }
        if let Some(model) = profile.model() {
            // The served name says less than the weights.
            context.model = Some(model.text);
        }
        // Without its secrets: this is kept.
        context.profile = render(profile, Rendering::Command).ok();
    }
}

/// What is known beside the profile.
fn known(context: &Context) -> Known {
    Known::nothing().engine_version(context.engine_version.clone()).model(context.model.clone())
}

fn line(found: &Diagnostic) -> String {
    let level = if found.severity == Severity::Error { "error" } else { "warning" };
    let place = found.line.map(|line| format!(":{line}")).unwrap_or_default();
    let fix = found.fix.as_ref().map(|fix| format!("; fix: {fix}")).unwrap_or_default();
    terminal(&format!("{level}[{}]: {}{place}: {}{fix}", found.rule, found.file, found.message))
}
