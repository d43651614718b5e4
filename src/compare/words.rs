//! A comparison in sentences: what changed in quality, what in speed, and what one was paid for the other.

use super::measure::Estimate;
use super::verdict::Comparison;

/// The sentences.
#[must_use]
pub fn words(comparison: &Comparison) -> Vec<String> {
    let mut said = vec![quality(comparison)];
    let tail = change(comparison.a.latency_ms[1], comparison.b.latency_ms[1]);
    let throughput = ratio(comparison.a.requests_per_s, comparison.b.requests_per_s);
    if let Some(share) = throughput {
        said.push(format!(
            "throughput {:+.0} %{}",
            share * 100.0,
            tail.map_or_else(String::new, |tail| format!(", latency p95 {:+.0} %", tail * 100.0))
        ));
    }
    if throughput.is_some_and(|share| share > 0.05) {
        if tail.is_some_and(|tail| tail > 0.1) {
            said.push("more throughput was paid for with a worse tail: the slowest requests wait longer".to_owned());
        }
        if comparison.pairs.only_a > comparison.pairs.only_b || rises(comparison.a.error, comparison.b.error) {
            said.push("more throughput, and more failures: it does not answer as well as before".to_owned());
        }
    }
    if rises(comparison.a.truncated, comparison.b.truncated) {
        said.push("more answers were cut at the token budget: those are not wrong, they are not known".to_owned());
    }
    said
}

fn quality(comparison: &Comparison) -> String {
    let pairs = &comparison.pairs;
    if pairs.judged == 0 {
        return "no attempt was judged in both runs: nothing can be said of quality".to_owned();
    }
    let flipped = pairs.only_a + pairs.only_b;
    if flipped == 0 {
        return format!("quality is the same: none of {} paired attempts flipped", pairs.judged);
    }
    let which = match pairs.p {
        p if p < 0.05 && pairs.only_a > pairs.only_b => "the second run is worse",
        p if p < 0.05 => "the second run is better",
        _ => "no difference that chance does not explain",
    };
    let (lost, won) = (pairs.only_a, pairs.only_b);
    format!(
        "{which}: of {} paired attempts {lost} were lost and {won} won (exact McNemar p = {:.3})",
        pairs.judged, pairs.p
    )
}

fn ratio(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    let (a, b) = (a?, b?);
    (a > 0.0).then(|| b / a - 1.0)
}

fn change(a: Option<Estimate>, b: Option<Estimate>) -> Option<f64> {
    ratio(a.map(|a| a.value), b.map(|b| b.value))
}

/// Beyond the first run's own interval.
fn rises(a: Option<Estimate>, b: Option<Estimate>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a.ci95.is_some_and(|[_, high]| b.value > high))
}
