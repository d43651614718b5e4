//! What differs between two runs, and whether they are the same match.
//!
//! A match fixes the conditions and changes **one** axis: a profile axis, the model, the engine, the route or the
//! concurrency.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::side::Side;
use crate::record::RunStart;

/// One thing that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What: `suite`, `environment`, `sampling.max_tokens`, `profile.kv_dtype`, …
    pub what: String,
    /// In the first run.
    pub a: String,
    /// In the second run.
    pub b: String,
    /// What it means for the comparison.
    pub kind: Kind,
}

/// What a difference means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The runs are no match.
    Blocks,
    /// What the comparison is about; more than one is no match.
    Axis,
    /// Worth knowing.
    Note,
}

/// A first exchange this many times slower than the median is a cold start.
const COLD: f64 = 4.0;

/// Options that are part of the workload or the sampling: they must agree.
const FIXED: [&str; 4] = ["stream", "repeat", "rate", "max_tokens"];

/// Everything that differs, the blocking first.
#[must_use]
pub fn differences(a: &Side, b: &Side) -> Vec<Difference> {
    let mut found = Found::default();
    suites(a, b, &mut found);
    let (left, right) = (&a.record.start, &b.record.start);
    environment(left, right, &mut found);
    options(&left.options, &right.options, &mut found);
    found.differ("route", &left.route, &right.route, Kind::Axis);
    profile(left, right, &mut found);
    notes(a, b, &mut found);
    found.0.sort_by_key(|difference| difference.kind);
    found.0
}

/// Whether runs that differ so are the same match: nothing blocks, and at most one axis changes.
#[must_use]
pub fn is_match(differences: &[Difference]) -> bool {
    let count = |kind| differences.iter().filter(|difference| difference.kind == kind).count();
    count(Kind::Blocks) == 0 && count(Kind::Axis) <= 1
}

#[derive(Default)]
struct Found(Vec<Difference>);

impl Found {
    fn differ(&mut self, what: &str, a: &str, b: &str, kind: Kind) {
        if a != b {
            let or_none = |text: &str| if text.is_empty() { "—".to_owned() } else { text.to_owned() };
            self.0.push(Difference { what: what.to_owned(), a: or_none(a), b: or_none(b), kind });
        }
    }
}

fn suites(a: &Side, b: &Side, found: &mut Found) {
    let of = |side: &Side, pick: fn(&crate::record::SuiteRef) -> &str| {
        side.record.start.suites.iter().map(|suite| pick(suite).to_owned()).collect::<Vec<_>>().join(" + ")
    };
    found.differ("suite", &of(a, |suite| &suite.name), &of(b, |suite| &suite.name), Kind::Blocks);
    found.differ("suite version", &of(a, |suite| &suite.version), &of(b, |suite| &suite.version), Kind::Blocks);
    found.differ("suite digest", &of(a, |suite| &suite.digest), &of(b, |suite| &suite.digest), Kind::Blocks);
    // By the suite's place: that its name differs is said above.
    let tasks = |side: &Side| -> BTreeSet<String> {
        let start = &side.record.start;
        start.tasks.iter().map(|task| format!("{}/{}", task.suite, task.id)).collect()
    };
    let (left, right) = (tasks(a), tasks(b));
    if left != right {
        let only = |x: &BTreeSet<String>, y: &BTreeSet<String>| {
            x.difference(y).take(5).cloned().collect::<Vec<_>>().join(", ")
        };
        let both = left.intersection(&right).count();
        let kind = if both == 0 { Kind::Blocks } else { Kind::Note };
        found.differ(
            &format!("tasks ({both} in both)"),
            &format!("only here: {}", only(&left, &right)),
            &format!("only there: {}", only(&right, &left)),
            kind,
        );
    }
}

fn environment(a: &RunStart, b: &RunStart, found: &mut Found) {
    found.differ("environment", &a.environment, &b.environment, Kind::Blocks);
}

fn options(a: &Value, b: &Value, found: &mut Found) {
    let empty = serde_json::Map::new();
    let (left, right) = (a.as_object().unwrap_or(&empty), b.as_object().unwrap_or(&empty));
    let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    for key in keys {
        let said = |side: &serde_json::Map<String, Value>| {
            side.get(key).filter(|value| !value.is_null()).map(Value::to_string).unwrap_or_default()
        };
        let kind = match key.as_str() {
            "concurrency" => Kind::Axis,
            key if FIXED.contains(&key) => Kind::Blocks,
            _ => Kind::Note,
        };
        found.differ(key, &said(left), &said(right), kind);
    }
}

/// The axes of two recorded profiles; without profiles the model and the engine are axes of their own.
fn profile(a: &RunStart, b: &RunStart, found: &mut Found) {
    let axes = |start: &RunStart| start.profile.get("axes").and_then(Value::as_object).cloned();
    let (left, right) = (axes(a), axes(b));
    if left.is_none() && right.is_none() {
        found.differ("model", &a.model, &b.model, Kind::Axis);
        let engine = |start: &RunStart| {
            format!(
                "{} {}",
                start.context.engine.as_deref().unwrap_or(""),
                start.context.engine_version.as_deref().unwrap_or("")
            )
            .trim()
            .to_owned()
        };
        found.differ("engine", &engine(a), &engine(b), Kind::Axis);
        return;
    }
    let (Some(left), Some(right)) = (&left, &right) else {
        let said = |known: bool| if known { "recorded" } else { "not recorded" };
        found.differ("profile", said(left.is_some()), said(right.is_some()), Kind::Axis);
        return;
    };
    let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    for key in keys {
        let said = |side: &serde_json::Map<String, Value>| match side.get(key) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        // A file's name, its port and address say nothing of what was measured.
        let kind = if matches!(key.as_str(), "network" | "name" | "port") { Kind::Note } else { Kind::Axis };
        found.differ(&format!("profile.{key}"), &said(left), &said(right), kind);
    }
}

fn notes(a: &Side, b: &Side, found: &mut Found) {
    found.differ("address", &a.record.start.base_url, &b.record.start.base_url, Kind::Note);
    found.differ("monban", &a.record.start.monban_version, &b.record.start.monban_version, Kind::Note);
    let warmth = |side: &Side| side.warm_up.map_or("", |over| if over > COLD { "cold" } else { "warm" });
    found.differ("first request", warmth(a), warmth(b), Kind::Note);
    let ended = |side: &Side| side.record.end.as_ref().map_or_else(|| "not ended".to_owned(), |end| end.reason.clone());
    found.differ("end", &ended(a), &ended(b), Kind::Note);
}
