//! Whatever is answered and whatever a suite says: no panic, and a verdict or errors.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::LazyLock;

use monban_scorers::completion::Arguments;
use monban_scorers::scorers::BUILTIN;
use monban_scorers::{Completion, Expectation, Registry, Request, Subject, ToolCall};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Every scorer's example, plain and negated, and what the examples leave out.
static EXPECTATIONS: LazyLock<Vec<Expectation>> = LazyLock::new(|| {
    let examples = BUILTIN.iter().map(|def| {
        let (_, after) = def.manual.split_once("```toml\n").unwrap();
        let (table, _) = after.split_once("\n```").unwrap();
        let file: toml::Table = toml::from_str(&format!("it = {table}")).unwrap();
        serde_json::to_value(&file["it"]).unwrap()
    });
    let more = [
        json!({"scorer": "equals", "text": "a", "case": "ignore", "space": "collapse", "punctuation": "ignore", "in": "any"}),
        json!({"scorer": "number", "is": 1, "which": "only", "decimal": ",", "percent": "fraction"}),
        json!({"scorer": "number", "min": 1, "which": "any"}),
        json!({"scorer": "json_valid", "fence": "extract"}),
        json!({"scorer": "json_path", "path": "$..*", "matches": "a", "which": "all"}),
        json!({"scorer": "length", "unit": "sentences", "max": 3, "in": "any"}),
        json!({"scorer": "tool_call", "calls": [{"name": "f"}, {"name": "g", "arguments": {"a": [1, {"b": 2}]}, "match": "subset"}]}),
        json!({"scorer": "tool_call", "none": true}),
    ];
    let registry = Registry::builtin();
    let tables: Vec<Value> = examples.chain(more).collect();
    let negated = tables.iter().cloned().map(|mut table| {
        table["not"] = json!(true);
        table
    });
    tables
        .iter()
        .cloned()
        .chain(negated)
        .map(|table| Expectation::parse(table.as_object().unwrap(), &registry).unwrap())
        .collect()
});

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c/~]{0,3}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Texts that scorers look for something in: markup, fences, numbers, any characters.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        any::<String>(),
        "[-+.,0-9eE/^ %×½²\u{202f}]{0,12}",
        prop::sample::select(vec![
            "```",
            "```json\n",
            "\n```",
            "~~~",
            "\\boxed{",
            "}",
            "\\frac{1}{",
            "####",
            "<think>",
            "</think>",
            "<tool_call>",
            "{\"name\": \"f\", \"arguments\": {",
            "[TOOL_CALLS]",
            "<|channel|>",
            "10^",
            "\u{ff11}\u{ff12}",
            "\u{202e}",
            "\0",
            "\r\n",
        ])
        .prop_map(str::to_owned),
        json_value().prop_map(|value| value.to_string()),
    ];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

fn arguments() -> impl Strategy<Value = Arguments> {
    prop_oneof![
        Just(Arguments::Missing),
        text().prop_map(Arguments::Text),
        json_value().prop_map(|value| Arguments::Text(value.to_string())),
        json_value().prop_map(Arguments::Json),
    ]
}

fn call() -> impl Strategy<Value = ToolCall> {
    let id = prop::option::of("[ab]?");
    let kind = prop::option::of(prop::sample::select(vec!["function".to_owned(), String::new()]));
    let name = prop_oneof![Just("f".to_owned()), Just("g".to_owned()), any::<String>()];
    (id, kind, name, arguments()).prop_map(|(id, kind, name, arguments)| ToolCall {
        id,
        kind,
        index: None,
        name,
        arguments,
    })
}

fn completion() -> impl Strategy<Value = Completion> {
    let finish =
        prop::option::of(prop::sample::select(vec!["stop".to_owned(), "tool_calls".to_owned(), "length".to_owned()]));
    (prop::option::of(text()), prop::option::of(text()), prop::collection::vec(call(), 0..5), finish).prop_map(
        |(text, reasoning, tool_calls, finish_reason)| Completion {
            text,
            reasoning,
            tool_calls,
            finish_reason,
            ..Completion::default()
        },
    )
}

fn request() -> impl Strategy<Value = Request> {
    json_value().prop_map(|parameters| {
        Request::read(&json!({"tools": [{"type": "function", "function": {"name": "f", "parameters": parameters}}]}))
    })
}

/// A table with the scorer's own keys and any values.
fn table() -> impl Strategy<Value = Map<String, Value>> {
    prop::sample::select(BUILTIN.to_vec()).prop_flat_map(|def| {
        let keys: Vec<&'static str> =
            def.arguments.iter().map(|argument| argument.name).chain(["not", "zzz"]).collect();
        let most = keys.len().min(4);
        let value = prop_oneof![json_value(), "[$.\\[\\]*@?()a-c0-9\\\\]{0,10}".prop_map(Value::from)];
        prop::collection::btree_map(prop::sample::select(keys), value, 0..=most).prop_map(move |map| {
            let mut table: Map<String, Value> = map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            table.insert("scorer".to_owned(), json!(def.name));
            table
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn any_answer_gets_a_verdict(one in completion(), other in prop::option::of(completion()), request in request()) {
        for expectation in EXPECTATIONS.iter() {
            let subject = Subject { request: &request, completion: &one, other: other.as_ref() };
            let verdict = expectation.evaluate(&subject);
            prop_assert!(verdict.reason().chars().count() < 2000, "{}", verdict.reason());
            prop_assert!(!verdict.reason().contains(['\u{1b}', '\0', '\n']), "{:?}", verdict.reason());
            if one.is_empty_answer() && expectation.is_negative() && !matches!(expectation.label().as_str(), "latency" | "stream_parity") {
                prop_assert_ne!(verdict.word(), "pass", "{}", expectation.label());
            }
        }
    }

    #[test]
    fn any_table_plans_or_is_refused(table in table(), completion in completion()) {
        match Expectation::parse(&table, &Registry::builtin()) {
            Ok(expectation) => {
                let _ = expectation.evaluate(&Subject { request: &Request::default(), completion: &completion, other: None });
            }
            Err(errors) => {
                prop_assert!(!errors.is_empty());
                prop_assert!(errors.iter().all(|error| !error.message.is_empty()));
            }
        }
    }
}

#[test]
fn long_answers_are_judged_in_linear_time() {
    // A quadratic reading of one of these would take longer than all of them do.
    for unit in ["1,", "-", "^", "```\n", "{", "\\boxed{", "\\frac{1}{", "1 1/", "a. ", "####", "…", "é"] {
        let text = unit.repeat(40_000 / unit.len());
        let completion = Completion { text: Some(text), ..Completion::default() };
        let started = std::time::Instant::now();
        for expectation in EXPECTATIONS.iter() {
            let _ =
                expectation.evaluate(&Subject { request: &Request::default(), completion: &completion, other: None });
        }
        assert!(started.elapsed().as_secs() < 30, "{unit}: {:?}", started.elapsed());
    }
}
