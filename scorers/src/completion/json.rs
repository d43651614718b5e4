//! A borrowed JSON tree, [`Json`]: keeps the order of keys and what stands twice, copies no string that has no escape.
//!
//! serde_json reads it; where that refuses, [`super::mend`] reads the same text leniently. It must not judge what it holds.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::deviation::Notes;
use super::mend;
use super::types::Deviation;

/// A JSON value that borrows from the text it was read from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Map(Vec<(Cow<'a, str>, Json<'a>)>),
}

/// The members of an object, in order, doubles included.
pub(super) type Members<'a> = [(Cow<'a, str>, Json<'a>)];

/// The value of a key. Of doubles the last counts, as stock parsers have it.
pub(super) fn get<'m, 'a>(members: &'m Members<'a>, key: &str) -> Option<&'m Json<'a>> {
    members.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// The value of a key, unless it is null.
pub(super) fn get_some<'m, 'a>(members: &'m Members<'a>, key: &str) -> Option<&'m Json<'a>> {
    get(members, key).filter(|value| !matches!(value, Json::Null))
}

/// Books the first key that stands twice in an object.
pub(super) fn duplicates(members: &Members<'_>, path: impl std::fmt::Display, notes: &mut Notes) {
    let double = if members.len() <= 24 {
        members.iter().enumerate().find(|(at, (key, _))| members[..*at].iter().any(|(other, _)| other == key))
    } else {
        let mut seen = std::collections::HashSet::new();
        members.iter().enumerate().find(|(_, (key, _))| !seen.insert(key))
    };
    if let Some((_, (key, _))) = double {
        notes.add("duplicate_key", path, format_args!("{key:?}"));
    }
}

impl<'a> Json<'a> {
    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_map(&self) -> Option<&Members<'a>> {
        match self {
            Self::Map(members) => Some(members),
            _ => None,
        }
    }

    pub(super) fn as_list(&self) -> Option<&[Json<'a>]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The member of an object, unless it is null.
    pub(super) fn field(&self, key: &str) -> Option<&Json<'a>> {
        self.as_map().and_then(|members| get_some(members, key))
    }

    /// The JSON type's name, for details.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Map(_) => "an object",
        }
    }

    /// The same as an owned value.
    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(bool) => Value::Bool(*bool),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.clone().into_owned()),
            Self::List(items) => Value::Array(items.iter().map(Json::to_value).collect()),
            Self::Map(members) => {
                let members = members.iter().map(|(key, value)| (key.clone().into_owned(), value.to_value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }

    /// A string as it is, anything else as JSON text.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone().into_owned(),
            other => other.to_value().to_string(),
        }
    }
}

/// Bytes as text: a byte-order mark is taken off, invalid UTF-8 is replaced; both are booked.
pub(super) fn decode<'a>(bytes: &'a [u8], notes: &mut Notes) -> Cow<'a, str> {
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => {
            notes.add("bom", "", "a byte-order mark before the JSON");
            rest
        }
        None => bytes,
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(error) => {
            notes.add("invalid_utf8", format_args!("byte {}", error.valid_up_to()), "read with replacement characters");
            String::from_utf8_lossy(bytes)
        }
    }
}

/// Reads a JSON text, leniently where it must; what was mended is booked.
///
/// # Errors
/// Why it is no JSON at all.
pub(super) fn parse<'a>(text: &'a str, notes: &mut Notes) -> Result<Json<'a>, String> {
    match serde_json::from_str(text) {
        Ok(json) => Ok(json),
        Err(error) => mend::read(text, notes).ok_or_else(|| error.to_string()),
    }
}

/// Reads the JSON that serde_json refuses and a Python harness stores: `NaN`, halves of UTF-16 pairs, bytes that are not
/// UTF-8. What was mended comes with it; `None` where it is no JSON at all.
///
/// ```
/// let (value, mended) = monban_scorers::completion::mended(br#"{"text": "\ud83d", "logprob": -Infinity}"#).unwrap();
/// assert_eq!(value["text"], "\u{fffd}");
/// assert!(mended.iter().any(|one| one.kind == "lone_surrogate"));
/// ```
#[must_use]
pub fn mended(bytes: &[u8]) -> Option<(Value, Vec<Deviation>)> {
    let mut notes = Notes::default();
    let text = decode(bytes, &mut notes);
    let value = mend::read(&text, &mut notes)?.to_value();
    Some((value, notes.finish()))
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tree)
    }
}

/// A key, borrowed where it has no escape.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(Tree)? {
            Json::Text(text) => Ok(Self(text)),
            _ => Err(serde::de::Error::custom("a key must be a string")),
        }
    }
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(8);
        while let Some(Key(key)) = map.next_key()? {
            members.push((key, map.next_value()?));
        }
        Ok(Json::Map(members))
    }
}
