//! The fold: [`Event`]s in, [`RunRecord`] out.
//!
//! What is final (passed, failed, truncated, server fault) is kept apart from what is not (errors). `--resume` asks every
//! attempt again that has no final outcome, so [`Event::Resumed`] drops the second part as a whole: nothing has to be
//! remembered of single attempts to take an error back, and memory is bounded by the suite. Beside that the fold holds
//! one bit an attempt, which says what need not be asked again.

use monban_scorers::{Finding, Outcome};

use super::done::Done;
use super::event::{AttemptDone, Event, RunEnd, RunStart};
use super::findings::{FindingSet, went_away};
use super::summary::{Counts, Performance, RunRecord, TaskRecord};
use crate::profile::Lines;

/// A run being folded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fold {
    start: RunStart,
    end: Option<RunEnd>,
    wall_ms: u64,
    open: Option<Span>,
    kept: Part,
    errors: Part,
    run_findings: FindingSet,
    done: Done,
}

/// From the first request to the last answer of a part that has no end yet, milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    from: u64,
    to: u64,
}

/// What some of the attempts amount to.
#[derive(Clone, Debug, Default, PartialEq)]
struct Part {
    /// By the plan's order, as far as there were attempts.
    tasks: Vec<TaskRecord>,
    performance: Performance,
    findings: FindingSet,
}

impl Fold {
    /// Takes the next event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::RunStart(start) => *self = Self { start: start.clone(), ..Self::default() },
            Event::Resumed { .. } => {
                self.errors = Part::default();
                self.run_findings = FindingSet::default();
                self.end = None;
                // A part that was killed has no end that says how long it took.
                self.wall_ms = self.wall_ms.saturating_add(self.open_ms());
                self.open = None;
            }
            Event::AttemptDone(done) => self.attempt(done),
            Event::RunFinding(finding) => self.run_findings.add(finding),
            Event::RunEnd(end) => {
                self.wall_ms = self.wall_ms.saturating_add(end.wall_ms);
                self.open = None;
                self.end = Some(end.clone());
            }
        }
    }

    fn attempt(&mut self, done: &AttemptDone) {
        // A journal may name anything; what the plan does not hold is no attempt of this run.
        let planned = self.start.tasks.get(done.task).is_some_and(|task| done.attempt < task.repeat);
        if !planned || done.outcome == Outcome::Skipped || self.done.has(done.task, done.attempt) {
            return;
        }
        self.span(done);
        if done.outcome == Outcome::Error {
            self.errors.add(done);
        } else {
            self.done.set(done.task, done.attempt);
            self.kept.add(done);
        }
    }

    fn span(&mut self, done: &AttemptDone) {
        for exchange in done.exchanges.iter().filter(|exchange| exchange.sent_ms > 0) {
            let (from, to) = (exchange.sent_ms, exchange.sent_ms.saturating_add(exchange.total_us / 1000));
            let open = self.open.get_or_insert(Span { from, to });
            *open = Span { from: open.from.min(from), to: open.to.max(to) };
        }
    }

    fn open_ms(&self) -> u64 {
        self.open.map_or(0, |open| open.to.saturating_sub(open.from))
    }

    /// The attempts that have their final outcome.
    #[must_use]
    pub fn done(&self) -> &Done {
        &self.done
    }

    /// What was fixed when the run began.
    #[must_use]
    pub fn start(&self) -> &RunStart {
        &self.start
    }

    /// The record so far. What has no outcome counts as skipped.
    #[must_use]
    pub fn record(&self) -> RunRecord {
        let mut findings = self.kept.findings.clone();
        findings.add_all(&self.errors.findings);
        findings.add_all(&self.run_findings);
        let mut performance = self.kept.performance.clone();
        performance.merge(&self.errors.performance);
        performance.wall_ms = self.wall_ms.saturating_add(self.open_ms());
        let tasks: Vec<TaskRecord> = (0..self.start.tasks.len()).map(|task| self.task(task)).collect();
        let mut counts = Counts::default();
        tasks.iter().for_each(|task| counts.add(&task.counts));
        let mut findings = findings.into_sorted(self.start.context.engine.as_deref());
        went_away(&mut findings, counts.passed + counts.failed + counts.truncated + counts.server_fault);
        if let Some(lines) = Lines::recorded(&self.start.profile) {
            findings.iter_mut().for_each(|finding| lines.point_at(finding));
        }
        RunRecord { start: self.start.clone(), end: self.end.clone(), tasks, counts, performance, findings }
    }

    fn task(&self, at: usize) -> TaskRecord {
        let mut task = self.kept.tasks.get(at).cloned().unwrap_or_default();
        if let Some(errors) = self.errors.tasks.get(at) {
            task.counts.add(&errors.counts);
            task.latency_us.merge(&errors.latency_us);
            task.ttft_us.merge(&errors.ttft_us);
            if task.why.is_empty() {
                task.why.clone_from(&errors.why);
            }
        }
        task.counts.tasks = 1;
        let planned = u64::from(self.start.tasks[at].repeat);
        task.counts.skipped = planned.saturating_sub(task.counts.attempts);
        task.counts.attempts = planned;
        task
    }
}

impl RunRecord {
    /// Folds a run's events, in order.
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut fold = Fold::default();
        events.into_iter().for_each(|event| fold.apply(event));
        fold.record()
    }
}

impl Part {
    fn add(&mut self, done: &AttemptDone) {
        if self.tasks.len() <= done.task {
            self.tasks.resize_with(done.task + 1, TaskRecord::default);
        }
        let task = &mut self.tasks[done.task];
        task.counts.count(done.outcome);
        match done.outcome {
            Outcome::Passed => {
                task.intent_passed += 1;
                task.intent_judged += 1;
            }
            // What was lost on the way without a trace is not known to have been right.
            Outcome::ServerFault if done.expectations.iter().any(|scored| scored.intent.is_some()) => {
                task.intent_passed += 1;
                task.intent_judged += 1;
            }
            Outcome::Failed => task.intent_judged += 1,
            _ => {}
        }
        if task.why.is_empty() && done.outcome != Outcome::Passed {
            task.why.clone_from(&done.why);
        }
        for measure in done.measures.iter().filter(|measure| measure.answered) {
            task.latency_us.add(measure.timing.latency_us);
            if let Some(ttft) = measure.timing.ttft_us().filter(|_| measure.streamed) {
                task.ttft_us.add(ttft);
            }
        }
        done.measures.iter().for_each(|measure| self.performance.add(measure));
        self.performance.retries += done.exchanges.iter().map(|exchange| exchange.tries.len() as u64).sum::<u64>();
        done.findings.iter().for_each(|finding: &Finding| self.findings.add(finding));
    }
}

#[cfg(test)]
mod tests {
    use monban_scorers::completion::{Timing, TransportError, TransportErrorKind, Try, Usage};
    use monban_scorers::{
        Blame, Body, Confidence, Evidence, Exchange, Mode, Piece, Raw, RawJson, Scored, Severity, Verdict,
    };
    use proptest::prelude::*;

    use super::*;
    use crate::record::{JournalReader, Measure, TaskRef, line};

    const OUTCOMES: [Outcome; 6] =
        [Outcome::Passed, Outcome::Failed, Outcome::Truncated, Outcome::ServerFault, Outcome::Error, Outcome::Skipped];

    fn start(tasks: usize, repeat: u32) -> Event {
        let tasks = (0..tasks).map(|n| TaskRef { id: format!("t{n}"), repeat, ..TaskRef::default() }).collect();
        Event::RunStart(RunStart { run_id: "r".to_owned(), tasks, ..RunStart::default() })
    }

    fn done(task: usize, attempt: u32, outcome: Outcome) -> AttemptDone {
        let (expectations, findings, measures, exchanges) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        AttemptDone { task, attempt, outcome, expectations, why: String::new(), findings, measures, exchanges }
    }

    fn finding() -> impl Strategy<Value = Finding> {
        (0..4u8, "[a-c]", prop::option::of("[ab]"), ".{0,8}").prop_map(|(severity, rule, family, excerpt)| Finding {
            rule,
            severity: [Severity::Info, Severity::Warning, Severity::Error][usize::from(severity) % 3],
            blame: Blame::ServerConfig,
            confidence: Confidence::Low,
            message: "m".to_owned(),
            evidence: vec![Evidence { task: "t0".to_owned(), place: "content".to_owned(), excerpt }],
            ruled_out: Vec::new(),
            fix: vec!["f".to_owned()],
            observed_family: family,
            configured_family: None,
            count: 1,
        })
    }

    fn exchange() -> impl Strategy<Value = Exchange> {
        let body = prop_oneof![
            Just(Body::None),
            prop::collection::vec(any::<u8>(), 0..20).prop_map(|bytes| Body::Plain(Raw(bytes))),
            prop::collection::vec((any::<u64>(), prop::collection::vec(any::<u8>(), 0..9)), 0..3).prop_map(|pieces| {
                Body::Pieces(pieces.into_iter().map(|(at_us, raw)| Piece { at_us, raw: Raw(raw) }).collect())
            }),
        ];
        let error = TransportError { kind: TransportErrorKind::Cut, message: "\n\"\u{1b}".to_owned() };
        (body, prop::option::of(Just(error)), 0usize..3, ".{0,9}").prop_map(|(body, error, tries, header)| Exchange {
            mode: Mode::Stream,
            url: "http://h/v1".to_owned(),
            request: RawJson::of(&serde_json::json!({"n": 1.5, "text": header})),
            status: Some(200),
            headers: vec![("x".to_owned(), header)],
            body,
            error,
            sent_ms: 1,
            headers_us: None,
            total_us: 2,
            tries: vec![Try { status: Some(503), error: None, waited_ms: 3 }; tries],
        })
    }

    fn measure() -> impl Strategy<Value = Measure> {
        (any::<bool>(), any::<bool>(), any::<u64>(), prop::option::of(any::<u64>())).prop_map(
            |(answered, streamed, us, tokens)| Measure {
                answered,
                streamed,
                timing: Timing { first_text_us: Some(us / 2), latency_us: us, ..Timing::default() },
                usage: Usage { completion_tokens: tokens, ..Usage::default() },
            },
        )
    }

    fn event() -> impl Strategy<Value = Event> {
        let attempt = (
            (0usize..5, 0u32..80, prop::sample::select(OUTCOMES.to_vec()), ".{0,5}"),
            prop::collection::vec(finding(), 0..3),
            prop::collection::vec(measure(), 0..3),
            prop::collection::vec(exchange(), 0..3),
        )
            .prop_map(|((task, attempt, outcome, why), findings, measures, exchanges)| {
                let expectations = vec![Scored {
                    scorer: "contains".to_owned(),
                    delivered: Verdict::Fail(why.clone()),
                    intent: Some(Verdict::Pass),
                }];
                Event::AttemptDone(AttemptDone {
                    why,
                    findings,
                    measures,
                    exchanges,
                    expectations,
                    ..done(task, attempt, outcome)
                })
            });
        prop_oneof![
            8 => attempt,
            1 => finding().prop_map(Event::RunFinding),
            1 => Just(Event::Resumed { at: "now".to_owned() }),
            1 => (any::<u32>(), ".{0,5}").prop_map(|(wall, reason)| {
                Event::RunEnd(RunEnd { finished: "then".to_owned(), wall_ms: u64::from(wall), reason })
            }),
        ]
    }

    proptest! {
        #[test]
        fn the_journal_is_the_stream(events in prop::collection::vec(event(), 0..40), tasks in 0usize..5, repeat in 1u32..80) {
            let events: Vec<Event> = std::iter::once(start(tasks, repeat)).chain(events).collect();
            let journal: Vec<u8> = events.iter().flat_map(|event| line(event).unwrap()).collect();
            let parsed: Vec<Event> = JournalReader::new(&journal[..]).map(Result::unwrap).collect();
            prop_assert_eq!(&parsed, &events);
            let record = RunRecord::from_events(&parsed);
            prop_assert_eq!(&record, &RunRecord::from_events(&events));
            let manifest: RunRecord = serde_json::from_slice(&serde_json::to_vec(&record).unwrap()).unwrap();
            prop_assert_eq!(manifest, record);
        }

        #[test]
        fn every_attempt_counts_once(events in prop::collection::vec(event(), 0..60), tasks in 0usize..5, repeat in 1u32..80) {
            let events: Vec<Event> = std::iter::once(start(tasks, repeat)).chain(events).collect();
            let counts = RunRecord::from_events(&events).counts;
            prop_assert_eq!(counts.attempts, tasks as u64 * u64::from(repeat));
            prop_assert_eq!(counts.attempts, counts.answered() + counts.error + counts.skipped);
        }
    }

    #[test]
    fn taking_a_run_up_again_takes_back_its_errors_and_nothing_else() {
        let mut fold = Fold::default();
        fold.apply(&start(1, 3));
        fold.apply(&Event::AttemptDone(done(0, 0, Outcome::Passed)));
        fold.apply(&Event::AttemptDone(AttemptDone { why: "503".to_owned(), ..done(0, 1, Outcome::Error) }));
        let counts = fold.record().counts;
        assert_eq!((counts.passed, counts.error, counts.skipped), (1, 1, 1));
        fold.apply(&Event::Resumed { at: String::new() });
        let counts = fold.record().counts;
        assert_eq!((counts.passed, counts.error, counts.skipped), (1, 0, 2));
        fold.apply(&Event::AttemptDone(done(0, 1, Outcome::Failed)));
        fold.apply(&Event::AttemptDone(done(0, 1, Outcome::Passed)));
        let record = fold.record();
        assert_eq!((record.counts.passed, record.counts.failed), (1, 1), "the first final outcome stands");
        assert_eq!(record.tasks[0].why, "");
        assert!(fold.done().has(0, 0) && fold.done().has(0, 1) && !fold.done().has(0, 2));
    }
}
