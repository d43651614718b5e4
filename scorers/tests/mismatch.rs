//! Every family behind every parser, as the catalogue's matrix has it: answers are made from the measured outcome, and
//! the diagnosis must find what was set up. Nothing here comes from a captured file.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use monban_scorers::catalogue::{
    FamilyKind, MatrixOutcome, Part, SplitOutcome, catalogue, outcome, parser_families, parser_names,
    reasoning_outcome, shape_text,
};
use monban_scorers::completion::Mode;
use monban_scorers::diagnosis::diagnose;
use monban_scorers::dialects::{Call, tool_dialect};
use serde_json::{Value, json};

fn request() -> Value {
    json!({
        "model": "served-model",
        "messages": [{"role": "user", "content": "What is the weather in Lyon for 3 days?"}],
        "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        }}}],
        "temperature": 0,
        "max_tokens": 600,
    })
}

fn call() -> Call {
    let arguments = json!({"city": "Lyon", "days": 3}).as_object().unwrap().clone();
    Call { name: "get_weather".to_owned(), arguments, id: None }
}

/// The longest prefix of at most `bytes` bytes.
fn prefix(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    &text[..end]
}

/// The message a client gets.
fn message(outcome: MatrixOutcome, raw: &str) -> (Value, &'static str) {
    let call = |name: &str, arguments: &str| json!([{"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}]);
    let right = || call("get_weather", "{\"city\": \"Lyon\", \"days\": 3}");
    match outcome {
        MatrixOutcome::Ok => (json!({"role": "assistant", "content": null, "tool_calls": right()}), "tool_calls"),
        MatrixOutcome::Residue => {
            (json!({"role": "assistant", "content": prefix(raw, 24), "tool_calls": right()}), "tool_calls")
        }
        MatrixOutcome::Wrong => {
            (json!({"role": "assistant", "content": null, "tool_calls": call(raw, "{}")}), "tool_calls")
        }
        MatrixOutcome::Swallow => (json!({"role": "assistant", "content": null, "tool_calls": []}), "stop"),
        MatrixOutcome::Partial => {
            let rest = raw.len() - prefix(raw, 14).len();
            (json!({"role": "assistant", "content": &raw[raw.len() - rest..], "tool_calls": []}), "stop")
        }
        MatrixOutcome::Leak | MatrixOutcome::Refuse => {
            (json!({"role": "assistant", "content": raw, "tool_calls": []}), "stop")
        }
    }
}

fn plain(outcome: MatrixOutcome, raw: &str) -> Value {
    let (message, finish) = message(outcome, raw);
    json!({"http_status": 200, "body": {"choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 150, "completion_tokens": 34, "total_tokens": 184}}})
}

fn streamed(outcome: MatrixOutcome, raw: &str) -> Value {
    let (message, finish) = message(outcome, raw);
    let mut delta = json!({"role": "assistant", "content": message["content"]});
    if let Some(call) = message["tool_calls"].get(0) {
        let mut call = call.clone();
        call["index"] = json!(0);
        delta["tool_calls"] = json!([call]);
    }
    json!({"http_status": 200, "chunks": [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": null}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        {"choices": [], "usage": {"prompt_tokens": 150, "completion_tokens": 34, "total_tokens": 184}},
    ], "done": true})
}

#[test]
fn every_family_behind_every_parser() {
    // All cells take minutes in a debug build; `MONBAN_ALL_CELLS=1` asks them.
    let stride = if std::env::var_os("MONBAN_ALL_CELLS").is_some() { 1 } else { 17 };
    let (mut of, mut cell, mut misses) = (0, 0, Vec::new());
    for (engine, version) in [("vllm", "0.33.0"), ("vllm", "0.16.0"), ("sglang", "0.5.23"), ("sglang", "0.5.9")] {
        for family in &catalogue().tools {
            let Some(dialect) = tool_dialect(&family.name) else { continue };
            let raw = dialect.render(&[call()]);
            for parser in parser_names(engine, FamilyKind::Tool, Some(version)) {
                let seen =
                    |mode| outcome(engine, Some(version), &family.name, parser, mode, false).map(|seen| seen.outcome);
                let (Some(one), Some(two)) = (seen(Mode::Plain), seen(Mode::Stream)) else { continue };
                if one == MatrixOutcome::Refuse || two == MatrixOutcome::Refuse {
                    continue;
                }
                let own = parser_families(engine, FamilyKind::Tool, parser).contains(&family.name);
                let expected: &[&str] = match (one, two) {
                    (MatrixOutcome::Ok, MatrixOutcome::Ok) => &["none"],
                    (MatrixOutcome::Ok, _) | (_, MatrixOutcome::Ok) => &["stream_only", "wrong_tool_parser"],
                    _ if own => &["wrong_tool_parser", "stream_only", "bad_args", "other"],
                    _ if engine == "sglang" => &["wrong_tool_parser", "no_tool_parser"],
                    _ => &["wrong_tool_parser"],
                };
                cell += 1;
                if cell % stride != 0 {
                    continue;
                }
                // A stranger does not know the parser: every second cell is asked without it.
                for told in [(cell / stride) % 2 == 0] {
                    let mut line = json!({"engine": engine, "engine_version": version, "request": request(),
                        "response": plain(one, &raw), "stream_response": streamed(two, &raw)});
                    if told {
                        line["server_flags"] = json!(["--enable-auto-tool-choice", "--tool-call-parser", parser]);
                    }
                    let verdict = diagnose(&line).unwrap();
                    of += 1;
                    if !expected.contains(&verdict.diagnosis) {
                        misses.push(format!(
                            "{engine} {version} {} behind {parser} ({}/{}) told {told}: {} not {expected:?}",
                            family.name,
                            one.word(),
                            two.word(),
                            verdict.diagnosis
                        ));
                    }
                }
            }
        }
    }
    println!("{} of {of} cells right\n{}", of - misses.len(), misses.join("\n"));
    assert!(of > 300, "{of}");
    assert!(misses.len() * 100 <= of * 2, "{} of {of} missed", misses.len());
}

/// What stands in a field.
fn field(part: Part, raw: &str) -> Option<Value> {
    Some(match part {
        Part::None => Value::Null,
        Part::Empty => json!(""),
        Part::Thought => json!("Let me think."),
        Part::Answer => json!("It is sunny."),
        Part::Raw => json!(raw),
        Part::Opened => json!(format!("<think>{raw}")),
        _ => return None,
    })
}

#[test]
fn every_thought_behind_every_reasoning_parser() {
    let shapes = [
        "think_full",
        "think_prefilled",
        "seed_think",
        "mistral_think",
        "gemma4_channel",
        "granite",
        "hunyuan_a13b",
        "minimax_m3",
        "kimi_k2",
        "cohere",
        "hy_v3_os",
        "apertus",
        "k2_horizon",
        "kimi_old",
    ];
    let (mut of, mut misses) = (0, Vec::new());
    for (engine, version) in [("vllm", "0.33.0"), ("vllm", "0.16.0"), ("sglang", "0.5.23")] {
        for shape in shapes {
            let Some(raw) = shape_text(shape) else { continue };
            for parser in parser_names(engine, FamilyKind::Reasoning, Some(version)) {
                let seen = reasoning_outcome(engine, Some(version), shape, parser, None, Mode::Plain);
                let Some((SplitOutcome::Split { reasoning, content }, _)) = seen else { continue };
                let (Some(thought), Some(answer)) = (field(reasoning, raw), field(content, raw)) else { continue };
                let expected: &[&str] = match (reasoning, content) {
                    (Part::Thought, Part::Answer) => &["none"],
                    (_, Part::Raw | Part::Opened) => &["no_reasoning_parser", "wrong_reasoning_parser", "template"],
                    (Part::Raw, _) => &["wrong_reasoning_parser"],
                    _ => continue,
                };
                for told in [true, false] {
                    let key = if engine == "vllm" { "reasoning" } else { "reasoning_content" };
                    let mut line = json!({"engine": engine, "engine_version": version,
                        "request": {"model": "served-model", "messages": [{"role": "user", "content": "Is it sunny?"}]},
                        "response": {"http_status": 200, "body": {"choices": [{"index": 0, "finish_reason": "stop",
                            "message": {"role": "assistant", "content": answer, key: thought}}],
                            "usage": {"prompt_tokens": 20, "completion_tokens": 15, "total_tokens": 35}}}});
                    if told {
                        line["server_flags"] = json!(["--reasoning-parser", parser]);
                    }
                    let verdict = diagnose(&line).unwrap();
                    of += 1;
                    if !expected.contains(&verdict.diagnosis) {
                        misses.push(format!("{engine} {version} {shape} behind {parser} ({reasoning:?}+{content:?}) told {told}: {} not {expected:?}", verdict.diagnosis));
                    }
                }
            }
        }
    }
    println!("{} of {of} cells right\n{}", of - misses.len(), misses.join("\n"));
    assert!(of > 300, "{of}");
    assert!(misses.len() * 100 <= of * 2, "{} of {of} missed", misses.len());
}
