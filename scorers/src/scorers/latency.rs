//! `latency`: how fast the answer came.

use crate::args::ArgReader;
use crate::completion::Completion;
use crate::scorer::{ArgDef, ArgError, Args, Scorer, ScorerDef, Subject, Verdict};

/// The declaration.
///
/// ```
/// use monban_scorers::{Completion, Expectation, Registry, Request, Subject, Verdict};
///
/// let table = serde_json::from_str(r#"{"scorer": "latency", "max_ms": 1000}"#).unwrap();
/// let expectation = Expectation::parse(&table, &Registry::builtin()).unwrap();
/// let completion = Completion { text: Some("stored without timing".to_owned()), ..Completion::default() };
/// let subject = Subject { request: &Request::default(), completion: &completion, other: None };
/// assert!(matches!(expectation.evaluate(&subject), Verdict::NotScored(_)));
/// ```
pub static LATENCY: ScorerDef = ScorerDef {
    name: "latency",
    summary: "The answer, and its first token, came in time.",
    manual: r#"## What it checks
The time from sending the request to the end of the answer, and to its first token of any kind (reasoning, text or
call). A time to the first token is known of streamed answers only.

## Passes when
- neither is above its bound.

## Fails when
- one is.

Not scored where the time is not known: stored answers without timing, a first token without a stream.

## Arguments
- `max_ms`: the greatest time to the end of the answer, milliseconds.
- `ttft_max_ms`: the greatest time to the first token, milliseconds.

## Example
```toml
{ scorer = "latency", max_ms = 30000, ttft_max_ms = 2000 }
```
"#,
    arguments: &[
        ArgDef {
            name: "max_ms",
            schema: r#"{"type":"number","exclusiveMinimum":0}"#,
            help: "The greatest time to the end, milliseconds.",
        },
        ArgDef {
            name: "ttft_max_ms",
            schema: r#"{"type":"number","exclusiveMinimum":0}"#,
            help: "The greatest time to the first token, milliseconds.",
        },
    ],
    parse,
};

#[derive(Debug)]
struct Latency {
    max_ms: Option<f64>,
    ttft_max_ms: Option<f64>,
}

fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let mut reader = ArgReader::new(args, LATENCY.arguments);
    if !reader.has("ttft_max_ms") {
        reader.require("max_ms");
    }
    let mut bound = |key: &str| {
        let bound = reader.number(key)?;
        if bound <= 0.0 {
            reader.fail(key, "a bound of zero or less cannot be met");
        }
        Some(bound)
    };
    let (max_ms, ttft_max_ms) = (bound("max_ms"), bound("ttft_max_ms"));
    reader.finish(|| Box::new(Latency { max_ms, ttft_max_ms }) as Box<dyn Scorer>)
}

fn latency_us(completion: &Completion) -> Option<u64> {
    Some(completion.timing.latency_us).filter(|time| *time > 0)
}

impl Scorer for Latency {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        let ttft =
            subject.completion.timing.ttft_us().or_else(|| subject.other.and_then(|other| other.timing.ttft_us()));
        let measured =
            [("the answer", self.max_ms, latency_us(subject.completion)), ("the first token", self.ttft_max_ms, ttft)];
        let mut unknown = None;
        let mut late = Vec::new();
        for (what, bound, time) in measured {
            match (bound, time) {
                (Some(bound), Some(time)) => {
                    #[expect(clippy::cast_precision_loss, reason = "times in microseconds are far below 2^53")]
                    let ms = time as f64 / 1000.0;
                    if ms > bound {
                        late.push(format!("{what} took {ms:.0} ms, expected at most {bound} ms"));
                    }
                }
                (Some(_), None) => unknown = Some(format!("the time to {what} is not known")),
                (None, _) => {}
            }
        }
        match (late.is_empty(), unknown) {
            (false, _) => Verdict::Fail(late.join("; ")),
            (true, Some(unknown)) => Verdict::NotScored(unknown),
            (true, None) => Verdict::Pass,
        }
    }

    fn claim(&self) -> String {
        "the answer came within its bounds".to_owned()
    }

    fn is_negative(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{judge, parsed, refused};
    use crate::completion::Timing;
    use crate::{Completion, Verdict};

    fn timed(ttft: Option<u64>, latency_us: u64) -> Completion {
        let timing = Timing { first_text_us: ttft, latency_us, ..Timing::default() };
        Completion { text: Some("hi".to_owned()), timing, ..Completion::default() }
    }

    #[test]
    fn what_is_late_fails_and_what_is_unknown_is_not_scored() {
        let expectation = parsed(r#"{"scorer":"latency","max_ms":100,"ttft_max_ms":10.5}"#);
        assert_eq!(judge(&expectation, &timed(Some(10_500), 100_000)), Verdict::Pass);
        assert_eq!(
            judge(&expectation, &timed(Some(20_000), 200_000)).reason(),
            "the answer took 200 ms, expected at most 100 ms; the first token took 20 ms, expected at most 10.5 ms"
        );
        assert_eq!(judge(&expectation, &timed(None, 50_000)).word(), "not_scored");
        assert_eq!(judge(&expectation, &timed(None, 200_000)).word(), "fail");
        assert_eq!(judge(&expectation, &timed(None, 0)).word(), "not_scored");
    }

    #[test]
    fn bounds_are_needed_and_positive() {
        refused(r#"{"scorer":"latency"}"#, "", "`max_ms` is missing");
        refused(r#"{"scorer":"latency","max_ms":0}"#, "/max_ms", "cannot be met");
        refused(r#"{"scorer":"latency","max_ms":"fast"}"#, "/max_ms", "expected a number");
    }
}
