//! From exchanges to what is booked: judges an attempt and says why it is red, in one line.

use std::sync::Mutex;

use monban_scorers::completion::FaultKind;
use monban_scorers::diagnosis::{Context, RunSignals};
use monban_scorers::{Answer, Attempt, Exchange, Fault, Judgement, Mode, Outcome, Verdict};

use super::sink::lock;
use crate::plan::Planned;
use crate::record::{AttemptDone, Measure};

/// The longest `why`, in characters.
const WHY: usize = 300;

/// Judges the exchanges of one attempt; what the whole run will be judged by is counted into `signals`.
pub fn attempt_done(
    at: (usize, u32),
    task: &Planned,
    exchanges: Vec<Exchange>,
    context: &Context,
    signals: &Mutex<RunSignals>,
) -> AttemptDone {
    let judgement = monban_scorers::judge::judge(&Attempt {
        task: &task.id,
        request: task.request(),
        exchanges: &exchanges,
        expectations: &task.expectations,
        context,
    });
    lock(signals).add(&task.id, task.request(), &judgement);
    AttemptDone {
        task: at.0,
        attempt: at.1,
        outcome: judgement.outcome,
        why: why(&judgement).chars().take(WHY).collect(),
        measures: judgement.answers.iter().zip(&exchanges).map(measure).collect(),
        expectations: judgement.scored,
        findings: judgement.findings,
        exchanges,
    }
}

fn measure((answer, exchange): (&Answer, &Exchange)) -> Measure {
    match answer {
        Answer::Completion(completion) => Measure::of(completion),
        Answer::Fault(_) => Measure { streamed: exchange.mode == Mode::Stream, ..Measure::default() },
    }
}

fn why(judgement: &Judgement) -> String {
    let red = judgement.scored.iter().find(|scored| matches!(scored.delivered, Verdict::Fail(_)));
    let unscored = judgement.scored.iter().find(|scored| matches!(scored.delivered, Verdict::NotScored(_)));
    let fault = judgement.answers.iter().find_map(|answer| match answer {
        Answer::Fault(fault) => Some(fault),
        Answer::Completion(_) => None,
    });
    match judgement.outcome {
        Outcome::Passed => String::new(),
        Outcome::Error if fault.is_some() => fault.map(say).unwrap_or_default(),
        Outcome::Error if broken_off(judgement).is_some() => broken_off(judgement).unwrap_or_default(),
        Outcome::Truncated => "cut at the token budget".to_owned(),
        _ => red.or(unscored).map_or_else(
            || fault.map(say).unwrap_or_default(),
            |scored| format!("{}: {}", scored.scorer, scored.delivered.reason()),
        ),
    }
}

/// The error that ended a stream after its answer had begun: no scorer's word says why there is no answer.
fn broken_off(judgement: &Judgement) -> Option<String> {
    let completions = judgement.answers.iter().filter_map(Answer::completion);
    let mut deviations = completions.flat_map(|completion| &completion.deviations);
    let error = deviations.find(|one| one.kind == "stream_error")?;
    Some(format!("broken off by an error in the stream: {}", error.detail))
}

fn say(fault: &Fault) -> String {
    let kind = match fault.kind {
        FaultKind::Unreachable => "unreachable",
        FaultKind::Timeout => "timeout",
        FaultKind::Cut => "cut off",
        FaultKind::Status | FaultKind::ErrorBody => "refused",
        FaultKind::NotJson => "not JSON",
        FaultKind::EmptyBody => "empty answer",
        FaultKind::NoChoice => "no choice in the answer",
        FaultKind::TooLarge => "too large",
        _ => "no answer",
    };
    let status = fault.status.map(|status| format!(" (status {status})")).unwrap_or_default();
    let message = fault.message.split_whitespace().collect::<Vec<_>>().join(" ");
    if message.is_empty() { format!("{kind}{status}") } else { format!("{kind}{status}: {message}") }
}
