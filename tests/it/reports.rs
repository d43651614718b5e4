//! Each format of one small, hostile run.

use monban::record::{AttemptDone, Event, Measure, RunEnd, RunRecord, RunStart, Store, SuiteRef, TaskRef};
use monban::report::{Format, Input, render};
use monban_scorers::completion::{Timing, Usage};
use monban_scorers::{Blame, Confidence, Evidence, Finding, Outcome, Scored, Severity, Verdict};

fn start() -> RunStart {
    let task = |id: &str| TaskRef { suite: 0, id: id.to_owned(), tags: Vec::new(), repeat: 1 };
    RunStart {
        run_id: "20260131-090000_smoke_m_harness_abc123".into(),
        monban_version: "0.1.0".into(),
        started: "2026-01-31T09:00:00Z".into(),
        environment: "harness".into(),
        base_url: "http://127.0.0.1:8000/v1".into(),
        model: "Qwen/Qwen3".into(),
        route: "direct".into(),
        suites: vec![SuiteRef {
            name: "smoke".into(),
            version: "1.0.0".into(),
            digest: "sha256:0123456789abcdef".into(),
            source: "builtin:smoke".into(),
        }],
        tasks: vec![task("plain"), task("天気を尋ねる"), task("hostile"), task("cut"), task("gone"), task("never")],
        ..RunStart::default()
    }
}

fn attempt(task: usize, outcome: Outcome, why: &str) -> AttemptDone {
    let delivered = if outcome == Outcome::Passed { Verdict::Pass } else { Verdict::Fail(why.to_owned()) };
    let timing = Timing { first_text_us: Some(20_000), latency_us: 1_250_000, ..Timing::default() };
    let usage = Usage { prompt_tokens: Some(30), completion_tokens: Some(60), ..Usage::default() };
    let answered = outcome != Outcome::Error;
    AttemptDone {
        task,
        attempt: 0,
        outcome,
        expectations: vec![Scored {
            scorer: "contains".into(),
            delivered,
            intent: (outcome == Outcome::ServerFault).then_some(Verdict::Pass),
        }],
        why: why.to_owned(),
        findings: Vec::new(),
        measures: vec![Measure { answered, streamed: true, timing, usage }],
        exchanges: Vec::new(),
    }
}

fn events() -> Vec<Event> {
    let mut leaked = attempt(1, Outcome::ServerFault, "no call was delivered");
    leaked.findings.push(Finding {
        rule: "wrong_tool_parser".into(),
        severity: Severity::Error,
        blame: Blame::ServerConfig,
        confidence: Confidence::High,
        message: "the model wrote a call and the server's parser did not read it".into(),
        evidence: vec![Evidence {
            task: "天気を尋ねる".into(),
            place: "content".into(),
            excerpt: "<tool_call>\n{\u{1b}[31m".into(),
        }],
        ruled_out: vec![],
        fix: vec!["--tool-call-parser qwen3_coder".into()],
        observed_family: None,
        configured_family: None,
        count: 1,
    });
    let hostile = "=cmd|' /C calc'!A0 \u{1b}[2J<script>alert(1)</script> | [x](javascript:y) \u{202e}";
    vec![
        Event::RunStart(start()),
        Event::AttemptDone(attempt(0, Outcome::Passed, "")),
        Event::AttemptDone(leaked),
        Event::AttemptDone(attempt(2, Outcome::Failed, hostile)),
        Event::AttemptDone(attempt(3, Outcome::Truncated, "cut at max_tokens")),
        Event::AttemptDone(attempt(4, Outcome::Error, "503 Service Unavailable")),
        Event::RunEnd(RunEnd { finished: "2026-01-31T09:00:05Z".into(), wall_ms: 5_000, reason: "done".into() }),
    ]
}

fn with_report(format: Format, look: impl FnOnce(&str)) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path());
    let events = events();
    let (dir, _lock, mut journal) = store.create(&start()).unwrap();
    events.iter().for_each(|event| journal.append(event).unwrap());
    journal.sync().unwrap();
    let record = RunRecord::from_events(&events);
    look(&render(format, &Input { dir: Some(&dir), ..Input::of(&record) }).unwrap());
}

#[test]
fn table() {
    with_report(Format::Table, |text| insta::assert_snapshot!(text));
}

#[test]
fn markdown() {
    with_report(Format::Markdown, |text| insta::assert_snapshot!(text));
}

#[test]
fn junit() {
    with_report(Format::Junit, |text| insta::assert_snapshot!(text));
}

#[test]
fn csv() {
    with_report(Format::Csv, |text| insta::assert_snapshot!(text));
}

#[test]
fn json_is_the_contract() {
    with_report(Format::Json, |text| {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(value["verdict"], "misconfigured");
        assert_eq!(value["exit_code"], 3);
        assert_eq!(value["counts"]["attempts"], 6);
        assert_eq!(value["counts"]["skipped"], 1);
        assert_eq!(value["rates"]["pass"], 0.5);
        let tasks = value["tasks"].as_array().unwrap();
        assert_eq!(tasks.len(), 6);
        assert_eq!(tasks[1]["attempts"][0]["expectations"][0]["intent"], "pass");
        assert_eq!(tasks[5]["attempts"].as_array().unwrap().len(), 0);
        assert_eq!(value["findings"][0]["fix"][0], "--tool-call-parser qwen3_coder");
        insta::assert_snapshot!(serde_json::to_string_pretty(&value["performance"]).unwrap());
    });
}

#[test]
fn html_holds_nothing_hostile() {
    with_report(Format::Html, |text| {
        assert!(!text.contains("<script"), "{text}");
        assert!(text.contains("&lt;script&gt;"));
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
        assert!(text.contains("wrong_tool_parser") && text.contains("--tool-call-parser qwen3_coder"));
    });
}

#[test]
fn no_format_lets_a_control_character_through() {
    for format in [Format::Table, Format::Json, Format::Markdown, Format::Junit, Format::Html, Format::Csv] {
        with_report(format, |text| {
            assert!(
                text.chars().all(|character| character == '\n' || character == '\r' || !character.is_control()),
                "{format:?}"
            );
        });
    }
}
