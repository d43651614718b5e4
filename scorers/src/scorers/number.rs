//! `number`: the final number of the text. The reading itself is in [`crate::numerals`].

use crate::args::ArgReader;
use crate::numerals::{Numeral, Style, read};
use crate::scorer::{ArgDef, ArgError, Args, Scorer, ScorerDef, Subject, Verdict};
use crate::text::{ARG_IN, Field, excerpt, shown};

/// The declaration.
///
/// ```
/// use monban_scorers::{Completion, Expectation, Registry, Request, Subject, Verdict};
///
/// let table = serde_json::from_str(r#"{"scorer": "number", "is": 1234.5}"#).unwrap();
/// let expectation = Expectation::parse(&table, &Registry::builtin()).unwrap();
/// let completion = Completion { text: Some("So the total is **$1,234.50**.".to_owned()), ..Completion::default() };
/// let subject = Subject { request: &Request::default(), completion: &completion, other: None };
/// assert_eq!(expectation.evaluate(&subject), Verdict::Pass);
/// ```
pub static NUMBER: ScorerDef = ScorerDef {
    name: "number",
    summary: "The final number of the text is as stated.",
    manual: r#"## What it checks
The final number of the answer's text: that of the last `\boxed{…}` where there is one, else of what follows the last
`####`, else the last in the text. It is read however it is written: `1,234.50`, `**42**`, `\boxed{42}`, `４２`, `1e3`,
`3 × 10^8`, `3/4`, `1 1/2`, `\frac{3}{4}`, `½`, `−5`, `$1,234`, `12 km`. Digits glued behind a Latin letter (`H2O`, `x2`),
dates with slashes and dotted versions (`1.2.3`) are no numbers.

## Passes when
- it is `is` within the tolerance, and between `min` and `max`.

## Fails when
- it is another one, or the text holds no number.

## Arguments
- `is`: the right number; or `min` and `max`, its bounds (at least one of the three).
- `abs`: how far it may be from `is`. Default 0.
- `rel`: the same as a share of `is`. Default 1e-9, so that 0.1 + 0.2 is 0.3.
- `which`: `"last"` (default), `"first"`, `"any"` (one of all), or `"only"` (the text holds one value).
- `decimal`: `"."` (default: `1,234.5`) or `","` (`1.234,5`).
- `percent`: `"number"` (default: `50%` is 50) or `"fraction"` (`50%` is 0.5).
- `in`: `"text"` (default), `"reasoning"` or `"any"` of both.

## Example
```toml
{ scorer = "number", is = 1234.5, abs = 0.01 }
```
"#,
    arguments: &[
        ArgDef { name: "is", schema: r#"{"type":"number"}"#, help: "The right number." },
        ArgDef { name: "min", schema: r#"{"type":"number"}"#, help: "The least right number." },
        ArgDef { name: "max", schema: r#"{"type":"number"}"#, help: "The greatest right number." },
        ArgDef { name: "abs", schema: r#"{"type":"number","minimum":0}"#, help: "The absolute tolerance." },
        ArgDef { name: "rel", schema: r#"{"type":"number","minimum":0}"#, help: "The relative tolerance." },
        ArgDef {
            name: "which",
            schema: r#"{"enum":["last","first","any","only"]}"#,
            help: "Which number of several. Default `last`.",
        },
        ArgDef { name: "decimal", schema: r#"{"enum":[".",","]}"#, help: "The decimal mark. Default `.`." },
        ArgDef {
            name: "percent",
            schema: r#"{"enum":["number","fraction"]}"#,
            help: "What `50%` is: 50 (`number`, default) or 0.5 (`fraction`).",
        },
        ARG_IN,
    ],
    parse,
};

#[derive(Debug)]
struct NumberScorer {
    is: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    tolerance: f64,
    which: &'static str,
    style: Style,
    field: Field,
}

fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let mut reader = ArgReader::new(args, NUMBER.arguments);
    if !reader.has("min") && !reader.has("max") {
        reader.require("is");
    }
    let (is, min, max) = (reader.number("is"), reader.number("min"), reader.number("max"));
    if min.zip(max).is_some_and(|(min, max)| min > max) {
        reader.fail("max", "`max` is below `min`, so no number is right");
    }
    let mut tolerance = |key: &str, default: f64| {
        let tolerance = reader.number(key).unwrap_or(default);
        if tolerance < 0.0 {
            reader.fail(key, "a tolerance is zero or more");
        }
        tolerance
    };
    let (abs, rel) = (tolerance("abs", 0.0), tolerance("rel", 1e-9));
    let which = reader.word("which", &["last", "first", "any", "only"]);
    let style = Style {
        comma: reader.word("decimal", &[".", ","]) == ",",
        fraction: reader.word("percent", &["number", "fraction"]) == "fraction",
    };
    let field = Field::take(&mut reader);
    let tolerance = abs.max(rel * is.unwrap_or(0.0).abs());
    reader.finish(|| Box::new(NumberScorer { is, min, max, tolerance, which, style, field }) as Box<dyn Scorer>)
}

impl Scorer for NumberScorer {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        let mut reasons = Vec::new();
        for text in self.field.texts(subject.completion) {
            let found = read(text, self.style);
            match self.fault(&found, text) {
                None => return Verdict::Pass,
                Some(reason) => reasons.push(reason),
            }
        }
        Verdict::Fail(reasons.join("; "))
    }

    fn claim(&self) -> String {
        format!("the number is {}", self.wanted())
    }
}

impl NumberScorer {
    fn fault(&self, found: &[Numeral], text: &str) -> Option<String> {
        let Some(last) = found.last() else { return Some(format!("no number in the text: {}", shown(text))) };
        let right = |numeral: &Numeral| self.is_right(numeral.value);
        match self.which {
            "any" if found.iter().any(right) => None,
            "any" => {
                let got: Vec<_> = found.iter().take(8).map(|numeral| excerpt(&numeral.said, 30)).collect();
                Some(format!("expected {}, got {}", self.wanted(), got.join(", ")))
            }
            "only" if found.iter().any(|numeral| (numeral.value - last.value).abs() > self.tolerance) => {
                Some(format!("the text holds {} numbers, expected {} alone", found.len(), self.wanted()))
            }
            "first" => self.judge(found.first().unwrap_or(last)),
            _ => self.judge(last),
        }
    }

    fn judge(&self, numeral: &Numeral) -> Option<String> {
        let wrong = !self.is_right(numeral.value);
        wrong.then(|| format!("expected {}, got {}", self.wanted(), excerpt(&numeral.said, 60)))
    }

    fn is_right(&self, value: f64) -> bool {
        self.is.is_none_or(|is| (value - is).abs() <= self.tolerance)
            && self.min.is_none_or(|min| value >= min)
            && self.max.is_none_or(|max| value <= max)
    }

    fn wanted(&self) -> String {
        let parts: Vec<String> = [
            self.is.map(|is| {
                if self.tolerance > is.abs() * 2e-9 { format!("{is} ± {}", self.tolerance) } else { is.to_string() }
            }),
            self.min.map(|min| format!("at least {min}")),
            self.max.map(|max| format!("at most {max}")),
        ]
        .into_iter()
        .flatten()
        .collect();
        parts.join(" and ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fails, passes, refused};

    #[test]
    fn the_final_number_counts() {
        passes(r#"{"scorer":"number","is":42}"#, "First 7, then **42**.");
        passes(r#"{"scorer":"number","is":42}"#, r"Thus \boxed{42}. Checked in 3 steps.");
        passes(r#"{"scorer":"number","is":42}"#, "#### 42");
        passes(r#"{"scorer":"number","is":3.14159,"abs":0.01}"#, "about 3.14");
        passes(r#"{"scorer":"number","is":100,"rel":0.05}"#, "96");
        passes(r#"{"scorer":"number","min":1,"max":6}"#, "I rolled a 4");
        passes(r#"{"scorer":"number","is":0.5,"percent":"fraction"}"#, "50 %");
        passes(r#"{"scorer":"number","is":50}"#, "50%");
        passes(r#"{"scorer":"number","is":1234.5,"decimal":","}"#, "1.234,50 €");
        passes(r#"{"scorer":"number","is":7,"which":"first"}"#, "7 of 9");
        passes(r#"{"scorer":"number","is":7,"which":"any"}"#, "6, 7 or 8");
        passes(r#"{"scorer":"number","is":7,"which":"only"}"#, "7, that is 7.0");
        passes(r#"{"scorer":"number","is":0.3}"#, "0.30000000000000004");
        fails(r#"{"scorer":"number","is":7,"which":"only"}"#, "7 or 8", "expected 7 alone");
        fails(r#"{"scorer":"number","is":42}"#, "41.9", "expected 42, got 41.9");
        fails(r#"{"scorer":"number","is":42}"#, "forty-two", "no number in the text: \"forty-two\"");
        fails(r#"{"scorer":"number","is":42}"#, "-42", "got -42");
        fails(r#"{"scorer":"number","min":1,"max":6}"#, "7", "expected at least 1 and at most 6, got 7");
    }

    #[test]
    fn bounds_that_contradict_are_refused() {
        refused(r#"{"scorer":"number"}"#, "", "`is` is missing");
        refused(r#"{"scorer":"number","min":3,"max":2}"#, "/max", "below `min`");
        refused(r#"{"scorer":"number","is":1,"abs":-1}"#, "/abs", "zero or more");
        refused(r#"{"scorer":"number","is":"1"}"#, "/is", "expected a number, found a string");
    }
}
