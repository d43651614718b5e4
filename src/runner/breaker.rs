//! [`Breaker`]: knows when an endpoint is not worth asking any more, so that no run grinds through a dead one.

use std::time::{Duration, Instant};

use monban_scorers::Exchange;
use monban_scorers::completion::TransportErrorKind as Kind;

use super::options::RunOptions;
use super::retry::{asked_for, is_brief};

/// What one try says of the endpoint, the weakest sign of death last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    /// It answered.
    Alive,
    /// It refuses us: 401, 403, 404, a redirect.
    Refused,
    /// It is not there: no connection.
    Gone,
    /// It says it cannot (5xx), or breaks off.
    Dead,
    /// It took too long.
    Slow,
    /// It says "too many".
    Limited,
}

/// Tries without an answer, in a row.
#[derive(Debug)]
struct Streak {
    since: Instant,
    tries: u32,
    attempts: u32,
    last_attempt: (usize, u32),
    sign: Sign,
    /// Every request was taken, and not one byte came back.
    mute: bool,
    why: String,
    /// When the last answer will have us back.
    again: Option<Instant>,
}

impl Streak {
    /// What a wait that is asked for and not granted adds to the reason.
    fn longer(&self) -> String {
        let left = self.again.map_or(Duration::ZERO, |again| again.saturating_duration_since(Instant::now()));
        match left.as_secs_f64().ceil() {
            0.0 => String::new(),
            left => format!("; Retry-After asks for {left} s more, longer than a run waits for its first answer"),
        }
    }
}

/// Opens when nothing has been answered for too long.
#[derive(Debug)]
pub(super) struct Breaker {
    patience: Duration,
    timeout: Duration,
    concurrency: u32,
    /// Attempts in all: of a run of one, one must be enough.
    attempts: u64,
    ever_alive: bool,
    /// Requests without an answer yet.
    asking: u32,
    streak: Option<Streak>,
}

impl Breaker {
    /// For a run of so many attempts.
    pub(super) fn new(options: &RunOptions, attempts: u64) -> Self {
        let (patience, timeout, concurrency) = (options.patience(), options.timeout(), options.concurrency);
        Self { patience, timeout, concurrency, attempts, ever_alive: false, asking: 0, streak: None }
    }

    /// A request goes out.
    pub(super) fn ask(&mut self) {
        self.asking += 1;
    }

    /// No request has come back yet, with whatever.
    pub(super) fn is_untouched(&self) -> bool {
        !self.ever_alive && self.streak.is_none()
    }

    /// Takes what a try of an attempt brought.
    pub(super) fn note(&mut self, attempt: (usize, u32), exchange: &Exchange) {
        self.asking = self.asking.saturating_sub(1);
        let sign = sign(exchange);
        if sign == Sign::Alive {
            self.ever_alive = true;
            self.streak = None;
            return;
        }
        let now = Instant::now();
        let since = now.checked_sub(Duration::from_micros(exchange.total_us)).unwrap_or(now);
        let why = why(exchange);
        let again = asked_for(exchange).and_then(|wait| now.checked_add(wait));
        let mute = sign == Sign::Slow && exchange.body.size() == 0 && !is_brief(exchange, self.timeout);
        match &mut self.streak {
            Some(streak) => {
                streak.since = streak.since.min(since);
                streak.tries += 1;
                streak.attempts += u32::from(streak.last_attempt != attempt);
                streak.last_attempt = attempt;
                streak.sign = streak.sign.max(sign);
                streak.mute &= mute;
                streak.why = why;
                streak.again = again;
            }
            none => {
                *none = Some(Streak { since, tries: 1, attempts: 1, last_attempt: attempt, sign, mute, why, again })
            }
        }
    }

    /// Why the endpoint is given up; `None` while it is not.
    pub(super) fn open(&self) -> Option<String> {
        let streak = self.streak.as_ref()?;
        let waited = streak.since.elapsed();
        let (attempts, tries, patience) = self.limits(streak);
        let enough = u64::from(streak.attempts) >= u64::from(attempts).min(self.attempts) && streak.tries >= tries;
        // What is still being answered may be the one that is let through.
        let busy = streak.sign == Sign::Limited && self.asking > 0;
        (enough && !busy && waited >= patience).then(|| match streak.sign {
            Sign::Refused => format!("every request is refused: {}", streak.why),
            Sign::Limited => format!("rate limited for {} s: {}{}", waited.as_secs(), streak.why, streak.longer()),
            _ if streak.mute => {
                let (tries, waited, why) = (streak.tries, waited.as_secs(), &streak.why);
                format!("accepts requests but never answers: {tries} in a row over {waited} s, each {why}")
            }
            _ => format!("no answer for {} s: {}", waited.as_secs(), streak.why),
        })
    }

    /// How many attempts and tries in a row, over how long, are enough. More where the endpoint was seen alive:
    /// single tasks may fail again and again for reasons of their own.
    fn limits(&self, streak: &Streak) -> (u32, u32, Duration) {
        let alive = self.ever_alive;
        match streak.sign {
            Sign::Refused => (if alive { 20 } else { 5 }, 1, Duration::ZERO),
            // Each has waited for the whole timeout: as many as are asked at once are enough, and two where one is.
            Sign::Slow if streak.mute && !alive => (1, self.concurrency.max(2), self.patience),
            Sign::Slow => {
                let tries = if alive { 2 * self.concurrency } else { self.concurrency };
                (if alive { 4 } else { 2 }, tries.max(3), self.patience)
            }
            Sign::Limited if alive => (4, 4, 4 * self.patience),
            // Long enough for one Retry-After, and known within half a minute.
            Sign::Limited => (1, 1, self.patience * 9 / 5),
            // What never listened will not begin to within seconds; what restarts or loads may.
            Sign::Gone if !alive => (2, 3, self.patience / 3),
            _ => (if alive { 4 } else { 2 }, 3, self.patience),
        }
    }
}

fn sign(exchange: &Exchange) -> Sign {
    match (exchange.status, &exchange.error) {
        (Some(300..=399 | 401 | 403 | 404 | 407), _) => Sign::Refused,
        (Some(429), _) => Sign::Limited,
        (Some(status), _) if status >= 500 => Sign::Dead,
        (_, Some(error)) if error.kind == Kind::Timeout => Sign::Slow,
        // An answer without end costs as much as a run may cost.
        (_, Some(error)) if error.kind == Kind::TooLarge => Sign::Dead,
        (None, Some(error)) if matches!(error.kind, Kind::Refused | Kind::Dns) => Sign::Gone,
        (None, _) => Sign::Dead,
        _ => Sign::Alive,
    }
}

fn why(exchange: &Exchange) -> String {
    match (exchange.status, &exchange.error) {
        (Some(status @ 200..=299), Some(error)) => {
            format!("status {status}, {}", error.message.chars().take(200).collect::<String>())
        }
        (Some(status), _) => format!("status {status}"),
        (None, Some(error)) => error.message.chars().take(200).collect(),
        (None, None) => "no answer".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use monban_scorers::completion::TransportError;
    use monban_scorers::{Body, Raw, RawJson};

    use super::*;

    fn status(status: u16) -> Exchange {
        Exchange::plain(RawJson::of(&serde_json::Value::Null), status, "")
    }

    fn failed(kind: Kind, seconds: u64) -> Exchange {
        let error = Some(TransportError { kind, message: "m".to_owned() });
        Exchange { status: None, error, total_us: seconds * 1_000_000, ..status(0) }
    }

    fn breaker(concurrency: u32, attempts: u64) -> Breaker {
        patient(0.001, concurrency, attempts)
    }

    fn patient(patience_s: f64, concurrency: u32, attempts: u64) -> Breaker {
        Breaker::new(&RunOptions { patience_s, concurrency, ..RunOptions::default() }, attempts)
    }

    #[track_caller]
    fn opens_after(mut breaker: Breaker, exchange: &Exchange, expected: Option<usize>) {
        let opened = (0..200).find(|n| {
            breaker.note((*n, 0), &Exchange { total_us: exchange.total_us.max(5000), ..exchange.clone() });
            breaker.open().is_some()
        });
        assert_eq!(opened.map(|n| n + 1), expected);
    }

    #[test]
    fn a_dead_endpoint_is_given_up_and_a_living_one_is_not() {
        opens_after(breaker(1, 1000), &status(503), Some(3));
        opens_after(breaker(1, 1000), &failed(Kind::Refused, 0), Some(3));
        opens_after(breaker(1, 1000), &status(401), Some(5));
        opens_after(breaker(8, 1000), &failed(Kind::Timeout, 120), Some(8));
        opens_after(breaker(1, 1000), &status(429), Some(1));
        opens_after(breaker(1, 1000), &Exchange { status: Some(200), ..failed(Kind::TooLarge, 1) }, Some(3));
        opens_after(breaker(1, 1000), &status(400), None);
        opens_after(breaker(1, 1000), &status(200), None);
    }

    #[test]
    fn a_limit_is_not_waited_for_when_nothing_was_ever_let_through() {
        let limited = |wait: &str| {
            let headers = vec![("retry-after".to_owned(), wait.to_owned())];
            Exchange { headers, total_us: 27_000_000, ..status(429) }
        };
        let patient = || patient(15.0, 4, 1000);
        let mut first = patient();
        first.note((0, 0), &limited("0"));
        assert_eq!(first.open().unwrap(), "rate limited for 27 s: status 429");
        first.note((0, 0), &limited("600"));
        let why = first.open().unwrap();
        assert!(why.contains("Retry-After asks for 600 s more"), "{why}");
        let mut busy = patient();
        busy.ask();
        busy.ask();
        busy.note((0, 0), &limited("0"));
        assert_eq!(busy.open(), None, "one is still being answered");
        let mut alive = patient();
        alive.note((0, 0), &status(200));
        alive.note((1, 0), &limited("0"));
        assert_eq!(alive.open(), None, "it let one through");
    }

    #[test]
    fn what_takes_requests_and_never_answers_is_told_from_what_is_slow() {
        let mute = failed(Kind::Timeout, 120);
        let after = |exchange: &Exchange, concurrency, tries| {
            let mut breaker = breaker(concurrency, 1000);
            (0..tries).for_each(|n| breaker.note((n, 0), exchange));
            breaker.open()
        };
        let why = "accepts requests but never answers: 4 in a row over 120 s, each m";
        assert_eq!((after(&mute, 4, 3), after(&mute, 4, 4).as_deref()), (None, Some(why)));
        assert_eq!((after(&mute, 1, 1), after(&mute, 1, 2).is_some()), (None, true));
        let begun = Exchange { status: Some(200), body: Body::Plain(Raw(b"{".to_vec())), ..mute.clone() };
        assert_eq!(after(&begun, 1, 2), None, "it had begun to answer");
        assert!(after(&begun, 1, 3).unwrap().starts_with("no answer for"));
        let unconnected = failed(Kind::Timeout, 5);
        assert!(after(&unconnected, 1, 3).unwrap().starts_with("no answer for"), "it took no request");
    }

    #[test]
    fn patience_comes_first() {
        opens_after(patient(60.0, 1, 1000), &status(503), None);
    }

    #[test]
    fn one_sick_attempt_is_not_a_dead_endpoint() {
        let mut breaker = breaker(1, 1000);
        for _ in 0..50 {
            breaker.note((7, 0), &Exchange { total_us: 5000, ..status(503) });
        }
        assert_eq!(breaker.open(), None);
        breaker.note((8, 0), &status(200));
        breaker.note((9, 0), &status(503));
        assert_eq!(breaker.open(), None);
    }
}
