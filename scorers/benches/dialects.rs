//! Every dialect on hostile texts of 1 MB: `cargo bench -p monban-scorers --bench dialects`.
//!
//! Prints, for each text, the time of `recognise`, `split_reasoning` and `reread` over all dialects at 256 kB and at 1 MB, and
//! the growth. Four times the text may take about four times as long; a growth of ten or more would be quadratic, and fails.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use monban_scorers::dialects::{Hints, recognise, reread, split_reasoning};
use monban_scorers::{Completion, Request};
use serde_json::json;

const SEEDS: &[(&str, &str)] = &[
    ("<tool_call>", "<tool_call>"),
    ("{", "{"),
    ("<", "<"),
    ("[", "["),
    ("<think>", "<think>"),
    ("</think>", "</think>\n"),
    ("hermes calls", "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Tokyo\"}}\n</tool_call>\n"),
    (
        "xml calls",
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nTokyo\n</parameter>\n</function>\n</tool_call>\n",
    ),
    ("open calls", "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {"),
    ("gemma", "<|tool_call>call:get_weather{city:<|\"|>Tokyo"),
    ("pythonic", "[get_weather(city=\"Tokyo\"), "),
    ("other tools", "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>"),
    ("json lines", "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Tokyo\"}} x\n"),
    ("json array", "[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Tokyo\"}},\n"),
    ("names", "get_weather\n{"),
    ("stripped", "call:get_weather{city:"),
    ("nested", "call:get_weather{city:[[["),
    ("fences", "```\n`<tool_call>`\n"),
    ("think blocks", "<think>a</think>b"),
    ("turns", "a<|im_end|>\nUser: b\nAssistant: "),
    ("prose", "The tool get_weather(city) answers {\"city\": \"Tokyo\"} when it is asked. "),
];

fn main() {
    let request = Request::read(&json!({ "model": "m", "messages": [], "tools": [{ "type": "function", "function": {
        "name": "get_weather", "parameters": { "type": "object", "properties": { "city": { "type": "string" } } } } }] }));
    println!("{:<14} {:>12} {:>12} {:>8}", "text", "256 kB", "1 MB", "growth");
    let mut worst: f64 = 0.0;
    for (name, seed) in SEEDS {
        let small = best(&seed.repeat((256 << 10) / seed.len()), &request);
        let large = best(&seed.repeat((1 << 20) / seed.len()), &request);
        let growth = large.as_secs_f64() / small.as_secs_f64();
        // Below that the caches say more than the code.
        if large >= Duration::from_millis(50) {
            worst = worst.max(growth);
        }
        println!(
            "{name:<14} {:>9.2} ms {:>9.2} ms {growth:>7.1}x",
            small.as_secs_f64() * 1e3,
            large.as_secs_f64() * 1e3
        );
    }
    assert!(worst < 10.0, "four times the text took {worst:.1} times as long");
}

/// The best of three, so that a busy machine does not count.
fn best(text: &str, request: &Request) -> Duration {
    let hints = Hints { request: Some(request), ..Hints::default() };
    let completion = Completion {
        text: Some(text.to_owned()),
        finish_reason: Some("stop".into()),
        choices: 1,
        ..Completion::default()
    };
    (0..3)
        .map(|_| {
            let begun = Instant::now();
            black_box(recognise(text, &hints));
            black_box(split_reasoning(text));
            black_box(reread(&completion, request, &hints));
            begun.elapsed()
        })
        .min()
        .unwrap_or_default()
}
