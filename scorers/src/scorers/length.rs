//! `length`: how long the text is.

use crate::args::ArgReader;
use crate::scorer::{ArgDef, ArgError, Args, Scorer, ScorerDef, Subject, Verdict};
use crate::text::{ARG_IN, Field};

/// The declaration.
///
/// ```
/// use monban_scorers::{Completion, Expectation, Registry, Request, Subject};
///
/// let table = serde_json::from_str(r#"{"scorer": "length", "unit": "words", "max": 3}"#).unwrap();
/// let expectation = Expectation::parse(&table, &Registry::builtin()).unwrap();
/// let completion = Completion { text: Some("one two three four".to_owned()), ..Completion::default() };
/// let subject = Subject { request: &Request::default(), completion: &completion, other: None };
/// assert_eq!(expectation.evaluate(&subject).reason(), "the text has 4 words, expected at most 3");
/// ```
pub static LENGTH: ScorerDef = ScorerDef {
    name: "length",
    summary: "The text is neither too short nor too long.",
    manual: r#"## What it checks
The length of the answer's text, white space at its ends aside, in characters, words, lines or sentences.

## Passes when
- it is at least `min` and at most `max`.

## Fails when
- it is shorter or longer. An upper bound alone does not pass an answer that is empty.

## Arguments
- `min`, `max`: whole numbers, at least one of them.
- `unit`: `"chars"` (default: Unicode scalar values), `"words"` (what white space separates: no measure for Japanese or
  Chinese), `"lines"` (that are not blank), `"sentences"` (ended by `.`, `!`, `?`, `。`, `！`, `？`) or `"bytes"` (UTF-8).
- `in`: `"text"` (default), `"reasoning"` or `"any"` of both (it is enough that one fits).

## Example
```toml
{ scorer = "length", unit = "words", min = 3, max = 50 }
```
"#,
    arguments: &[
        ArgDef { name: "min", schema: r#"{"type":"integer","minimum":0}"#, help: "The least length." },
        ArgDef { name: "max", schema: r#"{"type":"integer","minimum":0}"#, help: "The greatest length." },
        ArgDef {
            name: "unit",
            schema: r#"{"enum":["chars","words","lines","sentences","bytes"]}"#,
            help: "What is counted. Default `chars`.",
        },
        ARG_IN,
    ],
    parse,
};

const UNITS: &[&str] = &["chars", "words", "lines", "sentences", "bytes"];

#[derive(Debug)]
struct Length {
    min: u64,
    max: Option<u64>,
    unit: &'static str,
    field: Field,
}

fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let mut reader = ArgReader::new(args, LENGTH.arguments);
    if !reader.has("max") {
        reader.require("min");
    }
    let min = reader.count("min").unwrap_or(0);
    let max = reader.count("max");
    let unit = reader.word("unit", UNITS);
    let field = Field::take(&mut reader);
    match max {
        Some(max) if max < min => reader.fail("max", format!("`max` is below `min` ({min})")),
        Some(0) => reader.fail("max", "a text of no length is no answer"),
        None if min == 0 => reader.fail("min", "a least length of 0 holds for everything"),
        _ => {}
    }
    reader.finish(|| Box::new(Length { min, max, unit, field }) as Box<dyn Scorer>)
}

fn measure(text: &str, unit: &str) -> u64 {
    let text = text.trim();
    let count = match unit {
        "words" => text.split_whitespace().count(),
        "lines" => text.lines().filter(|line| !line.trim().is_empty()).count(),
        "sentences" => sentences(text),
        "bytes" => text.len(),
        _ => text.chars().count(),
    };
    count as u64
}

/// Runs of text that hold something and end at a sentence mark before white space, at a full-width mark or at the end.
fn sentences(text: &str) -> usize {
    let mut count = 0;
    let mut open = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        open |= c.is_alphanumeric();
        let wide = matches!(c, '。' | '！' | '？' | '．');
        let ends = wide || (matches!(c, '.' | '!' | '?') && chars.peek().is_none_or(|next| !next.is_alphanumeric()));
        if ends && open {
            count += 1;
            open = false;
        }
    }
    count + usize::from(open)
}

impl Scorer for Length {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        if self.is_negative() && subject.completion.is_empty_answer() {
            return Verdict::Fail("nothing was answered".to_owned());
        }
        let fits = |length: u64| length >= self.min && self.max.is_none_or(|max| length <= max);
        let lengths: Vec<u64> = self.field.texts(subject.completion).map(|text| measure(text, self.unit)).collect();
        if lengths.iter().any(|length| fits(*length)) {
            return Verdict::Pass;
        }
        let got = lengths.iter().map(u64::to_string).collect::<Vec<_>>().join(" and ");
        Verdict::Fail(format!("the {} has {got} {}, expected {}", self.field.name(), self.unit, self.wanted()))
    }

    fn claim(&self) -> String {
        format!("the {} has {} {}", self.field.name(), self.wanted(), self.unit)
    }

    fn is_negative(&self) -> bool {
        self.min == 0
    }
}

impl Length {
    fn wanted(&self) -> String {
        match self.max {
            Some(max) if self.min == 0 => format!("at most {max}"),
            Some(max) => format!("{} to {max}", self.min),
            None => format!("at least {}", self.min),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fails, parsed, passes, refused};

    #[test]
    fn lengths_are_bounded_in_their_unit() {
        passes(r#"{"scorer":"length","min":3,"max":3}"#, " 日本語 ");
        passes(r#"{"scorer":"length","unit":"words","min":2,"max":2}"#, "two  words");
        passes(r#"{"scorer":"length","unit":"lines","max":2}"#, "a\n\n b\n");
        passes(r#"{"scorer":"length","unit":"sentences","min":3,"max":3}"#, "It costs 3.50 euros. Really?! そうです。");
        passes(r#"{"scorer":"length","unit":"bytes","min":9}"#, "日本語");
        fails(r#"{"scorer":"length","max":3}"#, "four", "the text has 4 chars, expected at most 3");
        fails(r#"{"scorer":"length","unit":"words","min":2}"#, "one", "expected at least 2");
        fails(r#"{"scorer":"length","max":3}"#, "", "nothing was answered");
    }

    #[test]
    fn bounds_that_hold_for_everything_are_refused() {
        refused(r#"{"scorer":"length"}"#, "", "`min` is missing");
        refused(r#"{"scorer":"length","min":0}"#, "/min", "holds for everything");
        refused(r#"{"scorer":"length","min":5,"max":3}"#, "/max", "below `min`");
        refused(r#"{"scorer":"length","min":1.5}"#, "/min", "whole number");
        assert!(parsed(r#"{"scorer":"length","max":3}"#).is_negative());
        assert!(!parsed(r#"{"scorer":"length","min":1,"max":3}"#).is_negative());
    }
}
