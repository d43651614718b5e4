//! [`Histogram`]: percentiles of any number of values in little memory.
//!
//! Logarithmic buckets of a stated relative error, as DDSketch has them (Masson, Rim, Lee: "DDSketch", VLDB 2019):
//! bucket `i` holds the values in `(γ^(i-1), γ^i]` with `γ = (1 + α) / (1 − α)`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};

/// A sparse histogram with bounded relative error: the buckets that hold something, in order, each with its count.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "BTreeMap<u64, u64>")]
pub struct Histogram(Vec<(u64, u64)>);

impl From<BTreeMap<u64, u64>> for Histogram {
    fn from(buckets: BTreeMap<u64, u64>) -> Self {
        Self(buckets.into_iter().collect())
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(bucket, count)| (bucket, count)))
    }
}

/// The relative error of a percentile, at most: 1.5 %.
pub const RELATIVE_ERROR: f64 = 0.015;

fn ln_gamma() -> f64 {
    ((1.0 + RELATIVE_ERROR) / (1.0 - RELATIVE_ERROR)).ln()
}

impl Histogram {
    /// Counts a value.
    pub fn add(&mut self, value: u64) {
        self.add_to(bucket(value), 1);
    }

    fn add_to(&mut self, bucket: u64, count: u64) {
        match self.0.binary_search_by_key(&bucket, |(bucket, _)| *bucket) {
            Ok(at) => self.0[at].1 = self.0[at].1.saturating_add(count),
            Err(at) => self.0.insert(at, (bucket, count)),
        }
    }

    /// How many values were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// The value at a percentile (0–100) by nearest rank, within [`RELATIVE_ERROR`]; `None` when nothing was counted.
    ///
    /// ```
    /// let mut histogram = monban::record::Histogram::default();
    /// (1..=1000).for_each(|value| histogram.add(value));
    /// let p95 = histogram.percentile(95.0).unwrap_or_default();
    /// assert!((p95 - 950.0).abs() <= 950.0 * 0.015);
    /// ```
    #[must_use]
    pub fn percentile(&self, percent: f64) -> Option<f64> {
        let count = self.count();
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rank"
        )]
        let rank = ((percent / 100.0 * count as f64).ceil() as u64).clamp(1, count.max(1));
        let mut seen = 0;
        for (bucket, here) in &self.0 {
            seen += here;
            if seen >= rank {
                return Some(middle(*bucket));
            }
        }
        None
    }

    /// Adds all the values of another.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, count) in &other.0 {
            self.add_to(*bucket, *count);
        }
    }
}

/// Bucket 0 holds zero, bucket 1 + i the values up to γ^i.
fn bucket(value: u64) -> u64 {
    if value == 0 {
        return 0;
    }
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "1..=1480"
    )]
    let index = ((value as f64).ln() / ln_gamma()).ceil() as u64;
    1 + index
}

fn middle(bucket: u64) -> f64 {
    let Some(index) = bucket.checked_sub(1) else { return 0.0 };
    // A record read from disk may name any bucket; none of ours lies beyond this one.
    let index = i32::try_from(index.min(1500)).unwrap_or(1500);
    let gamma = ln_gamma().exp();
    2.0 * gamma.powi(index) / (gamma + 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_counted_has_no_percentile() {
        assert_eq!(Histogram::default().percentile(50.0), None);
    }

    #[test]
    fn zero_and_the_largest_value_are_held() {
        let mut histogram = Histogram::default();
        histogram.add(0);
        histogram.add(u64::MAX);
        assert_eq!(histogram.percentile(50.0), Some(0.0));
        assert!(histogram.percentile(100.0).unwrap() > 1.8e19);
    }

    proptest! {
        #[test]
        fn percentiles_are_within_the_error(mut values in prop::collection::vec(0u64..10_000_000, 1..200), percent in 0.0f64..=100.0) {
            let mut histogram = Histogram::default();
            values.iter().for_each(|value| histogram.add(*value));
            values.sort_unstable();
            let rank = ((percent / 100.0 * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let exact = values[rank - 1] as f64;
            let read = histogram.percentile(percent).unwrap();
            prop_assert!((read - exact).abs() <= exact * RELATIVE_ERROR + 1e-6, "{read} for {exact}");
        }

        #[test]
        fn merging_is_counting_both(left in prop::collection::vec(0u64..5000, 0..50), right in prop::collection::vec(0u64..5000, 0..50)) {
            let of = |values: &[u64]| {
                let mut histogram = Histogram::default();
                values.iter().for_each(|value| histogram.add(*value));
                histogram
            };
            let mut merged = of(&left);
            merged.merge(&of(&right));
            prop_assert_eq!(merged, of(&[left, right].concat()));
        }
    }
}
