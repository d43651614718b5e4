//! Typed reading of a table: [`Reader`] takes values by key and books every problem with its pointer.

use serde_json::{Map, Value};

use super::problem::{Problem, Problems, join};
use crate::diagnostic::nearest;

/// More unknown keys of one table are not named.
const MOST_UNKNOWN: usize = 20;

/// A table being read.
pub(super) struct Reader<'a, 'p> {
    pub(super) map: &'a Map<String, Value>,
    pub(super) at: &'a str,
    pub(super) problems: &'p mut Problems,
}

impl<'a> Reader<'a, '_> {
    /// Books every key that is not known, with the nearest one that is.
    pub(super) fn known(&mut self, what: &str, known: impl Iterator<Item = &'static str> + Clone) {
        let unknown = self.map.keys().filter(|key| known.clone().all(|name| name != *key)).take(MOST_UNKNOWN);
        for key in unknown {
            let fix = match nearest(key, known.clone()) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("known here: {}", list(known.clone())),
            };
            let problem =
                Problem::error("unknown_key", join(self.at, key), format!("unknown key `{}` in {what}", short(key)));
            self.problems.push(problem.at_key().fix(fix));
        }
    }

    pub(super) fn text(&mut self, key: &str) -> Option<&'a str> {
        match self.map.get(key)? {
            Value::String(text) => Some(text),
            other => self.wrong(key, "a string", other),
        }
    }

    pub(super) fn required_text(&mut self, key: &str, what: &str) -> Option<&'a str> {
        if !self.map.contains_key(key) {
            self.problems.push(Problem::error("missing_key", self.at, format!("{what} has no `{key}`")));
        }
        self.text(key)
    }

    pub(super) fn list(&mut self, key: &str, wanted: &str) -> Option<&'a [Value]> {
        match self.map.get(key)? {
            Value::Array(items) => Some(items),
            other => self.wrong(key, wanted, other),
        }
    }

    pub(super) fn table(&mut self, key: &str) -> Option<&'a Map<String, Value>> {
        match self.map.get(key)? {
            Value::Object(table) => Some(table),
            other => self.wrong(key, "a table", other),
        }
    }

    /// A list of strings, with each one's index.
    pub(super) fn texts(&mut self, key: &str) -> Vec<(usize, &'a str)> {
        let mut texts = Vec::new();
        for (index, item) in self.list(key, "a list of strings").unwrap_or_default().iter().enumerate() {
            match item {
                Value::String(text) => texts.push((index, text.as_str())),
                other => drop(self.wrong::<()>(&format!("{key}/{index}"), "a string", other)),
            }
        }
        texts
    }

    /// A whole number within bounds.
    pub(super) fn count(&mut self, key: &str, bounds: std::ops::RangeInclusive<u32>) -> Option<u32> {
        let value = self.map.get(key)?;
        let count = value.as_u64().and_then(|count| u32::try_from(count).ok()).filter(|count| bounds.contains(count));
        if count.is_none() {
            let wanted = format!("a whole number from {} to {}", bounds.start(), bounds.end());
            if value.is_number() {
                self.fail("wrong_value", key, format!("`{key}` is {value}, expected {wanted}"));
            } else {
                return self.wrong(key, &wanted, value);
            }
        }
        count
    }

    /// One of some words.
    pub(super) fn word(&mut self, key: &str, words: &'static [&'static str]) -> Option<&'static str> {
        let said = self.text(key)?;
        let word = words.iter().find(|word| **word == said).copied();
        if word.is_none() {
            let fix = match nearest(said, words.iter().copied()) {
                Some(word) => format!("did you mean `{word}`? One of {}", list(words.iter().copied())),
                None => format!("one of {}", list(words.iter().copied())),
            };
            let message = format!("`{key}` knows no `{}`", short(said));
            self.problems.push(Problem::error("wrong_value", join(self.at, key), message).fix(fix));
        }
        word
    }

    /// Books a problem with what a key holds. The key may lead further down (`calls/0`).
    pub(super) fn fail(&mut self, rule: &'static str, key: &str, message: impl Into<String>) {
        self.problems.push(Problem::error(rule, format!("{}/{key}", self.at), message));
    }

    fn wrong<T>(&mut self, key: &str, wanted: &str, got: &Value) -> Option<T> {
        if got.is_null() {
            return None; // Booked already: JSON has no form for what stands there.
        }
        let name = key.split('/').next().unwrap_or(key);
        let message = format!("`{name}` holds {}", kind(got));
        self.problems.push(
            Problem::error("wrong_type", format!("{}/{key}", self.at), message).label(format!("expected {wanted}")),
        );
        None
    }
}

/// What a value is, in TOML's words.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}

/// Names in back-quotes.
pub(super) fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A name from a file, short enough for a message.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
