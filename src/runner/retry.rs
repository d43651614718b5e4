//! Whether a request is tried again, and when: one budget for whatever went wrong.

use std::time::Duration;

use jiff::Timestamp;
use monban_scorers::Exchange;
use monban_scorers::completion::TransportErrorKind as Kind;

/// When to try again.
#[derive(Clone, Debug)]
pub struct RetryPolicy {
    /// How often one request may be tried again.
    pub retries: u32,
    /// The wait before the first retry; it doubles.
    pub first: Duration,
    /// The longest wait of our own.
    pub longest: Duration,
    /// The longest wait a rate limit (429) may ask for.
    pub longest_limited: Duration,
    /// The longest wait any other answer may ask for. Short enough that a dead endpoint is known within half a minute.
    pub longest_asked: Duration,
}

impl RetryPolicy {
    /// So many retries.
    #[must_use]
    pub fn new(retries: u32) -> Self {
        Self {
            retries,
            first: Duration::from_millis(500),
            longest: Duration::from_secs(8),
            longest_limited: Duration::from_secs(30),
            longest_asked: Duration::from_secs(5),
        }
    }

    /// How long to wait before the next try; `None` when this was the last. `tried`: how often it was retried already.
    #[must_use]
    pub fn wait(&self, exchange: &Exchange, tried: usize, timeout: Duration) -> Option<Duration> {
        if tried >= self.retries as usize || !is_passing(exchange, timeout) {
            return None;
        }
        let limited = exchange.status == Some(429);
        let cap = if limited { self.longest_limited } else { self.longest_asked };
        Some(match asked_for(exchange) {
            Some(asked) => asked.min(cap),
            None => self.backoff(tried),
        })
    }

    /// Doubling, and of each wait a random half, so that workers do not come back all at once.
    fn backoff(&self, tried: usize) -> Duration {
        let doubled = self.first.saturating_mul(1 << tried.min(16)).min(self.longest);
        doubled.mul_f64(0.5 + fastrand::f64() / 2.0)
    }
}

/// How long an answer asks to wait.
pub(super) fn asked_for(exchange: &Exchange) -> Option<Duration> {
    exchange.header("retry-after").and_then(|value| retry_after(value, Timestamp::now()))
}

/// Whether what went wrong may pass: no connection, or a status that says "later".
///
/// An answer that came in part or too late is evidence and is not asked again.
fn is_passing(exchange: &Exchange, timeout: Duration) -> bool {
    match (exchange.status, &exchange.error) {
        (Some(501 | 505), _) => false,
        (Some(status), _) => matches!(status, 408 | 425 | 429) || status >= 500,
        (None, Some(error)) => match error.kind {
            Kind::Refused | Kind::Dns | Kind::Cut | Kind::NotHttp => true,
            Kind::Timeout => is_brief(exchange, timeout),
            _ => false,
        },
        (None, None) => false,
    }
}

/// It ended well before the timeout of an answer: what took too long was the connection.
pub(super) fn is_brief(exchange: &Exchange, timeout: Duration) -> bool {
    Duration::from_micros(exchange.total_us) < timeout.mul_f64(0.9)
}

/// `Retry-After` (RFC 9110, 10.2.3): seconds, or an HTTP date. A date in the past is no wait.
fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return (seconds.is_finite() && seconds >= 0.0).then(|| Duration::from_secs_f64(seconds.min(1e6)));
    }
    let at = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    let millis = at.as_millisecond().saturating_sub(now.as_millisecond());
    Some(Duration::from_millis(u64::try_from(millis).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use monban_scorers::RawJson;
    use monban_scorers::completion::TransportError;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn answer(status: u16, retry_after: Option<&str>) -> Exchange {
        let mut exchange = Exchange::plain(RawJson::of(&serde_json::Value::Null), status, "");
        exchange.headers.extend(retry_after.map(|value| ("retry-after".to_owned(), value.to_owned())));
        exchange
    }

    fn failure(kind: Kind, total_us: u64) -> Exchange {
        let error = Some(TransportError { kind, message: String::new() });
        Exchange { status: None, error, total_us, ..answer(0, None) }
    }

    #[test]
    fn what_may_pass_is_tried_again_and_nothing_else() {
        let policy = RetryPolicy::new(2);
        for status in [408, 425, 429, 500, 502, 503, 504, 529] {
            assert!(policy.wait(&answer(status, None), 0, MINUTE).is_some(), "{status}");
        }
        for status in [200, 301, 400, 401, 404, 422, 501, 505] {
            assert!(policy.wait(&answer(status, None), 0, MINUTE).is_none(), "{status}");
        }
        assert!(policy.wait(&failure(Kind::Refused, 0), 1, MINUTE).is_some());
        assert!(policy.wait(&failure(Kind::Refused, 0), 2, MINUTE).is_none(), "the budget is spent");
        assert!(policy.wait(&failure(Kind::Timeout, 5_000_000), 0, MINUTE).is_some(), "connecting took too long");
        assert!(policy.wait(&failure(Kind::Timeout, 60_000_000), 0, MINUTE).is_none());
        assert!(policy.wait(&failure(Kind::Tls, 0), 0, MINUTE).is_none());
        let cut = Exchange { status: Some(200), ..failure(Kind::Cut, 0) };
        assert!(policy.wait(&cut, 0, MINUTE).is_none(), "a cut answer is evidence");
    }

    #[test]
    fn waits_are_what_was_asked_for_capped_else_double() {
        let policy = RetryPolicy::new(9);
        let wait = |status, after| policy.wait(&answer(status, after), 0, MINUTE).unwrap();
        assert_eq!(wait(429, Some("7")), Duration::from_secs(7));
        assert_eq!(wait(429, Some("7000")), policy.longest_limited);
        assert_eq!(wait(503, Some("60")), policy.longest_asked);
        assert_eq!(wait(503, Some("Wed, 21 Oct 2015 07:28:00 GMT")), Duration::ZERO);
        assert!(wait(503, Some("soon")) <= policy.first);
        let third = policy.wait(&answer(503, None), 2, MINUTE).unwrap();
        assert!((policy.first * 2..=policy.first * 4).contains(&third), "{third:?}");
    }

    #[test]
    fn both_forms_of_retry_after_are_read() {
        let now = Timestamp::from_second(1_445_412_480 - 90).unwrap();
        assert_eq!(retry_after("Wed, 21 Oct 2015 07:28:00 GMT", now), Some(Duration::from_secs(90)));
        assert_eq!(retry_after(" 1.5 ", now), Some(Duration::from_millis(1500)));
        for bad in ["-1", "NaN", "inf", "", "tomorrow"] {
            assert_eq!(retry_after(bad, now), None, "{bad}");
        }
    }
}
