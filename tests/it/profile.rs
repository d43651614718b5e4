//! Launch profiles: the forms people write, and what is wrong with them.

use monban::diagnostic::{Diagnostic, Source};
use monban::plan::Needs;
use monban::profile::{Known, Profile, check, read};
use serde_json::Value;

fn cases() -> Vec<Value> {
    include_str!("../fixtures/profiles.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[track_caller]
fn profiles(text: &str) -> Vec<Profile> {
    read(&Source::new("profile", text)).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// What the report's request needs.
fn known(case: &Value) -> Known {
    let needs = |what: &str| case["needs"].as_array().unwrap().iter().any(|need| need == what);
    let needs = Needs {
        tools: needs("tools").into(),
        auto_tools: needs("tools").into(),
        structured_output: needs("schema").into(),
        ..Needs::default()
    };
    Known::nothing().engine_version(case["engine_version"].as_str()).model(case["model"].as_str()).needs(Some(needs))
}

/// Whether a finding stands where a report says: a flag with its value, or nowhere in particular.
fn stands_at(found: &Diagnostic, text: &str, at: &str) -> bool {
    // In a list the words are apart by commas.
    let span = text[found.span.clone().unwrap()].replace(", ", " ");
    let span = span.as_str();
    at == "(absent)" || at.split(" + ").all(|part| span.contains(part.trim_end_matches("...")) || part.contains(span))
}

#[test]
fn every_reported_profile_is_read() {
    for case in cases() {
        let text = case["profile"]["text"].as_str().unwrap();
        for setting in &profiles(text).remove(0).settings {
            let written = &text[setting.span.clone()];
            let name = setting.name.rsplit('.').next().unwrap();
            assert!(written.contains(name), "{}: {written} is not {name}", case["id"]);
        }
    }
}

/// Right by report: rules expected → rules found.
fn differences(known_of: impl Fn(&Value) -> Known) -> Vec<String> {
    let mut wrong = Vec::new();
    for case in cases() {
        let text = case["profile"]["text"].as_str().unwrap();
        let found = check(&profiles(text)[0], &known_of(&case));
        let expected = case["lint"].as_array().unwrap();
        for lint in expected {
            let rule = lint["rule"].as_str().unwrap();
            let at = lint["at"].as_str().unwrap();
            let severity =
                serde_json::to_value(found.iter().find(|found| found.rule == rule).map(|found| found.severity))
                    .unwrap();
            if !found.iter().any(|found| found.rule == rule && stands_at(found, text, at)) {
                wrong.push(format!("{}: no {rule} at {at}", case["id"]));
            } else if severity != lint["severity"] {
                wrong.push(format!("{}: {rule} is {severity}, not {}", case["id"], lint["severity"]));
            }
        }
        for found in &found {
            if !expected.iter().any(|lint| lint["rule"] == found.rule.as_str()) {
                wrong.push(format!("{}: also {} ({:?}): {}", case["id"], found.rule, found.severity, found.message));
            }
        }
    }
    wrong
}

#[test]
fn reported_profiles_get_their_findings() {
    // SGLang hands the thoughts of Qwen3.6 through as the others do; the report just does not speak of it.
    let more = ["\"wtp-03\": also reasoning_parser_missing"];
    let wrong: Vec<String> =
        differences(known).into_iter().filter(|line| !more.iter().any(|more| line.starts_with(more))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The text alone does not say the version or what will be asked: five reports need one of the two, and their findings are then
/// notes or absent. Nothing else is found for it.
#[test]
fn reported_profiles_get_nearly_the_same_from_their_text_alone() {
    let told = [
        "\"wtp-03\": also reasoning_parser_missing",
        "\"ntp-06\": jinja_missing is \"info\"",
        "\"atc-05\": auto_tool_choice_missing is \"info\"",
        "\"atc-05\": no parser_needs_newer_engine",
        "\"sch-03\": guided_backend_missing is \"info\"",
    ];
    let wrong: Vec<String> = differences(|_| Known::nothing())
        .into_iter()
        .filter(|line| !told.iter().any(|told| line.starts_with(told)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_stored_line_is_checked_with_what_it_asks() {
    let line = serde_json::json!({
        "engine_version": "0.10.2",
        "request": {"tools": [{"type": "function"}], "tool_choice": "auto"},
        "profile": {"format": "command", "text": "vllm serve Qwen/Qwen2.5-7B-Instruct"},
    });
    let lint = monban::profile::lint_stored(&line).unwrap();
    assert_eq!((&lint[0]["rule"], &lint[0]["severity"]), (&"auto_tool_choice_missing".into(), &"warning".into()));
    let quiet = serde_json::json!({"request": {}, "profile": "vllm serve Qwen/Qwen2.5-7B-Instruct"});
    assert_eq!(monban::profile::lint_stored(&quiet), Some(serde_json::json!([])));
    assert_eq!(monban::profile::lint_stored(&serde_json::json!({"profile": "hello"})), None);
    assert_eq!(monban::profile::lint_stored(&serde_json::json!({"request": {}})), None);
}
