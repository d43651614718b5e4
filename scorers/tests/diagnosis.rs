//! Diagnosis measured: public reports (`fixtures/field_reports.jsonl`) and what genuine vLLM and SGLang front ends
//! answered (`fixtures/captures.jsonl`). Each test prints its table of misses.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test prints its table")]

use monban_scorers::diagnosis::{Diagnosed, diagnose};
use monban_scorers::{Answer, Exchange, completion};
use serde_json::Value;

fn lines(text: &str) -> Vec<Value> {
    text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn reports() -> Vec<Value> {
    lines(include_str!("fixtures/field_reports.jsonl"))
}

fn captures() -> Vec<Value> {
    lines(include_str!("fixtures/captures.jsonl"))
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The line as a stranger would hand it in: what is expected of it and how it was set up left out.
fn bare(line: &Value, keep_flags: bool) -> Value {
    let mut bare = line.clone();
    let hidden = [
        "expect",
        "kind",
        "hard_negative",
        "user_saw",
        "truth",
        "evidence",
        "group",
        "raw_model_text",
        "server_fault",
        "family",
        "case",
    ];
    for key in hidden {
        bare.as_object_mut().unwrap().remove(key);
    }
    if !keep_flags {
        bare.as_object_mut().unwrap().remove("server_flags");
    }
    bare
}

fn rules(verdict: &Diagnosed) -> Vec<&str> {
    verdict.findings.iter().map(|filed| filed.finding.rule.as_str()).collect()
}

/// Prints the table and fails when more than `allowed` in a hundred are missed.
#[track_caller]
fn grade(what: &str, of: usize, misses: &[String], allowed: f64) {
    println!("{what}: {} of {of}\n{}", of - misses.len(), misses.join("\n"));
    assert!(
        misses.len() as f64 <= of as f64 * allowed / 100.0,
        "{what}: {} of {of} missed\n{}",
        misses.len(),
        misses.join("\n")
    );
}

#[test]
fn field_reports_get_their_diagnosis() {
    let reports = reports();
    let mut misses = Vec::new();
    for report in &reports {
        let verdict = diagnose(&bare(report, true)).unwrap();
        let expected = text(report, "/expect/diagnosis");
        if verdict.diagnosis != expected {
            misses.push(format!(
                "{:8} expected {expected:26} got {:26} {:?}",
                text(report, "/id"),
                verdict.diagnosis,
                rules(&verdict)
            ));
        }
    }
    grade("diagnosis", reports.len(), &misses, 3.0);
}

/// A genuine vLLM 0.32.0 whose model was scripted, with tasks: what it shows, and that nothing of it is the model's.
#[test]
fn genuine_answers_get_their_diagnosis_and_outcome() {
    for line in lines(include_str!("fixtures/genuine.jsonl")) {
        for keep_flags in [true, false] {
            let verdict = diagnose(&bare(&line, keep_flags)).unwrap();
            let got = serde_json::to_value(&verdict).unwrap();
            assert_eq!(got["diagnosis"], line["expect"]["diagnosis"], "{}: {:?}", line["id"], rules(&verdict));
            assert_eq!(got["outcome"], line["expect"]["outcome"], "{}: {:?}", line["id"], rules(&verdict));
            let rule = line["expect"]["rule"].as_str().or(rules(&verdict).first().copied());
            assert_eq!(rules(&verdict).first().copied(), rule, "{}", line["id"]);
        }
    }
}

/// Rules that blame a parser's flags.
const PARSER: &[&str] = &[
    "wrong_tool_parser",
    "no_tool_parser",
    "wrong_reasoning_parser",
    "no_reasoning_parser",
    "unneeded_reasoning_parser",
    "auto_tool_choice_missing",
];

#[test]
fn hard_negatives_raise_no_false_alarm() {
    for report in reports().iter().filter(|report| report["hard_negative"] == true) {
        let verdict = diagnose(&bare(report, true)).unwrap();
        let expected = text(report, "/expect/diagnosis");
        if !PARSER.contains(&expected) {
            assert!(
                !rules(&verdict).iter().any(|rule| PARSER.contains(rule)),
                "{}: {:?}",
                text(report, "/id"),
                rules(&verdict)
            );
        }
        if expected == "none" {
            assert_eq!(verdict.diagnosis, "none", "{}", text(report, "/id"));
        }
    }
}

/// Who may be blamed, where a report leaves it open between two.
fn blames(expected: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    let words: &[(&str, &[&str])] = &[
        ("server_config", &["server_config"]),
        ("server_bug", &["server_bug"]),
        ("bug_or_config", &["server_config", "server_bug"]),
        ("server_version", &["server_config", "server_bug"]),
        ("server_or", &["server_config", "server_bug"]),
        ("or_server", &["server_config", "server_bug"]),
        ("template", &["server_config"]),
        ("client", &["request"]),
        ("scorer", &["suite"]),
        ("gateway", &["gateway"]),
        ("request", &["request"]),
        ("model", &["model"]),
        ("budget", &["budget"]),
        ("endpoint", &["endpoint", "gateway"]),
    ];
    for (word, means) in words {
        if expected.contains(word) {
            found.extend(*means);
        }
    }
    found
}

/// The launch flags that expected fixes name.
fn flags_in(fixes: &Value) -> Vec<String> {
    let flag = regex::Regex::new(r"--[a-z][a-z_-]+(?:[ =][a-z0-9_./-]+)?").unwrap();
    // `--max-model-len or …` names a flag without a value.
    let words = [" or", " for", " and", " with", " to"];
    let bare_flag = |found: &str| words.iter().find_map(|word| found.strip_suffix(word)).unwrap_or(found).to_owned();
    let fixes = fixes.as_array().unwrap().iter().filter_map(Value::as_str);
    fixes.flat_map(|fix| flag.find_iter(fix)).map(|found| bare_flag(&found.as_str().replace('=', " "))).collect()
}

#[test]
fn field_reports_get_their_blame_and_fix() {
    let (mut blame_misses, mut fix_misses, mut of, mut of_fix) = (Vec::new(), Vec::new(), 0, 0);
    for report in &reports() {
        let verdict = diagnose(&bare(report, true)).unwrap();
        let Some(first) = verdict.findings.first() else { continue };
        let expected = text(report, "/expect/blame");
        let got = serde_json::to_value(first.finding.blame).unwrap();
        of += 1;
        if !["", "none", "scorer"].contains(&expected) && !blames(expected).contains(&got.as_str().unwrap()) {
            blame_misses.push(format!("{:8} expected {expected:26} got {got}", text(report, "/id")));
        }
        let wanted = flags_in(&report["expect"]["fix"]);
        if wanted.is_empty() {
            continue;
        }
        of_fix += 1;
        let fixes = verdict.findings.iter().flat_map(|filed| filed.finding.fix.iter().cloned());
        let given = fixes.collect::<Vec<_>>().join("\n").replace('=', " ");
        if !wanted.iter().any(|flag| given.contains(flag.as_str())) {
            fix_misses.push(format!("{:8} expected {wanted:?} got {given:?}", text(report, "/id")));
        }
    }
    grade("blame", of, &blame_misses, 5.0);
    grade("fix", of_fix, &fix_misses, 10.0);
}

#[test]
fn field_reports_get_their_verdicts() {
    let (mut misses, mut of) = (Vec::new(), 0);
    for report in &reports() {
        let verdict = diagnose(&bare(report, true)).unwrap();
        for (scorer, expected) in report["expect"]["verdicts"].as_object().unwrap() {
            let got = verdict.expectations.iter().find(|found| found.scorer == scorer);
            let (delivered, intent) = got.map_or(("not_scored", "unknown"), |found| (found.delivered, found.intent));
            for (name, got) in [("delivered", delivered), ("intent", intent)] {
                of += 1;
                if expected[name] != got {
                    let reason = verdict
                        .expectations
                        .iter()
                        .find(|found| found.scorer == scorer)
                        .map(|found| found.reason.clone());
                    misses.push(format!(
                        "{:8} {scorer} {name} expected {} got {got} {:?} {reason:?}",
                        text(report, "/id"),
                        expected[name],
                        rules(&verdict)
                    ));
                }
            }
        }
    }
    grade("verdicts", of, &misses, 5.0);
}

#[test]
fn findings_do_not_say_what_is_not_so() {
    let (mut said, mut of, mut unsaid) = (Vec::new(), 0, Vec::new());
    for report in &reports() {
        let verdict = diagnose(&bare(report, true)).unwrap();
        let all = serde_json::to_string(&verdict.findings).unwrap().to_lowercase();
        let words = |key: &str| report["expect"][key].as_array().cloned().unwrap_or_default();
        for word in words("must_not_say") {
            of += 1;
            if all.contains(&word.as_str().unwrap().to_lowercase()) {
                said.push(format!(
                    "{:8} must not say {word}: {:?}",
                    text(report, "/id"),
                    verdict.findings.iter().map(|filed| &filed.finding.message).collect::<Vec<_>>()
                ));
            }
        }
        for word in words("must_say") {
            if !all.contains(&word.as_str().unwrap().to_lowercase()) {
                unsaid.push(format!(
                    "{:8} {word}: {:?}",
                    text(report, "/id"),
                    verdict.findings.iter().map(|filed| &filed.finding.message).collect::<Vec<_>>()
                ));
            }
        }
    }
    println!("not in these words:\n{}", unsaid.join("\n"));
    grade("must not say", of, &said, 0.0);
}

/// What a client can see of a capture. Set-ups that show the same cannot be told apart by anything on the wire.
fn shown(capture: &Value) -> String {
    let exchanges = Exchange::from_stored_line(&bare(capture, false)).unwrap_or_default();
    let answers = exchanges.iter().map(|exchange| match completion::read(exchange) {
        Answer::Completion(found) => {
            let calls: Vec<_> = found.tool_calls.iter().map(|call| (&call.name, call.arguments.as_text())).collect();
            format!(
                "{:?}{:?}{calls:?}{:?}{:?}",
                found.text(),
                found.reasoning(),
                found.finish_reason,
                found.usage.map(|usage| usage.completion_tokens)
            )
        }
        Answer::Fault(fault) => fault.message,
    });
    format!("{}{}{}{:?}", capture["engine"], capture["family"], capture["case"], answers.collect::<Vec<_>>())
}

#[test]
fn captures_get_their_diagnosis() {
    let captures = captures();
    for keep_flags in [true, false] {
        let mut misses = Vec::new();
        let mut expected_of: std::collections::BTreeMap<String, std::collections::BTreeSet<String>> =
            std::collections::BTreeMap::new();
        for capture in &captures {
            expected_of.entry(shown(capture)).or_default().insert(text(capture, "/expect/diagnosis").to_owned());
        }
        for capture in &captures {
            let verdict = diagnose(&bare(capture, keep_flags)).unwrap();
            let expected = text(capture, "/expect/diagnosis");
            // Where flags are not known a twin's diagnosis is as good, and the finding that says so counts.
            let alike = !keep_flags
                && (expected_of[&shown(capture)].contains(verdict.diagnosis) || rules(&verdict).contains(&expected));
            if verdict.diagnosis != expected && !alike {
                misses.push(format!("{:75} expected {expected:26} got {:?}", text(capture, "/id"), rules(&verdict)));
            }
            if expected == "none" {
                let alarm = rules(&verdict).iter().any(|rule| PARSER.contains(rule));
                assert!(!alarm, "{}: {:?}", text(capture, "/id"), rules(&verdict));
            }
        }
        let what = if keep_flags { "captures, flags known" } else { "captures, flags not known" };
        grade(what, captures.len(), &misses, 2.0);
    }
}

#[test]
fn every_status_that_is_no_success_is_explained() {
    let request = serde_json::json!({"messages": [{"role": "user", "content": "hi"}]});
    for status in (300..=700).chain([999, 65535]) {
        let response = serde_json::json!({"http_status": status, "body_text": ""});
        let verdict = diagnose(&serde_json::json!({"request": request, "response": response})).unwrap();
        let told = format!("{:?}", verdict.findings);
        assert!(told.contains(&format!("HTTP {status}")), "{status}: {:?}", rules(&verdict));
    }
}

#[test]
fn a_configured_parser_tells_that_a_format_writes_no_types() {
    let told = |flags: &[&str]| {
        let parameters = serde_json::json!({"type": "object", "properties": {"days": {"type": "integer"}}});
        let call = serde_json::json!({"id": "c", "type": "function",
            "function": {"name": "forecast", "arguments": "{\"days\": \"3\"}"}});
        let message = serde_json::json!({"role": "assistant", "content": null, "tool_calls": [call]});
        let line = serde_json::json!({
            "engine": "vllm", "server_flags": flags,
            "request": {"model": "served", "messages": [{"role": "user", "content": "3 days"}],
                "tools": [{"type": "function", "function": {"name": "forecast", "parameters": parameters}}]},
            "response": {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]},
            "task": {"tool_call": {"name": "forecast", "arguments": {"days": 3}}},
        });
        let verdict = serde_json::to_value(diagnose(&line).unwrap()).unwrap();
        [text(&verdict, "/outcome"), text(&verdict, "/expectations/0/intent")].map(str::to_owned)
    };
    let flags = ["--enable-auto-tool-choice", "--tool-call-parser", "qwen3_coder"];
    assert_eq!(told(&flags), ["server_fault", "pass"]);
    assert_eq!(told(&["--enable-auto-tool-choice", "--tool-call-parser", "hermes"])[0], "failed");
    assert_eq!(told(&[])[0], "failed");
}
