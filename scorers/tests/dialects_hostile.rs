//! Dialects against random calls, random text, text built to be slow, and prose that talks about tools.

#![allow(clippy::unwrap_used, missing_docs)]

use std::time::{Duration, Instant};

use monban_scorers::completion::{Arguments, Completion};
use monban_scorers::dialects::{Call, Hints, REASONING_DIALECTS, TOOL_DIALECTS, recognise, reread, split_reasoning};
use monban_scorers::{Request, ToolCall};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn declared() -> Request {
    Request::read(&json!({"model": "local", "messages": [], "tools": [
        {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {
            "city": {"type": "string"}, "days": {"type": "integer"}, "exact": {"type": "boolean"}}}}},
        {"type": "function", "function": {"name": "plan", "parameters": {
            "$defs": {"stop": {"type": "object", "properties": {"at": {"type": "string"}}}},
            "type": "object", "properties": {
                "title": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "ratio": {"type": "number"}, "stops": {"type": "array", "items": {"$ref": "#/$defs/stop"}},
                "first": {"$ref": "#/$defs/stop"}, "tags": {"type": "array", "items": {"type": "string"}}}}}},
        {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}},
    ]}))
}

/// Text as models write it into arguments; without the bytes that no markup of untyped values can carry.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z][A-Za-z0-9 .,!?'äöü東京-]{0,30}[A-Za-z0-9]",
        "[A-Za-z]{1,6}\\n[a-z]{1,6}: \\{[a-z]{1,4}\\}",
        Just("a \"quoted\" word and a \\ slash".to_owned()),
    ]
}

fn keep(entries: Vec<(&'static str, Option<Value>)>) -> Map<String, Value> {
    entries.into_iter().filter_map(|(key, value)| value.map(|value| (key.to_owned(), value))).collect()
}

fn arguments() -> impl Strategy<Value = (&'static str, Map<String, Value>)> {
    let stop = || text().prop_map(|at| json!({"at": at}));
    let weather =
        (proptest::option::of(text()), proptest::option::of(any::<i32>()), proptest::option::of(any::<bool>()))
            .prop_map(|(city, days, exact)| {
                let entries = vec![
                    ("city", city.map(Value::from)),
                    ("days", days.map(Value::from)),
                    ("exact", exact.map(Value::from)),
                ];
                ("get_weather", keep(entries))
            });
    let plan = (
        proptest::option::of(text()),
        proptest::option::of(-1000i32..1000),
        proptest::option::of(proptest::collection::vec(stop(), 0..3)),
        proptest::option::of(stop()),
        proptest::option::of(proptest::collection::vec(text(), 0..3)),
    )
        .prop_map(|(title, ratio, stops, first, tags)| {
            let entries = vec![
                ("title", title.map(Value::from)),
                ("ratio", ratio.map(|ratio| Value::from(f64::from(ratio) / 8.0 + 0.5))),
                ("stops", stops.map(Value::from)),
                ("first", first),
                ("tags", tags.map(Value::from)),
            ];
            ("plan", keep(entries))
        });
    prop_oneof![weather, plan, Just(("now", Map::new()))]
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let call = arguments().prop_map(|(name, arguments)| Call { name: name.to_owned(), arguments, id: None });
    proptest::collection::vec(call, 1..4)
}

fn plain(calls: &[Call]) -> Vec<(String, Value)> {
    calls.iter().map(|call| (call.name.clone(), numbers(Value::Object(call.arguments.clone())))).collect()
}

/// Numbers compare by value: markup without types cannot tell 3 from 3.0.
fn numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.into_iter().map(numbers).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, numbers(value))).collect::<Map<_, _>>().into(),
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(calls in calls()) {
        let request = declared();
        let hints = Hints { request: Some(&request), ..Hints::default() };
        for dialect in TOOL_DIALECTS {
            let written = dialect.render(&calls);
            let read = dialect.parse(&written, &hints);
            let got = read.as_ref().map(|read| plain(&read.calls)).unwrap_or_default();
            prop_assert_eq!(&got, &plain(&calls), "{}: {:?}", dialect.family, written);
            let left = read.map(|read| read.text).unwrap_or_default();
            prop_assert!(left.is_empty() || left == "</think>", "{} leaves {:?}", dialect.family, left);
        }
    }

    #[test]
    fn the_text_before_a_call_is_kept(calls in calls(), before in "[A-Z][a-z ]{3,20}[.:]") {
        let request = declared();
        let hints = Hints { request: Some(&request), ..Hints::default() };
        for dialect in TOOL_DIALECTS.iter().filter(|dialect| dialect.family != "ernie45") {
            let written = format!("{before}\n{}", dialect.render(&calls));
            let read = dialect.parse(&written, &hints);
            let read = read.map(|read| (plain(&read.calls), read.text)).unwrap_or_default();
            prop_assert_eq!(read, (plain(&calls), before.clone()), "{}", dialect.family);
        }
    }

    #[test]
    fn thought_and_answer_come_apart(thought in "[A-Z][a-z ,]{2,40}\\.", answer in "[A-Z][a-z ,]{2,40}\\.") {
        for dialect in REASONING_DIALECTS {
            for prefilled in [false, true] {
                let written = dialect.render(&thought, &answer, prefilled);
                let Some(split) = dialect.split(&written) else { continue };
                prop_assert_eq!((&split.reasoning, &split.answer), (&thought, &answer), "{}", dialect.family);
            }
        }
    }

    #[test]
    fn random_text_never_panics(text in "\\PC{0,200}", pieces in proptest::collection::vec(0usize..PIECES.len(), 0..24)) {
        let mixed: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        let request = declared();
        let hints = Hints { request: Some(&request), ..Hints::default() };
        for text in [&text, &mixed, &format!("{text}{mixed}")] {
            for dialect in TOOL_DIALECTS {
                let _ = dialect.recognise(text, &hints);
                let _ = dialect.recognise(text, &Hints::default());
                if let Some(read) = dialect.parse(text, &hints) {
                    let _ = dialect.render(&read.calls);
                }
            }
            for dialect in REASONING_DIALECTS {
                let _ = dialect.split(text);
            }
            for (content, reasoning) in [(Some(text.clone()), None), (None, Some(text.clone()))] {
                let call = ToolCall { name: text.clone(), ..ToolCall::default() };
                for tool_calls in [vec![], vec![call]] {
                    let completion = Completion {
                        text: content.clone(),
                        reasoning: reasoning.clone(),
                        tool_calls,
                        finish_reason: Some("stop".to_owned()),
                        ..Completion::default()
                    };
                    let _ = reread(&completion, &request, &Hints::default());
                }
            }
        }
    }

    #[test]
    fn prose_is_not_markup(words in proptest::collection::vec("[A-Za-z]{1,9}[.,:;!?]?", 0..40)) {
        let request = declared();
        let text = words.join(" ");
        prop_assert_eq!(recognise(&text, &Hints { request: Some(&request), ..Hints::default() }), None);
        prop_assert_eq!(split_reasoning(&text), None);
    }
}

/// Pieces of markup, whole and broken.
const PIECES: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "<function=get_weather>",
    "<parameter=city>",
    "</parameter>",
    "</function>",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "\\",
    "\n",
    "```json\n",
    "```",
    "`",
    "get_weather",
    "get_weather(",
    "city=",
    ")",
    "name",
    ":",
    ",",
    "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"東京\"}}",
    "[TOOL_CALLS]",
    "[ARGS]",
    "[CALL_ID]",
    "<think>",
    "</think>",
    "<|channel|>",
    "<|message|>",
    "analysis",
    "final",
    "<|end|>",
    "to=functions.get_weather",
    "call:get_weather{",
    "<|\"|>",
    "<|channel>thought\n",
    "<channel|>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "<｜DSML｜invoke name=\"now\">",
    "functions.now:0",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "]<]minimax[>[<",
    "<|open|>call tool=\"",
    "<|sep|>",
    "<tool_call:opensource>",
    ":opensource>",
    "é",
    "assistantfinal",
    "Here is my response:",
    "<|tool_call_begin|>",
];

fn fastest(completion: &Completion) -> Duration {
    let request = declared();
    let hints = Hints { request: Some(&request), ..Hints::default() };
    let once = || {
        let start = Instant::now();
        let _ = recognise(completion.text(), &hints);
        let _ = split_reasoning(completion.text());
        let _ = reread(completion, &request, &Hints::default());
        start.elapsed()
    };
    once().min(once())
}

#[test]
fn four_times_the_text_takes_about_four_times_as_long() {
    let mut seeds: Vec<String> = PIECES.iter().map(|piece| (*piece).to_owned()).collect();
    seeds.extend(
        [
            "<tool_call>{",
            "<tool_call>{\"name\": \"",
            "<tool_call>[{\"",
            "functools[\"",
            "functools[[",
            "{\"a\":",
            "{\"a\": [",
            "\n{\"name\": \"get_weather\", ",
            "\n[get_weather(city='",
            "[TOOL_CALLS]get_weather{\"",
            "<tool_call>get_weather<arg_key>a",
            "<function=get_weather><parameter=city>",
            "<function=get_weather><parameter=city>a</parameter>",
            "`<tool_call>`",
            "<|tool_call>call:get_weather{city:",
            "<|tool_call>call:get_weather{city:<|\"|>",
            "call:get_weather{city:{",
            "<think>a</think>",
            "<think>\n",
            "Here is my thought process:Here is my response:",
            "a\n",
            " ",
            "<tool_call>  ",
            "<|channel|>analysis<|message|>",
            " to=",
            "<tool_call:opensource>a",
            "<｜DSML｜invoke name=\"now\"><｜DSML｜parameter name=\"",
            "]<]minimax[>[<invoke name=\"now\">]<]minimax[>[<a>",
            "<|python_start|>[now(",
            "<|channel>thought\n{",
            "```\n",
            "get_weather{",
        ]
        .map(str::to_owned),
    );
    let slow: Vec<&String> = seeds.iter().filter(|seed| is_quadratic(2_000, |bytes| repeated(seed, bytes))).collect();
    assert!(slow.is_empty(), "not linear: {slow:?}");
}

fn repeated(seed: &str, bytes: usize) -> Completion {
    let text = seed.repeat(bytes / seed.len());
    Completion {
        text: Some(text.clone()),
        reasoning: Some(text),
        finish_reason: Some("stop".to_owned()),
        ..Completion::default()
    }
}

#[test]
fn many_calls_take_linear_time() {
    let written = |calls: usize| {
        let call = |city| {
            format!("<tool_call>{{\"name\": \"get_weather\", \"arguments\": {{\"city\": \"{city}\"}}}}</tool_call>")
        };
        Completion { text: Some((0..calls).map(call).collect()), ..Completion::default() }
    };
    assert!(!is_quadratic(100, written));
}

#[test]
fn residue_in_values_takes_linear_time() {
    let residue = |pieces: usize| {
        let arguments = json!({"city": "</parameter>".repeat(pieces)}).to_string();
        let call =
            ToolCall { name: "get_weather".to_owned(), arguments: Arguments::Text(arguments), ..ToolCall::default() };
        Completion { tool_calls: vec![call], ..Completion::default() }
    };
    assert!(!is_quadratic(1_000, residue));
}

/// Four times the size takes much more than four times as long.
fn is_quadratic(size: usize, make: impl Fn(usize) -> Completion) -> bool {
    // The clock is shared with whatever else runs: a suspect is asked again, on more text.
    // What is quadratic takes sixteen times as long, whenever it is asked.
    growth(size, &make) > 8.0 && (0..3).all(|_| growth(12 * size, &make) > 12.0)
}

/// How much longer four times the size takes.
fn growth(size: usize, make: &impl Fn(usize) -> Completion) -> f64 {
    let small = fastest(&make(size));
    let large = fastest(&make(4 * size));
    // Below some milliseconds the clock says more than the code.
    if large < Duration::from_millis(20) { 0.0 } else { large.as_secs_f64() / small.as_secs_f64().max(1e-6) }
}

#[track_caller]
fn no_alarm(text: &str) {
    let request = declared();
    let completion =
        Completion { text: Some(text.to_owned()), finish_reason: Some("stop".to_owned()), ..Completion::default() };
    let read = reread(&completion, &request, &Hints::default());
    assert!(read.is_none(), "{text:?} was read as {:?}", read.map(|read| (read.tool, read.repairs)));
}

#[test]
fn prose_about_tools_is_left_alone() {
    no_alarm("I would call get_weather with the city you name.");
    no_alarm(
        "The call would be {\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}, but I will not make it.",
    );
    no_alarm(
        "Hermes models write `<tool_call>{\"name\": \"get_weather\", \"arguments\": {}}</tool_call>` around a call.",
    );
    no_alarm(
        "For example:\n\n```\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>\n```\n\nThat is all.",
    );
    no_alarm("Use [get_weather(city='Oslo')] in your script.");
    no_alarm("In Python:\n\n```python\nprint(get_weather(city='Oslo'))\n```\nThat prints the weather.");
    no_alarm("You can write:\nget_weather(city=\"Oslo\")\nand read the answer.");
    no_alarm("{\"name\": \"Oslo\", \"arguments\": {\"city\": \"Oslo\"}}");
    no_alarm("[{\"name\": \"Ada\", \"parameters\": {\"age\": 36}}]");
    no_alarm("{\"city\": \"Oslo\", \"days\": 3}");
    no_alarm("The `</think>` tag closes a thought, `<think>` opens it.");
    no_alarm("An analysis of the final results: assistant professors earn more.");
    no_alarm("The tag \"</think>\" is not part of HTML.");
    no_alarm("Set functions.get_weather to null to disable it.");
    no_alarm("<tool_call>\n{\"name\": \"launch_rocket\", \"arguments\": {}}\n</tool_call>");
    no_alarm("def get_weather(city):\n    return 1");
    no_alarm("The tool_call element wraps {\"name\": …}; see <tool_call> in the docs.");
    no_alarm("thoughtful answers take time");
}
