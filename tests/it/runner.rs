//! The runner against endpoints that misbehave.

use std::sync::Arc;
use std::time::{Duration, Instant};

use monban::endpoint::{Client, ClientOptions};
use monban::plan::{Options, Plan};
use monban::record::{AttemptDone, Event, Fold, RunRecord, RunStart, RunVerdict};
use monban::runner::{Observer, Run, RunOptions, Sink, Stop};
use monban::suite::StreamMode;
use monban_scorers::{Blame, Mode, Registry};

use crate::server::{Server, Step, dead_port, says, whole};

/// A run of so many tasks.
struct Case {
    tasks: usize,
    repeat: u32,
    stream: StreamMode,
    options: RunOptions,
    stop: Stop,
    heard: bool,
}

impl Case {
    fn of(tasks: usize) -> Self {
        let options = RunOptions { patience_s: 1.0, ..RunOptions::default() };
        Self { tasks, repeat: 1, stream: StreamMode::Off, options, stop: Stop::default(), heard: false }
    }

    fn plan(&self) -> Plan {
        let mut text = "[suite]\nname = \"s\"\nversion = \"1.0.0\"\ndescription = \"d\"\n".to_owned();
        for n in 0..self.tasks {
            let expect = "{ scorer = \"contains\", text = \"yes\" }";
            text.push_str(&format!("[[task]]\nid = \"t{n}\"\nprompt = \"#{n}.\"\nexpect = [{expect}]\n"));
        }
        let suite = monban::suite::check_text("s.toml", &text, &Registry::builtin()).into_suite(false).unwrap();
        let (repeat, stream) = (Some(self.repeat), Some(self.stream));
        Plan::new(vec![suite], &Options { model: "m".to_owned(), repeat, stream, ..Options::default() }).unwrap()
    }

    fn run(self, url: &str) -> (RunRecord, Vec<AttemptDone>) {
        let plan = self.plan();
        let start = RunStart { tasks: plan.task_refs(), ..RunStart::default() };
        let mut fold = Fold::default();
        fold.apply(&Event::RunStart(start));
        let (seen, events) = std::sync::mpsc::channel();
        let run = Run {
            client: Client::new(url.parse().unwrap(), &ClientOptions::default()).unwrap(),
            plan: Arc::new(plan),
            signals: Default::default(),
            beforehand: Vec::new(),
            heard: self.heard,
            context: monban_scorers::diagnosis::Context::default(),
            options: self.options,
            sink: Sink::new(None, fold).observe(Box::new(Keep(seen))),
            stop: self.stop,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let record = runtime.block_on(monban::runner::run(run)).unwrap();
        (record, events.into_iter().collect())
    }
}

struct Keep(std::sync::mpsc::Sender<AttemptDone>);

impl Observer for Keep {
    fn event(&mut self, event: &Event) {
        if let Event::AttemptDone(done) = event {
            self.0.send(done.clone()).unwrap();
        }
    }
}

fn reason(record: &RunRecord) -> &str {
    &record.end.as_ref().unwrap().reason
}

#[test]
fn every_attempt_is_asked_once_in_each_mode() {
    let server = Server::start(|asked| says(asked, "yes"));
    let case = Case { repeat: 3, stream: StreamMode::Both, ..Case::of(5) };
    let (record, done) = case.run(&server.url());
    let mut seen: Vec<_> = done.iter().map(|done| (done.task, done.attempt)).collect();
    seen.sort_unstable();
    let all: Vec<_> = (0..5).flat_map(|task| (0..3).map(move |attempt| (task, attempt))).collect();
    assert_eq!(seen, all);
    assert_eq!(server.asked().len(), 30);
    assert!(
        done.iter().all(|done| done.exchanges.iter().map(|exchange| exchange.mode).collect::<Vec<_>>()
            == [Mode::Stream, Mode::Plain])
    );
    assert_eq!((reason(&record), record.counts.attempts, record.performance.exchanges), ("done", 15, 30));
}

#[test]
fn large_answers_are_judged_beside_small_ones_and_all_are_booked() {
    let long = "word ".repeat(10_000);
    let server = Server::start(move |asked| {
        let large = asked.body.contains("#1.") || asked.body.contains("#2.");
        says(asked, &if large { format!("{long}yes") } else { "yes".to_owned() })
    });
    let case = Case { repeat: 20, stream: StreamMode::Both, ..Case::of(4) };
    let (record, done) = case.run(&server.url());
    assert_eq!((reason(&record), record.counts.passed, done.len()), ("done", 80, 80));
    let large = done.iter().filter(|done| done.exchanges[0].body.size() > 50_000).count();
    assert_eq!(large, 40);
}

#[test]
fn a_dead_port_ends_the_run_at_once_whatever_its_size() {
    let started = Instant::now();
    let (record, _) = Case { repeat: 1000, ..Case::of(100) }.run(&format!("http://127.0.0.1:{}", dead_port()));
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(reason(&record).starts_with("circuit_open: no answer"), "{}", reason(&record));
    assert_eq!(record.verdict(None), RunVerdict::Invalid);
    assert_eq!(record.counts.error + record.counts.skipped, 100_000);
    assert!(record.counts.skipped > 99_000 && record.counts.error > 0, "{:?}", record.counts);
    assert_eq!(record.rates().pass, None);
}

#[test]
fn endless_503_ends_the_run_even_while_it_asks_for_patience() {
    let server = Server::start(|_| whole(503, "retry-after: 600\r\n", "{}"));
    let mut case = Case { repeat: 1000, ..Case::of(10) };
    case.options.concurrency = 64;
    let started = Instant::now();
    let (record, done) = case.run(&server.url());
    assert!(started.elapsed() < Duration::from_secs(15));
    assert_eq!((reason(&record).starts_with("circuit_open"), record.verdict(None)), (true, RunVerdict::Invalid));
    assert!(!done.is_empty(), "what was tried is booked");
}

#[test]
fn refusing_every_request_ends_the_run_early() {
    let server = Server::start(|_| whole(401, "", r#"{"error":"Unauthorized"}"#));
    let (record, _) = Case { repeat: 500, ..Case::of(10) }.run(&server.url());
    assert_eq!(reason(&record), "circuit_open: every request is refused: status 401");
    assert!(server.asked().len() < 50, "{}", server.asked().len());
}

#[test]
fn a_chat_route_that_hangs_while_others_answer_is_given_up_after_one_window() {
    let server = Server::start(|asked| match asked.head.starts_with("GET") {
        true => whole(200, "", r#"{"data":[]}"#),
        false => vec![Step::Hang],
    });
    let mut case = Case { repeat: 500, heard: true, stream: StreamMode::Both, ..Case::of(10) };
    case.options.timeout_s = 1.5;
    let started = Instant::now();
    let (record, done) = case.run(&server.url());
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    let why = "circuit_open: accepts requests but never answers: 4 in a row over 1 s, each no answer within 1.5 s";
    assert_eq!((reason(&record), record.verdict(None)), (why, RunVerdict::Invalid));
    assert!(server.asked().len() <= 8, "{}", server.asked().len());
    assert!(done.iter().all(|done| done.outcome == monban_scorers::Outcome::Error));
    assert_eq!(record.counts.error + record.counts.skipped, 5000);
}

#[test]
fn an_endpoint_silent_to_everything_is_given_up_long_before_the_timeout() {
    let server = Server::start(|_| vec![Step::Hang]);
    let started = Instant::now();
    let (record, _) = Case { repeat: 500, ..Case::of(10) }.run(&server.url());
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert!(reason(&record).contains(" s to any request, nor to GET /v1/models and /health"), "{}", reason(&record));
    assert_eq!(record.verdict(None), RunVerdict::Invalid);
    let [finding] = record.findings.as_slice() else { panic!("{:?}", record.findings) };
    assert_eq!((finding.rule.as_str(), finding.blame), ("unreachable_or_loading", Blame::Endpoint));
    assert_eq!(server.count(|asked| asked.head.starts_with("GET")), 2);
}

#[test]
fn a_slow_model_is_waited_for_as_long_as_its_server_speaks() {
    let slow = |asked: &crate::server::Asked| {
        let wait = Step::Wait(Duration::from_millis(700));
        std::iter::once(wait).chain(says(asked, "yes")).collect()
    };
    let speaks = Server::start(move |asked| match asked.head.starts_with("GET") {
        true => whole(503, "", "loading"),
        false => slow(asked),
    });
    let spoke = Server::start(move |asked| if asked.head.starts_with("GET") { vec![Step::Hang] } else { slow(asked) });
    for (server, heard) in [(speaks, false), (spoke, true)] {
        let mut case = Case { heard, ..Case::of(2) };
        case.options.patience_s = 0.2;
        let (record, _) = case.run(&server.url());
        assert_eq!((reason(&record), record.counts.passed), ("done", 2), "heard before: {heard}");
    }
}

#[test]
fn token_counts_that_cannot_be_make_no_rate() {
    let server = Server::start(|asked| {
        let tokens: u64 = if asked.n % 2 == 0 { u64::MAX } else { 2 };
        let usage = format!(r#"{{"prompt_tokens":3,"completion_tokens":{tokens}}}"#);
        let message = r#"{"role":"assistant","content":"yes"}"#;
        let choice = format!(r#"{{"index":0,"message":{message},"finish_reason":"stop"}}"#);
        whole(200, "", &format!(r#"{{"choices":[{choice}],"usage":{usage}}}"#))
    });
    let (record, _) = Case::of(6).run(&server.url());
    assert_eq!((record.counts.passed, record.performance.completion_tokens), (6, 6));
}

#[test]
fn a_limit_that_never_lets_anything_through_ends_the_run() {
    let server = Server::start(|_| whole(429, "retry-after: 600\r\n", "{}"));
    let started = Instant::now();
    let (record, done) = Case { repeat: 500, ..Case::of(10) }.run(&server.url());
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    let why = reason(&record);
    assert!(
        why.starts_with("circuit_open: rate limited for ") && why.contains(" s: status 429; Retry-After asks for "),
        "{why}"
    );
    assert_eq!((record.verdict(None), done.is_empty()), (RunVerdict::Invalid, false));
}

#[test]
fn retries_are_logged_and_share_one_budget() {
    let server = Server::start(|asked| match asked.n {
        0 => whole(503, "retry-after: 0\r\n", "{}"),
        1 => vec![Step::Close],
        2 => whole(429, "retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n", "{}"),
        _ => says(asked, "yes"),
    });
    let mut case = Case::of(1);
    case.options.retries = 3;
    let (record, done) = case.run(&server.url());
    let exchange = &done[0].exchanges[0];
    assert_eq!(exchange.status, Some(200));
    let tries: Vec<_> = exchange.tries.iter().map(|one| (one.status, one.error.is_some())).collect();
    assert_eq!(tries, [(Some(503), false), (None, true), (Some(429), false)]);
    assert_eq!(record.performance.retries, 3);

    let server = Server::start(|_| whole(500, "retry-after: 0\r\n", "{}"));
    let mut case = Case::of(1);
    case.options.retries = 1;
    let (_, done) = case.run(&server.url());
    assert_eq!((done[0].exchanges[0].status, done[0].exchanges[0].tries.len()), (Some(500), 1));
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn sticky_503_on_some_tasks_costs_only_those() {
    // 5 % of the tasks, always the same.
    let server = Server::start(|asked| {
        if asked.body.contains("7.\"") && !asked.body.contains("#7.") && asked.body.contains("#1") {
            whole(503, "retry-after: 0\r\n", "{}")
        } else {
            says(asked, "yes")
        }
    });
    let (record, done) = Case::of(200).run(&server.url());
    assert_eq!(reason(&record), "done");
    let failed = done.iter().filter(|done| done.exchanges[0].status == Some(503)).count();
    assert_eq!((failed, done.len()), (11, 200));
}

#[test]
fn an_interrupt_lets_what_is_in_flight_finish_and_begins_nothing_new() {
    let stop = Stop::default();
    let handle = stop.clone();
    let server = Server::start(move |asked| {
        if asked.n == 3 {
            handle.interrupt();
        }
        [vec![Step::Wait(Duration::from_millis(if asked.n > 3 { 100 } else { 0 }))], says(asked, "yes")].concat()
    });
    let (record, done) = Case { stop, repeat: 100, ..Case::of(10) }.run(&server.url());
    assert_eq!(reason(&record), "interrupted");
    assert_eq!(done.len(), server.asked().len(), "everything that was asked was booked");
    assert!(done.len() < 10, "{}", done.len());
    assert_eq!(record.counts.skipped, 1000 - done.len() as u64);
}

#[test]
fn an_interrupt_does_not_wait_for_what_hangs() {
    let stop = Stop::default();
    let handle = stop.clone();
    let server = Server::start(move |_| {
        handle.interrupt();
        vec![Step::Hang]
    });
    let mut case = Case { stop, ..Case::of(10) };
    case.options.grace_s = 0.2;
    let started = Instant::now();
    let (record, done) = case.run(&server.url());
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!((reason(&record), done.len()), ("interrupted", 0));
}

#[test]
fn the_rate_is_kept() {
    let server = Server::start(|asked| says(asked, "yes"));
    let mut case = Case::of(11);
    case.options.rate = Some(20.0);
    case.options.concurrency = 8;
    let started = Instant::now();
    case.run(&server.url());
    assert!(started.elapsed() >= Duration::from_millis(500), "{:?}", started.elapsed());
}
