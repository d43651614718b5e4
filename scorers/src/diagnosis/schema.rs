//! The little of JSON Schema that diagnosis needs: the type an argument was declared with.

use serde_json::Value;

/// How deep references and alternatives are followed.
const DEPTH: usize = 8;

/// The declared type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    /// `object`, `array` or another type's name.
    pub(super) name: &'static str,
    /// It stands behind a `$ref`.
    pub(super) by_reference: bool,
}

/// The type that a tool's parameters declare for an argument; `None` where they leave it open.
pub(super) fn declared_type(parameters: &Value, key: &str) -> Option<Declared> {
    let schema = parameters.get("properties")?.get(key)?;
    resolve(parameters, schema, false, DEPTH)
}

fn resolve(root: &Value, schema: &Value, by_reference: bool, depth: usize) -> Option<Declared> {
    let depth = depth.checked_sub(1)?;
    if let Some(pointer) = schema.get("$ref").and_then(Value::as_str) {
        return resolve(root, root.pointer(pointer.strip_prefix('#')?)?, true, depth);
    }
    let named = match schema.get("type") {
        Some(Value::String(name)) => name_of(name),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).filter_map(name_of).find(|name| *name != "null")
        }
        _ => None,
    };
    if let Some(name) = named {
        return (!allows_string(schema)).then_some(Declared { name, by_reference });
    }
    let choices = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)).and_then(Value::as_array)?;
    let mut types = choices
        .iter()
        .filter_map(|choice| resolve(root, choice, by_reference, depth))
        .filter(|found| found.name != "null");
    let first = types.next()?;
    types.all(|other| other.name == first.name).then_some(first)
}

fn allows_string(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_array).is_some_and(|names| names.iter().any(|name| name == "string"))
}

fn name_of(name: &str) -> Option<&'static str> {
    ["object", "array", "string", "number", "integer", "boolean", "null"].into_iter().find(|known| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn follows_references_and_alternatives() {
        let parameters = json!({
            "properties": {
                "a": {"$ref": "#/$defs/A"},
                "b": {"anyOf": [{"type": "array"}, {"type": "null"}]},
                "c": {"type": ["object", "string"]},
                "d": {},
                "loop": {"$ref": "#/properties/loop"},
            },
            "$defs": {"A": {"type": "object"}},
        });
        assert_eq!(declared_type(&parameters, "a"), Some(Declared { name: "object", by_reference: true }));
        assert_eq!(declared_type(&parameters, "b").map(|found| found.name), Some("array"));
        assert_eq!(declared_type(&parameters, "c"), None);
        assert_eq!(declared_type(&parameters, "d"), None);
        assert_eq!(declared_type(&parameters, "loop"), None);
    }
}
