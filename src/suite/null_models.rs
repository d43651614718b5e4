//! Models that cannot answer: [`check`] lets them try, and names every task one of them passes.
//!
//! A task that an empty answer, an echo or a refusal passes measures nothing. "Must not call a tool" is the usual case:
//! it has to ask for content too.

use monban_scorers::completion::read;
use monban_scorers::{Answer, Completion, Exchange, Mode, RawJson, Request, Subject, Verdict};
use serde_json::{Value, json};

use super::model::{StreamMode, Suite, Task};
use crate::diagnostic::{Diagnostic, Source};

/// A model that cannot answer.
struct NullModel {
    /// What it does, for the message.
    does: &'static str,
    /// Its answer's message; `None` where it has none for this task.
    answer: fn(&Request) -> Option<Value>,
}

static NULL_MODELS: &[NullModel] = &[
    NullModel { does: "answers nothing", answer: |_| Some(text("")) },
    NullModel { does: "echoes the prompt", answer: |request| Some(text(last_user_text(request).trim())) },
    NullModel { does: "refuses", answer: |_| Some(text("I'm sorry, but I can't help with that.")) },
    NullModel {
        does: "answers with an error text",
        answer: |_| Some(text("Internal server error. Please try again later.")),
    },
    NullModel { does: "says \"I don't know.\"", answer: |_| Some(text("I don't know.")) },
    NullModel { does: "calls the first tool with no arguments", answer: first_tool },
];

/// Every task that a model that cannot answer passes, plain and streamed as the suite is asked.
#[must_use]
pub fn check(suite: &Suite, source: &Source) -> Vec<Diagnostic> {
    suite.tasks.iter().filter_map(|task| passed(task, suite.stream).map(|by| found(task, &by, source))).collect()
}

fn passed(task: &Task, stream: StreamMode) -> Option<Vec<&'static str>> {
    let mut body = task.request.clone();
    body.insert("model".into(), json!("null"));
    let request = Request::from(Value::Object(body));
    let sent = RawJson::of(request.body());
    let passes = |model: &&NullModel| {
        let Some(message) = (model.answer)(&request) else { return false };
        let answers: Vec<Answer> = stream.modes().iter().map(|mode| read(&exchange(*mode, &sent, &message))).collect();
        holds(task, &request, &answers)
    };
    let by: Vec<_> = NULL_MODELS.iter().filter(passes).map(|model| model.does).collect();
    (!by.is_empty()).then_some(by)
}

/// Whether every expectation holds on every answer. The wire is healthy, so there is no intent beside what is delivered.
fn holds(task: &Task, request: &Request, answers: &[Answer]) -> bool {
    let completions: Vec<_> = answers.iter().filter_map(Answer::completion).collect();
    let holds = |(index, completion): (usize, &&Completion)| {
        let other = completions.iter().enumerate().find(|(other, _)| *other != index).map(|(_, other)| *other);
        let subject = Subject { request, completion, other };
        // What cannot be scored takes nothing away: a task whose other expectations a null model meets is no better.
        task.expectations.iter().all(|expectation| !matches!(expectation.evaluate(&subject), Verdict::Fail(_)))
    };
    !completions.is_empty() && completions.iter().enumerate().all(holds)
}

fn found(task: &Task, by: &[&str], source: &Source) -> Diagnostic {
    let (last, others) = by.split_last().map_or(("", &by[..0]), |(last, others)| (*last, others));
    let by = if others.is_empty() { last.to_owned() } else { format!("{} or {last}", others.join(", ")) };
    let found = Diagnostic::error("null_model_passes", format!("`{}` is passed by a model that {by}", task.id));
    let found = match source.line_span(task.line) {
        Some(span) => found.at(source, span),
        None => found.in_file(source.name(), Some(task.line)),
    };
    found.fix("expect something that only a right answer has, such as a fact the prompt does not hold")
}

fn text(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn last_user_text(request: &Request) -> String {
    let last =
        request.messages().iter().rev().find(|message| message.get("role").and_then(Value::as_str) == Some("user"));
    Request::from(json!({"messages": last.as_slice()})).text_of("user")
}

fn first_tool(request: &Request) -> Option<Value> {
    let tool = request.tools.first()?;
    let call =
        json!({"index": 0, "id": "call_null", "type": "function", "function": {"name": tool.name, "arguments": "{}"}});
    Some(json!({"role": "assistant", "content": null, "tool_calls": [call]}))
}

/// The answer on a healthy wire: what is wrong with these models is the answer alone.
fn exchange(mode: Mode, sent: &RawJson, message: &Value) -> Exchange {
    let finish = if message.get("tool_calls").is_some() { "tool_calls" } else { "stop" };
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20});
    let frame = |object: &str, choice: Value| {
        json!({
            "id": "chatcmpl-null", "object": object, "created": 0, "model": "null", "choices": [choice], "usage": usage,
        })
    };
    match mode {
        Mode::Plain => {
            let choice = json!({"index": 0, "message": message, "finish_reason": finish});
            Exchange::plain(sent.clone(), 200, frame("chat.completion", choice).to_string())
        }
        Mode::Stream => {
            let delta = json!({"index": 0, "delta": message, "finish_reason": null});
            let end = json!({"index": 0, "delta": {}, "finish_reason": finish});
            let mut exchange = Exchange::plain(sent.clone(), 200, Vec::new());
            let events = [delta, end].map(|choice| frame("chat.completion.chunk", choice).to_string());
            let events = events.into_iter().chain(["[DONE]".to_owned()]);
            let pieces = events.map(|data| monban_scorers::Piece {
                at_us: 1,
                raw: monban_scorers::Raw(format!("data: {data}\n\n").into_bytes()),
            });
            exchange.body = monban_scorers::Body::Pieces(pieces.collect());
            exchange.mode = Mode::Stream;
            exchange
        }
    }
}
