//! Run ids: when, which suite, which profile or model, which environment. Sortable, readable, unique, safe as file names.
//!
//! The last part is random but for its first two characters, which order the runs of one second.

use jiff::Timestamp;

/// The longest a part of a run id gets.
const PART: usize = 32;

/// Makes a run id: `YYYYMMDD-HHMMSS_<suite>_<profile-or-model>_<environment>_<6 random>` (UTC).
#[must_use]
pub fn run_id(now: Timestamp, suite: &str, subject: &str, environment: &str) -> String {
    let when = now.strftime("%Y%m%d-%H%M%S");
    let random: String = std::iter::repeat_with(|| fastrand::alphanumeric().to_ascii_lowercase()).take(4).collect();
    let millis = millis(now);
    format!("{when}_{}_{}_{}_{millis}{random}", part(suite), part(subject), part(environment))
}

/// What run ids are sorted by: the second, then the millisecond within it (and what is random).
pub(super) fn by_age(id: &str) -> (&str, &str) {
    (id.get(..15).unwrap_or(id), id.rsplit('_').next().unwrap_or_default())
}

/// The milliseconds of the second as two digits of base 36.
fn millis(now: Timestamp) -> String {
    let millis = now.as_millisecond().rem_euclid(1000);
    let digit = |n: i64| u32::try_from(n).ok().and_then(|n| char::from_digit(n, 36)).unwrap_or('0');
    [digit(millis / 36), digit(millis % 36)].iter().collect()
}

/// Whether a text can be a run id, and so a directory's name.
#[must_use]
pub fn is_run_id(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('.')
        && text.len() <= 200
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// Letters, digits, dots and single dashes; of a model id the part after the last slash.
fn part(text: &str) -> String {
    let text = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let mut out = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        if !(c == '-' && (out.is_empty() || out.ends_with('-'))) && out.len() < PART {
            out.push(c);
        }
    }
    let out = out.trim_matches(['-', '.']);
    if out.is_empty() { "x".to_owned() } else { out.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_what_it_is_of() {
        let id = run_id("2026-11-30T10:58:21Z".parse().unwrap(), "smoke", "Qwen/Qwen3 Coder_30B", "real:my box");
        assert!(id.starts_with("20261130-105821_smoke_Qwen3-Coder-30B_real-my-box_"), "{id}");
        assert!(is_run_id(&id));
    }

    #[test]
    fn of_two_runs_of_one_second_the_later_comes_last() {
        let id = |at: &str, suite: &str| run_id(at.parse().unwrap(), suite, "m", "e");
        let (first, second) = (id("2026-11-30T10:58:21.035Z", "z"), id("2026-11-30T10:58:21.036Z", "a"));
        assert!(by_age(&first) < by_age(&second), "{first} {second}");
        assert!(by_age(&second) < by_age(&format!("{second}.rescore-1")));
        assert!(by_age(&second) < by_age(&id("2026-11-30T10:58:22Z", "a")));
    }

    #[test]
    fn whatever_the_parts_hold_it_is_a_file_name() {
        for hostile in ["../../etc", "", "門番", "a\0b", "....", &"x".repeat(500)] {
            let id = run_id(Timestamp::UNIX_EPOCH, hostile, hostile, hostile);
            assert!(is_run_id(&id), "{id}");
            assert_eq!(id.matches('_').count(), 4, "{id}");
        }
        for bad in ["", ".", "..", "a/b", "a\\b", ".hidden"] {
            assert!(!is_run_id(bad), "{bad}");
        }
    }
}
