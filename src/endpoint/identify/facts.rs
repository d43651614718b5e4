//! What was learned of an endpoint: [`Fact`]s with their source, and the [`Identity`] they amount to.

use monban_scorers::diagnosis::{Confidence, Context};
use serde::{Deserialize, Serialize};

use super::reading::settle;

/// One thing learned, how, and how sure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What: `engine`, `engine_version`, `model`, `max_model_len`, `tool_parser`, `reasoning_parser`, `gateway`, …
    pub fact: String,
    /// The value, bounded; hostile like anything a server says.
    pub value: String,
    /// Where it was learned: `GET /version`, `header x-litellm-version`, …
    pub source: String,
    /// How sure.
    pub confidence: Confidence,
}

/// An endpoint as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Identity {
    /// What the diagnosis takes from it.
    pub context: Context,
    /// Every fact, the surest first within its kind.
    pub facts: Vec<Fact>,
    /// The names it serves.
    pub served: Vec<String>,
    /// Its context length in tokens.
    pub max_model_len: Option<u64>,
    /// Its chat template, where it shows one.
    #[serde(skip)]
    pub chat_template: Option<String>,
    /// The model behind each served name, where it is told.
    #[serde(skip)]
    pub(super) roots: Vec<(String, String)>,
    /// The name the requests will carry.
    #[serde(skip)]
    pub(super) wanted: Option<String>,
    /// How many requests it took.
    #[serde(skip)]
    pub asked: usize,
    /// Whether anything answered at all.
    pub reached: bool,
    /// Why nothing did, in the transport's or server's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreached: Option<String>,
}

impl Identity {
    /// The value of a fact.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|fact| fact.fact == name).map(|fact| fact.value.as_str())
    }

    /// Of several models that are served, the one that requests will name.
    #[must_use]
    pub fn of_model(mut self, name: &str) -> Self {
        self.wanted = Some(name.to_owned());
        settle(&mut self);
        self
    }

    /// Books a fact; values are bounded.
    pub(super) fn book(&mut self, fact: &str, value: impl Into<String>, source: &str, confidence: Confidence) {
        let value: String = value.into().chars().take(300).collect();
        if !value.is_empty()
            && !self.facts.iter().any(|known| known.fact == fact && known.value == value && known.source == source)
        {
            self.facts.push(Fact { fact: fact.to_owned(), value, source: source.to_owned(), confidence });
        }
    }
}
