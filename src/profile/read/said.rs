//! A known flag as said → a setting, its value in its one spelling and within its bounds: [`Said`].

use std::ops::Range;

use crate::profile::flags::FlagTable;
use crate::profile::setting::{Origin, Setting};
use crate::profile::value::FlagType;

/// A known flag as said, before its value is looked at.
pub(super) struct Said<'a> {
    /// The flag's name in the engine.
    pub(super) flag: &'a str,
    /// Its meaning.
    pub(super) key: &'a str,
    pub(super) path: Option<String>,
    /// As written.
    pub(super) name: &'a str,
    pub(super) value: String,
    pub(super) span: Range<usize>,
    pub(super) value_span: Range<usize>,
    pub(super) origin: Origin,
}

impl Said<'_> {
    /// The setting, its value in its one spelling.
    pub(super) fn setting(self, table: &FlagTable) -> Setting {
        let checked =
            if self.path.is_some() { Ok(self.value.clone()) } else { canonical(table, self.flag, &self.value) };
        Setting {
            key: self.key.to_owned(),
            path: self.path,
            name: self.name.to_owned(),
            mistyped: checked.as_ref().err().cloned(),
            value: checked.unwrap_or(self.value),
            span: self.span,
            value_span: self.value_span,
            known: true,
            origin: self.origin,
        }
    }
}

/// The value in its one spelling, within the bounds the engine checks. A variable can be anything.
fn canonical(table: &FlagTable, flag: &str, value: &str) -> Result<String, String> {
    let kind = table.of(flag);
    if value.contains("${") || value.starts_with('$') || (value.is_empty() && kind != FlagType::Bool) {
        return Ok(value.to_owned());
    }
    let value = kind.canonical(value)?;
    for bound in table.range_of(flag) {
        if !holds(&value, bound) {
            return Err(format!("a number {}", table.range_of(flag).join(" and ")));
        }
    }
    Ok(value)
}

fn holds(value: &str, bound: &str) -> bool {
    let digits = bound.trim_start_matches(['<', '>', '=']);
    let (Ok(value), Ok(limit)) = (value.parse::<f64>(), digits.parse::<f64>()) else { return true };
    match &bound[..bound.len() - digits.len()] {
        ">" => value > limit,
        ">=" => value >= limit,
        "<" => value < limit,
        _ => value <= limit,
    }
}
