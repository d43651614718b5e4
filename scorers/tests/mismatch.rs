//! Every family behind every parser, as the catalogue's matrix has it: answers are made from the measured outcome, and
//! the diagnosis must find what was set up. Nothing here comes from a captured file.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test prints its table")]

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

/// One set-up, and the diagnoses that are right for it.
struct Cell {
    what: String,
    line: Value,
    flags: [&'static str; 2],
    expected: &'static [&'static str],
}

/// Diagnoses every `stride`-th cell, every second of them as a stranger who does not know the flags.
fn grade(cells: impl Iterator<Item = Cell>, stride: usize) {
    let (mut of, mut misses) = (0, Vec::new());
    for (at, cell) in cells.step_by(stride).enumerate() {
        let mut line = cell.line;
        let told = at % 2 == 0;
        if told {
            line["server_flags"] = json!(["--enable-auto-tool-choice", cell.flags[0], cell.flags[1]]);
        }
        let verdict = diagnose(&line).unwrap();
        of += 1;
        if !cell.expected.contains(&verdict.diagnosis) {
            misses.push(format!("{} told {told}: {} not {:?}", cell.what, verdict.diagnosis, cell.expected));
        }
    }
    println!("{} of {of} cells right\n{}", of - misses.len(), misses.join("\n"));
    assert!(of > 300, "{of}");
    assert!(misses.len() * 100 <= of * 2, "{} of {of} missed", misses.len());
}

fn tool_cell(engine: &str, version: &str, family: &str, parser: &'static str) -> Option<Cell> {
    let raw = tool_dialect(family)?.render(&[call()]);
    let seen = |mode| outcome(engine, Some(version), family, parser, mode, false).map(|seen| seen.outcome);
    let (one, two) = (seen(Mode::Plain)?, seen(Mode::Stream)?);
    let own = parser_families(engine, FamilyKind::Tool, parser).iter().any(|own| own == family);
    let expected: &[&str] = match (one, two) {
        (MatrixOutcome::Refuse, _) | (_, MatrixOutcome::Refuse) => return None,
        (MatrixOutcome::Ok, MatrixOutcome::Ok) => &["none"],
        (MatrixOutcome::Ok, _) | (_, MatrixOutcome::Ok) => &["stream_only", "wrong_tool_parser"],
        _ if own => &["wrong_tool_parser", "stream_only", "bad_args", "other"],
        _ if engine == "sglang" => &["wrong_tool_parser", "no_tool_parser"],
        _ => &["wrong_tool_parser"],
    };
    Some(Cell {
        what: format!("{engine} {version} {family} behind {parser} ({}/{})", one.word(), two.word()),
        line: json!({"engine": engine, "engine_version": version, "request": request(),
            "response": plain(one, &raw), "stream_response": streamed(two, &raw)}),
        flags: ["--tool-call-parser", parser],
        expected,
    })
}

#[test]
fn every_family_behind_every_parser() {
    let runs = [("vllm", "0.33.0"), ("vllm", "0.16.0"), ("sglang", "0.5.23"), ("sglang", "0.5.9")];
    let cells = runs.into_iter().flat_map(|(engine, version)| {
        catalogue().tools.iter().flat_map(move |family| {
            let parsers = parser_names(engine, FamilyKind::Tool, Some(version)).into_iter();
            parsers.filter_map(move |parser| tool_cell(engine, version, &family.name, parser))
        })
    });
    // All 8,000 cells take a minute in a debug build; `MONBAN_ALL_CELLS=1` asks them.
    grade(cells, if std::env::var_os("MONBAN_ALL_CELLS").is_some() { 1 } else { 17 });
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

const SHAPES: &[&str] = &[
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

fn thought_cell(engine: &str, version: &str, shape: &str, parser: &'static str) -> Option<Cell> {
    let raw = shape_text(shape)?;
    let seen = reasoning_outcome(engine, Some(version), shape, parser, None, Mode::Plain)?.0;
    let SplitOutcome::Split { reasoning, content } = seen else { return None };
    let (thought, answer) = (field(reasoning, raw)?, field(content, raw)?);
    let expected: &[&str] = match (reasoning, content) {
        (Part::Thought, Part::Answer) => &["none"],
        (_, Part::Raw | Part::Opened) => &["no_reasoning_parser", "wrong_reasoning_parser", "template"],
        (Part::Raw, _) => &["wrong_reasoning_parser"],
        _ => return None,
    };
    let key = if engine == "vllm" { "reasoning" } else { "reasoning_content" };
    let message = json!({"role": "assistant", "content": answer, key: thought});
    Some(Cell {
        what: format!("{engine} {version} {shape} behind {parser} ({reasoning:?}+{content:?})"),
        line: json!({"engine": engine, "engine_version": version,
            "request": {"model": "served-model", "messages": [{"role": "user", "content": "Is it sunny?"}]},
            "response": {"http_status": 200, "body": {
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": 20, "completion_tokens": 15, "total_tokens": 35}}}}),
        flags: ["--reasoning-parser", parser],
        expected,
    })
}

#[test]
fn every_thought_behind_every_reasoning_parser() {
    let runs = [("vllm", "0.33.0"), ("vllm", "0.16.0"), ("sglang", "0.5.23")];
    let cells = runs.into_iter().flat_map(|(engine, version)| {
        SHAPES.iter().flat_map(move |shape| {
            let parsers = parser_names(engine, FamilyKind::Reasoning, Some(version)).into_iter();
            parsers.filter_map(move |parser| thought_cell(engine, version, shape, parser))
        })
    });
    grade(cells, 1);
}
