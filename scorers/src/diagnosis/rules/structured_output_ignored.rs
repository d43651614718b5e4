//! `structured_output_ignored`: the schema the request asked for was not enforced.

use serde_json::Value;

use crate::diagnosis::facts::{Facts, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};
use crate::request::Request;

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "structured_output_ignored",
    kind: "structured_output_ignored",
    summary: "The request asked for JSON after a schema, and the server did not enforce it.",
    manual: "Looks at complete answers (not cut, not empty) that are no JSON, or not JSON after the schema, although \
             response_format, structured_outputs or a guided_… field asked for it, and at answers that are none of the \
             choices, or do not match the pattern, such a field gives. A server that enforces a schema cannot answer \
             so, whatever the model is worth.",
    explains: &["model_fault", "server_dropped_output", "gateway_rewrite"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let wanted = wanted(facts.view.request)?;
    if signs.reasoning.as_ref().is_some_and(|found| found.side.thoughts().is_some() || found.side.is_silent()) {
        return None;
    }
    let side =
        facts.sides.iter().find(|side| !side.is_silent() && side.completion.tool_calls.is_empty() && !side.at_cap())?;
    let text = side.completion.text().trim();
    let wrong = wrong(text, &wanted)?;
    // Thoughts whose markers the server stripped, and the JSON behind them: nothing was ignored. A colon announces the
    // JSON.
    let announced = text.split('{').next().is_some_and(|before| before.trim_end().ends_with(':'));
    if matches!(wrong, Wrong::Prefix) && !announced && !side.has_reasoning() && facts.model().reasons != Some(false) {
        return None;
    }
    let draft = draft(facts, side, &wanted, &wrong);
    let draft = draft.evidence(facts, "content", text).evidence(facts, "finish_reason", side.finish());
    Some(draft.ruled_out("the model: an enforced schema leaves it no choice").done())
}

/// What the request asked for.
struct Wanted {
    field: &'static str,
    form: Form,
}

/// The form of answer asked for.
enum Form {
    /// Any JSON object.
    Object,
    /// JSON after a schema.
    Schema(Value),
    /// One of these texts.
    Choice(Vec<String>),
    /// A text this pattern matches as a whole.
    Pattern(String),
}

fn wanted(request: &Request) -> Option<Wanted> {
    if let Some(format) = request.field("response_format").filter(|format| format.is_object()) {
        let field = match format.get("type").and_then(Value::as_str) {
            Some("json_schema") => "response_format json_schema",
            Some("json_object") => "response_format json_object",
            // The type decides, and a schema under another type is read by nobody.
            _ if format.get("json_schema").is_some_and(Value::is_object) => "response_format json_schema",
            _ => return None,
        };
        let schema = format.pointer("/json_schema/schema").or_else(|| format.get("schema"));
        return Some(Wanted { field, form: schema.map_or(Form::Object, |schema| Form::Schema(schema.clone())) });
    }
    if let Some(outputs) = request.field("structured_outputs").filter(|outputs| outputs.is_object()) {
        let form = form(|key| outputs.get(key), ["json", "choice", "regex"])?;
        return Some(Wanted { field: "structured_outputs", form });
    }
    if let Some(form) = form(|key| request.field(key), ["guided_json", "guided_choice", "guided_regex"]) {
        let field = match form {
            Form::Choice(_) => "guided_choice",
            Form::Pattern(_) => "guided_regex",
            Form::Object | Form::Schema(_) => "guided_json",
        };
        return Some(Wanted { field, form });
    }
    let elsewhere = |field| {
        let schema = request.field(field).map(parsed).filter(Value::is_object)?;
        Some(Wanted { field, form: Form::Schema(schema) })
    };
    ["json_schema", "format"].into_iter().find_map(elsewhere)
}

fn form<'a>(from: impl Fn(&str) -> Option<&'a Value>, [json, choice, regex]: [&str; 3]) -> Option<Form> {
    let choices = || Some(from(choice)?.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    let pattern = || from(regex).and_then(Value::as_str).map(str::to_owned);
    let schema = from(json).map(|schema| Form::Schema(parsed(schema)));
    schema.or_else(|| choices().map(Form::Choice)).or_else(|| pattern().map(Form::Pattern))
}

/// Why no server of this kind reads the schema where it stands.
fn misplaced(facts: &Facts<'_>, wanted: &Wanted) -> Option<String> {
    let server = facts.server();
    let field = wanted.field;
    let format = facts.view.request.field("response_format").and_then(|format| format.get("type")?.as_str());
    match field {
        "guided_json" | "guided_choice" | "guided_regex"
            if server.is("vllm") && server.older_than(0, 12) == Some(true) =>
        {
            None
        }
        "guided_json" | "guided_choice" | "guided_regex" => {
            Some(format!("{field} is gone from this server's protocol"))
        }
        // Their own routes read these: llama.cpp's and SGLang's /completion and /generate, Ollama's /api/chat.
        "json_schema" if !server.is("llama_cpp") => Some("json_schema is a field of llama.cpp's".to_owned()),
        "format" => Some("format is a field of Ollama's own route (/api/chat)".to_owned()),
        _ if format.is_some_and(|kind| !kind.starts_with("json")) => {
            Some("the schema stands under response_format of another type".to_owned())
        }
        _ => None,
    }
}

/// A schema given as JSON or as its text.
fn parsed(schema: &Value) -> Value {
    schema.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| schema.clone())
}

/// What is wrong with the text; `None` when it is as asked.
enum Wrong {
    Free,
    Prose,
    Prefix,
    Fence,
    Invalid(String),
}

fn wrong(text: &str, wanted: &Wanted) -> Option<Wrong> {
    match &wanted.form {
        Form::Object => {
            not_json(text, |value| (!value.is_object()).then(|| "it is JSON of the wrong top-level type".to_owned()))
        }
        Form::Schema(schema) => not_json(text, |value| {
            let validator = jsonschema::validator_for(schema).ok()?;
            Some(validator.iter_errors(value).next()?.to_string())
        }),
        Form::Choice(choices) => {
            (!choices.is_empty() && !choices.iter().any(|choice| choice.trim() == text)).then_some(Wrong::Free)
        }
        Form::Pattern(pattern) => {
            let pattern = regex::RegexBuilder::new(&format!(r"\A(?:{pattern})\z")).size_limit(1 << 20).build().ok()?;
            (!pattern.is_match(text)).then_some(Wrong::Free)
        }
    }
}

/// What is wrong with a text that is to be JSON, and JSON of which `unfit` says nothing.
fn not_json(text: &str, unfit: impl FnOnce(&Value) -> Option<String>) -> Option<Wrong> {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return Some(if text.starts_with("```") {
            Wrong::Fence
        } else if text
            .find('{')
            .and_then(|at| text.get(at..))
            .is_some_and(|rest| serde_json::from_str::<Value>(rest).is_ok())
        {
            Wrong::Prefix
        } else {
            Wrong::Prose
        });
    };
    unfit(&value).map(Wrong::Invalid)
}

fn draft(facts: &Facts<'_>, side: &Side<'_>, wanted: &Wanted, wrong: &Wrong) -> Draft {
    let seen = match wrong {
        Wrong::Free => "the answer is none of what it allows".to_owned(),
        Wrong::Prose => "the answer is prose".to_owned(),
        Wrong::Prefix => "there is a valid object after a stray prefix".to_owned(),
        Wrong::Fence => "the JSON stands in a code fence".to_owned(),
        Wrong::Invalid(why) => format!("the JSON does not fit: {why}"),
    };
    let message = format!("schema not enforced: the request asks for {}, and {seen}", wanted.field);
    let new = |blame, confidence, message: String| {
        Draft::new(&RULE, blame, confidence, message).families(None, facts.launch.reasoning_parser.value())
    };
    if let Some(why) = misplaced(facts, wanted) {
        let message = format!("{message}; {why}: unknown fields are accepted and ignored");
        return new(Blame::Request, Confidence::High, message)
            .fix("use response_format json_schema, or structured_outputs.json (vLLM)")
            .fix("upgrade the client library that still sends the schema elsewhere");
    }
    if facts.server().is("tensorrt_llm") && !facts.launch.guided_backend {
        return new(Blame::ServerConfig, Confidence::High, message)
            .fix("guided_decoding_backend: xgrammar in the extra options (YAML)");
    }
    if side.has_reasoning() || facts.launch.reasoning_parser.value().is_some() {
        let message = format!(
            "{message}; grammar and reasoning parser do not go together \
             here: see whether it works without the reasoning parser"
        );
        return new(Blame::ServerBug, Confidence::Medium, message)
            .fix("retest without --reasoning-parser and without speculative decoding; thinking off for schema tasks")
            .fix(advice::upgrade(facts));
    }
    new(Blame::ServerBug, Confidence::Medium, message).fix(advice::structured_output(facts)).fix(advice::upgrade(facts))
}
