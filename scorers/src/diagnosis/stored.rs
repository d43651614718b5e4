//! One stored exchange in, one diagnosis out: [`diagnose`], for harnesses that kept their answers.
//!
//! A line holds `request` and `response` (and `stream_response`, where both modes were asked); all else is optional:
//! `id`, `engine`, `engine_version`, `model`, `profile` (text, or `{format, text}`), `server_flags` (a list, as started),
//! `route`, `task`. What is not stated is not guessed.

use serde::Serialize;
use serde_json::Value;

use super::tasks::{self, Wanted};
use super::verdicts::Verdicts;
use super::{Context, Finding, rule};
use crate::completion::Exchange;
use crate::judge::{Attempt, Judgement, Outcome, judge};
use crate::request::Request;
use crate::scorer::Expectation;

/// The keys a line may have: what is read, then what recorders and collections keep beside it, which changes no verdict.
#[rustfmt::skip]
pub const LINE_KEYS: &[&str] = &[
    "request", "response", "stream_response", "non_stream_response", "stream", "stream_chunks", "transport_error",
    "status", "response_headers", "headers", "id", "engine", "engine_version", "model", "profile", "server_flags", "route",
    "task", "startup_error", "startup_log",
    "after_samples", "backend", "case", "evidence", "expect", "family", "group", "hard_negative", "kind", "method", "note",
    "of", "path", "probe", "raw_model_text", "raw_text_variant", "reported", "request_headers", "server_fault", "source",
    "truth", "url", "user_saw", "wall_ms", "where",
];

/// The diagnosis of one line.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Diagnosed {
    /// The line's `id`, as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// The outcome.
    pub outcome: Outcome,
    /// What the findings are filed under: the kind of the first, or `none`.
    pub diagnosis: &'static str,
    /// The task's verdicts; empty without a task.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<Expected>,
    /// The findings, the most telling first.
    pub findings: Vec<Filed>,
}

/// One expectation's two verdicts, as words.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Expected {
    /// What the task calls it: `tool_call`, `json`, `text`, `reasoning_split`.
    pub scorer: &'static str,
    /// The scorer that judged it.
    pub check: String,
    /// `pass`, `fail` or `not_scored`: what the client got.
    pub delivered: &'static str,
    /// `pass`, `fail` or `unknown`: what the model wrote.
    pub intent: &'static str,
    /// Why, where it is not a pass.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// A finding, with the kind it is filed under.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Filed {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// The kind: the rule's own name, or `other` and the like.
    pub kind: &'static str,
}

/// Diagnoses one stored line.
///
/// # Errors
/// What the line lacks, where it holds no answer.
///
/// ```
/// use monban_scorers::diagnosis::diagnose;
/// use serde_json::json;
///
/// let line = json!({
///     "request": {"model": "m", "messages": [], "tools": [{"type": "function", "function": {"name": "now"}}]},
///     "response": {"http_status": 400, "body": {"error": {"code": 400, "message":
///         "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"}}},
/// });
/// let verdict = diagnose(&line)?;
/// assert_eq!(verdict.findings[0].finding.rule, "auto_tool_choice_missing");
/// # Ok::<(), String>(())
/// ```
pub fn diagnose(line: &Value) -> Result<Diagnosed, String> {
    let exchanges = exchanges(line)?;
    let request = Request::read(line.get("request").unwrap_or(&Value::Null));
    let context = context(line);
    let wanted = tasks::wanted(line.get("task").unwrap_or(&Value::Null));
    let (names, expectations): (Vec<&'static str>, Vec<Expectation>) =
        wanted.into_iter().map(|Wanted { name, expectation }| (name, expectation)).unzip();
    let task = line.get("id").and_then(Value::as_str).unwrap_or_default();
    let judgement = judge(&Attempt {
        task,
        request: &request,
        exchanges: &exchanges,
        expectations: &expectations,
        context: &context,
    });
    Ok(written(line.get("id").cloned(), &names, &request, judgement))
}

/// The exchanges of a line; some recorders keep the plain answer of a streamed one inside the task.
fn exchanges(line: &Value) -> Result<Vec<Exchange>, String> {
    let beside = line.pointer("/task/non_stream_response").filter(|_| line.get("non_stream_response").is_none());
    match (beside, line.as_object()) {
        (Some(plain), Some(members)) => {
            let mut members = members.clone();
            members.insert("non_stream_response".to_owned(), plain.clone());
            Exchange::from_stored_line(&Value::Object(members))
        }
        _ if line.get("response").is_none() && line.get("startup_error").is_some() => {
            let mut line = line.clone();
            line["response"] = serde_json::json!({"transport_error": "connection_refused"});
            Exchange::from_stored_line(&line)
        }
        _ => Exchange::from_stored_line(line),
    }
}

fn context(line: &Value) -> Context {
    let text = |key: &str| line.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let profile = match line.get("profile") {
        Some(Value::String(text)) => Some(text.clone()),
        Some(other) => other.get("text").and_then(Value::as_str).map(str::to_owned),
        None => flags(line),
    };
    let logs = ["/startup_error", "/response/startup_log", "/startup_log", "/response/startup_error"];
    Context {
        engine: text("engine"),
        engine_version: text("engine_version"),
        model: text("model"),
        profile,
        route: text("route"),
        tool_parser: stated(line, "tool"),
        reasoning_parser: stated(line, "reasoning"),
        notes: logs.iter().filter_map(|place| line.pointer(place)).map(as_text).collect(),
    }
}

/// The empty string where the list of `server_flags` names no parser of this kind: it is whole, so there is none.
fn stated(line: &Value, kind: &str) -> Option<String> {
    let flags = line.get("server_flags")?.as_array()?;
    let names = |word: &Value| {
        word.as_str().is_some_and(|word| word.trim_start_matches('-').starts_with(kind) && word.contains("parser"))
    };
    (!flags.iter().any(names)).then(String::new)
}

/// `server_flags`, a list, as the launch line it came from.
fn flags(line: &Value) -> Option<String> {
    let flags = line.get("server_flags")?.as_array()?;
    let words = flags.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ");
    Some(match line.get("engine").and_then(Value::as_str) {
        Some("sglang") => format!("python3 -m sglang.launch_server {words}"),
        Some("vllm") => format!("vllm serve {words}"),
        _ => words,
    })
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().map(as_text).collect::<Vec<_>>().join("\n"),
        other => other.to_string(),
    }
}

fn written(id: Option<Value>, names: &[&'static str], request: &Request, judgement: Judgement) -> Diagnosed {
    let seen = Verdicts::of(request, &judgement);
    let expectations =
        names.iter().zip(judgement.scored).map(|(name, scored)| seen.expected(name, scored)).chain(seen.beside(names));
    let expectations = expectations.collect();
    let findings = judgement.findings.into_iter().map(Filed::of).collect();
    Diagnosed {
        id,
        outcome: judgement.outcome,
        diagnosis: seen.diagnosis,
        expectations,
        findings: filed_first(findings),
    }
}

impl Filed {
    fn of(finding: Finding) -> Self {
        Self { kind: rule(&finding.rule).map_or("other", |rule| rule.kind), finding }
    }
}

/// Reports are collected by kind: where the first finding has a narrower name than its kind (`wrong_model_name` is
/// filed under `unreachable_or_loading`), the kind is said first, with the same evidence and fix.
fn filed_first(mut findings: Vec<Filed>) -> Vec<Filed> {
    let narrower = findings.first().filter(|first| first.kind != "other" && first.kind != first.finding.rule);
    if let Some(first) = narrower {
        let finding = Finding { rule: first.kind.to_owned(), ..first.finding.clone() };
        let kind = first.kind;
        findings.insert(0, Filed { finding, kind });
    }
    findings
}
