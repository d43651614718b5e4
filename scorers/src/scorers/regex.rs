//! `regex`: a pattern is found in the text.

use crate::args::ArgReader;
use crate::scorer::{ArgDef, ArgError, Args, Scorer, ScorerDef, Subject, Verdict};
use crate::text::{ARG_CASE, ARG_IN, Field, TextOptions, excerpt, shown};

/// The declaration.
///
/// ```
/// use monban_scorers::{Completion, Expectation, Registry, Request, Subject, Verdict};
///
/// let table = serde_json::from_str(r#"{"scorer": "regex", "pattern": "[0-9]+ °C"}"#).unwrap();
/// let expectation = Expectation::parse(&table, &Registry::builtin()).unwrap();
/// let completion = Completion { text: Some("It is 21 °C.".to_owned()), ..Completion::default() };
/// let subject = Subject { request: &Request::default(), completion: &completion, other: None };
/// assert_eq!(expectation.evaluate(&subject), Verdict::Pass);
/// ```
pub static REGEX: ScorerDef = ScorerDef {
    name: "regex",
    summary: "A pattern is found in the text.",
    manual: r#"## What it checks
Whether a regular expression is found in the answer's text. The engine runs in linear time: look-around and
back-references are not offered. Flags stand in the pattern: `(?m)`, `(?s)`, `(?x)`.

## Passes when
- the pattern matches somewhere, or, with `whole = true`, all of the trimmed text.

## Fails when
- it matches nowhere, or not the whole text where that is asked.

## Arguments
- `pattern`: the expression. TOML's '…' strings need no doubled backslashes.
- `whole`: true: the pattern must match the whole text, white space at its ends aside. Default false.
- `in`: `"text"` (default), `"reasoning"` or `"any"` of both.
- `case`: `"exact"` (default) or `"ignore"`.
- `width`: `"exact"` (default), or `"ignore"`: the text is brought to Unicode NFKC first (`１` becomes `1`).

## Example
```toml
{ scorer = "regex", pattern = '^\d{4}-\d{2}-\d{2}$', whole = true }
```
"#,
    arguments: &[
        ArgDef { name: "pattern", schema: r#"{"type":"string","format":"regex"}"#, help: "The regular expression." },
        ArgDef { name: "whole", schema: r#"{"type":"boolean"}"#, help: "The whole text must match. Default false." },
        ARG_IN,
        ARG_CASE,
        ArgDef {
            name: "width",
            schema: r#"{"enum":["exact","ignore"]}"#,
            help: "`ignore`: full-width forms of the text count as plain ones. Default `exact`.",
        },
    ],
    parse,
};

#[derive(Debug)]
struct Regex {
    said: String,
    pattern: ::regex::Regex,
    field: Field,
    normal: Option<TextOptions>,
}

fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let mut reader = ArgReader::new(args, REGEX.arguments);
    let said = reader.peek_text("pattern");
    let whole = reader.flag("whole", false);
    let ignore_case = reader.word("case", &["exact", "ignore"]) == "ignore";
    let field = Field::take(&mut reader);
    let compatible = reader.word("width", &["exact", "ignore"]) == "ignore";
    reader.require("pattern");
    let pattern = reader.pattern("pattern", ignore_case, whole);
    if !whole && pattern.as_ref().is_some_and(|pattern| pattern.is_match("")) {
        reader.fail("pattern", "the pattern matches an empty text, so every answer passes");
    }
    let normal = compatible.then(|| TextOptions { compatible: true, ..TextOptions::default() });
    reader.finish_with(pattern, |pattern| Box::new(Regex { said, pattern, field, normal }) as Box<dyn Scorer>)
}

impl Scorer for Regex {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        let found = |text: &str| match &self.normal {
            Some(options) => self.pattern.is_match(options.prepare(text).trim()),
            None => self.pattern.is_match(text.trim()),
        };
        if self.field.texts(subject.completion).any(found) {
            return Verdict::Pass;
        }
        let got = self.field.texts(subject.completion).find(|text| !text.is_empty()).unwrap_or("");
        Verdict::Fail(format!("`{}` does not match the {}: {}", self.shown(), self.field.name(), shown(got)))
    }

    fn claim(&self) -> String {
        format!("`{}` matches the {}", self.shown(), self.field.name())
    }
}

impl Regex {
    fn shown(&self) -> String {
        excerpt(&self.said, 80)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fails, passes, refused};

    #[test]
    fn a_pattern_is_found_or_not() {
        passes(r#"{"scorer":"regex","pattern":"\\d+ °C"}"#, "It is 21 °C.");
        passes(r#"{"scorer":"regex","pattern":"[a-z]+","whole":true}"#, "abc\n");
        passes(r#"{"scorer":"regex","pattern":"tokyo","case":"ignore"}"#, "TOKYO");
        passes(r#"{"scorer":"regex","pattern":"^12$","width":"ignore"}"#, "１２");
        fails(r#"{"scorer":"regex","pattern":"[a-z]+","whole":true}"#, "abc 1", "does not match the text: \"abc 1\"");
        fails(r#"{"scorer":"regex","pattern":"a|b","whole":true}"#, "ab", "does not match");
    }

    #[test]
    fn bad_patterns_are_refused_at_plan_time() {
        refused(r#"{"scorer":"regex","pattern":"(a"}"#, "/pattern", "unclosed group");
        refused(r#"{"scorer":"regex","pattern":"(?=a)"}"#, "/pattern", "look-around");
        refused(r#"{"scorer":"regex","pattern":"(a{1000}){1000}"}"#, "/pattern", "size limit");
        refused(r#"{"scorer":"regex","pattern":"a)(b","whole":true}"#, "/pattern", "unopened group");
        refused(r#"{"scorer":"regex","pattern":"a*"}"#, "/pattern", "empty text");
        refused(r#"{"scorer":"regex","patern":"a"}"#, "/patern", "unknown key");
    }
}
