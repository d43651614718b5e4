//! Any bytes: no panic, nothing lost, nothing quadratic. And the table of kinds is whole.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::completion::{DEVIATION_KINDS, strict_client};

/// JSON of any shape whose keys are often those of the contract.
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let key = prop_oneof![
        Just("choices"),
        Just("message"),
        Just("delta"),
        Just("content"),
        Just("tool_calls"),
        Just("function"),
        Just("arguments"),
        Just("name"),
        Just("index"),
        Just("id"),
        Just("type"),
        Just("text"),
        Just("usage"),
        Just("error"),
        Just("finish_reason"),
        Just("reasoning"),
        Just("role"),
        Just("completion_tokens"),
        Just("detail"),
        Just("object"),
        Just("function_call"),
        Just("x"),
    ];
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        any::<f64>().prop_map(|value| json!(value)),
        Just(json!("stop")),
        Just(json!("error")),
        Just(json!("{\"a\":1}")),
        Just(json!("text")),
        ".{0,12}".prop_map(|value| json!(value)),
    ];
    leaf.prop_recursive(6, 48, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| json!(items)),
            prop::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|members| members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

/// Reads and asks everything that can be asked; the wire must be as before.
fn survives(exchange: &Exchange) {
    let before = exchange.clone();
    let answer = read(exchange);
    let deviations = match &answer {
        Answer::Completion(completion) => &completion.deviations,
        Answer::Fault(fault) => &fault.deviations,
    };
    for deviation in deviations {
        let listed = DEVIATION_KINDS.iter().any(|kind| kind.name == deviation.kind);
        assert!(
            listed && deviation.detail.chars().count() < 340 && deviation.place.chars().count() <= 201,
            "{deviation:?}"
        );
    }
    assert!(deviations.len() < 200);
    let _ = strict_client(exchange);
    assert_eq!(*exchange, before);
}

/// Chunks, `$` for a piece of text: such that add up, and such that do not.
const SHAPES: [&str; 17] = [
    r#"{"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 9}}"#,
    r#"{"id": "c", "choices": [{"index": 0, "delta": {"content": "$"}, "finish_reason": null}]}"#,
    r#"{"id": "d", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "$", "reasoning": null}}]}"#,
    r#"{"choices": [{"index": 0, "delta": {"reasoning_content": "$", "content": ""}}], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}"#,
    r#"{"choices": [{"index": 0, "delta": {"reasoning": "$"}}]}"#,
    r#"{"choices": [{"index": 0, "delta": {"reasoning": "$", "reasoning_content": "$"}}]}"#,
    r#"{"choices": [{"index": 0, "delta": {"content": "$", "reasoning_details": [{"text": "$"}]}}]}"#,
    r#"{"choices": [{"index": 0, "delta": {"content": "$", "refusal": "no"}}]}"#,
    r#"{"choices": [{"index": 0, "delta": {"content": "$", "content": "$"}}]}"#,
    r#"{"choices": [{"index": 0, "delta": {"content": ["$"]}}]}"#,
    r#"{"choices": [{"index": 0, "delta": {"content": "$"}}, {"index": 1, "delta": {"content": "other"}}]}"#,
    r#"{"choices": [{"index": 1, "delta": {"content": "$"}}]}"#,
    r#"{"choices": [{"index": 0, "delta": {"content": "$"}, "finish_reason": "stop"}]}"#,
    r#"{"choices": [{"index": 0, "delta": {"content": "$", "tool_calls": []}}]}"#,
    r#"{"choices": [{"index": 0, "delta": {"content": "$", "tool_calls": [{"index": 0, "id": "1", "type": "function", "function": {"name": "f", "arguments": "$"}}]}}]}"#,
    r#"{"choices": [{"index": 0, "text": "$"}], "error": {"message": "$"}}"#,
    r#"{"content": "$", "choices": [{"index": 0, "message": {"content": "$"}}]}"#,
];

/// Pieces of text, as they stand in JSON: plain, empty, escaped, and such as end the string or break it.
const TEXTS: [&str; 10] =
    ["a", " word", "", "門番", r"\n", r#"\""#, r"\ud83d\ude00", r"\ud83d", r#""}, "role": "b", "x": {"y": ""#, "\t"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_json_is_read(json in any_json(), stream: bool, status in prop_oneof![Just(200_u16), Just(400)]) {
        let mut exchange = Exchange { status: Some(status), ..plain(json.to_string()) };
        exchange.mode = if stream { Mode::Stream } else { Mode::Plain };
        survives(&exchange);
        survives(&streamed(&[&format!("data: {json}\n\n"), "data: [DONE]\n\n"]));
        survives(&message(&json.to_string(), "\"stop\""));
        survives(&chunks(&[&json!({"choices": [{"delta": json}]}).to_string()], "\"stop\""));
        if let Ok(exchange) = Exchange::from_stored(&json, &json) {
            survives(&exchange);
        }
        let _ = Exchange::from_stored_line(&json);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0_usize..200) {
        survives(&plain(bytes.clone()));
        let cut = cut.min(bytes.len());
        let pieces = [&bytes[..cut], &bytes[cut..]].map(|raw| Piece { at_us: 0, raw: Raw(raw.to_vec()) });
        survives(&Exchange { mode: Mode::Stream, body: Body::Pieces(pieces.to_vec()), ..plain("") });
    }

    /// Chunks that repeat one another are read as chunks that do not: every other one has a space after it.
    #[test]
    fn repeated_chunks_read_as_others_do(
        picked in prop::collection::vec((prop::sample::select(SHAPES.to_vec()), prop::sample::select(TEXTS.to_vec()), 1_usize..4), 1..12),
    ) {
        let repeated: Vec<String> = picked
            .iter()
            .flat_map(|(shape, text, times)| std::iter::repeat_n(shape.replace('$', text), *times))
            .collect();
        let [same, apart] = [["", ""], ["", " "]].map(|spaces| {
            let mut events: Vec<String> =
                (0..).zip(&repeated).map(|(at, chunk)| format!("data: {chunk}{}\n\n", spaces[at % 2])).collect();
            events.push(r#"data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}"#.to_owned() + "\n\ndata: [DONE]\n\n");
            let mut answer = read(&streamed(&events.iter().map(String::as_str).collect::<Vec<_>>()));
            let (Answer::Completion(Completion { deviations, .. }) | Answer::Fault(Fault { deviations, .. })) = &mut answer;
            deviations.iter_mut().for_each(|one| one.detail.retain(|char| char != ' '));
            answer
        });
        prop_assert_eq!(same, apart);
    }

    #[test]
    fn any_damage_to_a_stream_is_read(at in 0_usize..600, byte: u8, cut in 0_usize..600) {
        let call = r#"{"tool_calls": [{"index": 0, "id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}"#;
        let mut bytes = chunks(&[r#"{"role": "assistant", "content": "\ud83d\ude00"}"#, call], "\"stop\"").body.bytes();
        let (at, cut) = (at % bytes.len(), cut % bytes.len());
        bytes[at] = byte;
        let pieces = [&bytes[..cut], &bytes[cut..]].map(|raw| Piece { at_us: 0, raw: Raw(raw.to_vec()) });
        survives(&Exchange { mode: Mode::Stream, body: Body::Pieces(pieces.to_vec()), ..plain("") });
        bytes.truncate(cut);
        survives(&plain(bytes));
    }

    #[test]
    fn mended_json_reads_as_json_does(json in any_json()) {
        let text = json.to_string();
        let mut notes = crate::completion::deviation::Notes::default();
        let mended = crate::completion::mend::read(&text, &mut notes).map(|json| json.to_value());
        prop_assert_eq!(mended, serde_json::from_str(&text).ok());
        prop_assert!(notes.finish().is_empty());
    }
}

/// Hostile sizes; each of these takes minutes where anything is quadratic.
#[test]
fn large_and_hostile_bodies_take_linear_time() {
    let many = 50_000;
    let call = r#"{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}"#;
    survives(&message(&format!(r#"{{"tool_calls": [{}]}}"#, vec![call; many].join(",")), "\"stop\""));
    let keys: Vec<String> = (0..many).map(|key| format!("\"k{key}\": {key}")).collect();
    survives(&message(&format!("{{{}}}", keys.join(",")), "\"stop\""));
    survives(&plain(format!("{}1{}", "[".repeat(many), "]".repeat(many))));
    survives(&plain("{\"a\": NaN, \"b\": [".repeat(many)));
    let call = |index: usize, args: &str| {
        format!(r#"{{"tool_calls": [{{"index": {index}, "function": {{"name": "f", "arguments": {args}}}}}]}}"#)
    };
    let rising: Vec<String> = (0..many / 5).map(|index| call(index, r#""{}""#)).collect();
    survives(&chunks(&rising.iter().map(String::as_str).collect::<Vec<_>>(), "\"stop\""));
    let growing: Vec<String> = (0..many / 5).map(|_| call(0, r#""\"{}""#)).collect();
    survives(&chunks(&growing.iter().map(String::as_str).collect::<Vec<_>>(), "\"stop\""));
    survives(&streamed(&["data: x\n".repeat(many).as_str()]));
    survives(&streamed(&vec!["data: x"; many]));
}

/// Every kind that the sources book is in the table, and every kind in the table is booked somewhere.
#[test]
fn the_table_lists_exactly_the_kinds_in_use() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/src/completion");
    let mut used = BTreeSet::new();
    for entry in std::fs::read_dir(dir).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        let source = std::fs::read_to_string(entry.path()).unwrap();
        if entry.file_name() == "deviation.rs" {
            continue;
        }
        let named = DEVIATION_KINDS.iter().filter(|kind| source.contains(&format!("\"{}\"", kind.name)));
        used.extend(named.map(|kind| kind.name.to_owned()));
        let booked = source
            .split("notes.add(")
            .skip(1)
            .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
        let booked = booked.chain(source.split("self.book(\"").skip(1).filter_map(|rest| rest.split('"').next()));
        for kind in booked {
            assert!(DEVIATION_KINDS.iter().any(|known| known.name == kind), "{kind} in {:?}", entry.file_name());
        }
    }
    let listed: BTreeSet<String> = DEVIATION_KINDS.iter().map(|kind| kind.name.to_owned()).collect();
    assert_eq!(listed.len(), DEVIATION_KINDS.len(), "a kind is listed twice");
    assert_eq!(listed, used);
}
