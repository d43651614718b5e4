//! What the counts amount to: rates with bounds and intervals, pass@k and pass^k, the verdict and its exit code.

use monban_scorers::{Blame, Severity};

use crate::exit;

use super::RunEnd;
use super::summary::{Counts, Rates, RunRecord, RunVerdict};

/// The two-sided 95 % quantile of the normal distribution.
const Z95: f64 = 1.959_963_984_540_054;

/// Below this share of answered attempts a run is invalid.
pub const ANSWERED_AT_LEAST: f64 = 0.5;

/// Wilson's score interval at 95 % (Wilson 1927, JASA 22:209; Brown, Cai, DasGupta 2001): `None` of no trial.
///
/// ```
/// let [low, high] = monban::record::wilson95(8, 10).unwrap_or_default();
/// assert!((low - 0.4902).abs() < 1e-4 && (high - 0.9433).abs() < 1e-4);
/// ```
#[must_use]
pub fn wilson95(passed: u64, judged: u64) -> Option<[f64; 2]> {
    if judged == 0 {
        return None;
    }
    let (n, rate) = (real(judged), real(passed) / real(judged));
    let z2 = Z95 * Z95;
    let centre = rate + z2 / (2.0 * n);
    let spread = Z95 * (rate * (1.0 - rate) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    // At the ends rounding may leave the unit interval by an ulp.
    let low = if passed == 0 { 0.0 } else { (centre - spread) / scale };
    let high = if passed == judged { 1.0 } else { (centre + spread) / scale };
    Some([low, high])
}

/// pass@k: the chance that at least one of `k` attempts passes, without bias from `passed` of `judged`
/// (Chen et al. 2021, arXiv:2107.03374): `1 − C(n−c, k) / C(n, k)`. `None` when fewer than `k` were judged.
#[must_use]
pub fn pass_at_k(passed: u64, judged: u64, k: u64) -> Option<f64> {
    (k > 0 && k <= judged).then(|| 1.0 - draw(judged.saturating_sub(passed), judged, k))
}

/// pass^k: the chance that all of `k` attempts pass, without bias (Yao et al. 2024, τ-bench, arXiv:2406.12045):
/// `C(c, k) / C(n, k)`. `None` when fewer than `k` were judged.
#[must_use]
pub fn pass_hat_k(passed: u64, judged: u64, k: u64) -> Option<f64> {
    (k > 0 && k <= judged).then(|| draw(passed, judged, k))
}

/// `C(some, k) / C(all, k)` as a product, so that nothing overflows.
fn draw(some: u64, all: u64, k: u64) -> f64 {
    if some < k { 0.0 } else { (0..k).map(|i| real(some - i) / real(all - i)).product() }
}

#[expect(clippy::cast_precision_loss, reason = "counts of attempts")]
fn real(count: u64) -> f64 {
    count as f64
}

impl Counts {
    /// Attempts with a right-or-wrong verdict: passed and failed.
    #[must_use]
    pub fn judged(&self) -> u64 {
        self.passed + self.failed
    }

    /// Attempts with an answer of whatever worth.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.passed + self.failed + self.truncated + self.server_fault
    }

    /// The rates of these counts; `intent` is (passed, judged) on what the model wrote.
    #[must_use]
    pub fn rates(&self, intent: (u64, u64)) -> Rates {
        if self.judged() == 0 {
            return Rates { intent: share(intent.0, intent.1), ..Rates::default() };
        }
        let unjudged = self.attempts.saturating_sub(self.judged());
        Rates {
            pass: share(self.passed, self.judged()),
            pass_low: share(self.passed, self.attempts),
            pass_high: share(self.passed + unjudged, self.attempts),
            ci95: wilson95(self.passed, self.judged()),
            intent: share(intent.0, intent.1),
        }
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| real(part) / real(whole))
}

impl RunRecord {
    /// The rates over all attempts.
    #[must_use]
    pub fn rates(&self) -> Rates {
        let intent = self
            .tasks
            .iter()
            .fold((0, 0), |(passed, judged), task| (passed + task.intent_passed, judged + task.intent_judged));
        self.counts.rates(intent)
    }

    /// pass@k and pass^k as the mean over the tasks with at least `k` judged attempts; `None` without such a task.
    #[must_use]
    pub fn pass_k(&self, k: u64) -> Option<PassK> {
        let of = |estimate: fn(u64, u64, u64) -> Option<f64>| {
            let each: Vec<f64> =
                self.tasks.iter().filter_map(|task| estimate(task.counts.passed, task.counts.judged(), k)).collect();
            (!each.is_empty()).then(|| each.iter().sum::<f64>() / real(each.len() as u64))
        };
        Some(PassK { k, any: of(pass_at_k)?, all: of(pass_hat_k)? })
    }

    /// pass@k and pass^k at k = 2, 4, 8 and at the most attempts that were judged of one task: what `--repeat` asked for.
    #[must_use]
    pub fn pass_ks(&self) -> Vec<PassK> {
        let most = self.tasks.iter().map(|task| task.counts.judged()).max().unwrap_or_default();
        let mut ks: Vec<u64> = [2, 4, 8].into_iter().filter(|k| *k < most).collect();
        ks.extend((most > 1).then_some(most));
        ks.into_iter().filter_map(|k| self.pass_k(k)).collect()
    }

    /// The exit code of the run: its verdict's, or that of an interrupted run.
    #[must_use]
    pub fn exit_code(&self, fail_under: Option<f64>) -> u8 {
        let interrupted = self.end.as_ref().is_some_and(|end| end.reason == RunEnd::INTERRUPTED);
        if interrupted { exit::INTERRUPTED } else { self.verdict(fail_under).exit_code() }
    }

    /// What the run amounts to. `fail_under` is the least rate that passes; without it every judged attempt must.
    #[must_use]
    pub fn verdict(&self, fail_under: Option<f64>) -> RunVerdict {
        let counts = &self.counts;
        if counts.judged() + counts.server_fault == 0
            || real(counts.answered()) < ANSWERED_AT_LEAST * real(counts.attempts)
        {
            RunVerdict::Invalid
        } else if counts.server_fault > 0 || self.is_misconfigured() {
            RunVerdict::Misconfigured
        } else if fail_under.map_or(counts.failed > 0, |least| self.rates().pass.is_none_or(|rate| rate < least)) {
            RunVerdict::Fail
        } else {
            RunVerdict::Pass
        }
    }

    fn is_misconfigured(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error && finding.blame == Blame::ServerConfig)
    }
}

/// pass@k and pass^k of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassK {
    /// How many attempts.
    pub k: u64,
    /// pass@k: at least one passes.
    pub any: f64,
    /// pass^k: all pass.
    pub all: f64,
}

impl RunVerdict {
    /// The exit code.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Pass => exit::PASS,
            Self::Fail => exit::FAIL,
            Self::Misconfigured => exit::MISCONFIGURED,
            Self::Invalid => exit::INVALID,
        }
    }

    /// The word in outputs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Misconfigured => "misconfigured",
            Self::Invalid => "invalid",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(passed: u64, failed: u64, server_fault: u64, error: u64) -> RunRecord {
        let attempts = passed + failed + server_fault + error;
        let counts = Counts { tasks: 1, attempts, passed, failed, server_fault, error, ..Counts::default() };
        RunRecord { counts, ..RunRecord::default() }
    }

    #[track_caller]
    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 5e-4, "{found} is not {expected}");
    }

    #[test]
    fn wilson_agrees_with_published_tables() {
        // Newcombe 1998 (Stat. Med. 17:857), method 3: 81/263, 15/148, 0/20, 1/29.
        for (passed, judged, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let [found_low, found_high] = wilson95(passed, judged).unwrap();
            close(found_low, low);
            close(found_high, high);
        }
        assert_eq!(wilson95(0, 0), None);
    }

    #[test]
    fn the_estimators_agree_with_counting_by_hand() {
        // 5 attempts, 2 passed: C(3,2)/C(5,2) = 3/10 draw no pass, C(2,2)/C(5,2) = 1/10 draw only passes.
        close(pass_at_k(2, 5, 2).unwrap(), 0.7);
        close(pass_hat_k(2, 5, 2).unwrap(), 0.1);
        assert_eq!(pass_at_k(2, 5, 6), None);
        close(pass_at_k(5, 5, 5).unwrap(), 1.0);
    }

    #[test]
    fn pass_k_is_told_at_the_k_that_was_asked_for() {
        let ks = |passed, failed| {
            let mut record = record(passed, failed, 0, 0);
            record.tasks = vec![crate::record::TaskRecord { counts: record.counts, ..Default::default() }];
            record.pass_ks().iter().map(|pass| pass.k).collect::<Vec<_>>()
        };
        assert_eq!((ks(1, 0), ks(1, 1), ks(3, 2), ks(8, 2)), (vec![], vec![2], vec![2, 4, 5], vec![2, 4, 8, 10]));
    }

    #[test]
    fn what_was_not_judged_widens_the_bounds_and_not_the_rate() {
        let rates = record(6, 2, 0, 2).rates();
        assert_eq!((rates.pass, rates.pass_low, rates.pass_high), (Some(0.75), Some(0.6), Some(0.8)));
        assert_eq!(record(0, 0, 0, 9).rates(), Rates::default());
    }

    #[test]
    fn verdicts_come_in_their_order() {
        assert_eq!(record(4, 0, 0, 5).verdict(None), RunVerdict::Invalid);
        assert_eq!(record(0, 0, 0, 0).verdict(None), RunVerdict::Invalid);
        assert_eq!(record(0, 0, 4, 0).verdict(None), RunVerdict::Misconfigured);
        assert_eq!(record(5, 1, 1, 0).verdict(None), RunVerdict::Misconfigured);
        assert_eq!(record(5, 1, 0, 0).verdict(None), RunVerdict::Fail);
        assert_eq!(record(5, 1, 0, 0).verdict(Some(0.8)), RunVerdict::Pass);
        assert_eq!(record(5, 1, 0, 0).verdict(Some(0.9)), RunVerdict::Fail);
        assert_eq!(record(5, 0, 0, 1).verdict(None), RunVerdict::Pass);
    }
}
