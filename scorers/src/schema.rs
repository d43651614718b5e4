//! JSON schemas compiled for judging: [`Schema`]. Offline, bounded, and "could not tell" is an answer of its own.
//!
//! A `$ref` must stay in the document; nothing is ever fetched.

use std::sync::{Arc, Mutex};

use jsonschema::{PatternOptions, Validator, error::ValidationErrorKind};
use serde_json::Value;

use crate::text::excerpt;

/// How often a pattern may backtrack on one value (fancy-regex; its default of 10⁶ costs a quarter of a second).
const BACKTRACK_LIMIT: usize = 10_000;
/// How many schema nodes one value may meet when every local `$ref` is written out: a chain of doubled references
/// would else cost 2ⁿ.
const MAX_EXPANDED: u64 = 200_000;
/// How many errors are told.
const MAX_ERRORS: usize = 4;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
}

/// What a schema says of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// It is valid.
    Valid,
    /// It is not; where and why, bounded.
    Invalid(Vec<String>),
    /// A limit was hit.
    Unknown(String),
}

impl Schema {
    /// Compiles a schema (draft 2020-12 unless `$schema` names another). `format` is asserted.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
            return Err(format!("a JSON schema is an object, this is {}", crate::args::kind(schema)));
        }
        if let Some(reference) = outside(schema) {
            return Err(format!("`$ref` leaves the document: {}", excerpt(reference, 80)));
        }
        if expanded(schema, schema, &mut Vec::new(), &mut std::collections::HashMap::new()) > MAX_EXPANDED {
            return Err("its references multiply beyond what can be checked".to_owned());
        }
        jsonschema::options()
            .offline()
            .should_validate_formats(true)
            .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT).size_limit(1 << 20))
            .build(schema)
            .map(|validator| Self { validator })
            .map_err(|error| match error.instance_path().to_string() {
                path if path.is_empty() => excerpt(&error.to_string(), 200),
                path => format!("{path}: {}", excerpt(&error.to_string(), 200)),
            })
    }

    /// Checks a value.
    #[must_use]
    pub fn check(&self, value: &Value) -> Checked {
        let mut wrong = Vec::new();
        for error in self.validator.iter_errors(value) {
            if limit_hit(error.kind()) {
                return Checked::Unknown(format!(
                    "a pattern of the schema gave up: {}",
                    excerpt(&error.to_string(), 160)
                ));
            }
            if wrong.len() < MAX_ERRORS {
                let path = error.instance_path().to_string();
                let place = if path.is_empty() { "the value".to_owned() } else { path };
                wrong.push(format!("{place}: {}", excerpt(&error.to_string(), 160)));
            }
        }
        if wrong.is_empty() { Checked::Valid } else { Checked::Invalid(wrong) }
    }
}

fn limit_hit(kind: &ValidationErrorKind) -> bool {
    matches!(kind, ValidationErrorKind::BacktrackLimitExceeded { .. } | ValidationErrorKind::RegexEngineFailure { .. })
}

/// The first `$ref` that does not stay in the document.
fn outside(schema: &Value) -> Option<&str> {
    match schema {
        Value::Object(map) => map.iter().find_map(|(key, value)| match (key.as_str(), value) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(to)) if !to.starts_with('#') => Some(to.as_str()),
            // What stands there is data, not schema.
            ("const" | "enum" | "default" | "examples", _) => None,
            _ => outside(value),
        }),
        Value::Array(items) => items.iter().find_map(outside),
        _ => None,
    }
}

/// How many nodes a value may meet with every local reference written out; a reference into itself counts once.
fn expanded<'a>(
    root: &'a Value,
    node: &'a Value,
    open: &mut Vec<&'a str>,
    known: &mut std::collections::HashMap<&'a str, u64>,
) -> u64 {
    match node {
        Value::Object(map) => {
            let mut sum: u64 = 1;
            for (key, value) in map {
                let part = match (key.as_str(), value) {
                    ("$ref", Value::String(to)) => referred(root, to, open, known),
                    ("$defs" | "definitions", _) if std::ptr::eq(root, node) => 0,
                    _ => expanded(root, value, open, known),
                };
                sum = sum.saturating_add(part);
            }
            sum
        }
        Value::Array(items) => {
            items.iter().fold(1, |sum: u64, item| sum.saturating_add(expanded(root, item, open, known)))
        }
        _ => 0,
    }
}

fn referred<'a>(
    root: &'a Value,
    to: &'a str,
    open: &mut Vec<&'a str>,
    known: &mut std::collections::HashMap<&'a str, u64>,
) -> u64 {
    if let Some(size) = known.get(to) {
        return *size;
    }
    if open.contains(&to) {
        return 1;
    }
    let Some(target) = to.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) else { return 1 };
    open.push(to);
    let size = expanded(root, target, open, known);
    open.pop();
    known.insert(to, size);
    size
}

/// Compiled schemas of one scorer, so that a task's attempts share them.
#[derive(Debug, Default)]
pub struct Cache {
    slots: Mutex<Vec<Slot>>,
}

type Slot = (Value, Arc<Result<Schema, String>>);

impl Cache {
    /// How many schemas are kept.
    const SLOTS: usize = 64;

    /// The compiled schema, from the cache where it is known.
    pub fn get(&self, schema: &Value) -> Arc<Result<Schema, String>> {
        let Ok(mut slots) = self.slots.lock() else { return Arc::new(Schema::compile(schema)) };
        if let Some((_, compiled)) = slots.iter().find(|(known, _)| known == schema) {
            return Arc::clone(compiled);
        }
        let compiled = Arc::new(Schema::compile(schema));
        if slots.len() < Self::SLOTS {
            slots.push((schema.clone(), Arc::clone(&compiled)));
        }
        compiled
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn refused(schema: &Value, why: &str) {
        let message = Schema::compile(schema).unwrap_err();
        assert!(message.contains(why), "{message}");
    }

    #[test]
    fn a_reference_stays_in_the_document() {
        refused(&json!({"$ref": "https://example.com/schema.json"}), "leaves the document");
        refused(&json!({"properties": {"a": {"$ref": "file:///etc/passwd"}}}), "leaves the document");
        let local = json!({"$defs": {"a": {"type": "string"}}, "properties": {"x": {"$ref": "#/$defs/a"}}});
        let schema = Schema::compile(&local).unwrap();
        assert_eq!(schema.check(&json!({"x": "s"})), Checked::Valid);
        assert!(matches!(schema.check(&json!({"x": 1})), Checked::Invalid(_)));
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        refused(&json!({"type": "strin"}), "strin");
        refused(&json!("string"), "is an object");
        refused(&json!({"$ref": "#/$defs/none"}), "");
    }

    #[test]
    fn references_that_multiply_are_refused() {
        let mut defs = serde_json::Map::new();
        defs.insert("l0".to_owned(), json!({"type": "string"}));
        for level in 1..40 {
            let below = format!("#/$defs/l{}", level - 1);
            defs.insert(format!("l{level}"), json!({"allOf": [{"$ref": below}, {"$ref": below}]}));
        }
        refused(&json!({"$defs": defs, "$ref": "#/$defs/l39"}), "multiply");
    }

    #[test]
    fn a_recursive_schema_is_fine() {
        let tree = json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": false});
        let schema = Schema::compile(&tree).unwrap();
        assert_eq!(schema.check(&json!({"next": {"next": {}}})), Checked::Valid);
        assert!(matches!(schema.check(&json!({"next": {"other": 1}})), Checked::Invalid(_)));
    }

    #[test]
    fn a_pattern_that_gives_up_is_neither_valid_nor_invalid() {
        let schema = Schema::compile(&json!({"pattern": r"^(.*)(.*)(.*)\1\2\3c$"})).unwrap();
        let value = json!(format!("{}b", "ab".repeat(30)));
        assert!(matches!(schema.check(&value), Checked::Unknown(_)), "{:?}", schema.check(&value));
    }

    #[test]
    fn formats_are_asserted() {
        let schema = Schema::compile(&json!({"format": "date"})).unwrap();
        assert!(matches!(schema.check(&json!("tomorrow")), Checked::Invalid(_)));
    }
}
