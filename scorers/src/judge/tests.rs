//! Outcomes, from the wire on; and verdicts, on completions built by hand.

use serde_json::{Value, json};

use super::emptiness::is_undemanding;
use super::*;
use crate::completion::{Arguments, Completion, Mode, ToolCall};
use crate::diagnosis::{Blame, Confidence, Severity};
use crate::dialects::{Recognition, Strength};
use crate::scorer::{Scorer, Subject};

/// A scorer from a function.
#[derive(Debug)]
struct By(fn(&Subject<'_>) -> Verdict);

impl Scorer for By {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        (self.0)(subject)
    }
}

fn by(name: &str, score: fn(&Subject<'_>) -> Verdict) -> Expectation {
    Expectation::One { name: name.to_owned(), scorer: Box::new(By(score)) }
}

fn holds(yes: bool, reason: &str) -> Verdict {
    if yes { Verdict::Pass } else { Verdict::Fail(reason.to_owned()) }
}

fn says_paris() -> Expectation {
    by("contains", |subject| holds(subject.completion.text().contains("Paris"), "no Paris"))
}

fn calls() -> Expectation {
    by("tool_call", |subject| {
        let fine = |call: &ToolCall| call.name == "f" && call.arguments.value().is_ok_and(|value| value.is_object());
        let calls = &subject.completion.tool_calls;
        holds(calls.len() == 2 && calls.iter().all(fine), "not the two calls")
    })
}

fn no_call() -> Expectation {
    by("tool_call", |subject| holds(subject.completion.tool_calls.is_empty(), "a call"))
}

fn stops() -> Expectation {
    by("finish_reason", |subject| holds(subject.completion.finish_reason.as_deref() == Some("stop"), "not stop"))
}

fn unscored() -> Expectation {
    by("stream_parity", |_| Verdict::NotScored("one mode only".to_owned()))
}

fn message(message: &Value, finish: &str, tokens: u64) -> Value {
    json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 9, "completion_tokens": tokens, "total_tokens": 9 + tokens}})
}

fn plain(content: &str, finish: &str) -> Value {
    message(&json!({"role": "assistant", "content": content}), finish, content.len() as u64 + 1)
}

/// A stream of these deltas.
fn stream(deltas: &[Value], finish: &str) -> Value {
    let chunk = |delta: &Value, finish: Value| {
        json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    };
    let mut chunks: Vec<Value> = deltas.iter().map(|delta| chunk(delta, Value::Null)).collect();
    chunks.push(chunk(&json!({}), json!(finish)));
    json!({"http_status": 200, "chunks": chunks, "done": true})
}

fn two_calls() -> Value {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    json!({"role": "assistant", "content": null, "tool_calls": [call("1"), call("2")]})
}

fn call_delta(index: u64, arguments: &str) -> Value {
    json!({"tool_calls": [{"index": index, "id": format!("{index}"), "type": "function",
        "function": {"name": "f", "arguments": arguments}}]})
}

fn judged(request: &Value, responses: &[Value], expectations: &[Expectation]) -> Judgement {
    let exchanges: Vec<Exchange> =
        responses.iter().map(|response| Exchange::from_stored(request, response).unwrap()).collect();
    judge(&Attempt {
        task: "t",
        request: &Request::read(request),
        exchanges: &exchanges,
        expectations,
        context: &Context::default(),
    })
}

#[track_caller]
fn case(responses: &[Value], expectations: &[Expectation], outcome: Outcome) -> Judgement {
    let judgement = judged(&json!({"messages": [], "max_tokens": 100}), responses, expectations);
    assert_eq!(judgement.outcome, outcome, "{judgement:#?}");
    assert_eq!(judgement.answers.len(), responses.len());
    assert_eq!(judgement.scored.len(), expectations.len());
    judgement
}

#[test]
fn right_and_wrong_answers() {
    case(&[plain("Paris", "stop")], &[says_paris(), stops()], Outcome::Passed);
    let judgement = case(&[plain("London", "stop")], &[says_paris(), stops()], Outcome::Failed);
    assert_eq!(judgement.scored[0].delivered, Verdict::Fail("no Paris".to_owned()));
    assert_eq!(judgement.scored[1].delivered, Verdict::Pass);
    assert_eq!(judgement.scored[0].intent, None);
}

#[test]
fn what_was_not_answered_is_an_error() {
    let error = json!({"http_status": 400, "body": {"error": {"message": "no tools here", "code": 400}}});
    let refused = json!({"transport_error": "connection_refused"});
    let cut = json!({"http_status": 200, "chunks": [], "done": false});
    for fault in [error, refused, cut] {
        let judgement = case(std::slice::from_ref(&fault), &[no_call()], Outcome::Error);
        assert_eq!(judgement.scored[0].delivered.word(), "not_scored");
        // A fine exchange beside it does not make up for it.
        case(&[plain("Paris", "stop"), fault], &[says_paris()], Outcome::Error);
    }
    let told = case(&[json!({"http_status": 503, "body_text": "busy"})], &[stops()], Outcome::Error);
    assert_eq!(told.scored[0].delivered.reason(), "no answer: status 503: busy");
    case(&[], &[says_paris()], Outcome::Error);
}

#[test]
fn a_server_that_gives_up_is_an_error() {
    case(&[plain("Par", "abort")], &[says_paris()], Outcome::Error);
    let chunk = json!({"choices": [{"index": 0, "delta": {"content": "Paris"}}]});
    let died = json!({"http_status": 200, "chunks": [chunk, {"error": {"message": "died"}}], "done": true});
    case(&[died], &[says_paris()], Outcome::Error);
}

#[test]
fn a_cut_answer_is_truncated_unless_all_holds() {
    let judgement = case(&[plain("The capital is", "length")], &[says_paris()], Outcome::Truncated);
    assert_eq!(judgement.scored[0].delivered.word(), "not_scored");
    case(&[plain("Paris, the capital of", "length")], &[says_paris()], Outcome::Passed);
    case(&[plain("Paris, the capital of", "length")], &[says_paris(), stops()], Outcome::Truncated);
    case(&[plain("", "length")], &[no_call()], Outcome::Truncated);
    let thought = json!({"role": "assistant", "content": null, "reasoning": "Let me think"});
    case(&[message(&thought, "length", 100)], &[says_paris()], Outcome::Truncated);
}

#[test]
fn a_budget_spent_within_a_call_is_truncated_whatever_the_server_says() {
    let mut half = two_calls();
    half["tool_calls"][1]["function"]["arguments"] = json!("{\"content\": \"#!/bin");
    case(&[message(&half, "tool_calls", 100)], &[calls()], Outcome::Truncated);
    case(&[message(&half, "tool_calls", 60)], &[calls()], Outcome::Failed);
}

#[test]
fn a_swallowed_answer_is_never_failed() {
    let empty = |tokens| message(&json!({"role": "assistant", "content": ""}), "stop", tokens);
    let judgement = judged(&json!({"messages": []}), &[empty(30)], &[says_paris()]);
    assert!(matches!(judgement.outcome, Outcome::ServerFault | Outcome::Error), "{judgement:?}");
    let announced = message(&json!({"role": "assistant", "content": null, "tool_calls": []}), "tool_calls", 1);
    let judgement = judged(&json!({"messages": []}), &[announced], &[calls()]);
    assert!(matches!(judgement.outcome, Outcome::ServerFault | Outcome::Error), "{judgement:?}");
    // One token is the end of the text: the model said nothing.
    case(&[empty(1)], &[says_paris()], Outcome::Failed);
}

#[test]
fn swallowed_is_the_servers_where_a_finding_says_so() {
    let completion = crate::completion::read(
        &Exchange::from_stored(&json!({}), &message(&json!({"role": "assistant", "content": ""}), "stop", 30)).unwrap(),
    );
    let side = Side::of(&completion, &None).unwrap();
    let scored = [Scored { scorer: "x".into(), delivered: Verdict::Fail("no".into()), intent: None }];
    let finding = |blame| Finding::new("r", Severity::Error, blame, Confidence::High, "");
    assert_eq!(outcome::decide(&[side], &scored, false, &[finding(Blame::ServerBug)]), Outcome::ServerFault);
    assert_eq!(outcome::decide(&[side], &scored, false, &[finding(Blame::Model)]), Outcome::Error);
}

#[test]
fn a_prohibition_needs_a_healthy_answer() {
    let empty = || message(&json!({"role": "assistant", "content": ""}), "stop", 1);
    let not_paris = || Expectation::Not(Box::new(says_paris()));
    let judgement = case(&[empty()], &[no_call(), not_paris(), stops()], Outcome::Failed);
    let word = |at: usize| judgement.scored[at].delivered.word();
    assert_eq!((word(0), word(1), word(2)), ("pass", "fail", "pass"));
    // Nothing forbids an empty answer by itself, and still nothing was answered.
    let judgement = case(&[empty()], &[no_call(), stops()], Outcome::Failed);
    assert!(judgement.scored.iter().all(|scored| scored.delivered.reason().contains("empty")), "{judgement:?}");
    case(&[plain("London", "stop")], &[no_call(), not_paris()], Outcome::Passed);
    // Emptiness that was asked for is an answer.
    let silent = || by("equals", |subject| holds(subject.completion.text().is_empty(), "words"));
    let thought = message(&json!({"role": "assistant", "content": "", "reasoning": "All is done."}), "stop", 9);
    case(&[thought], &[no_call(), silent()], Outcome::Passed);
    assert!(!is_undemanding(&silent(), &Request::default(), &Completion::default()));
    assert!(is_undemanding(&no_call(), &Request::default(), &Completion::default()));
    assert!(!is_undemanding(&says_paris(), &Request::default(), &Completion::default()));
}

#[test]
fn both_modes_must_hold() {
    let streamed = |text: &str| stream(&[json!({"role": "assistant"}), json!({"content": text})], "stop");
    case(&[plain("Paris", "stop"), streamed("Paris")], &[says_paris()], Outcome::Passed);
    // Two different answers are the model's, whichever mode is wrong.
    let judgement = case(&[plain("Paris", "stop"), streamed("London")], &[says_paris()], Outcome::Failed);
    assert_eq!(judgement.scored[0].delivered.reason(), "streamed: no Paris");
    case(&[plain("London", "stop"), streamed("Paris")], &[says_paris()], Outcome::Failed);
    case(&[plain("London", "stop"), streamed("London")], &[says_paris()], Outcome::Failed);
}

/// What one mode delivered and the other lost.
#[test]
fn a_loss_in_one_mode_is_the_servers() {
    let whole = || message(&two_calls(), "tool_calls", 20);
    let lossy = [
        stream(&[json!({"role": "assistant", "content": ""})], "tool_calls"),
        stream(&[json!({"role": "assistant", "content": ""})], "stop"),
        stream(&[call_delta(0, "{}")], "tool_calls"),
        stream(&[call_delta(0, "{}"), call_delta(1, "{\"a\": ")], "tool_calls"),
    ];
    for stream in lossy {
        let judgement = case(&[whole(), stream.clone()], &[calls()], Outcome::ServerFault);
        assert_eq!(judgement.scored[0].intent, Some(Verdict::Pass), "{stream}");
        assert_eq!(judgement.scored[0].delivered.word(), "fail");
    }
    case(&[whole(), stream(&[call_delta(0, "{}"), call_delta(1, "{}")], "tool_calls")], &[calls()], Outcome::Passed);
    // Another call, or prose, is another answer.
    let other = json!({"tool_calls": [{"index": 0, "id": "1", "type": "function", "function": {"name": "g", "arguments": "{}"}}]});
    case(&[whole(), stream(&[other], "tool_calls")], &[calls()], Outcome::Failed);
    case(&[whole(), stream(&[json!({"content": "I cannot."})], "stop")], &[calls()], Outcome::Failed);
    // The other way round, and the finish reason alone.
    let both = stream(&[call_delta(0, "{}"), call_delta(1, "{}")], "tool_calls");
    let one = message(&json!({"role": "assistant", "content": ""}), "stop", 20);
    case(&[one, both], &[calls()], Outcome::ServerFault);
    let ends = stream(&[json!({"content": "Paris"})], "eos");
    case(&[plain("Paris", "stop"), ends], &[says_paris(), stops()], Outcome::ServerFault);
    // That the modes agree would hold as well, had nothing been lost.
    let parity = by("stream_parity", |subject| {
        holds(subject.other.is_none_or(|other| other.tool_calls.len() == subject.completion.tool_calls.len()), "differ")
    });
    let one = stream(&[call_delta(0, "{}")], "tool_calls");
    case(&[whole(), one], &[calls(), parity], Outcome::ServerFault);
    // A prohibition on an answer that one mode lost.
    let silent = stream(&[json!({"role": "assistant", "content": ""})], "stop");
    case(&[plain("All well.", "stop"), silent], &[no_call()], Outcome::ServerFault);
}

#[test]
fn reasoning_put_elsewhere_in_one_mode_is_the_servers() {
    let apart = message(&json!({"role": "assistant", "content": "Paris", "reasoning": "France? "}), "stop", 9);
    let mixed = stream(&[json!({"content": "France? Paris"})], "stop");
    let split = by("equals", |subject| holds(subject.completion.text() == "Paris", "more than the answer"));
    case(&[apart, mixed], &[split], Outcome::ServerFault);
}

/// A completion that the model meant otherwise than it was delivered.
fn reread(text: &str, calls: usize, tool: bool) -> Reread {
    let call = ToolCall { name: "f".into(), arguments: Arguments::Text("{}".into()), ..ToolCall::default() };
    let recognition =
        Recognition { family: "hermes", span: 0..1, strength: Strength::Strong, stripped: false, damage: None };
    Reread {
        completion: Completion {
            text: Some(text.to_owned()),
            tool_calls: vec![call; calls],
            finish_reason: Some("stop".into()),
            mode: Some(Mode::Plain),
            ..Completion::default()
        },
        tool: tool.then_some((recognition, "content")),
        reasoning: None,
        repairs: Vec::new(),
    }
}

fn scored(delivered: &str, reread: Option<&Reread>, expectations: &[Expectation]) -> (Vec<Scored>, Outcome) {
    let completion =
        Completion { text: Some(delivered.to_owned()), finish_reason: Some("stop".into()), ..Completion::default() };
    let sides = [Side { delivered: &completion, reread }];
    let scored = modes::score(expectations, &Request::default(), &sides);
    let outcome = outcome::decide(&sides, &scored, false, &[]);
    (scored, outcome)
}

#[test]
fn what_the_model_wrote_is_scored_too() {
    let (both, outcome) = scored("<tool_call>…", Some(&reread("", 2, true)), &[calls(), stops()]);
    assert_eq!(outcome, Outcome::ServerFault);
    assert_eq!((both[0].delivered.word(), both[0].intent.as_ref().map(Verdict::word)), ("fail", Some("pass")));
    // Wrong on both readings: the model's.
    let (both, outcome) = scored("<tool_call>…", Some(&reread("", 1, true)), &[calls()]);
    assert_eq!(outcome, Outcome::Failed);
    assert_eq!(both[0].intent.as_ref().map(Verdict::word), Some("fail"));
    // One expectation fails on what was meant: the server's loss does not excuse it.
    let (_, outcome) = scored("<tool_call>…", Some(&reread("", 2, true)), &[calls(), says_paris()]);
    assert_eq!(outcome, Outcome::Failed);
    // A call that must not be made is not excused by a server that did not recognise it.
    let (_, outcome) = scored("<tool_call>…", Some(&reread("", 1, true)), &[no_call()]);
    assert_eq!(outcome, Outcome::Failed);
    let (_, outcome) = scored("Paris", Some(&reread("Paris", 0, false)), &[no_call(), says_paris()]);
    assert_eq!(outcome, Outcome::Passed);
}

#[test]
fn combinations() {
    let case = |expectation: Expectation, name: &str, verdict: &Verdict| {
        let (scored, _) = scored("Paris", None, std::slice::from_ref(&expectation));
        assert_eq!((scored[0].scorer.as_str(), &scored[0].delivered), (name, verdict));
        assert_eq!(expectation.label(), name);
    };
    let fail = |reason: &str| Verdict::Fail(reason.to_owned());
    let not = |inner| Expectation::Not(Box::new(inner));
    case(not(says_paris()), "not contains", &fail("it holds and must not"));
    case(not(calls()), "not tool_call", &Verdict::Pass);
    case(not(unscored()), "not stream_parity", &Verdict::NotScored("one mode only".into()));
    case(Expectation::Any(vec![calls(), says_paris()]), "any(tool_call, contains)", &Verdict::Pass);
    let none = fail("none of 2 holds: tool_call: not the two calls; not contains: it holds and must not");
    case(Expectation::Any(vec![calls(), not(says_paris())]), "any(tool_call, not contains)", &none);
    case(
        Expectation::Any(vec![calls(), unscored()]),
        "any(tool_call, stream_parity)",
        &Verdict::NotScored("stream_parity: one mode only".into()),
    );
    case(Expectation::Any(vec![]), "any()", &fail("none of 0 holds: "));
    case(Expectation::All(vec![says_paris(), stops()]), "all(contains, finish_reason)", &Verdict::Pass);
    case(
        Expectation::All(vec![unscored(), calls()]),
        "all(stream_parity, tool_call)",
        &fail("tool_call: not the two calls"),
    );
    case(
        Expectation::All(vec![unscored(), stops()]),
        "all(stream_parity, finish_reason)",
        &Verdict::NotScored("stream_parity: one mode only".into()),
    );
}

#[test]
fn what_could_not_be_scored_neither_passes_nor_fails() {
    case(&[plain("Paris", "stop")], &[unscored()], Outcome::Skipped);
    case(&[plain("Paris", "stop")], &[unscored(), says_paris()], Outcome::Passed);
    case(&[plain("London", "stop")], &[unscored(), says_paris()], Outcome::Failed);
}

#[test]
fn without_expectations_only_the_fault_is_looked_for() {
    case(&[plain("Paris", "stop")], &[], Outcome::Passed);
    case(&[message(&json!({"content": null}), "stop", 1)], &[], Outcome::Skipped);
    case(&[plain("Par", "length")], &[], Outcome::Truncated);
    case(&[json!({"http_status": 500, "body_text": "x"})], &[], Outcome::Error);
}

#[test]
fn a_stock_client_is_asked_where_something_departs() {
    let mut object = two_calls();
    object["tool_calls"][0]["function"]["arguments"] = json!({});
    let judgement = judged(&json!({}), &[message(&object, "tool_calls", 9)], &[]);
    let kinds: Vec<_> =
        judgement.answers[0].completion().unwrap().deviations.iter().map(|found| found.kind.as_str()).collect();
    assert!(kinds.contains(&"arguments_object"), "{kinds:?}");
    assert_eq!(kinds.contains(&"strict_client"), cfg!(feature = "strict-client"));
    let judgement = judged(&json!({}), &[plain("Paris", "stop")], &[]);
    assert_eq!(judgement.answers[0].completion().unwrap().deviations, []);
}

#[test]
fn other_modes_are_at_hand() {
    let parity = by("stream_parity", |subject| match subject.other {
        Some(other) => {
            holds(other.mode != subject.completion.mode && other.text() == subject.completion.text(), "differ")
        }
        None => Verdict::NotScored("one mode only".to_owned()),
    });
    let both = [plain("Paris", "stop"), stream(&[json!({"content": "Paris"})], "stop")];
    case(&both, std::slice::from_ref(&parity), Outcome::Passed);
    let differ = [plain("Paris", "stop"), stream(&[json!({"content": "Rome"})], "stop")];
    case(&differ, std::slice::from_ref(&parity), Outcome::Failed);
    // No model stops within a word: the stream lost the rest.
    let cut = [plain("Paris", "stop"), stream(&[json!({"content": "Par"})], "stop")];
    case(&cut, std::slice::from_ref(&parity), Outcome::ServerFault);
    case(&both[..1], &[parity], Outcome::Skipped);
}

#[test]
fn an_id_or_type_that_is_not_there_is_the_servers() {
    let wanted = json!({"scorer": "tool_call", "name": "f", "arguments": {}});
    let expectation = || Expectation::parse(wanted.as_object().unwrap(), &crate::Registry::builtin()).unwrap();
    let request = json!({"messages": [], "tools": [{"type": "function", "function": {"name": "f"}}]});
    for call in [
        json!({"id": "", "type": "function", "function": {"name": "f", "arguments": "{}"}}),
        json!({"id": "1", "function": {"name": "f", "arguments": "{}"}}),
    ] {
        let answer = message(&json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls", 9);
        let judgement = judged(&request, &[answer], &[expectation()]);
        assert_eq!(judgement.outcome, Outcome::ServerFault, "{judgement:#?}");
        assert_eq!(judgement.scored[0].intent, Some(Verdict::Pass));
        assert_eq!(judgement.repairs.len(), 1);
    }
}

/// A call of `f` with these arguments by a model, judged by what it should have been.
fn typed_call(model: &str, arguments: &str, wanted: &Value) -> Judgement {
    let wanted = json!({"scorer": "tool_call", "name": "f", "arguments": wanted});
    let expectation = Expectation::parse(wanted.as_object().unwrap(), &crate::Registry::builtin()).unwrap();
    let parameters = json!({"type": "object", "properties": {
        "count": {"type": "integer"}, "deep": {"type": "boolean"}, "code": {"type": "string"}}});
    let tool = json!({"type": "function", "function": {"name": "f", "parameters": parameters}});
    let call = json!({"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}});
    let answer = message(&json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls", 20);
    judged(&json!({"model": model, "messages": [], "tools": [tool]}), &[answer], &[expectation])
}

#[test]
fn a_type_that_a_parser_lost_is_given_back_where_the_format_writes_none() {
    let wanted = json!({"count": 10, "deep": true, "code": "007"});
    let lost = r#"{"count": "10", "deep": "True", "code": "007"}"#;
    let judgement = typed_call("Qwen/Qwen3-Coder-30B-A3B-Instruct", lost, &wanted);
    assert_eq!(judgement.outcome, Outcome::ServerFault, "{judgement:#?}");
    assert_eq!(judgement.scored[0].intent, Some(Verdict::Pass));
    assert_eq!((judgement.findings[0].rule.as_str(), judgement.findings[0].blame), ("bad_args", Blame::ServerBug));
    // This one writes JSON: the string is its own.
    let judgement = typed_call("Qwen/Qwen2.5-7B-Instruct", lost, &wanted);
    assert_eq!(judgement.outcome, Outcome::Failed, "{judgement:#?}");
    assert_eq!(judgement.findings[0].blame, Blame::Model);
    // A text that reads as no number is no number.
    let judgement = typed_call("Qwen/Qwen3-Coder-30B-A3B-Instruct", r#"{"count": "ten"}"#, &json!({"count": 10}));
    assert_eq!(judgement.outcome, Outcome::Failed, "{judgement:#?}");
}
