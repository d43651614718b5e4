//! Runs that differ in one thing each: what is named, what is refused, what the pairs say.

use monban::compare::{Comparison, Kind, Side, compare};
use monban::record::{AttemptDone, Event, Measure, RunEnd, RunRecord, RunStart, SuiteRef, TaskRef};
use monban_scorers::Outcome::{self, Error, Failed, Passed, Truncated};
use monban_scorers::completion::{Timing, Usage};
use serde_json::json;

const TASKS: usize = 20;

fn start() -> RunStart {
    RunStart {
        run_id: "20260131-090000_smoke_m_real-lab_abc123".into(),
        environment: "real:lab".into(),
        base_url: "http://127.0.0.1:8000/v1".into(),
        model: "m".into(),
        route: "direct".into(),
        suites: vec![SuiteRef {
            name: "smoke".into(),
            version: "1.0.0".into(),
            digest: "sha256:aa".into(),
            source: String::new(),
        }],
        tasks: (0..TASKS).map(|at| TaskRef { suite: 0, id: format!("t{at}"), tags: vec![], repeat: 1 }).collect(),
        options: json!({ "stream": "off", "concurrency": 1, "repeat": 1, "max_tokens": 512 }),
        profile: json!({ "name": "p", "axes": { "context": "8192", "kv_dtype": "auto" } }),
        ..RunStart::default()
    }
}

fn side(start: RunStart, outcome: impl Fn(usize, u32) -> Outcome, latency_us: u64) -> Side {
    let timing = Timing { latency_us, ..Timing::default() };
    let usage = Usage { completion_tokens: Some(10), ..Usage::default() };
    let mut events = vec![Event::RunStart(start.clone())];
    for (task, planned) in start.tasks.iter().enumerate() {
        events.extend((0..planned.repeat).map(|attempt| {
            let outcome = outcome(task, attempt);
            let measures = vec![Measure { answered: outcome != Error, streamed: false, timing, usage }];
            Event::AttemptDone(AttemptDone {
                task,
                attempt,
                outcome,
                expectations: vec![],
                why: String::new(),
                findings: vec![],
                measures,
                exchanges: vec![],
            })
        }));
    }
    events.push(Event::RunEnd(RunEnd { finished: String::new(), wall_ms: latency_us / 50, reason: "done".into() }));
    let mut side = Side {
        record: RunRecord::from_events(&events),
        dir: None,
        outcomes: std::collections::BTreeMap::new(),
        warm_up: None,
    };
    for event in &events {
        if let Event::AttemptDone(done) = event {
            side.book(done);
        }
    }
    side
}

fn against(change: impl FnOnce(&mut RunStart)) -> Comparison {
    let mut other = start();
    change(&mut other);
    compare(&side(start(), |_, _| Passed, 1_000), &side(other, |_, _| Passed, 1_000), false)
}

#[track_caller]
fn case(change: impl FnOnce(&mut RunStart), what: &str, kind: Kind, comparable: bool) {
    let comparison = against(change);
    let named: Vec<_> = comparison
        .differences
        .iter()
        .filter(|difference| difference.kind != Kind::Note || kind == Kind::Note)
        .collect();
    assert_eq!(named.len(), 1, "{named:?}");
    assert_eq!((named[0].what.as_str(), named[0].kind, comparison.comparable), (what, kind, comparable));
}

#[test]
fn the_same_match() {
    let comparison = against(|_| {});
    assert!(comparison.comparable && comparison.differences.is_empty());
    assert!(comparison.words[0].starts_with("quality is the same"), "{:?}", comparison.words);
}

#[test]
fn what_differs_is_named() {
    case(|start| start.suites[0].name = "other".into(), "suite", Kind::Blocks, false);
    case(|start| start.suites[0].version = "1.0.1".into(), "suite version", Kind::Blocks, false);
    case(|start| start.suites[0].digest = "sha256:bb".into(), "suite digest", Kind::Blocks, false);
    case(|start| start.environment = "harness".into(), "environment", Kind::Blocks, false);
    case(|start| start.options["stream"] = json!("both"), "stream", Kind::Blocks, false);
    case(|start| start.options["max_tokens"] = json!(64), "max_tokens", Kind::Blocks, false);
    case(|start| start.options["repeat"] = json!(2), "repeat", Kind::Blocks, false);
    case(|start| start.route = "gateway:litellm".into(), "route", Kind::Axis, true);
    case(|start| start.options["concurrency"] = json!(8), "concurrency", Kind::Axis, true);
    case(|start| start.profile["axes"]["context"] = json!("4096"), "profile.context", Kind::Axis, true);
    case(|start| start.base_url = "http://127.0.0.1:9/v1".into(), "address", Kind::Note, true);
}

#[test]
fn two_axes_are_no_match() {
    let comparison = against(|start| {
        start.profile["axes"]["context"] = json!("4096");
        start.profile["axes"]["kv_dtype"] = json!("fp8");
    });
    assert!(!comparison.comparable);
}

#[test]
fn tasks_in_one_run_only_are_noted_and_no_common_task_blocks() {
    let comparison = against(|start| start.tasks.truncate(10));
    assert!(comparison.comparable && comparison.pairs.judged == 10);
    let comparison = against(|start| start.tasks.iter_mut().for_each(|task| task.id.insert(0, 'x')));
    assert!(!comparison.comparable);
}

#[test]
fn pairs_leave_out_what_was_not_judged() {
    let a = side(start(), |task, _| if task < 15 { Passed } else { Failed }, 1_000);
    let b = side(start(), |task, _| [Error, Truncated, Failed, Failed].get(task).copied().unwrap_or(Passed), 1_000);
    let pairs = compare(&a, &b, false).pairs;
    assert_eq!((pairs.judged, pairs.unjudged, pairs.only_a, pairs.only_b, pairs.both_failed), (18, 2, 2, 5, 0));
    assert!((pairs.p - 0.453_125).abs() < 1e-12, "{}", pairs.p);
    assert_eq!(pairs.flips.len(), 9);
}

#[test]
fn the_gate_closes_on_a_loss_beyond_noise() {
    let right = |_, _| Passed;
    let a = side(start(), right, 1_000);
    let lost = side(start(), |task, _| if task < 8 { Failed } else { Passed }, 1_000);
    let one = side(start(), |task, _| if task < 1 { Failed } else { Passed }, 1_000);
    assert_eq!(compare(&a, &lost, false).gate.regressions.len(), 1);
    assert!(compare(&a, &one, false).gate.regressions.is_empty());
    assert!(compare(&a, &one, false).gate.notes[0].contains("--repeat"));
    let slow = side(start(), right, 9_000);
    let gate = compare(&a, &slow, false).gate;
    assert!(gate.regressions.iter().any(|said| said.starts_with("latency p95")), "{gate:?}");
}

#[test]
fn repeats_say_what_noise_is() {
    let repeated = || {
        let mut start = start();
        start.tasks.iter_mut().for_each(|task| task.repeat = 4);
        start
    };
    let flaky = |shift: u32| {
        move |task: usize, attempt: u32| if task < 10 && (attempt + shift).is_multiple_of(2) { Failed } else { Passed }
    };
    let a = side(repeated(), flaky(0), 1_000);
    assert!(compare(&a, &side(repeated(), flaky(1), 1_000), false).gate.regressions.is_empty());
    let worse = side(repeated(), |task, _| if task < 10 { Failed } else { Passed }, 1_000);
    assert!(compare(&a, &worse, false).gate.regressions[0].starts_with("pass rate -25.0 points"));
}

#[test]
fn more_throughput_with_a_worse_tail_is_said() {
    let a = side(start(), |_, _| Passed, 1_000_000);
    let mut b = side(start(), |task, _| if task < 9 { Failed } else { Passed }, 2_000_000);
    b.record.performance.wall_ms = a.record.performance.wall_ms / 4;
    let words = compare(&a, &b, false).words;
    assert!(
        words.iter().any(|said| said.contains("worse tail")) && words.iter().any(|said| said.contains("more failures")),
        "{words:?}"
    );
}
