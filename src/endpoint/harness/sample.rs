//! Smallest sensible values: an instance of a JSON schema, a text of a regular expression. Deterministic and bounded.

use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Map, Value, json};

/// How deep a schema is followed.
const DEPTH: usize = 16;

/// An instance of a schema: declared examples, defaults, constants and enumerations first.
#[must_use]
pub(super) fn instance(schema: &Value) -> Value {
    of(schema, schema, "", DEPTH)
}

fn of(schema: &Value, root: &Value, name: &str, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    if let Some(fixed) = given(schema) {
        return fixed.clone();
    }
    if let Some(pointer) = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'))
    {
        return root.pointer(pointer).map_or(Value::Null, |target| of(target, root, name, depth - 1));
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema.get(key).and_then(Value::as_array).and_then(|options| options.first()) {
            return of(first, root, name, depth - 1);
        }
    }
    match type_of(schema) {
        "object" => object(schema, root, depth),
        "array" => array(schema, root, name, depth),
        "integer" => json!(number(schema).ceil() as i64),
        "number" => json!(number(schema)),
        "boolean" => json!(true),
        "null" => Value::Null,
        _ => json!(string(schema, name)),
    }
}

fn given(schema: &Value) -> Option<&Value> {
    let first = |key: &str| schema.get(key).and_then(Value::as_array).and_then(|values| values.first());
    schema.get("const").or_else(|| first("enum")).or_else(|| schema.get("default")).or_else(|| first("examples"))
}

fn type_of(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("null")
        }
        _ if schema.get("properties").is_some() => "object",
        _ if schema.get("items").is_some() => "array",
        _ => "string",
    }
}

fn object(schema: &Value, root: &Value, depth: usize) -> Value {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mut out = Map::new();
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        for (name, property) in properties.iter().filter(|(name, _)| required.contains(&name.as_str())) {
            out.insert(name.clone(), of(property, root, name, depth - 1));
        }
    }
    Value::Object(out)
}

fn array(schema: &Value, root: &Value, name: &str, depth: usize) -> Value {
    let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1).min(64);
    let items = schema.get("items").unwrap_or(&Value::Null);
    Value::Array((0..least).map(|_| of(items, root, name, depth - 1)).collect())
}

fn number(schema: &Value) -> f64 {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    bound("minimum")
        .or_else(|| bound("exclusiveMinimum").map(|least| least + 1.0))
        .or_else(|| bound("maximum"))
        .unwrap_or(1.0)
}

fn string(schema: &Value, name: &str) -> String {
    if let Some(text) = schema.get("pattern").and_then(Value::as_str).and_then(matching) {
        return text;
    }
    let word = match schema.get("format").and_then(Value::as_str) {
        Some("date") => "2026-01-31",
        Some("date-time") => "2026-01-31T09:00:00Z",
        Some("email") => "someone@example.org",
        Some("uri") => "https://example.org/",
        _ if name.is_empty() => "text",
        _ => name,
    };
    let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0).min(4096) as usize;
    let mut text = word.to_owned();
    while text.chars().count() < least {
        text.push('x');
    }
    text
}

/// A text that a regular expression matches; `None` where it is no expression of the `regex` crate.
#[must_use]
pub(super) fn matching(pattern: &str) -> Option<String> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut out = String::new();
    write(&hir, &mut out, DEPTH)?;
    Some(out)
}

fn write(hir: &Hir, out: &mut String, depth: usize) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(Class::Unicode(class)) => out.push(readable(class)?),
        HirKind::Class(Class::Bytes(_)) => return None,
        HirKind::Repetition(repetition) => {
            // `.*` and `x?` are best left out.
            for _ in 0..repetition.min.min(64) {
                write(&repetition.sub, out, depth)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, out, depth)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, out, depth))?,
        HirKind::Alternation(options) => write(options.first()?, out, depth)?,
    }
    Some(())
}

fn readable(class: &regex_syntax::hir::ClassUnicode) -> Option<char> {
    let holds = |wanted: char| class.ranges().iter().any(|range| range.start() <= wanted && wanted <= range.end());
    ['a', 'A', '1', ' ']
        .into_iter()
        .find(|wanted| holds(*wanted))
        .or_else(|| class.ranges().first().map(|range| range.start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_are_valid() {
        let schemas = [
            json!({ "type": "object", "properties": { "n": { "type": "integer", "minimum": 3 }, "o": {} }, "required": ["n"] }),
            json!({ "type": "array", "items": { "enum": ["b", "c"] }, "minItems": 2 }),
            json!({ "$defs": { "s": { "type": "string", "pattern": "^[a-z]{3}-\\d+$" } }, "$ref": "#/$defs/s" }),
            json!({ "anyOf": [{ "type": "number" }, { "type": "null" }] }),
            json!({ "type": ["null", "string"], "minLength": 9 }),
        ];
        for schema in schemas {
            let found = instance(&schema);
            assert!(jsonschema::is_valid(&schema, &found), "{schema} {found}");
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({ "type": "object", "properties": { "a": { "$ref": "#" } }, "required": ["a"] });
        assert!(instance(&schema).is_object());
    }

    #[test]
    fn texts_match_their_pattern() {
        for pattern in [r"(?i)\bparis\b", r"^\d{3}$", "a|b", r"x.*y", "[[:upper:]]+"] {
            let text = matching(pattern).unwrap();
            assert!(regex::Regex::new(pattern).unwrap().is_match(&text), "{pattern} {text}");
        }
    }
}
