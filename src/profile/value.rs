//! The types of flags' values: [`FlagType`], and what a text means in one.

use serde_json::Value;

/// What a flag takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlagType {
    /// A switch; takes no value on the command line.
    Bool,
    /// A whole number.
    Int,
    /// A whole number that may end in k, m, g (powers of 1000) or K, M, G (powers of 1024); `auto` and -1 too.
    Size,
    /// A number.
    Float,
    /// Any text.
    Str,
    /// One of these.
    Choice(Vec<String>),
    /// A JSON value.
    Json,
    /// Limits by modality: JSON, or `image=2,video=0`.
    Mm,
    /// Several texts.
    List,
    /// Several whole numbers.
    Ints,
    /// Several numbers.
    Floats,
    /// A text, or nothing.
    OptStr,
    /// A switch that may be told `on`, `off` or `auto`.
    OnOff,
}

impl FlagType {
    /// Reads a table's word for a type; an unknown one is text.
    #[must_use]
    pub fn parse(word: &str) -> Self {
        match word {
            "bool" => Self::Bool,
            "int" => Self::Int,
            "size" => Self::Size,
            "float" => Self::Float,
            "json" => Self::Json,
            "mm" => Self::Mm,
            "list" => Self::List,
            "ints" => Self::Ints,
            "floats" => Self::Floats,
            "optstr" => Self::OptStr,
            "onoff" => Self::OnOff,
            _ => word
                .strip_prefix("choice:")
                .map_or(Self::Str, |names| Self::Choice(names.split('|').map(str::to_owned).collect())),
        }
    }

    #[cfg(test)]
    pub(super) fn known(word: &str) -> bool {
        word == "str" || Self::parse(word) != Self::Str
    }

    /// Whether several words follow the flag.
    #[must_use]
    pub fn takes_many(&self) -> bool {
        matches!(self, Self::List | Self::Ints | Self::Floats)
    }

    /// The one spelling of a value: `128k` is `128000`, `0.40` is `0.4`, JSON is compact with sorted keys.
    ///
    /// # Errors
    /// What was expected, where the text is no such value.
    pub fn canonical(&self, text: &str) -> Result<String, String> {
        match self {
            Self::Str | Self::OptStr | Self::OnOff => Ok(text.to_owned()),
            Self::List => Ok(match serde_json::from_str(text) {
                Ok(Value::Array(items)) if items.len() == 1 => word(&items[0]),
                _ => text.to_owned(),
            }),
            Self::Bool => match text.to_ascii_lowercase().as_str() {
                "true" | "" => Ok("true".to_owned()),
                "false" => Ok("false".to_owned()),
                _ => Err("a switch: true or false".to_owned()),
            },
            Self::Int => whole(text).map(|n| n.to_string()).ok_or_else(|| "a whole number".to_owned()),
            Self::Size => size(text).ok_or_else(|| "a whole number, with k, m or g at most".to_owned()),
            Self::Float => number(text).map(|n| n.to_string()).ok_or_else(|| "a number".to_owned()),
            Self::Choice(names) if names.iter().any(|name| name == text) => Ok(text.to_owned()),
            Self::Choice(names) => Err(format!("one of {}", names.join(", "))),
            Self::Json => json(text).ok_or_else(|| "JSON".to_owned()),
            Self::Mm => json(text).or_else(|| pairs(text)).ok_or_else(|| "JSON such as {\"image\":2}".to_owned()),
            Self::Ints => numbers(text, |item| whole(item).map(Value::from)).ok_or_else(|| "whole numbers".to_owned()),
            Self::Floats => numbers(text, |item| number(item).map(Value::from)).ok_or_else(|| "numbers".to_owned()),
        }
    }
}

fn whole(text: &str) -> Option<i64> {
    text.trim().replace('_', "").parse().ok()
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// vLLM's human-readable integers: lower-case suffixes are decimal, upper-case ones binary.
fn size(text: &str) -> Option<String> {
    let text = text.trim();
    if text == "auto" {
        return Some("-1".to_owned());
    }
    if let Some(number) = whole(text) {
        return Some(number.to_string());
    }
    let unit = match text.chars().next_back()? {
        'k' => 1_000.0,
        'm' => 1e6,
        'g' => 1e9,
        't' => 1e12,
        'K' => 1_024.0,
        'M' => 1_048_576.0,
        'G' => 1_073_741_824.0,
        'T' => 1_099_511_627_776.0,
        _ => return None,
    };
    let value = number(&text[..text.len() - 1])? * unit;
    (value.fract() == 0.0 && value.abs() < 1e15).then(|| format!("{value:.0}"))
}

fn json(text: &str) -> Option<String> {
    serde_json::from_str::<Value>(text.trim()).ok().map(|value| value.to_string())
}

/// One number or a list of them, as a JSON list.
fn numbers(text: &str, each: impl Fn(&str) -> Option<Value>) -> Option<String> {
    let items = match serde_json::from_str(text) {
        Ok(Value::Array(items)) => items.iter().map(word).collect(),
        _ => vec![text.to_owned()],
    };
    let numbers: Option<Vec<Value>> = items.iter().map(|item| each(item)).collect();
    numbers.map(|numbers| Value::Array(numbers).to_string())
}

/// A list's item as the word it was.
fn word(item: &Value) -> String {
    item.as_str().map_or_else(|| item.to_string(), str::to_owned)
}

fn pairs(text: &str) -> Option<String> {
    let entries: Option<serde_json::Map<String, Value>> = text
        .split(',')
        .map(|pair| {
            let (name, count) = pair.split_once('=')?;
            Some((name.trim().to_owned(), whole(count)?.into()))
        })
        .collect();
    entries.map(|entries| Value::Object(entries).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn case(kind: &str, text: &str, expected: Option<&str>) {
        assert_eq!(FlagType::parse(kind).canonical(text).ok().as_deref(), expected, "{kind} {text}");
    }

    #[test]
    fn one_spelling_for_each_value() {
        case("size", "128k", Some("128000"));
        case("size", "128K", Some("131072"));
        case("size", "1.5k", Some("1500"));
        case("size", "131_072", Some("131072"));
        case("size", "auto", Some("-1"));
        case("size", "12q", None);
        case("float", "0.40", Some("0.4"));
        case("float", "90%", None);
        case("float", "nan", None);
        case("int", "8.0", None);
        case("bool", "True", Some("true"));
        case("json", "{ \"b\": 1, \"a\": 2 }", Some("{\"a\":2,\"b\":1}"));
        case("json", "{image: 2}", None);
        case("mm", "image=2,video=0", Some("{\"image\":2,\"video\":0}"));
        case("choice:auto|half", "fp8", None);
        case("size", "", None);
        case("size", "日", None);
    }
}
