//! `json_schema`: the text is JSON that a schema allows.

use serde_json::Value;

use crate::args::ArgReader;
use crate::json::{ARG_FENCE, Fence};
use crate::schema::{Checked, Schema};
use crate::scorer::{ArgDef, ArgError, Args, Scorer, ScorerDef, Subject, Verdict};

/// The declaration.
///
/// ```
/// use monban_scorers::{Completion, Expectation, Registry, Request, Subject, Verdict};
///
/// let table = serde_json::from_str(r#"{"scorer": "json_schema", "schema": {"type": "array"}}"#).unwrap();
/// let expectation = Expectation::parse(&table, &Registry::builtin()).unwrap();
/// let completion = Completion { text: Some("[1, 2]".to_owned()), ..Completion::default() };
/// let subject = Subject { request: &Request::default(), completion: &completion, other: None };
/// assert_eq!(expectation.evaluate(&subject), Verdict::Pass);
/// ```
pub static JSON_SCHEMA: ScorerDef = ScorerDef {
    name: "json_schema",
    summary: "The text is JSON that fits a schema.",
    manual: r##"## What it checks
Whether the answer's text is one JSON value that is valid against a JSON schema (draft 2020-12 unless `$schema` names
another). `format` is asserted. The schema is compiled once, offline: a `$ref` must stay in it.

## Passes when
- the text parses under the `fence` policy and the schema allows the value.

## Fails when
- it does not parse, or the schema does not allow it; the reason names the places.

Not scored when a pattern of the schema gives up on the value (its backtracking is bounded).

## Arguments
- `schema`: the schema, as a table or as a string holding JSON.
- `fence`: `"allow"` (default), `"forbid"`, `"require"` or `"extract"`, as in `json_valid`.

## Example
```toml
{ scorer = "json_schema", schema = { type = "object", properties = { age = { type = "integer" } }, required = ["age"] } }
```
"##,
    arguments: &[
        ArgDef {
            name: "schema",
            schema: r#"{"oneOf":[{"type":"object"},{"type":"string"}]}"#,
            help: "The schema, a table or a string of JSON.",
        },
        ARG_FENCE,
    ],
    parse,
};

#[derive(Debug)]
struct JsonSchema {
    schema: Schema,
    fence: Fence,
}

fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let mut reader = ArgReader::new(args, JSON_SCHEMA.arguments);
    reader.require("schema");
    let compiled = match reader.value("schema") {
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(schema) => Some(Schema::compile(&schema)),
            Err(error) => Some(Err(format!("not JSON: {error}"))),
        },
        Some(schema) => Some(Schema::compile(&schema)),
        None => None,
    };
    let schema = match compiled {
        Some(Ok(schema)) => Some(schema),
        Some(Err(message)) => {
            reader.fail("schema", message);
            None
        }
        None => None,
    };
    let fence = Fence::take(&mut reader);
    reader.finish_with(schema, |schema| Box::new(JsonSchema { schema, fence }) as Box<dyn Scorer>)
}

impl Scorer for JsonSchema {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        match self.fence.read(subject.completion.text()) {
            Ok(value) => match self.schema.check(&value) {
                Checked::Valid => Verdict::Pass,
                Checked::Invalid(wrong) => Verdict::Fail(wrong.join("; ")),
                Checked::Unknown(why) => Verdict::NotScored(why),
            },
            Err(why) => why.verdict(),
        }
    }

    fn claim(&self) -> String {
        "the text fits the schema".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fails, not_scored, passes, refused};

    const AGE: &str = r#"{"scorer":"json_schema","schema":{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}}"#;

    #[test]
    fn the_schema_decides() {
        passes(AGE, "{\"age\": 7}");
        passes(AGE, "```json\n{\"age\": 7.0}\n```");
        passes(r#"{"scorer":"json_schema","schema":"{\"type\":\"array\"}"}"#, "[]");
        fails(AGE, "{\"age\": \"7\"}", "/age: ");
        fails(AGE, "{}", "\"age\" is a required property");
        fails(AGE, "seven", "not JSON");
        let hard = r#"{"scorer":"json_schema","schema":{"pattern":"^(.*)(.*)(.*)\\1\\2\\3c$"}}"#;
        not_scored(hard, &format!("\"{}b\"", "ab".repeat(30)), "gave up");
    }

    #[test]
    fn bad_schemas_are_refused_at_plan_time() {
        refused(r#"{"scorer":"json_schema"}"#, "", "`schema` is missing");
        refused(r#"{"scorer":"json_schema","schema":{"type":"strin"}}"#, "/schema", "strin");
        refused(r#"{"scorer":"json_schema","schema":"{"}"#, "/schema", "not JSON");
        refused(r#"{"scorer":"json_schema","schema":{"$ref":"http://127.0.0.1/x"}}"#, "/schema", "leaves the document");
    }
}
