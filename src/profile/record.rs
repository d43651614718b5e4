//! What a run takes from a profile: the record, the defaults of its requests, what the suite needs, what the endpoint says.

use monban_scorers::diagnosis::{Blame, Confidence, Evidence, Finding};
use serde::Serialize;
use serde_json::{Value, json};

use super::blamed::RECORDED;
use super::model::{Form, Profile};
use super::rules::{Known, check};
use super::setting::Placed;
use crate::diagnostic::{Diagnostic, Severity, Source};
use crate::plan::Needs;

/// What requests take from a profile where the command line does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RequestDefaults {
    /// The name to send.
    pub model: Option<String>,
    /// `http://127.0.0.1:8001/v1`, by the published port where the engine is in a container.
    pub base_url: Option<String>,
    /// The port on the host.
    pub port: Option<u16>,
    /// The context, tokens; `None` where the engine decides.
    pub max_model_len: Option<u64>,
    /// Sequences at once; more requests only queue.
    pub max_concurrency: Option<u64>,
}

impl Profile {
    /// For the record: `{file, name, digest, axes, findings, parsed}`. Holds no secrets.
    #[must_use]
    pub fn record_json(&self, known: &Known) -> Value {
        let axes: serde_json::Map<String, Value> =
            self.axes().into_iter().map(|(axis, value)| (axis.name(), value.into())).collect();
        let findings = check(self, known);
        json!({
            "file": self.file(),
            "name": self.title(),
            "digest": self.digest(),
            "axes": axes,
            "findings": crate::diagnostic::to_json(self.file(), &findings)["findings"],
            "parsed": self.parsed_json(),
            RECORDED: self.lines(),
        })
    }

    /// How people call it: its name, else the served name, else the model.
    #[must_use]
    pub fn title(&self) -> String {
        let service = || self.container.as_ref()?.service.as_ref().filter(|service| !service.text.is_empty());
        self.name
            .as_ref()
            .or_else(service)
            .map(|name| name.text.clone())
            .or_else(|| self.list("served-model-name").into_iter().next())
            .or_else(|| {
                self.model()
                    .map(|model| model.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned())
            })
            .filter(|title| !title.is_empty())
            .unwrap_or_else(|| self.engine.clone())
    }

    /// The profile as understood: form, engine, settings by meaning, what is unknown and unresolved.
    #[must_use]
    pub fn parsed_json(&self) -> Value {
        let hidden =
            |key: &str, value: String| if super::render::is_secret_key(key) { "(set)".to_owned() } else { value };
        let settings: serde_json::Map<String, Value> =
            self.meaning().into_iter().map(|(key, value)| (key.clone(), hidden(&key, value).into())).collect();
        let text = |placed: &Option<Placed>| placed.as_ref().map(|placed| placed.text.clone());
        json!({
            "form": self.form,
            "engine": self.engine,
            "engine_version": text(&self.engine_version),
            "profile_name": text(&self.name),
            "purpose": text(&self.purpose),
            "model": self.model().map(|model| model.text),
            "image": self.container.as_ref().and_then(|container| text(&container.image)),
            "settings": settings,
            "unknown": self.unknown().map(|setting| setting.name.clone()).collect::<Vec<_>>(),
            "unresolved": self.unresolved.iter().map(|placed| placed.text.clone()).collect::<Vec<_>>(),
        })
    }

    /// What requests take from it.
    #[must_use]
    pub fn request_defaults(&self) -> RequestDefaults {
        if self.form == Form::Client {
            return RequestDefaults::default();
        }
        let gateway = self.form == Form::LiteLlm;
        let inside = if gateway { Some(4000) } else { self.port() };
        let published = self.container.as_ref().filter(|container| !container.host_network).and_then(|container| {
            let port =
                container.ports.iter().find(|port| Some(port.container) == inside).or(container.ports.first())?;
            port.host
        });
        let port = published.or(inside);
        let model = if gateway {
            self.routes.first().map(|route| route.model_name.text.clone())
        } else {
            self.list("served-model-name").into_iter().next().or_else(|| self.model().map(|model| model.text))
        };
        let count = |key: &str| self.value(key).and_then(|value| value.parse().ok()).filter(|count| *count > 0);
        RequestDefaults {
            model: model.filter(|model| !model.is_empty()),
            base_url: port.map(|port| format!("http://127.0.0.1:{port}/v1")),
            port,
            max_model_len: count("max-model-len"),
            max_concurrency: count("max-num-seqs"),
        }
    }

    /// What the suite needs and the profile does not give, before the first request.
    #[must_use]
    pub fn check_needs(&self, needs: &Needs) -> Vec<Finding> {
        let before = check(self, &Known::nothing().needs(Some(Needs::default())));
        let after = check(self, &Known::nothing().needs(Some(*needs)));
        let told =
            |found: &Diagnostic| before.iter().any(|old| old.rule == found.rule && old.severity >= found.severity);
        after.iter().filter(|found| !told(found)).map(|found| to_finding(found, self.source())).collect()
    }
}

/// A diagnostic of a profile as a finding of a run.
#[must_use]
pub fn to_finding(found: &Diagnostic, source: &Source) -> Finding {
    let line = found.line.unwrap_or_default();
    let written = found.span.clone().and_then(|span| source.text().get(span)).unwrap_or_default();
    let excerpt: String = format!("{}:{line}: {written}", found.file).chars().take(300).collect();
    let confidence = if found.severity == Severity::Error { Confidence::High } else { Confidence::Medium };
    Finding {
        evidence: vec![Evidence { task: String::new(), place: "profile".to_owned(), excerpt }],
        fix: found.fix.clone().into_iter().collect(),
        ..Finding::new(found.rule.as_str(), found.severity, Blame::Profile, confidence, found.message.as_str())
    }
}
