//! Reading a scorer's arguments: [`ArgReader`] takes typed values out of [`Args`] and collects **every** error.
//!
//! A scorer names its keys once (its `arguments` slice); unknown keys are reported with the nearest known one.
//! Nothing here judges anything.

use serde_json::{Map, Value};

use crate::scorer::{ArgDef, ArgError, Args};

/// Takes typed arguments, one after the other, and collects what is wrong with them.
///
/// ```
/// use monban_scorers::args::ArgReader;
/// use monban_scorers::scorer::{ArgDef, Args};
///
/// static KNOWN: &[ArgDef] = &[ArgDef { name: "text", schema: r#"{"type":"string"}"#, help: "What to look for." }];
/// let mut args = Args(serde_json::from_str(r#"{"txt": 3}"#).unwrap());
/// let mut reader = ArgReader::new(&mut args, KNOWN);
/// let text = reader.required_text("text");
/// let errors = reader.finish(|| text).unwrap_err();
/// assert_eq!(errors[0].pointer, "/txt");
/// assert_eq!(errors[0].help.as_deref(), Some("did you mean `text`?"));
/// ```
#[derive(Debug)]
pub struct ArgReader {
    map: Map<String, Value>,
    errors: Vec<ArgError>,
    unknown: bool,
}

impl ArgReader {
    /// Takes the arguments over and reports the keys that are not known.
    #[must_use]
    pub fn new(args: &mut Args, known: &[ArgDef]) -> Self {
        let map = std::mem::take(&mut args.0);
        let names = || known.iter().map(|def| def.name);
        let errors: Vec<ArgError> =
            map.keys().filter(|key| names().all(|name| name != *key)).map(|key| unknown_key(key, names())).collect();
        Self { unknown: !errors.is_empty(), map, errors }
    }

    /// Whether the key was given.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    /// Any value.
    pub fn value(&mut self, key: &str) -> Option<Value> {
        self.map.remove(key)
    }

    /// A string.
    pub fn text(&mut self, key: &str) -> Option<String> {
        match self.map.remove(key)? {
            Value::String(text) => Some(text),
            other => self.wrong(key, "a string", &other),
        }
    }

    /// A string that must be there; empty where it is not (an error then says so).
    pub fn required_text(&mut self, key: &str) -> String {
        self.require(key);
        self.text(key).unwrap_or_default()
    }

    /// A string as it stands, left in place; empty where there is none.
    #[must_use]
    pub fn peek_text(&self, key: &str) -> String {
        self.map.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// A string, or a list of strings that must not be empty. `None` when absent.
    pub fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        match self.map.remove(key)? {
            Value::String(text) => Some(vec![text]),
            Value::Array(items) if items.is_empty() => {
                self.fail(key, "the list is empty, so nothing could be looked for");
                None
            }
            Value::Array(items) => {
                let mut texts = Vec::with_capacity(items.len());
                for (index, item) in items.into_iter().enumerate() {
                    match item {
                        Value::String(text) => texts.push(text),
                        other => {
                            let _: Option<()> = self.wrong(&format!("{key}/{index}"), "a string", &other);
                        }
                    }
                }
                Some(texts)
            }
            other => self.wrong(key, "a string or a list of strings", &other),
        }
    }

    /// A boolean.
    pub fn flag(&mut self, key: &str, default: bool) -> bool {
        match self.map.remove(key) {
            None => default,
            Some(Value::Bool(flag)) => flag,
            Some(other) => self.wrong(key, "true or false", &other).unwrap_or(default),
        }
    }

    /// A whole number of zero or more.
    pub fn count(&mut self, key: &str) -> Option<u64> {
        let value = self.map.remove(key)?;
        let whole = value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..9.0e15).contains(number));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be a whole number in range"
        )]
        match value.as_u64().or(whole.map(|number| number as u64)) {
            Some(count) => Some(count),
            None => self.wrong(key, "a whole number of zero or more", &value),
        }
    }

    /// A finite number.
    pub fn number(&mut self, key: &str) -> Option<f64> {
        let value = self.map.remove(key)?;
        match value.as_f64().filter(|number| number.is_finite()) {
            Some(number) => Some(number),
            None => self.wrong(key, "a number", &value),
        }
    }

    /// One of some words; the first is the default.
    pub fn word(&mut self, key: &str, words: &[&'static str]) -> &'static str {
        let default = words.first().copied().unwrap_or_default();
        let Some(said) = self.text(key) else { return default };
        if let Some(word) = words.iter().find(|word| **word == said) {
            return word;
        }
        let list = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let help = nearest(&said, words.iter().copied())
            .map_or_else(|| format!("one of {list}"), |word| format!("did you mean `{word}`? (one of {list})"));
        self.push(ArgError::at(pointer(key), format!("unknown word `{}`", short(&said))).help(help));
        default
    }

    /// Reports that a key is missing, unless it is there.
    pub fn require(&mut self, key: &str) {
        if !self.has(key) {
            // A misspelt key is the likely cause and is reported already: one error for one fault is enough there.
            if !self.unknown {
                self.push(ArgError::at("", format!("`{key}` is missing")));
            }
            self.unknown = false;
        }
    }

    /// Reports an error at a key (or at `key/0/name`).
    pub fn fail(&mut self, key: &str, message: impl Into<String>) {
        self.push(ArgError::at(pointer(key), message));
    }

    /// Reports an error made elsewhere.
    pub fn push(&mut self, error: ArgError) {
        self.errors.push(error);
    }

    /// The value of a part read on its own, its errors moved below `key`.
    pub fn absorb<T>(&mut self, key: &str, part: Result<T, Vec<ArgError>>) -> Option<T> {
        match part {
            Ok(value) => Some(value),
            Err(errors) => {
                self.errors.extend(errors.into_iter().map(|mut error| {
                    error.pointer.insert_str(0, &pointer(key));
                    error
                }));
                None
            }
        }
    }

    /// A regular expression, bounded (see [`crate::text::pattern`]).
    pub fn pattern(&mut self, key: &str, ignore_case: bool, whole: bool) -> Option<regex::Regex> {
        let said = self.text(key)?;
        match crate::text::pattern(&said, ignore_case, whole) {
            Ok(pattern) => Some(pattern),
            Err(message) => {
                self.push(
                    ArgError::at(pointer(key), message)
                        .help("the syntax is that of the Rust `regex` crate: no look-around, no back-references"),
                );
                None
            }
        }
    }

    /// The built value, or every error.
    ///
    /// # Errors
    /// All that was reported.
    pub fn finish<T>(self, build: impl FnOnce() -> T) -> Result<T, Vec<ArgError>> {
        if self.errors.is_empty() { Ok(build()) } else { Err(self.errors) }
    }

    /// As [`ArgReader::finish`], with a part that can only be missing when its error was reported.
    ///
    /// # Errors
    /// All that was reported.
    pub fn finish_with<P, T>(self, part: Option<P>, build: impl FnOnce(P) -> T) -> Result<T, Vec<ArgError>> {
        match part {
            Some(part) => self.finish(|| build(part)),
            None if self.errors.is_empty() => Err(vec![ArgError::at("", "an argument is missing")]),
            None => Err(self.errors),
        }
    }

    fn wrong<T>(&mut self, key: &str, wanted: &str, got: &Value) -> Option<T> {
        let error = ArgError::at(pointer(key), format!("expected {wanted}, found {}", kind(got)));
        self.push(error);
        None
    }
}

/// The error for a key that is not known, with the nearest known one or the whole list.
pub fn unknown_key<'a>(key: &str, known: impl Iterator<Item = &'a str> + Clone) -> ArgError {
    let help = match nearest(key, known.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known keys: {}", known.collect::<Vec<_>>().join(", ")),
    };
    ArgError::at(pointer(&escape(key)), format!("unknown key `{}`", short(key))).help(help)
}

/// The known name nearest to a misspelt one, when one is near.
pub fn nearest<'a>(said: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // The distance is quadratic in the length; no name is that long.
    if said.len() > 64 {
        return None;
    }
    let said = said.to_lowercase().replace('-', "_");
    known
        .map(|name| (strsim::jaro_winkler(&said, &name.to_lowercase()), name))
        .filter(|(score, _)| *score >= 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

/// What a JSON value is, in words: `a string`, `an object`.
#[must_use]
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A key as one token of a JSON pointer (RFC 6901 §3).
#[must_use]
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn pointer(key: &str) -> String {
    format!("/{key}")
}

fn short(text: &str) -> String {
    crate::text::excerpt(text, 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    static KNOWN: &[ArgDef] = &[
        ArgDef { name: "text", schema: "{}", help: "" },
        ArgDef { name: "max", schema: "{}", help: "" },
        ArgDef { name: "mode", schema: "{}", help: "" },
    ];

    fn reader(json: &str) -> ArgReader {
        ArgReader::new(&mut Args(serde_json::from_str(json).unwrap()), KNOWN)
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let mut reader = reader(r#"{"text": 1, "max": -2, "mode": "farst", "other/key": 1}"#);
        reader.text("text");
        reader.count("max");
        assert_eq!(reader.word("mode", &["slow", "fast"]), "slow");
        let errors = reader.finish(|| ()).unwrap_err();
        let pointers: Vec<_> = errors.iter().map(|error| error.pointer.as_str()).collect();
        assert_eq!(pointers, ["/other~1key", "/text", "/max", "/mode"]);
        assert_eq!(errors[3].help.as_deref(), Some("did you mean `fast`? (one of `slow`, `fast`)"));
    }

    #[test]
    fn counts_take_whole_floats() {
        assert_eq!(reader(r#"{"max": 3.0}"#).count("max"), Some(3));
        assert_eq!(reader(r#"{"max": 3.5}"#).count("max"), None);
    }

    #[test]
    fn a_missing_key_is_an_error_at_the_table() {
        let mut reader = reader("{}");
        reader.required_text("text");
        assert_eq!(reader.finish(|| ()).unwrap_err(), [ArgError::at("", "`text` is missing")]);
    }

    #[test]
    fn far_names_are_not_suggested() {
        assert_eq!(nearest("zebra", ["text", "max"].into_iter()), None);
        assert_eq!(nearest("json-schema", ["json_schema"].into_iter()), Some("json_schema"));
    }
}
