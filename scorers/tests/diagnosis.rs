//! Diagnosis measured: public reports (`fixtures/field_reports.jsonl`) and what genuine vLLM and SGLang front ends
//! answered (`fixtures/captures.jsonl`). Each test prints its table of misses.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use monban_scorers::diagnosis::{Diagnosed, diagnose};
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

#[test]
fn field_reports_get_their_diagnosis() {
    let mut misses = Vec::new();
    let reports = reports();
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
    println!("{} of {} right\n{}", reports.len() - misses.len(), reports.len(), misses.join("\n"));
    assert!(misses.len() < reports.len(), "{} misses", misses.len());
}

#[test]
fn captures_get_their_diagnosis() {
    for keep_flags in [true, false] {
        let mut misses = Vec::new();
        let captures = captures();
        for capture in &captures {
            let verdict = diagnose(&bare(capture, keep_flags)).unwrap();
            let expected = text(capture, "/expect/diagnosis");
            if verdict.diagnosis != expected {
                misses.push(format!("{:75} expected {expected:26} got {:?}", text(capture, "/id"), rules(&verdict)));
            }
        }
        println!(
            "flags {keep_flags}: {} of {} right\n{}",
            captures.len() - misses.len(),
            captures.len(),
            misses.join("\n")
        );
    }
}
