//! A harness of your own judges the responses it has stored: no endpoint, no runtime, no I/O.
//!
//! `cargo run -p monban-scorers --example embed`
//!
//! The second answer is red, and not by the model's fault: its call was never parsed.

use monban_scorers::diagnosis::Context;
use monban_scorers::judge::{Attempt, Judgement, judge};
use monban_scorers::{ArgError, Exchange, Expectation, RawJson, Registry, Request};
use serde_json::{Value, json};

/// All that a harness needs: what was asked, what came back, what must hold.
fn judged(request: &Value, response: &Value, expect: &Value) -> Result<Judgement, Vec<ArgError>> {
    let exchange = Exchange::plain(RawJson::of(request), 200, response.to_string());
    let table = expect.as_object().cloned().unwrap_or_default();
    let attempt = Attempt {
        task: "weather",
        request: &Request::read(request),
        exchanges: &[exchange],
        expectations: &[Expectation::parse(&table, &Registry::builtin())?],
        context: &Context {
            engine: Some("vllm".to_owned()),
            model: Some("Qwen/Qwen3-8B".to_owned()),
            ..Context::default()
        },
    };
    Ok(judge(&attempt))
}

#[expect(clippy::print_stdout, reason = "an example shows something")]
fn main() {
    let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let request = json!({
        "model": "Qwen/Qwen3-8B",
        "messages": [{"role": "user", "content": "What is the weather in Tokyo?"}],
        "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": parameters}}],
    });
    let expect = json!({"scorer": "tool_call", "name": "get_weather", "arguments": {"city": "Tokyo"}});
    let answer = |message: Value, finish_reason: &str| {
        json!({"id": "1", "object": "chat.completion", "created": 1, "model": "Qwen/Qwen3-8B",
               "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]})
    };
    let call = json!({"id": "call_1", "type": "function",
                      "function": {"name": "get_weather", "arguments": "{\"city\": \"Tokyo\"}"}});
    let markup = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Tokyo\"}}\n</tool_call>";
    let stored = [
        answer(json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls"),
        answer(json!({"role": "assistant", "content": markup}), "stop"),
        answer(json!({"role": "assistant", "content": "It is sunny in Tokyo."}), "stop"),
    ];
    for response in &stored {
        match judged(&request, response, &expect) {
            Ok(judgement) => show(&judgement),
            Err(errors) => println!("the expectation is wrong: {errors:?}"),
        }
    }
}

#[expect(clippy::print_stdout, reason = "an example shows something")]
fn show(judgement: &Judgement) {
    println!("{:?}", judgement.outcome);
    for scored in &judgement.scored {
        println!("  {}: {} {}", scored.scorer, scored.delivered.word(), scored.delivered.reason());
    }
    for finding in &judgement.findings {
        println!("  {} ({:?}): {}", finding.rule, finding.blame, finding.message);
        for fix in &finding.fix {
            println!("    fix: {fix}");
        }
    }
}
