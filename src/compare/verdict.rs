//! The comparison of two runs as one value.

use serde::Serialize;

use super::comparability::{Difference, differences, is_match};
use super::gate::{Gate, gate};
use super::measure::Measures;
use super::pairs::Pairs;
use super::side::Side;
use super::wire::{WireChange, wire_changes};
use super::words::words;

/// Two runs compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The first run, the baseline.
    pub run_a: String,
    /// The second run.
    pub run_b: String,
    /// Whether they are the same match.
    pub comparable: bool,
    /// It was compared all the same.
    pub forced: bool,
    /// What differs.
    pub differences: Vec<Difference>,
    /// The figures of the first.
    pub a: Measures,
    /// The figures of the second.
    pub b: Measures,
    /// The paired attempts.
    pub pairs: Pairs,
    /// What a gateway changed, where one run went through it and the other did not.
    pub wire: Vec<WireChange>,
    /// What it all amounts to, in sentences.
    pub words: Vec<String>,
    /// Whether the second is worse beyond noise.
    pub gate: Gate,
}

/// Compares two runs. That they are no match is in the result; whether to print it is the caller's to decide.
#[must_use]
pub fn compare(a: &Side, b: &Side, forced: bool) -> Comparison {
    let differences = differences(a, b);
    let comparable = is_match(&differences);
    let routes = a.record.start.route != b.record.start.route;
    let mut comparison = Comparison {
        run_a: a.record.start.run_id.clone(),
        run_b: b.record.start.run_id.clone(),
        comparable,
        forced: forced && !comparable,
        differences,
        a: Measures::of(&a.record),
        b: Measures::of(&b.record),
        pairs: Pairs::of(a, b),
        wire: if routes { wire_changes(a, b) } else { Vec::new() },
        words: Vec::new(),
        gate: Gate::default(),
    };
    comparison.words = words(&comparison);
    comparison.gate = gate(&comparison);
    comparison
}
