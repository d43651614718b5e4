//! A launch profile as said: [`Profile`], its [`Setting`]s and what stands around them.
//!
//! Every value knows its bytes in the file. Nothing is judged here; what could not be read as meant is kept as a
//! [`Fault`], unknown names as settings that are not [`Setting::known`].

use std::collections::BTreeMap;
use std::ops::Range;

use monban_scorers::catalogue::Version;
use serde::Serialize;
use serde_json::Value;

use super::container::{Container, Route};
use super::setting::{Fault, Placed, Setting};
use crate::diagnostic::Source;

/// The forms people write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Form {
    /// `profile_name`, `purpose`, `model_key`, … with `extra_args`.
    Typed,
    /// An engine's configuration file: flags as keys.
    Config,
    /// A command line, perhaps through `docker run`.
    Command,
    /// A service of a Compose file.
    Compose,
    /// A container of a Kubernetes manifest, or its `args` alone.
    Kubernetes,
    /// A LiteLLM configuration.
    LiteLlm,
    /// A launcher over an engine (Xinference).
    Launcher,
    /// A client's configuration: it names an endpoint and launches nothing.
    Client,
}

/// A launch profile as read.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The form it is written in.
    pub form: Form,
    /// The engine's id; empty where nothing tells.
    pub engine: String,
    /// The engine's version, from the image tag or a key.
    pub engine_version: Option<Placed>,
    /// `profile_name`.
    pub name: Option<Placed>,
    /// `purpose`.
    pub purpose: Option<Placed>,
    /// `model_key`: the name the model has among the profiles' models.
    pub model_key: Option<Placed>,
    /// Flags and keys in the order written.
    pub settings: Vec<Setting>,
    /// Environment variables.
    pub env: Vec<(Placed, Placed)>,
    /// The program the command names: `vllm serve`; `None` where the image or a file stands for it.
    pub program: Option<Placed>,
    /// The container, where one is used.
    pub container: Option<Container>,
    /// The backends of a gateway.
    pub routes: Vec<Route>,
    /// What could not be read as meant.
    pub faults: Vec<Fault>,
    /// Variables whose value is not in the file.
    pub unresolved: Vec<Placed>,
    /// A command that starts the profile in a container stands in a comment.
    pub contained_by_comment: bool,
    /// Where the profile begins and ends in the file.
    pub span: Range<usize>,
    source: Source,
}

impl Profile {
    /// A profile of nothing yet.
    pub(super) fn new(source: &Source, form: Form, span: Range<usize>) -> Self {
        Self {
            form,
            engine: String::new(),
            engine_version: None,
            name: None,
            purpose: None,
            model_key: None,
            settings: Vec::new(),
            env: Vec::new(),
            program: None,
            container: None,
            routes: Vec::new(),
            faults: Vec::new(),
            unresolved: Vec::new(),
            contained_by_comment: false,
            span,
            source: source.clone(),
        }
    }

    /// The file's name as the user gave it.
    #[must_use]
    pub fn file(&self) -> &str {
        self.source.name()
    }

    /// The file with its lines.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The last setting of a meaning: `max-model-len`, whatever the engine calls it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.settings.iter().rev().find(|setting| setting.key == key && setting.path.is_none())
    }

    /// The value of a meaning.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&str> {
        self.get(key).map(|setting| setting.value.as_str())
    }

    /// Whether a switch is on; `None` where nothing says.
    #[must_use]
    pub fn switch(&self, key: &str) -> Option<bool> {
        self.value(key).map(|value| value == "true")
    }

    /// A value as a number.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<f64> {
        self.value(key)?.parse().ok()
    }

    /// A value as JSON, with what was given by dotted flags put in.
    #[must_use]
    pub fn json(&self, key: &str) -> Option<Value> {
        let mut value = self.value(key).and_then(|text| serde_json::from_str(text).ok());
        for setting in self.settings.iter().filter(|setting| setting.key == key) {
            let Some(path) = &setting.path else { continue };
            let leaf = serde_json::from_str(&setting.value).unwrap_or_else(|_| setting.value.clone().into());
            put(value.get_or_insert_with(|| Value::Object(serde_json::Map::new())), path, leaf);
        }
        value
    }

    /// The first setting of a meaning in any spelling, also a dotted one.
    #[must_use]
    pub fn any(&self, key: &str) -> Option<&Setting> {
        self.get(key).or_else(|| self.settings.iter().find(|setting| setting.key == key))
    }

    /// The values of a flag that takes several.
    #[must_use]
    pub fn list(&self, key: &str) -> Vec<String> {
        let Some(text) = self.value(key) else { return Vec::new() };
        match serde_json::from_str(text) {
            Ok(Value::Array(items)) => {
                items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect()
            }
            _ => vec![text.to_owned()],
        }
    }

    /// The model as the engine is told it; a typed profile's `model_key` where it names none.
    #[must_use]
    pub fn model(&self) -> Option<Placed> {
        self.get("model")
            .filter(|setting| !setting.value.is_empty())
            .map(|setting| Placed::new(setting.value.clone(), setting.value_span.clone()))
            .or_else(|| self.model_key.clone())
    }

    /// Every name the model may be known by, the one of the weights first.
    #[must_use]
    pub fn model_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.model().into_iter().map(|model| model.text).collect();
        names.extend(self.model_key.as_ref().map(|key| key.text.clone()));
        names.extend(self.list("served-model-name"));
        names
    }

    /// Settings the engine's table does not have.
    pub fn unknown(&self) -> impl Iterator<Item = &Setting> {
        self.settings.iter().filter(|setting| !setting.known)
    }

    /// The engine's version, where it is one that can be ordered.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        self.engine_version.as_ref().and_then(|placed| Version::parse(&placed.text))
    }

    /// An environment variable's value.
    #[must_use]
    pub fn env_value(&self, name: &str) -> Option<&Placed> {
        self.env.iter().find(|(key, _)| key.text == name).map(|(_, value)| value)
    }

    /// Whether the engine runs in a container with a network of its own.
    #[must_use]
    pub fn contained(&self) -> bool {
        self.contained_by_comment || self.container.as_ref().is_some_and(|container| !container.host_network)
    }

    /// What all settings mean: key → value, dotted ones put together.
    #[must_use]
    pub fn meaning(&self) -> BTreeMap<String, String> {
        let mut meaning = BTreeMap::new();
        for setting in &self.settings {
            let value = if setting.path.is_some() {
                self.json(&setting.key).map(|value| value.to_string()).unwrap_or_default()
            } else {
                setting.value.clone()
            };
            meaning.insert(setting.key.clone(), value);
        }
        meaning
    }
}

/// Puts a leaf at a dotted path; what stands in the way is replaced.
fn put(root: &mut Value, path: &str, leaf: Value) {
    let mut at = root;
    for step in path.split('.').take(16) {
        if !at.is_object() {
            *at = Value::Object(serde_json::Map::new());
        }
        let Value::Object(map) = at else { return };
        at = map.entry(step).or_insert(Value::Null);
    }
    *at = leaf;
}
