//! `json_path`: what a JSONPath query selects from the text's JSON.

use jsonpath_rust::parser::{model::JpQuery, parse_json_path};
use jsonpath_rust::query::js_path_process;
use serde_json::Value;

use crate::args::ArgReader;
use crate::json::{ARG_FENCE, Fence, same};
use crate::scorer::{ArgDef, ArgError, Args, Scorer, ScorerDef, Subject, Verdict};
use crate::text::excerpt;

/// The declaration.
///
/// ```
/// use monban_scorers::{Completion, Expectation, Registry, Request, Subject, Verdict};
///
/// let table = serde_json::from_str(r#"{"scorer": "json_path", "path": "$.items[*].id", "equals": 2}"#).unwrap();
/// let expectation = Expectation::parse(&table, &Registry::builtin()).unwrap();
/// let completion = Completion { text: Some(r#"{"items": [{"id": 1}, {"id": 2.0}]}"#.to_owned()), ..Completion::default() };
/// let subject = Subject { request: &Request::default(), completion: &completion, other: None };
/// assert_eq!(expectation.evaluate(&subject), Verdict::Pass);
/// ```
pub static JSON_PATH: ScorerDef = ScorerDef {
    name: "json_path",
    summary: "What a JSONPath selects from the JSON is as stated.",
    manual: r#"## What it checks
The answer's text is read as JSON, a JSONPath query (RFC 9535) selects values from it, and these must be as stated.

## Passes when
- the query selects something and every statement given holds: `equals`, `matches`, `count`, `exists`.

## Fails when
- the text is not JSON under the `fence` policy, or a statement does not hold. A query that selects nothing fails,
  unless `exists = false` or `count = 0` asks for just that.

## Arguments
- `path`: the query, `$.items[0].name`. At most three `..` segments.
- `equals`: the value; numbers by value (3 = 3.0), objects without key order.
- `matches`: a regular expression found in the value (a string as it is, anything else as JSON).
- `count`: how many values are selected.
- `exists`: true: at least one is selected (the default); false: none.
- `which`: of several selected values, `"any"` (default) or `"all"` must meet `equals` and `matches`.
- `fence`: `"allow"` (default), `"forbid"`, `"require"` or `"extract"`, as in `json_valid`.

## Example
```toml
{ scorer = "json_path", path = "$.people[?@.age > 30].name", equals = "Ada", count = 1 }
```
"#,
    arguments: &[
        ArgDef { name: "path", schema: r#"{"type":"string"}"#, help: "The JSONPath query (RFC 9535)." },
        ArgDef { name: "equals", schema: "{}", help: "What is selected must equal this." },
        ArgDef {
            name: "matches",
            schema: r#"{"type":"string","format":"regex"}"#,
            help: "This pattern must be found in what is selected.",
        },
        ArgDef {
            name: "count",
            schema: r#"{"type":"integer","minimum":0}"#,
            help: "How many values must be selected.",
        },
        ArgDef { name: "exists", schema: r#"{"type":"boolean"}"#, help: "Whether anything must be selected." },
        ArgDef {
            name: "which",
            schema: r#"{"enum":["any","all"]}"#,
            help: "Of several values, `any` (default) or `all` must be as stated.",
        },
        ARG_FENCE,
    ],
    parse,
};

/// Each `..` visits every node below every node it is given: more of them multiply.
const MAX_DESCENTS: usize = 3;
const MAX_PATH: usize = 1024;

#[derive(Debug)]
struct JsonPath {
    said: String,
    query: JpQuery,
    equals: Option<Value>,
    matches: Option<regex::Regex>,
    count: Option<u64>,
    exists: bool,
    all: bool,
    fence: Fence,
}

fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let mut reader = ArgReader::new(args, JSON_PATH.arguments);
    let said = reader.required_text("path");
    let query = match query(&said) {
        Ok(query) => Some(query),
        Err(message) => {
            if !said.is_empty() {
                reader.push(ArgError::at("/path", message).help("a query as in RFC 9535: `$.items[0].name`"));
            }
            None
        }
    };
    let equals = reader.value("equals");
    let matches = reader.pattern("matches", false, false);
    let count = reader.count("count");
    let said_exists = reader.has("exists");
    let exists = reader.flag("exists", count != Some(0));
    if said_exists && count.is_some_and(|count| (count > 0) != exists) {
        reader.fail("exists", "`exists` and `count` contradict each other");
    }
    if !exists && (equals.is_some() || matches.is_some()) {
        reader.fail("exists", "nothing can be stated of values that must not exist");
    }
    let all = reader.word("which", &["any", "all"]) == "all";
    let fence = Fence::take(&mut reader);
    reader.finish_with(query, |query| {
        Box::new(JsonPath { said, query, equals, matches, count, exists, all, fence }) as Box<dyn Scorer>
    })
}

fn query(said: &str) -> Result<JpQuery, String> {
    if said.len() > MAX_PATH {
        return Err(format!("the query is longer than {MAX_PATH} bytes"));
    }
    if said.matches("..").count() > MAX_DESCENTS {
        return Err(format!("the query holds more than {MAX_DESCENTS} `..`, whose costs multiply"));
    }
    parse_json_path(said).map_err(|error| {
        let message = error.to_string();
        let last = message.lines().last().unwrap_or_default().trim().trim_start_matches("= ").to_owned();
        format!("not a valid JSONPath: {}", excerpt(&last, 160))
    })
}

impl Scorer for JsonPath {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        let value = match self.fence.read(subject.completion.text()) {
            Ok(value) => value,
            Err(why) => return why.verdict(),
        };
        let selected: Vec<&Value> = match js_path_process(&self.query, &value) {
            Ok(found) => found.into_iter().map(jsonpath_rust::query::QueryRef::val).collect(),
            Err(error) => {
                return Verdict::NotScored(format!("the query gave no values: {}", excerpt(&error.to_string(), 160)));
            }
        };
        match self.fault(&selected) {
            Some(reason) => Verdict::Fail(reason),
            None => Verdict::Pass,
        }
    }

    fn claim(&self) -> String {
        format!("`{}` is as stated", excerpt(&self.said, 80))
    }
}

impl JsonPath {
    fn fault(&self, selected: &[&Value]) -> Option<String> {
        let path = excerpt(&self.said, 80);
        let got = || {
            let shown: Vec<_> = selected.iter().take(3).map(|value| excerpt(&value.to_string(), 60)).collect();
            let more = if selected.len() > 3 { ", …" } else { "" };
            format!("{}{more}", shown.join(", "))
        };
        if let Some(count) = self.count.filter(|count| *count != selected.len() as u64) {
            return Some(format!("`{path}` selects {} values, expected {count}", selected.len()));
        }
        match (selected.is_empty(), self.exists) {
            (true, true) => return Some(format!("`{path}` selects nothing")),
            (false, false) => return Some(format!("`{path}` selects {}, expected nothing", got())),
            _ => {}
        }
        let holds = |test: &dyn Fn(&Value) -> bool| {
            let mut values = selected.iter();
            if self.all { values.all(|value| test(value)) } else { values.any(|value| test(value)) }
        };
        if let Some(wanted) = self.equals.as_ref().filter(|wanted| !holds(&|value| same(value, wanted))) {
            return Some(format!("`{path}`: expected {}, got {}", excerpt(&wanted.to_string(), 60), got()));
        }
        let pattern = self.matches.as_ref()?;
        let matched = holds(&|value| match value {
            Value::String(text) => pattern.is_match(text),
            other => pattern.is_match(&other.to_string()),
        });
        (!matched && !selected.is_empty()).then(|| format!("`{path}`: `{pattern}` does not match {}", got()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fails, passes, refused};

    const JSON: &str = r#"{"people": [{"name": "Ada", "age": 36}, {"name": "Bo", "age": 9}], "ok": true, "n": 3.0}"#;

    #[test]
    fn what_is_selected_is_as_stated() {
        passes(r#"{"scorer":"json_path","path":"$.people[?@.age > 30].name","equals":"Ada","count":1}"#, JSON);
        passes(r#"{"scorer":"json_path","path":"$.n","equals":3}"#, JSON);
        passes(r#"{"scorer":"json_path","path":"$..name","matches":"^[A-Z]","which":"all"}"#, JSON);
        passes(r#"{"scorer":"json_path","path":"$.missing","exists":false}"#, JSON);
        passes(r#"{"scorer":"json_path","path":"$.missing","count":0}"#, JSON);
        passes(r#"{"scorer":"json_path","path":"$.people[0]","equals":{"age":36,"name":"Ada"}}"#, JSON);
        fails(
            r#"{"scorer":"json_path","path":"$.people[1].name","equals":"Ada"}"#,
            JSON,
            "expected \"Ada\", got \"Bo\"",
        );
        fails(r#"{"scorer":"json_path","path":"$.people[*].age","equals":9,"which":"all"}"#, JSON, "expected 9");
        fails(r#"{"scorer":"json_path","path":"$.missing"}"#, JSON, "selects nothing");
        fails(r#"{"scorer":"json_path","path":"$.ok","exists":false}"#, JSON, "expected nothing");
        fails(r#"{"scorer":"json_path","path":"$.people","count":2}"#, JSON, "selects 1 values, expected 2");
        fails(r#"{"scorer":"json_path","path":"$.ok","matches":"false"}"#, JSON, "does not match true");
        fails(r#"{"scorer":"json_path","path":"$.ok"}"#, "no JSON", "not JSON");
    }

    #[test]
    fn bad_queries_are_refused_at_plan_time() {
        refused(r#"{"scorer":"json_path","path":"$.["}"#, "/path", "not a valid JSONPath");
        refused(r#"{"scorer":"json_path","path":"people"}"#, "/path", "not a valid JSONPath");
        refused(r#"{"scorer":"json_path","path":"$..a..b..c..d"}"#, "/path", "multiply");
        refused(r#"{"scorer":"json_path","path":"$.a","exists":false,"equals":1}"#, "/exists", "must not exist");
        refused(r#"{"scorer":"json_path","path":"$.a","exists":false,"count":1}"#, "/exists", "contradict");
        refused(r#"{"scorer":"json_path","path":"$.a","matches":"("}"#, "/matches", "unclosed group");
        refused(r#"{"scorer":"json_path","equal":1}"#, "/equal", "unknown key");
    }
}
