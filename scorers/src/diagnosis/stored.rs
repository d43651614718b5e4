//! One stored exchange in, one diagnosis out: [`diagnose`], for harnesses that kept their answers.
//!
//! A line holds `request` and `response` (and `stream_response`, where both modes were asked); all else is optional:
//! `id`, `engine`, `engine_version`, `model`, `profile` (text, or `{format, text}`), `server_flags` (a list, as started),
//! `route`, `task`. What is not stated is not guessed.

use serde::Serialize;
use serde_json::Value;

use super::tasks::{self, Wanted};
use super::{Context, Finding, filed_under, hides_intent, rule};
use crate::completion::Exchange;
use crate::judge::{Attempt, Judgement, Outcome, Scored, judge};
use crate::request::Request;
use crate::scorer::{Expectation, Verdict};

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
        ..Context::default()
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
    let seen = Seen::of(request, &judgement);
    let expectations =
        names.iter().zip(judgement.scored).map(|(name, scored)| seen.expected(name, scored)).chain(seen.beside(names));
    let expectations = expectations.collect();
    let findings = judgement
        .findings
        .into_iter()
        .map(|finding| Filed { kind: rule(&finding.rule).map_or("other", |rule| rule.kind), finding });
    Diagnosed { id, outcome: judgement.outcome, diagnosis: seen.diagnosis, expectations, findings: findings.collect() }
}

/// What the findings say of the verdicts.
struct Seen {
    diagnosis: &'static str,
    /// What the model would have delivered is lost.
    lost: bool,
    /// Reasoning was dropped on the way, or kept from happening.
    reasoning_lost: bool,
    /// All that arrived is reasoning, and that is as it should be: cut by the budget, or nothing left to say.
    only_reasoning: bool,
    /// The request declares no tools.
    no_tools: bool,
    /// The text as it arrived, and whether it is the model's answer: `None` where there is none to speak of.
    text: Option<bool>,
}

impl Seen {
    fn of(request: &Request, judgement: &Judgement) -> Self {
        let first = judgement.findings.first();
        let is = |rules: &[&str]| first.is_some_and(|finding| rules.contains(&finding.rule.as_str()));
        let completions: Vec<_> = judgement.answers.iter().filter_map(|answer| answer.completion()).collect();
        let unseen = first.is_some_and(|finding| finding.observed_family.is_none());
        let reasoning_lost = unseen && is(&["gateway_rewrite", "no_reasoning_parser"]);
        let swallowed = completions
            .iter()
            .any(|found| found.is_empty_answer() && found.reasoning().trim().is_empty() && !found.is_truncated());
        let silent = completions.iter().all(|found| found.is_empty_answer() && !found.reasoning().trim().is_empty());
        let has_text = completions.iter().any(|found| !found.text().trim().is_empty());
        let not_the_answer = is(&["content_duplicates_call"])
            || silent && is(&["wrong_reasoning_parser", "unneeded_reasoning_parser", "profile_conflict"]);
        Self {
            diagnosis: filed_under(&judgement.findings),
            lost: hides_intent(&judgement.findings) || reasoning_lost || swallowed,
            reasoning_lost,
            only_reasoning: silent && !completions.is_empty() && (is(&["reasoning_truncated"]) || first.is_none()),
            no_tools: request.tools.is_empty(),
            text: (has_text || not_the_answer).then_some(!not_the_answer),
        }
    }

    fn expected(&self, name: &'static str, scored: Scored) -> Expected {
        let delivered = match &scored.delivered {
            Verdict::Fail(_) if name == "reasoning_split" && self.only_reasoning => Verdict::Pass,
            Verdict::NotScored(_) if name == "reasoning_split" && self.only_reasoning => Verdict::Pass,
            Verdict::Pass if name == "reasoning_split" && self.reasoning_lost => {
                Verdict::Fail("no reasoning arrived".to_owned())
            }
            Verdict::Fail(_) if name == "tool_call" && self.no_tools => {
                Verdict::NotScored("the request carried no tools".to_owned())
            }
            delivered => delivered.clone(),
        };
        let changed = delivered != scored.delivered;
        let intent = match (&scored.intent, &delivered) {
            (_, Verdict::NotScored(_)) => "unknown",
            (Some(Verdict::NotScored(_)), _) => "unknown",
            (Some(intent), _) if !changed => intent.word(),
            (_, Verdict::Fail(_)) if self.lost => "unknown",
            (_, delivered) => delivered.word(),
        };
        Expected {
            scorer: name,
            check: scored.scorer,
            delivered: delivered.word(),
            intent,
            reason: delivered.reason().to_owned(),
        }
    }

    /// What the answer says of verdicts that the task did not ask for.
    fn beside(&self, names: &[&'static str]) -> Vec<Expected> {
        let mut more = Vec::new();
        let entry = |scorer, check: &str, delivered, intent| Expected {
            scorer,
            check: check.to_owned(),
            delivered,
            intent,
            reason: String::new(),
        };
        if let Some(whole) = self.text.filter(|_| !names.is_empty() && !names.contains(&"text")) {
            more.push(entry("text", "arrived", if whole { "pass" } else { "fail" }, "pass"));
        }
        if self.no_tools && self.diagnosis == "model_fault" && !names.contains(&"tool_call") {
            more.push(entry("tool_call", "declared", "not_scored", "fail"));
        }
        more
    }
}
