//! Arguments that arrived one level too deep, as `{"arguments": {…}}`: [`unboxed`].

use serde_json::{Map, Value};

use crate::request::Tool;
use crate::schema::{Checked, Schema};

/// The arguments stood in a parameter that the tool does not have.
pub(crate) const BOXED: &str = "boxed_arguments";

/// What calls name their arguments as a whole. Seen: sglang#38924, vllm#41240.
const BOXES: &[&str] = &["arguments", "input", "parameters", "args"];

/// The key of the box, and the arguments without it. `None` where the tool has such a parameter, or what is inside fits it
/// no better.
pub(crate) fn unboxed(arguments: &Value, tool: &Tool) -> Option<(String, Value)> {
    let (key, inner) = arguments.as_object().filter(|map| map.len() == 1)?.iter().next()?;
    let known = tool.properties()?;
    if !BOXES.contains(&key.as_str()) || known.contains_key(key) {
        return None;
    }
    let object = match inner {
        Value::Object(_) => Some(inner.clone()),
        Value::String(text) => serde_json::from_str(text).ok().filter(Value::is_object),
        _ => None,
    };
    let fits = |inner: &Map<String, Value>| !inner.is_empty() && inner.keys().all(|key| known.contains_key(key));
    // A tool with one parameter leaves no doubt whose value stands in the box.
    let only = || {
        let name = known.keys().next().filter(|_| known.len() == 1)?;
        Some(Value::Object(Map::from_iter([(name.clone(), inner.clone())])))
    };
    let better = object.filter(|object| object.as_object().is_some_and(fits)).or_else(only)?;
    let valid = Schema::compile(&tool.parameters).ok()?.check(&better) == Checked::Valid;
    valid.then(|| (key.clone(), better))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn inside(properties: Value, arguments: Value) -> Option<Value> {
        let parameters = json!({"type": "object", "properties": properties});
        let request = crate::request::Request::read(&json!({"model": "m", "messages": [], "tools":
            [{"type": "function", "function": {"name": "f", "parameters": parameters}}]}));
        unboxed(&arguments, request.tool("f").unwrap()).map(|(_, inner)| inner)
    }

    #[test]
    fn a_box_is_no_parameter_of_the_tool() {
        let two = json!({"path": {"type": "string"}, "line": {"type": "integer"}});
        assert_eq!(inside(two.clone(), json!({"arguments": {"path": "a"}})), Some(json!({"path": "a"})));
        assert_eq!(inside(two.clone(), json!({"input": "{\"line\": 3}"})), Some(json!({"line": 3})));
        let open = [json!({"arguments": "a"}), json!({"arguments": {"x": 1}}), json!({"arguments": {}})];
        open.into_iter().for_each(|arguments| assert_eq!(inside(two.clone(), arguments), None));
        let one = json!({"command": {"type": "string"}});
        assert_eq!(inside(one.clone(), json!({"arguments": "ls"})), Some(json!({"command": "ls"})));
        assert_eq!(inside(one, json!({"arguments": 3})), None);
        assert_eq!(inside(json!({"input": {"type": "object"}}), json!({"input": {"a": 1}})), None);
    }
}
