//! `json_valid`: the text is JSON.

use serde_json::Value;

use crate::args::{ArgReader, kind};
use crate::json::{ARG_FENCE, Fence, NoJson};
use crate::scorer::{ArgDef, ArgError, Args, Scorer, ScorerDef, Subject, Verdict};

/// The declaration.
///
/// ```
/// use monban_scorers::{Completion, Expectation, Registry, Request, Subject, Verdict};
///
/// let table = serde_json::from_str(r#"{"scorer": "json_valid", "fence": "forbid"}"#).unwrap();
/// let expectation = Expectation::parse(&table, &Registry::builtin()).unwrap();
/// let completion = Completion { text: Some("```json\n{}\n```".to_owned()), ..Completion::default() };
/// let subject = Subject { request: &Request::default(), completion: &completion, other: None };
/// assert!(matches!(expectation.evaluate(&subject), Verdict::Fail(_)));
/// ```
pub static JSON_VALID: ScorerDef = ScorerDef {
    name: "json_valid",
    summary: "The text is one JSON value.",
    manual: r#"## What it checks
Whether the answer's text is one JSON value (RFC 8259) and nothing else. White space around it does not count.
A Markdown code fence around it is treated as `fence` says; prose around it is never cut away, save by `"extract"`.

## Passes when
- the text parses, and is of the stated `type`.

## Fails when
- it does not parse (`NaN`, single quotes, a trailing comma, a cut object), or holds a second value or prose.
- the fence is against the policy.

Not scored when it nests deeper than 127 levels.

## Arguments
- `type`: `"object"`, `"array"`, `"string"`, `"number"`, `"boolean"` or `"null"`; default `"any"`.
- `fence`: `"allow"` (default: one fence around the whole answer does not count), `"forbid"`, `"require"`, or
  `"extract"` (the first fenced block is read, whatever stands around it; without one the whole answer).

## Example
```toml
{ scorer = "json_valid", type = "object", fence = "forbid" }
```
"#,
    arguments: &[
        ArgDef {
            name: "type",
            schema: r#"{"enum":["any","object","array","string","number","boolean","null"]}"#,
            help: "What the value must be. Default `any`.",
        },
        ARG_FENCE,
    ],
    parse,
};

const TYPES: &[&str] = &["any", "object", "array", "string", "number", "boolean", "null"];

#[derive(Debug)]
struct JsonValid {
    kind: &'static str,
    fence: Fence,
}

fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let mut reader = ArgReader::new(args, JSON_VALID.arguments);
    let kind = reader.word("type", TYPES);
    let fence = Fence::take(&mut reader);
    reader.finish(|| Box::new(JsonValid { kind, fence }) as Box<dyn Scorer>)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

impl Scorer for JsonValid {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        match self.fence.read(subject.completion.text()) {
            Ok(value) if self.kind == "any" || self.kind == type_of(&value) => Verdict::Pass,
            Ok(value) => Verdict::Fail(format!("the JSON is {}, not of type `{}`", kind(&value), self.kind)),
            Err(why) => why.verdict(),
        }
    }

    fn claim(&self) -> String {
        "the text is JSON".to_owned()
    }
}

impl NoJson {
    /// Not JSON is a fail; too deep to read is not scored.
    pub(super) fn verdict(self) -> Verdict {
        match self {
            Self::Wrong(why) => Verdict::Fail(why),
            Self::TooDeep => Verdict::NotScored("the JSON nests deeper than can be read".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fails, not_scored, passes, refused};

    #[test]
    fn json_and_nothing_else() {
        passes(r#"{"scorer":"json_valid"}"#, " {\"a\": [1, 2]} ");
        passes(r#"{"scorer":"json_valid"}"#, "```json\n{\"a\": 1}\n```");
        passes(r#"{"scorer":"json_valid","type":"array"}"#, "[]");
        passes(r#"{"scorer":"json_valid","fence":"extract"}"#, "Sure:\n```json\n{}\n```\nAnything else?");
        fails(r#"{"scorer":"json_valid","fence":"forbid"}"#, "```json\n{}\n```", "forbids");
        fails(r#"{"scorer":"json_valid"}"#, "Sure: {}", "not JSON");
        fails(r#"{"scorer":"json_valid"}"#, "{'a': 1}", "not JSON");
        fails(r#"{"scorer":"json_valid"}"#, "{\"a\": NaN}", "not JSON");
        fails(r#"{"scorer":"json_valid"}"#, "", "empty");
        fails(r#"{"scorer":"json_valid","type":"object"}"#, "[]", "a list, not of type `object`");
        not_scored(r#"{"scorer":"json_valid"}"#, &"[".repeat(200), "deeper");
        refused(r#"{"scorer":"json_valid","type":"objekt"}"#, "/type", "unknown word");
    }
}
