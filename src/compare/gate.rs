//! `--gate`: whether the second run is worse than the first beyond noise.

use serde::Serialize;

use super::measure::Estimate;
use super::verdict::Comparison;

/// What the gate says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Gate {
    /// What got worse beyond noise; the gate is open while there is nothing.
    pub regressions: Vec<String>,
    /// What could not be told, and what would tell it.
    pub notes: Vec<String>,
}

/// Two-sided 5 %.
const ALPHA: f64 = 0.05;

/// Judges a comparison.
#[must_use]
pub fn gate(comparison: &Comparison) -> Gate {
    let mut gate = Gate::default();
    quality(comparison, &mut gate);
    let (a, b) = (&comparison.a, &comparison.b);
    for (name, left, right) in [
        ("error rate", a.error, b.error),
        ("truncation rate", a.truncated, b.truncated),
        ("server faults", a.server_fault, b.server_fault),
        ("latency p95", a.latency_ms[1], b.latency_ms[1]),
        ("TTFT p95", a.ttft_ms[1], b.ttft_ms[1]),
    ] {
        if let Some(said) = worse(name, left, right) {
            gate.regressions.push(said);
        }
    }
    gate
}

fn quality(comparison: &Comparison, gate: &mut Gate) {
    let pairs = &comparison.pairs;
    if let Some((mean, error)) = pairs.repeats {
        // No spread at all in the repeats: any loss is beyond it.
        if mean < 0.0 && (error == 0.0 || mean / error < -1.96) {
            gate.regressions.push(format!(
                "pass rate {:+.1} points, {:.1} of noise (one standard error, from the repeats)",
                mean * 100.0,
                error * 100.0
            ));
        }
        return;
    }
    gate.notes
        .push("the noise is not known: run both with --repeat 2 or more to tell a small loss from chance".to_owned());
    if pairs.only_a > pairs.only_b && pairs.p < ALPHA {
        gate.regressions
            .push(format!("{} tasks lost, {} won (exact McNemar p = {:.4})", pairs.only_a, pairs.only_b, pairs.p));
    }
}

/// Higher is worse; only where the intervals do not touch.
fn worse(name: &str, a: Option<Estimate>, b: Option<Estimate>) -> Option<String> {
    let (a, b) = (a?, b?);
    let ([_, high], [low, _]) = (a.ci95?, b.ci95?);
    (low > high).then(|| format!("{name} {:.3} → {:.3}: the 95 % intervals do not touch", a.value, b.value))
}
