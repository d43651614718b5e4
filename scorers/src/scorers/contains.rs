//! `contains`: a text holds another.

use crate::args::ArgReader;
use crate::scorer::{ArgDef, ArgError, Args, Scorer, ScorerDef, Subject, Verdict};
use crate::text::{ARG_CASE, ARG_IN, ARG_SPACE, ARG_TRIM, ARG_WIDTH, TEXTS, TextOptions, quoted, shown};

/// The declaration.
///
/// ```
/// use monban_scorers::{Completion, Expectation, Registry, Request, Subject, Verdict};
///
/// let table = serde_json::from_str(r#"{"scorer": "contains", "any": ["Tokyo", "東京"]}"#).unwrap();
/// let expectation = Expectation::parse(&table, &Registry::builtin()).unwrap();
/// let completion = Completion { text: Some("It rains in Tokyo.".to_owned()), ..Completion::default() };
/// let subject = Subject { request: &Request::default(), completion: &completion, other: None };
/// assert_eq!(expectation.evaluate(&subject), Verdict::Pass);
/// ```
pub static CONTAINS: ScorerDef = ScorerDef {
    name: "contains",
    summary: "The text holds given words.",
    manual: r#"## What it checks
Whether the answer's text holds `text`; or every one of `all`; or at least one of `any`.
Both sides are brought to one Unicode form first, so that `é` is `é` however it is written.

## Passes when
- `text`, each of `all`, and one of `any` (as far as they are given) are found.

## Fails when
- one that must be there is not. An empty answer holds nothing.

## Arguments
- `text`: a string, or a list of strings of which each must be found.
- `all`: the same, a list.
- `any`: a list of which one must be found.
- `in`: `"text"` (default), `"reasoning"` or `"any"` of both.
- `case`: `"exact"` (default) or `"ignore"`.
- `width`: `"ignore"` (default: `１` is `1`) or `"exact"`.
- `space`: `"exact"` (default) or `"collapse"` (a run of white space is one blank).
- `trim`: white space around what is looked for does not count; default true.

## Example
```toml
{ scorer = "contains", any = ["Tokyo", "東京"], case = "ignore" }
```
"#,
    arguments: &[
        ArgDef { name: "text", schema: TEXTS, help: "What must be found." },
        ArgDef {
            name: "all",
            schema: r#"{"type":"array","items":{"type":"string"},"minItems":1}"#,
            help: "What must be found, each.",
        },
        ArgDef {
            name: "any",
            schema: r#"{"type":"array","items":{"type":"string"},"minItems":1}"#,
            help: "Of which one must be found.",
        },
        ARG_IN,
        ARG_CASE,
        ARG_WIDTH,
        ARG_SPACE,
        ARG_TRIM,
    ],
    parse,
};

/// A needle as written (for reasons) and as looked for.
#[derive(Debug)]
struct Needle {
    said: String,
    prepared: String,
}

#[derive(Debug)]
struct Contains {
    all: Vec<Needle>,
    any: Vec<Needle>,
    options: TextOptions,
}

fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let mut reader = ArgReader::new(args, CONTAINS.arguments);
    if !["text", "all", "any"].iter().any(|key| reader.has(key)) {
        reader.require("text");
    }
    let options = TextOptions::take(&mut reader);
    let mut needles = |key: &str| -> Vec<Needle> {
        let said = reader.texts(key).unwrap_or_default();
        let needles: Vec<Needle> =
            said.into_iter().map(|said| Needle { prepared: options.prepare(&said), said }).collect();
        if needles.iter().any(|needle| needle.prepared.is_empty()) {
            reader.fail(key, "an empty text is in every answer");
        }
        needles
    };
    let mut all = needles("text");
    all.extend(needles("all"));
    let any = needles("any");
    reader.finish(|| Box::new(Contains { all, any, options }) as Box<dyn Scorer>)
}

impl Scorer for Contains {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        let hays: Vec<String> =
            self.options.field.texts(subject.completion).map(|text| self.options.prepare(text)).collect();
        let found = |needle: &&Needle| hays.iter().any(|hay| hay.contains(&needle.prepared));
        let seen = || shown(self.options.field.texts(subject.completion).find(|text| !text.is_empty()).unwrap_or(""));
        let field = self.options.field.name();
        let missing: Vec<_> =
            self.all.iter().filter(|needle| !found(needle)).map(|needle| quoted(&needle.said)).collect();
        if !missing.is_empty() {
            return Verdict::Fail(format!("{} not in the {field}: {}", missing.join(", "), seen()));
        }
        if !self.any.is_empty() && !self.any.iter().any(|needle| found(&needle)) {
            let wanted: Vec<_> = self.any.iter().map(|needle| quoted(&needle.said)).collect();
            return Verdict::Fail(format!("none of {} in the {field}: {}", wanted.join(", "), seen()));
        }
        Verdict::Pass
    }

    fn claim(&self) -> String {
        let all: Vec<_> = self.all.iter().map(|needle| quoted(&needle.said)).collect();
        let any: Vec<_> = self.any.iter().map(|needle| quoted(&needle.said)).collect();
        let parts: Vec<_> = [all.join(" and "), any.join(" or ")].into_iter().filter(|part| !part.is_empty()).collect();
        format!("the {} contains {}", self.options.field.name(), parts.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fails, passes, refused};

    #[test]
    fn words_are_found_or_not() {
        passes(r#"{"scorer":"contains","text":"Tokyo"}"#, "It rains in Tokyo.");
        passes(r#"{"scorer":"contains","any":["Tokyo","東京"]}"#, "東京は雨です。");
        passes(r#"{"scorer":"contains","text":["a","b"]}"#, "b a");
        passes(r#"{"scorer":"contains","text":"ＡＢＣ","case":"ignore"}"#, "abc");
        passes(r#"{"scorer":"contains","text":"two words","space":"collapse"}"#, "two\n words");
        fails(r#"{"scorer":"contains","text":"Tokyo"}"#, "Osaka", "\"Tokyo\" not in the text: \"Osaka\"");
        fails(r#"{"scorer":"contains","any":["a","b"]}"#, "", "none of \"a\", \"b\" in the text: nothing");
        fails(r#"{"scorer":"contains","text":"tokyo"}"#, "Tokyo", "not in the text");
        fails(r#"{"scorer":"contains","text":"x","in":"reasoning"}"#, "x", "not in the reasoning");
        fails(r#"{"scorer":"contains","text":"x","not":true}"#, "x", "the text contains \"x\", and must not");
        passes(r#"{"scorer":"contains","text":"x","not":true}"#, "y");
        fails(r#"{"scorer":"contains","text":"x","not":true}"#, "", "the answer is empty");
    }

    #[test]
    fn what_would_hold_for_everything_is_refused() {
        refused(r#"{"scorer":"contains","text":""}"#, "/text", "in every answer");
        refused(r#"{"scorer":"contains","any":[]}"#, "/any", "empty");
        refused(r#"{"scorer":"contains"}"#, "", "`text` is missing");
        refused(r#"{"scorer":"contains","text":["a",1]}"#, "/text/1", "expected a string, found a number");
    }
}
