//! The statistics of a comparison, each with its source.

use crate::record::Histogram;

/// The two-sided 95 % quantile of the normal distribution.
const Z95: f64 = 1.959_963_984_540_054;

/// McNemar's test, exact: the two-sided p of `only_a` against `only_b` discordant pairs under a fair coin
/// (McNemar 1947, Psychometrika 12:153; the exact form: Fay 2010, R Journal 2(1):53). 1 when no pair differs.
///
/// ```
/// // binom.test(1, 10) in R: 0.02148
/// assert!((monban::compare::mcnemar_exact(1, 9) - 0.021_484_375).abs() < 1e-12);
/// ```
#[must_use]
pub fn mcnemar_exact(only_a: u64, only_b: u64) -> f64 {
    let (n, least) = (only_a + only_b, only_a.min(only_b));
    if n == 0 {
        return 1.0;
    }
    // Terms in logarithms: n may be large, and 2^-n then is no number.
    let mut log_term = -(real(n)) * std::f64::consts::LN_2;
    let mut sum = 0.0;
    for k in 0..=least {
        sum += log_term.exp();
        log_term += (real(n - k) / real(k + 1)).ln();
    }
    (2.0 * sum).min(1.0)
}

/// A distribution-free 95 % interval of a percentile from order statistics, the ranks by the normal approximation to the
/// binomial (Conover 1999, Practical Nonparametric Statistics, 3rd ed., ch. 3.2). `None` of an empty histogram.
#[must_use]
pub fn percentile_interval(histogram: &Histogram, percent: f64) -> Option<[f64; 2]> {
    let n = real(histogram.count());
    if n == 0.0 {
        return None;
    }
    let q = percent / 100.0;
    let spread = Z95 * (n * q * (1.0 - q)).sqrt();
    let at = |rank: f64| histogram.percentile((rank / n * 100.0).clamp(0.0, 100.0));
    Some([at((n * q - spread).max(1.0))?, at((n * q + spread).ceil().min(n))?])
}

/// The mean over tasks of the difference in pass rate (b − a), in standard errors estimated from the repeats within
/// each task: the spread of a mean of independent binomial proportions (Miller 2024, arXiv:2411.00640, on repeated
/// sampling of questions). `None` without tasks that have at least two judged attempts on both sides.
#[must_use]
pub fn repeat_z(tasks: &[[(u64, u64); 2]]) -> Option<(f64, f64)> {
    let usable: Vec<_> = tasks.iter().filter(|task| task.iter().all(|(_, judged)| *judged >= 2)).collect();
    if usable.is_empty() {
        return None;
    }
    let rate = |(passed, judged): (u64, u64)| real(passed) / real(judged);
    // The unbiased variance of a task's mean: p(1-p)/(n-1).
    let variance = |side: (u64, u64)| rate(side) * (1.0 - rate(side)) / (real(side.1) - 1.0);
    let count = real(usable.len() as u64);
    let mean = usable.iter().map(|task| rate(task[1]) - rate(task[0])).sum::<f64>() / count;
    let error = usable.iter().map(|task| variance(task[0]) + variance(task[1])).sum::<f64>().sqrt() / count;
    Some((mean, error))
}

#[expect(clippy::cast_precision_loss, reason = "counts")]
fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-10 * expected.abs().max(1e-3), "{found} is not {expected}");
    }

    #[test]
    fn mcnemar_is_the_binomial_test() {
        // math.comb of Python: min(1, 2·Σ C(n, i) / 2^n).
        for (only_a, only_b, p) in [
            (0, 0, 1.0),
            (5, 5, 1.0),
            (0, 6, 0.03125),
            (2, 10, 0.038_574_218_75),
            (15, 4, 0.019_210_815_429_687_5),
            (121, 59, 4.434_449_263_755_176e-6),
        ] {
            close(mcnemar_exact(only_a, only_b), p);
        }
        assert!(mcnemar_exact(100_000, 101_000) > 0.0);
    }

    #[test]
    fn an_interval_of_a_percentile_holds_it() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|value| histogram.add(value * 100));
        let [low, high] = percentile_interval(&histogram, 95.0).unwrap();
        let at = histogram.percentile(95.0).unwrap();
        assert!(low < at && at <= high, "{low} {at} {high}");
        // Ranks 936.5 and 963.5 of 1000.
        assert!((low - 93_600.0).abs() < 2_000.0 && (high - 96_400.0).abs() < 2_000.0, "{low} {high}");
        assert_eq!(percentile_interval(&Histogram::default(), 50.0), None);
    }

    #[test]
    fn repeats_tell_the_noise() {
        let (mean, error) = repeat_z(&[[(4, 8), (8, 8)], [(8, 8), (8, 8)]]).unwrap();
        close(mean, 0.25);
        close(error, (0.25 / 7.0_f64).sqrt() / 2.0);
        assert_eq!(repeat_z(&[[(1, 1), (0, 1)]]), None);
    }
}
