//! `stream_parity`: streamed and plain answers carry the same calls.

use crate::args::ArgReader;
use crate::completion::{Completion, Mode, ToolCall};
use crate::json::same;
use crate::scorer::{ArgDef, ArgError, Args, Scorer, ScorerDef, Subject, Verdict};
use crate::text::{excerpt, shown};

/// The declaration.
///
/// ```
/// use monban_scorers::{Completion, Expectation, Registry, Request, Subject, Verdict};
///
/// let table = serde_json::from_str(r#"{"scorer": "stream_parity"}"#).unwrap();
/// let expectation = Expectation::parse(&table, &Registry::builtin()).unwrap();
/// let completion = Completion { text: Some("asked in one mode".to_owned()), ..Completion::default() };
/// let subject = Subject { request: &Request::default(), completion: &completion, other: None };
/// assert!(matches!(expectation.evaluate(&subject), Verdict::NotScored(_)));
/// ```
pub static STREAM_PARITY: ScorerDef = ScorerDef {
    name: "stream_parity",
    summary: "Streamed and plain answers carry the same calls.",
    manual: r#"## What it checks
Where a task is asked both ways (`stream = "both"`): whether the streamed answer carries what the plain one does. Two
answers of a model need not be equal word by word, but a parser that loses calls in one mode shows here.

## Passes when
- both carry the same tool calls: as many, the same names, arguments equal by value, in the same order;
- with `text = true`, also the same text; with `reasoning = true`, both or neither of them reasoning.

## Fails when
- they differ, or both are empty.

Not scored where only one mode was asked or answered.

## Arguments
- `text`: true: the texts must be equal too (white space at the ends aside). For temperature 0. Default false.
- `reasoning`: true: reasoning must arrive in both modes or in neither. Default false.

## Example
```toml
{ scorer = "stream_parity", text = true }
```
"#,
    arguments: &[
        ArgDef { name: "text", schema: r#"{"type":"boolean"}"#, help: "The texts must be equal too. Default false." },
        ArgDef {
            name: "reasoning",
            schema: r#"{"type":"boolean"}"#,
            help: "Reasoning must arrive in both modes or in neither. Default false.",
        },
    ],
    parse,
};

#[derive(Debug)]
struct StreamParity {
    text: bool,
    reasoning: bool,
}

fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let mut reader = ArgReader::new(args, STREAM_PARITY.arguments);
    let (text, reasoning) = (reader.flag("text", false), reader.flag("reasoning", false));
    reader.finish(|| Box::new(StreamParity { text, reasoning }) as Box<dyn Scorer>)
}

/// The two answers by how they came. Built by hand (without a mode), the one judged counts as streamed.
fn by_mode<'a>(subject: &Subject<'a>) -> Option<(&'a Completion, &'a Completion)> {
    let other = subject.other?;
    let swapped = subject.completion.mode == Some(Mode::Plain) || other.mode == Some(Mode::Stream);
    Some(if swapped { (other, subject.completion) } else { (subject.completion, other) })
}

impl Scorer for StreamParity {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        let Some((stream, plain)) = by_mode(subject) else {
            return Verdict::NotScored("only one mode was answered, so there is nothing to compare".to_owned());
        };
        if stream.is_empty_answer() && plain.is_empty_answer() {
            return Verdict::Fail("nothing was answered in either mode".to_owned());
        }
        let mut differences = Vec::from_iter(calls(&stream.tool_calls, &plain.tool_calls));
        if self.text && !crate::json::same_text(stream.text().trim(), plain.text().trim()) {
            differences.push(text(stream.text().trim(), plain.text().trim()));
        }
        let thought = |completion: &Completion| !completion.reasoning().trim().is_empty();
        if self.reasoning && thought(stream) != thought(plain) {
            let mode = if thought(stream) { "streamed" } else { "plain" };
            differences.push(format!("reasoning arrived in the {mode} answer only"));
        }
        if differences.is_empty() { Verdict::Pass } else { Verdict::Fail(differences.join("; ")) }
    }

    fn claim(&self) -> String {
        "the streamed answer equals the plain one".to_owned()
    }

    fn is_negative(&self) -> bool {
        true
    }
}

fn calls(stream: &[ToolCall], plain: &[ToolCall]) -> Option<String> {
    let list = |calls: &[ToolCall]| match calls {
        [] => "no call".to_owned(),
        calls => calls.iter().take(8).map(shown_call).collect::<Vec<_>>().join(", "),
    };
    let equal = stream.len() == plain.len() && stream.iter().zip(plain).all(|(a, b)| same_call(a, b));
    (!equal).then(|| format!("streamed: {}; plain: {}", list(stream), list(plain)))
}

fn same_call(a: &ToolCall, b: &ToolCall) -> bool {
    let equal = match (a.arguments.value(), b.arguments.value()) {
        (Ok(a), Ok(b)) => same(&a, &b),
        _ => a.arguments.as_text() == b.arguments.as_text(),
    };
    a.name == b.name && equal
}

fn shown_call(call: &ToolCall) -> String {
    format!("{}({})", excerpt(&call.name, 40), excerpt(&call.arguments.as_text(), 80))
}

/// Where two texts part: what comes after it says more than two beginnings that are equal.
fn text(stream: &str, plain: &str) -> String {
    let part = stream.chars().zip(plain.chars()).take_while(|(a, b)| a == b).count();
    let from = part.saturating_sub(10);
    let tail = |text: &str| shown(&text.chars().skip(from).take(60).collect::<String>());
    format!("the texts part at character {part}: streamed {}, plain {}", tail(stream), tail(plain))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answered, call, parsed};
    use crate::{Completion, Mode, Request, Subject, Verdict};

    fn verdict(expectation: &str, stream: Completion, plain: Completion) -> Verdict {
        let stream = Completion { mode: Some(Mode::Stream), ..stream };
        let plain = Completion { mode: Some(Mode::Plain), ..plain };
        let expectation = parsed(expectation);
        let request = Request::default();
        let one = expectation.evaluate(&Subject { request: &request, completion: &stream, other: Some(&plain) });
        let two = expectation.evaluate(&Subject { request: &request, completion: &plain, other: Some(&stream) });
        assert_eq!(one, two, "both ways round");
        one
    }

    fn calling(calls: &[(&str, &str)]) -> Completion {
        Completion {
            tool_calls: calls.iter().map(|(name, arguments)| call(name, arguments)).collect(),
            ..Completion::default()
        }
    }

    #[test]
    fn the_same_calls_in_both_modes() {
        let plain = || calling(&[("f", r#"{"a": 1, "b": [2]}"#)]);
        assert_eq!(
            verdict(r#"{"scorer":"stream_parity"}"#, calling(&[("f", r#"{"b":[2.0],"a":1}"#)]), plain()),
            Verdict::Pass
        );
        assert_eq!(
            verdict(r#"{"scorer":"stream_parity"}"#, answered("<tool_call>"), plain()).reason(),
            "streamed: no call; plain: f({\"a\": 1, \"b\": [2]})"
        );
        assert_eq!(
            verdict(r#"{"scorer":"stream_parity"}"#, calling(&[("f", "{}"), ("f", "{}")]), calling(&[("f", "{}")]))
                .word(),
            "fail"
        );
        assert_eq!(
            verdict(r#"{"scorer":"stream_parity"}"#, calling(&[("f", "{")]), calling(&[("f", "{")])),
            Verdict::Pass
        );
        assert_eq!(verdict(r#"{"scorer":"stream_parity"}"#, answered(""), answered(" ")).word(), "fail");
    }

    #[test]
    fn texts_are_compared_when_asked() {
        assert_eq!(verdict(r#"{"scorer":"stream_parity"}"#, answered("one"), answered("two")), Verdict::Pass);
        assert_eq!(
            verdict(r#"{"scorer":"stream_parity","text":true}"#, answered("same"), answered("same\n")),
            Verdict::Pass
        );
        let differ = verdict(r#"{"scorer":"stream_parity","text":true}"#, answered("one"), answered("on"));
        assert_eq!(differ.reason(), "the texts part at character 2: streamed \"one\", plain \"on\"");
    }

    #[test]
    fn one_mode_alone_is_not_scored() {
        let completion = answered("hi");
        let subject = Subject { request: &Request::default(), completion: &completion, other: None };
        assert_eq!(parsed(r#"{"scorer":"stream_parity"}"#).evaluate(&subject).word(), "not_scored");
    }
}
