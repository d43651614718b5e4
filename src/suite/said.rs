//! What the file says: TOML text → JSON values, and from a JSON pointer back to bytes: [`Said`].
//!
//! Two phases, because a deserialiser's errors lose their places in tagged tables. Nothing here knows what a suite is.

use std::ops::Range;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::problem::{Problem, Problems, join};
use crate::diagnostic::{Diagnostic, Source};

/// A TOML file read, with every place kept.
#[derive(Debug)]
pub(super) struct Said<'s> {
    root: Spanned<DeTable<'s>>,
}

/// One item of a list at the top.
pub(super) struct Item<'s> {
    list: &'static str,
    index: usize,
    said: Spanned<DeValue<'s>>,
}

impl Item<'_> {
    /// Its first byte.
    pub(super) fn start(&self) -> usize {
        self.said.span().start
    }

    /// The item as JSON.
    pub(super) fn value(&self, problems: &mut Problems) -> Value {
        json(self.said.get_ref(), &At::Item(&At::Key(&At::Root, self.list), self.index), problems)
    }
}

impl<'s> Said<'s> {
    /// Reads TOML. Several syntax errors at once.
    pub(super) fn read(source: &'s Source) -> Result<Self, Vec<Diagnostic>> {
        let (root, errors) = DeTable::parse_recoverable(source.text());
        if !errors.is_empty() {
            let errors = errors.iter().take(20).map(|error| {
                let found = Diagnostic::error("syntax", format!("not TOML: {}", error.message()));
                found.at(source, error.span().unwrap_or(0..0))
            });
            let mut errors: Vec<_> = errors.collect();
            errors.sort_by_key(|found| (found.line, found.column));
            return Err(errors);
        }
        Ok(Self { root })
    }

    /// The file as JSON but for the items of `lists`, which are empty here: [`Said::take`] has them.
    pub(super) fn value(&self, lists: &[&str], problems: &mut Problems) -> Map<String, Value> {
        let entries = self.root.get_ref().iter().map(|(key, value)| {
            let (key, value) = (key.get_ref(), value.get_ref());
            let value = match value {
                DeValue::Array(_) if lists.contains(&key.as_ref()) => Value::Array(Vec::new()),
                _ => json(value, &At::Key(&At::Root, key), problems),
            };
            (key.to_string(), value)
        });
        entries.collect()
    }

    /// Takes the items of a list at the top out of the tree, which then lacks them: a tree of many tasks is many times its
    /// text, so each goes as soon as it was read. None where no list stands there.
    pub(super) fn take(&mut self, list: &'static str) -> impl ExactSizeIterator<Item = Item<'s>> + use<'s> {
        let items = match self.root.get_mut().get_mut(list).map(Spanned::get_mut) {
            Some(DeValue::Array(items)) => std::mem::replace(items, DeArray::new()),
            _ => DeArray::new(),
        };
        items.into_iter().enumerate().map(move |(index, said)| Item { list, index, said })
    }

    /// The bytes a pointer leads to, or those of the nearest thing above it.
    pub(super) fn span(&self, pointer: &str, at_key: bool) -> Range<usize> {
        let mut span = 0..0;
        let mut here: Option<&DeValue<'_>> = None;
        for (depth, token) in pointer.split('/').skip(1).enumerate() {
            let token = token.replace("~1", "/").replace("~0", "~");
            let next = match (depth, here) {
                (0, _) => entry(self.root.get_ref(), &token),
                (_, Some(DeValue::Table(table))) => entry(table, &token),
                (_, Some(DeValue::Array(array))) => {
                    token.parse().ok().and_then(|index: usize| array.get(index)).map(|value| (value.span(), value))
                }
                _ => None,
            };
            let Some((key, value)) = next else { break };
            span = if at_key { key } else { value.span() };
            here = Some(value.get_ref());
        }
        span
    }
}

fn entry<'t, 's>(table: &'t DeTable<'s>, key: &str) -> Option<(Range<usize>, &'t Spanned<DeValue<'s>>)> {
    table.get_key_value(key).map(|(key, value)| (key.span(), value))
}

/// Where a value stands. It is written out only where something is wrong.
enum At<'a> {
    Root,
    Key(&'a At<'a>, &'a str),
    Item(&'a At<'a>, usize),
}

impl At<'_> {
    fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(above, key) => join(&above.pointer(), key),
            Self::Item(above, index) => format!("{}/{index}", above.pointer()),
        }
    }
}

fn table(said: &DeTable<'_>, at: &At<'_>, problems: &mut Problems) -> Map<String, Value> {
    said.iter()
        .map(|(key, value)| {
            let key = key.get_ref();
            (key.to_string(), json(value.get_ref(), &At::Key(at, key), problems))
        })
        .collect()
}

fn json(said: &DeValue<'_>, at: &At<'_>, problems: &mut Problems) -> Value {
    let wrong = match said {
        DeValue::String(text) => return Value::String(text.to_string()),
        DeValue::Boolean(flag) => return Value::Bool(*flag),
        DeValue::Table(inner) => return Value::Object(table(inner, at, problems)),
        DeValue::Array(items) => {
            let items =
                items.iter().enumerate().map(|(index, item)| json(item.get_ref(), &At::Item(at, index), problems));
            return Value::Array(items.collect());
        }
        DeValue::Integer(number) => {
            let (text, radix) = (number.as_str(), number.radix());
            match i64::from_str_radix(text, radix)
                .map(Value::from)
                .or_else(|_| u64::from_str_radix(text, radix).map(Value::from))
            {
                Ok(number) => return number,
                Err(_) => "this number is larger than 64 bits hold",
            }
        }
        DeValue::Float(number) => match number.as_str().parse().ok().and_then(serde_json::Number::from_f64) {
            Some(number) => return Value::Number(number),
            None => "JSON has no such number",
        },
        DeValue::Datetime(_) => "JSON has no dates: write it as a string",
    };
    problems.push(Problem::error("wrong_type", at.pointer(), wrong));
    Value::Null
}
