//! Types for what has none: text from markup becomes the value that the declared schema wants.
//!
//! References are followed within the document only, and not deeper than [`DEEPEST`].

use serde_json::{Number, Value};

use super::python;

/// References and alternatives are followed this deep.
const DEEPEST: usize = 12;

/// The JSON types that a schema allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Types {
    /// `null`.
    pub(crate) null: bool,
    /// Integers.
    pub(crate) integer: bool,
    /// Numbers.
    pub(crate) number: bool,
    /// Booleans.
    pub(crate) boolean: bool,
    /// Objects.
    pub(crate) object: bool,
    /// Arrays.
    pub(crate) array: bool,
    /// Strings.
    pub(crate) string: bool,
}

impl Types {
    /// Nothing was said.
    pub(crate) fn is_unknown(self) -> bool {
        self == Self::default()
    }

    /// The value is of one of them.
    fn allow(self, value: &Value) -> bool {
        match value {
            Value::Null => self.null,
            Value::Bool(_) => self.boolean,
            Value::Number(_) => self.number || self.integer && value.as_f64().is_some_and(|it| it.fract() == 0.0),
            Value::String(_) => self.string,
            Value::Array(_) => self.array,
            Value::Object(_) => self.object,
        }
    }

    fn add(&mut self, word: &str) {
        match word {
            "null" => self.null = true,
            "integer" | "int" => self.integer = true,
            "number" | "float" => self.number = true,
            "boolean" | "bool" => self.boolean = true,
            "object" | "dict" => self.object = true,
            "array" | "list" => self.array = true,
            "string" | "str" => self.string = true,
            _ => {}
        }
    }
}

/// The types that a schema allows, through `$ref`, `anyOf`, `oneOf`, `allOf`, `enum` and `const`.
pub(super) fn types_of(schema: &Value, root: &Value) -> Types {
    let mut types = Types::default();
    collect(schema, root, DEEPEST, &mut types);
    types
}

fn collect(schema: &Value, root: &Value, depth: usize, types: &mut Types) {
    if depth == 0 {
        return;
    }
    match schema.get("type") {
        Some(Value::String(word)) => types.add(word),
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).for_each(|word| types.add(word)),
        _ => {}
    }
    if schema.get("nullable").and_then(Value::as_bool) == Some(true) {
        types.null = true;
    }
    if let Some(target) = follow(schema, root) {
        collect(target, root, depth - 1, types);
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        for branch in schema.get(key).and_then(Value::as_array).into_iter().flatten().take(16) {
            collect(branch, root, depth - 1, types);
        }
    }
    if schema.get("type").is_none() {
        let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        listed.chain(schema.get("const")).for_each(|value| types.add(type_word(value)));
        if schema.get("properties").is_some() {
            types.object = true;
        }
        if schema.get("items").is_some() {
            types.array = true;
        }
    }
}

/// The schema that a local `$ref` points at.
fn follow<'a>(schema: &Value, root: &'a Value) -> Option<&'a Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}

/// The name JSON Schema has for a value's type.
pub(super) fn type_word(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The value that a text stands for under a schema (`None`: nothing was declared).
pub(super) fn typed(text: &str, schema: Option<(&Value, &Value)>) -> Value {
    let types = schema.map(|(schema, root)| types_of(schema, root)).unwrap_or_default();
    let trimmed = text.trim();
    if types.is_unknown() {
        return guess(trimmed).unwrap_or_else(|| Value::String(text.to_owned()));
    }
    if types.null && matches!(trimmed, "null" | "None" | "none" | "nil") {
        return Value::Null;
    }
    scalar(trimmed, types)
        .or_else(|| compound(trimmed, types))
        .or_else(|| (!types.string).then(|| guess(trimmed)).flatten())
        .unwrap_or_else(|| Value::String(text.to_owned()))
}

/// The value is of another type than declared.
pub(crate) fn is_mistyped(value: &Value, schema: &Value, root: &Value) -> bool {
    let types = types_of(schema, root);
    !types.is_unknown() && !types.allow(value)
}

/// The value as declared, where it is of another type and its text reads as a declared one. Arrays and objects are left
/// alone: how their text was spaced is not known.
pub(crate) fn of_declared_type(value: &Value, schema: &Value, root: &Value) -> Option<Value> {
    let types = types_of(schema, root);
    match value {
        _ if types.is_unknown() || types.allow(value) => None,
        Value::String(text) => scalar(text.trim(), types),
        Value::Number(_) | Value::Bool(_) if types.string => Some(Value::String(value.to_string())),
        _ => None,
    }
}

/// The text of a value, as a format without types would hold it, stands for one of the declared type.
pub(crate) fn reads_as_declared(value: &Value, schema: &Value, root: &Value) -> bool {
    let types = types_of(schema, root);
    let text = match value {
        Value::Null => return false,
        Value::String(text) => std::borrow::Cow::Borrowed(text.as_str()),
        other => std::borrow::Cow::Owned(other.to_string()),
    };
    types.string || types.allow(&typed(&text, Some((schema, root))))
}

fn scalar(text: &str, types: Types) -> Option<Value> {
    if (types.integer || types.number)
        && let Some(number) = number(text, types.number)
    {
        return Some(number);
    }
    match text {
        "true" | "True" | "TRUE" if types.boolean => Some(Value::Bool(true)),
        "false" | "False" | "FALSE" if types.boolean => Some(Value::Bool(false)),
        _ => None,
    }
}

/// A number; where only integers are wanted, `3.0` is 3 and `3.5` is none.
fn number(text: &str, fractions: bool) -> Option<Value> {
    if let Ok(Value::Number(number)) = serde_json::from_str::<Value>(text) {
        let whole = number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() < 9.0e15);
        return match (number.is_f64(), fractions, whole) {
            (false, ..) | (true, true, _) => Some(Value::Number(number)),
            #[expect(clippy::cast_possible_truncation, reason = "bounded above, and without a fraction")]
            (true, false, Some(whole)) => Some(Value::Number(Number::from(whole as i64))),
            (true, false, None) => None,
        };
    }
    None
}

fn compound(text: &str, types: Types) -> Option<Value> {
    let first = text.as_bytes().first()?;
    if (types.object && *first == b'{') || (types.array && *first == b'[') {
        return serde_json::from_str(text).ok().or_else(|| python::whole(text));
    }
    None
}

/// Without a declaration: a text that is a JSON object, array, number, boolean or null is that.
fn guess(text: &str) -> Option<Value> {
    match text {
        "True" => return Some(Value::Bool(true)),
        "False" => return Some(Value::Bool(false)),
        "None" => return Some(Value::Null),
        _ => {}
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::String(_)) | Err(_) => {
            text.starts_with(['{', '[']).then(|| python::whole(text)).flatten().filter(|value| !value.is_string())
        }
        Ok(value) => Some(value),
    }
}

/// Unfolds JSON that stands as a string where the schema wants an object or array and no string, at any depth.
/// Says whether anything changed.
pub(crate) fn fit(value: &mut Value, schema: &Value, root: &Value) -> bool {
    fit_at(value, schema, root, DEEPEST)
}

fn fit_at(value: &mut Value, schema: &Value, root: &Value, depth: usize) -> bool {
    if depth == 0 {
        return false;
    }
    let mut changed = false;
    let types = types_of(schema, root);
    if let Value::String(text) = value
        && (types.object || types.array)
        && !types.string
        && let Some(inner) = compound(text.trim(), types)
    {
        *value = inner;
        changed = true;
    }
    let schema = follow(schema, root).unwrap_or(schema);
    match value {
        Value::Object(map) => {
            for (key, inner) in map.iter_mut() {
                if let Some(schema) = schema.get("properties").and_then(|properties| properties.get(key)) {
                    changed |= fit_at(inner, schema, root, depth - 1);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for inner in items {
                    changed |= fit_at(inner, schema, root, depth - 1);
                }
            }
        }
        _ => {}
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_lost_type_is_told_from_a_wrong_value() {
        let case = |value: Value, schema: Value, mistyped, reads, declared: Option<Value>| {
            let root = json!({"$defs": {"count": {"type": "integer"}}});
            assert_eq!(is_mistyped(&value, &schema, &root), mistyped, "{value} {schema}");
            assert_eq!(reads_as_declared(&value, &schema, &root), reads, "{value} {schema}");
            assert_eq!(of_declared_type(&value, &schema, &root), declared, "{value} {schema}");
        };
        let typed = |word: &str| json!({"type": word});
        case(json!("3"), typed("integer"), true, true, Some(json!(3)));
        case(json!("3"), json!({"$ref": "#/$defs/count"}), true, true, Some(json!(3)));
        case(json!("three"), typed("integer"), true, false, None);
        case(json!(3.0), typed("integer"), false, true, None);
        case(json!(12), typed("string"), true, true, Some(json!("12")));
        case(json!("True"), typed("boolean"), true, true, Some(json!(true)));
        case(json!("[1]"), typed("array"), true, true, None);
        case(json!({"a": 1}), typed("string"), true, true, None);
        case(json!({"a": 1}), typed("array"), true, false, None);
        case(json!(null), json!({"type": ["array", "null"]}), false, false, None);
        case(json!(null), typed("string"), true, false, None);
        case(json!("x"), json!({}), false, false, None);
    }
}
