//! `equals`: the text is one of given texts.

use crate::args::ArgReader;
use crate::scorer::{ArgDef, ArgError, Args, Scorer, ScorerDef, Subject, Verdict};
use crate::text::{ARG_CASE, ARG_IN, ARG_SPACE, ARG_TRIM, ARG_WIDTH, TEXTS, TextOptions, quoted, shown};

/// The declaration.
///
/// ```
/// use monban_scorers::{Completion, Expectation, Registry, Request, Subject, Verdict};
///
/// let table = serde_json::from_str(r#"{"scorer": "equals", "text": "Paris", "punctuation": "ignore"}"#).unwrap();
/// let expectation = Expectation::parse(&table, &Registry::builtin()).unwrap();
/// let completion = Completion { text: Some("**Paris.**".to_owned()), ..Completion::default() };
/// let subject = Subject { request: &Request::default(), completion: &completion, other: None };
/// assert_eq!(expectation.evaluate(&subject), Verdict::Pass);
/// ```
pub static EQUALS: ScorerDef = ScorerDef {
    name: "equals",
    summary: "The text is a given text and nothing else.",
    manual: r#"## What it checks
Whether the answer's text is `text`, or one of several. Both sides are brought to one Unicode form first.

## Passes when
- the whole text equals one of the given ones under the stated options.

## Fails when
- it holds anything more, anything less or anything else.

## Arguments
- `text`: a string, or a list of right ones.
- `punctuation`: `"exact"` (default), or `"ignore"`: punctuation, quotes and Markdown emphasis at both ends do not count.
- `in`: `"text"` (default), `"reasoning"` or `"any"` of both.
- `case`: `"exact"` (default) or `"ignore"`.
- `width`: `"ignore"` (default: `１` is `1`) or `"exact"`.
- `space`: `"exact"` (default) or `"collapse"`.
- `trim`: white space at both ends does not count; default true.

## Example
```toml
{ scorer = "equals", text = ["yes", "はい"], case = "ignore", punctuation = "ignore" }
```
"#,
    arguments: &[
        ArgDef { name: "text", schema: TEXTS, help: "The right text, or several." },
        ArgDef {
            name: "punctuation",
            schema: r#"{"enum":["exact","ignore"]}"#,
            help: "`ignore`: punctuation, quotes and emphasis at both ends do not count. Default `exact`.",
        },
        ARG_IN,
        ARG_CASE,
        ARG_WIDTH,
        ARG_SPACE,
        ARG_TRIM,
    ],
    parse,
};

#[derive(Debug)]
struct Equals {
    said: Vec<String>,
    prepared: Vec<String>,
    bare: bool,
    options: TextOptions,
}

fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let mut reader = ArgReader::new(args, EQUALS.arguments);
    reader.require("text");
    let said = reader.texts("text").unwrap_or_default();
    let bare = reader.word("punctuation", &["exact", "ignore"]) == "ignore";
    let options = TextOptions::take(&mut reader);
    let prepared: Vec<String> = said.iter().map(|text| prepare(text, bare, options)).collect();
    if prepared.iter().any(String::is_empty) {
        reader.fail("text", "an empty text would pass an answer that is not there");
    }
    reader.finish(|| Box::new(Equals { said, prepared, bare, options }) as Box<dyn Scorer>)
}

fn prepare(text: &str, bare: bool, options: TextOptions) -> String {
    let prepared = options.prepare(text);
    if !bare {
        return prepared;
    }
    // Symbols that carry a value (currency, percent, signs) stay.
    let ends =
        |c: char| c.is_whitespace() || ".,;:!?\"'`*_()[]{}<>。、，．！？：；「」『』（）【】《》“”‘’«»…¡¿".contains(c);
    prepared.trim_matches(ends).to_owned()
}

impl Scorer for Equals {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        let equal = |text: &str| self.prepared.contains(&prepare(text, self.bare, self.options));
        if self.options.field.texts(subject.completion).any(equal) {
            return Verdict::Pass;
        }
        let got = self.options.field.texts(subject.completion).find(|text| !text.is_empty()).unwrap_or("");
        Verdict::Fail(format!("expected {}, got {}", self.wanted(), shown(got)))
    }

    fn claim(&self) -> String {
        format!("the {} is {}", self.options.field.name(), self.wanted())
    }
}

impl Equals {
    fn wanted(&self) -> String {
        self.said.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(" or ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fails, passes};

    #[test]
    fn the_whole_text_counts() {
        passes(r#"{"scorer":"equals","text":"Paris"}"#, " Paris\n");
        passes(r#"{"scorer":"equals","text":["yes","はい"],"case":"ignore"}"#, "YES");
        passes(r#"{"scorer":"equals","text":"42"}"#, "４２");
        passes(r#"{"scorer":"equals","text":"東京","punctuation":"ignore"}"#, "「東京」。");
        fails(r#"{"scorer":"equals","text":"Paris"}"#, "Paris, France", "expected \"Paris\", got \"Paris, France\"");
        fails(r#"{"scorer":"equals","text":"Paris"}"#, "", "got nothing");
        fails(r#"{"scorer":"equals","text":"42","width":"exact"}"#, "４２", "expected");
        fails(r#"{"scorer":"equals","text":"5","punctuation":"ignore"}"#, "-5", "expected");
    }
}
