//! `finish_reason`: why the answer ended.

use crate::args::ArgReader;
use crate::scorer::{ArgDef, ArgError, Args, Scorer, ScorerDef, Subject, Verdict};
use crate::text::{TEXTS, quoted};

/// The declaration.
///
/// ```
/// use monban_scorers::{Completion, Expectation, Registry, Request, Subject};
///
/// let table = serde_json::from_str(r#"{"scorer": "finish_reason", "is": "stop"}"#).unwrap();
/// let expectation = Expectation::parse(&table, &Registry::builtin()).unwrap();
/// let completion = Completion { finish_reason: Some("length".to_owned()), ..Completion::default() };
/// let subject = Subject { request: &Request::default(), completion: &completion, other: None };
/// assert_eq!(expectation.evaluate(&subject).reason(), "finish_reason is \"length\", expected \"stop\"");
/// ```
pub static FINISH_REASON: ScorerDef = ScorerDef {
    name: "finish_reason",
    summary: "The answer ended for a given reason.",
    manual: r#"## What it checks
The `finish_reason` of the first choice, as the server sent it.

## Passes when
- it is `is`, or one of them.

## Fails when
- it is another one, or missing.

## Arguments
- `is`: a string or a list: `"stop"`, `"tool_calls"`, `"length"`, `"content_filter"` or whatever a server uses.

## Example
```toml
{ scorer = "finish_reason", is = ["stop", "tool_calls"] }
```
"#,
    arguments: &[ArgDef { name: "is", schema: TEXTS, help: "The right reason, or several." }],
    parse,
};

#[derive(Debug)]
struct FinishReason {
    is: Vec<String>,
}

fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let mut reader = ArgReader::new(args, FINISH_REASON.arguments);
    reader.require("is");
    let is = reader.texts("is").unwrap_or_default();
    reader.finish(|| Box::new(FinishReason { is }) as Box<dyn Scorer>)
}

impl Scorer for FinishReason {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        match subject.completion.finish_reason.as_deref() {
            Some(got) if self.is.iter().any(|is| is == got) => Verdict::Pass,
            Some(got) => Verdict::Fail(format!("finish_reason is {}, expected {}", quoted(got), self.wanted())),
            None => Verdict::Fail(format!("finish_reason is missing, expected {}", self.wanted())),
        }
    }

    fn claim(&self) -> String {
        format!("finish_reason is {}", self.wanted())
    }
}

impl FinishReason {
    fn wanted(&self) -> String {
        self.is.iter().map(|is| quoted(is)).collect::<Vec<_>>().join(" or ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{judge, parsed, refused};
    use crate::{Completion, Verdict};

    fn ended(reason: Option<&str>) -> Completion {
        Completion { finish_reason: reason.map(str::to_owned), ..Completion::default() }
    }

    #[test]
    fn the_reason_is_compared_as_sent() {
        let expectation = parsed(r#"{"scorer":"finish_reason","is":["stop","eos"]}"#);
        assert_eq!(judge(&expectation, &ended(Some("eos"))), Verdict::Pass);
        let verdict = judge(&expectation, &ended(Some("length")));
        assert_eq!(verdict.reason(), "finish_reason is \"length\", expected \"stop\" or \"eos\"");
        assert_eq!(judge(&expectation, &ended(None)).word(), "fail");
        refused(r#"{"scorer":"finish_reason","is":[]}"#, "/is", "empty");
        refused(
            r#"{"scorer":"finish_reason","is":1}"#,
            "/is",
            "expected a string or a list of strings, found a number",
        );
    }
}
