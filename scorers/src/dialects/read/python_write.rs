//! Calls as Python, with either quote.

use serde_json::Value;

use super::super::Call;

/// Which quote a family writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    /// `'`
    Single,
    /// `"`
    Double,
}

/// `name(key=value, …)`.
pub(super) fn write_call(call: &Call, quote: Quote) -> String {
    let arguments: Vec<String> =
        call.arguments.iter().map(|(key, value)| format!("{key}={}", write_value(value, quote))).collect();
    format!("{}({})", call.name, arguments.join(", "))
}

fn write_value(value: &Value, quote: Quote) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => write_string(text, quote),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| write_value(item, quote)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let entries: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{}: {}", write_string(key, quote), write_value(value, quote)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

fn write_string(text: &str, quote: Quote) -> String {
    let mark = if quote == Quote::Single { '\'' } else { '"' };
    let mut out = String::from(mark);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == mark => {
                out.push('\\');
                out.push(c);
            }
            c if (c as u32) < 0x20 => out.push_str(&format!("\\x{:02x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push(mark);
    out
}
