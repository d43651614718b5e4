//! `monban diagnose`: the contract of its lines.

use serde_json::{Value, json};

use crate::cli::monban_with;

fn answers(lines: &[Value]) -> (u8, Vec<Value>) {
    let input = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let done = monban_with(&["diagnose", "-"], &input);
    (done.code, done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn weather() -> Value {
    json!({"type": "function", "function": {"name": "get_weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}})
}

fn leaked(id: &str) -> Value {
    json!({
        "id": id, "engine": "vllm", "engine_version": "0.20.2", "model": "Qwen/Qwen3.6-27B",
        "profile": "vllm serve Qwen/Qwen3.6-27B --enable-auto-tool-choice --tool-call-parser hermes --reasoning-parser qwen3",
        "task": {"tool_call": {"name": "get_weather", "arguments": {"city": "Cork"}}},
        "request": {"model": "q", "messages": [{"role": "user", "content": "Weather in Cork?"}], "tools": [weather()]},
        "response": {"http_status": 200, "body": {
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "tool_calls": [], "content":
                "<tool_call>\n<function=get_weather>\n<parameter=city>\nCork\n</parameter>\n</function>\n</tool_call>"}}],
            "usage": {"prompt_tokens": 300, "completion_tokens": 30, "total_tokens": 330}}},
    })
}

#[test]
fn a_leaked_call_is_the_servers_and_names_the_flag() {
    let (code, answers) = answers(&[leaked("a")]);
    assert_eq!(code, 0);
    let [answer] = answers.as_slice() else { panic!("{answers:?}") };
    assert_eq!(
        (&answer["id"], &answer["outcome"], &answer["diagnosis"]),
        (&json!("a"), &json!("server_fault"), &json!("wrong_tool_parser"))
    );
    let call = &answer["expectations"][0];
    assert_eq!(
        (&call["scorer"], &call["delivered"], &call["intent"]),
        (&json!("tool_call"), &json!("fail"), &json!("pass"))
    );
    let finding = &answer["findings"][0];
    for key in [
        "rule",
        "kind",
        "severity",
        "blame",
        "confidence",
        "message",
        "evidence",
        "fix",
        "observed_family",
        "configured_family",
    ] {
        assert!(!finding[key].is_null(), "{key}: {finding}");
    }
    assert_eq!((&finding["blame"], &finding["configured_family"]), (&json!("server_config"), &json!("hermes")));
    assert!(finding["fix"].to_string().contains("--tool-call-parser qwen3_coder"), "{finding}");
    assert!(finding["evidence"][0]["excerpt"].as_str().unwrap().chars().count() <= 300);
}

#[test]
fn lines_are_answered_in_order_and_the_unreadable_ones_too() {
    let mut lines: Vec<Value> = (0..600).map(|at| leaked(&at.to_string())).collect();
    lines[300] = json!({"id": "no answer"});
    let (code, answers) = answers(&lines);
    assert_eq!((code, answers.len()), (2, 600));
    for (at, answer) in answers.iter().enumerate().filter(|(at, _)| *at != 300) {
        assert_eq!(answer["id"], json!(at.to_string()));
    }
    assert_eq!(answers[300]["id"], "no answer");
    assert!(answers[300]["error"].as_str().unwrap().contains("response"));
}

#[test]
fn hostile_lines_do_no_harm() {
    let done = monban_with(
        &["diagnose"],
        "nonsense\n{\"response\": 3}\n\n[]\n{\"response\": {\"http_status\": 200, \"body\": {\"choices\": [[]]}}}\n",
    );
    assert_eq!(done.out.lines().count(), 4);
    assert!(done.out.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn a_line_that_cannot_be_read_is_told_with_its_place_and_the_others_are_judged() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("answers.jsonl");
    let good = leaked("a");
    std::fs::write(&file, format!("\u{feff}{good}\n\n{{\"id\": \"b\", }}\n[1]\n{{\"id\": \"c\"}}\n{{\n{good}"))
        .unwrap();
    let name = file.to_str().unwrap();
    let done = monban_with(&["diagnose", name], "");
    assert_eq!(done.code, 2);
    let answers: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let outcomes: Vec<_> = answers.iter().map(|answer| answer["outcome"].as_str()).collect();
    assert_eq!(outcomes, [Some("server_fault"), None, None, None, None, Some("server_fault")]);
    assert_eq!((&answers[1]["line"], &answers[1]["column"]), (&json!(3), &json!(13)));
    assert_eq!((&answers[3]["line"], &answers[3]["id"]), (&json!(5), &json!("c")));
    let places = [
        "3:13: not JSON: trailing comma\n",
        "4: a line holds one JSON object",
        "5: no answer: give \"response\"",
        "6:1: not JSON",
    ];
    for place in places {
        assert!(done.err.contains(&format!("error: {name}:{place}")), "{place}: {}", done.err);
    }
    assert!(!done.err.contains("at line"), "{}", done.err);
    assert!(done.err.ends_with("4 lines could not be read\n"), "{}", done.err);
}

#[test]
fn a_key_that_is_not_known_is_told_once_and_the_line_is_judged() {
    let mut lines = [leaked("a"), leaked("b"), leaked("c")];
    for line in &mut lines[1..] {
        line["server_flag"] = json!([]);
        line["zzzzzz"] = json!(1);
    }
    let input = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let done = monban_with(&["diagnose"], &input);
    assert_eq!((done.code, done.out.lines().count()), (0, 3));
    assert_eq!(
        done.err,
        "note: standard input:2: the key `server_flag` is not known and not read; did you mean `server_flags`?\n\
         note: standard input:2: the key `zzzzzz` is not known and not read\n"
    );
}

#[test]
fn what_collections_keep_beside_an_answer_is_not_noted_and_floods_are_cut() {
    for name in ["field_reports", "captures", "lore"] {
        let file = format!("{}/scorers/tests/fixtures/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
        let input: String = std::fs::read_to_string(file).unwrap().split_inclusive('\n').step_by(5).collect();
        assert_eq!(monban_with(&["diagnose"], &input).err, "", "{name}");
    }
    let many: serde_json::Map<String, Value> = (0..500).map(|at| (format!("q{at}q"), json!(at))).collect();
    assert!(monban_with(&["diagnose"], &Value::Object(many).to_string()).err.lines().count() < 30);
    assert!(monban_with(&["diagnose"], &"nonsense\n".repeat(500)).err.lines().count() < 30);
}

#[test]
fn an_input_without_a_line_is_an_error_and_says_what_is_expected() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    for (args, name) in [(vec!["diagnose", path], path), (vec!["diagnose"], "standard input")] {
        let done = monban_with(&args, "\u{feff}\n \n");
        let expected = format!("error: {name} holds no line: give JSONL, one {{\"request\", \"response\"}} a line\n");
        assert_eq!((done.code, done.out.as_str(), done.err), (2, "", expected));
    }
    for responses in [path, "-"] {
        let done = monban_with(&["score", "smoke", "--responses", responses], "\n");
        assert_eq!((done.code, done.out.as_str()), (2, ""));
        assert!(done.err.contains("holds no line: give JSONL, one {\"id\", \"response\"} a line"), "{}", done.err);
    }
    let broken = monban_with(&["score", "smoke", "--responses", "-"], "{\"id\": \"plain-answer\",}");
    assert_eq!(broken.code, 2);
    assert!(broken.err.contains("line 1: not JSON: trailing comma, column"), "{}", broken.err);
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    assert_eq!(monban_with(&["diagnose", "no-such-file.jsonl"], "").code, 2);
}

#[test]
fn what_python_stores_and_strict_json_is_not_is_read_and_named() {
    let line = leaked("a").to_string();
    let odd = line.replacen("\"content\":\"", "\"logprobs\":-Infinity,\"content\":\"\\ud83d", 1);
    assert!(serde_json::from_str::<Value>(&odd).is_err());
    let done = monban_with(&["diagnose"], &format!("{odd}\n{line}\n{}\n", &odd[..odd.len() - 1]));
    let answers: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&answers[0]["outcome"], &answers[1]["outcome"]), (&json!("server_fault"), &json!("server_fault")));
    let mended = answers[0]["mended"].to_string();
    assert!(mended.contains("lone_surrogate"), "{mended}");
    assert_eq!((answers[1].get("mended"), answers[2].get("outcome")), (None, None));
    assert!(answers[2]["error"].as_str().unwrap().starts_with("not JSON"), "what is cut is not guessed");
}
