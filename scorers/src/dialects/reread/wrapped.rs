//! What the model's format puts around values and names, and a parser left there: line breaks and quotes. [`unwrap`] takes
//! them off where every value has them; it leaves alone what may be the value's own.

use serde_json::{Map, Value};

use crate::request::Tool;

/// Values kept the line breaks that stand around them in the markup.
pub(crate) const PADDED: &str = "padded_arguments";
/// Values or names kept the quotes that stand around them in the markup.
pub(crate) const QUOTED: &str = "quoted_arguments";

/// Mends the arguments in place, and books what was done.
pub(super) fn unwrap(value: &mut Value, tool: Option<&Tool>, book: &mut impl FnMut(&str, &str)) -> bool {
    let padded = unpad(value);
    if padded {
        book(PADDED, "every value stands between line breaks");
    }
    let Value::Object(map) = value else { return padded };
    let names = tool.is_some_and(|tool| unquote_names(map, tool));
    if names {
        book(QUOTED, "a parameter's name stands in quotes or white space");
    }
    let values = unquote(map);
    if values {
        book(QUOTED, "every value stands in quotes of its own");
    }
    padded || names || values
}

/// Takes the line breaks off values where every text is one line between two of them.
fn unpad(value: &mut Value) -> bool {
    let Value::Object(map) = value else { return false };
    let padded = |text: &str| text.len() > 2 && text.starts_with('\n') && text.ends_with('\n');
    let texts = map.values().filter_map(Value::as_str);
    let all = texts.clone().count() > 0 && texts.clone().all(padded);
    if !all || !texts.clone().any(|text| !text.trim_matches('\n').contains('\n')) {
        return false;
    }
    for inner in map.values_mut() {
        if let Value::String(text) = inner {
            *text = text[1..text.len() - 1].to_owned();
        }
    }
    true
}

/// What stands between two like quotes, and holds none of them.
fn within_quotes(text: &str) -> Option<&str> {
    ['"', '\''].into_iter().find_map(|quote| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.is_empty() && !inner.contains(quote)).then_some(inner)
    })
}

/// Takes quotes and white space off names that are no parameters with them, and are without.
fn unquote_names(map: &mut Map<String, Value>, tool: &Tool) -> bool {
    let Some(known) = tool.properties() else { return false };
    let bare = |key: &str| {
        let inner = within_quotes(key)
            .or(Some(key.trim()))
            .filter(|inner| known.contains_key(*inner) && !known.contains_key(key));
        inner.map(str::to_owned)
    };
    if !map.keys().any(|key| bare(key).is_some()) {
        return false;
    }
    let entries = std::mem::take(map).into_iter();
    *map = entries.map(|(key, value)| (bare(&key).unwrap_or(key), value)).collect();
    true
}

/// Takes the quotes off values where every text has them, at whatever depth.
fn unquote(map: &mut Map<String, Value>) -> bool {
    let mut texts = Vec::new();
    map.values_mut().for_each(|inner| collect(inner, &mut texts));
    if texts.is_empty() || !texts.iter().all(|text| within_quotes(text).is_some()) {
        return false;
    }
    for text in texts {
        *text = within_quotes(text).unwrap_or_default().to_owned();
    }
    true
}

fn collect<'v>(value: &'v mut Value, texts: &mut Vec<&'v mut String>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter_mut().for_each(|item| collect(item, texts)),
        Value::Object(map) => map.values_mut().for_each(|item| collect(item, texts)),
        _ => {}
    }
}
