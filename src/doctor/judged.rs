//! Judged probes → rows of the matrix and findings. Pure.

use monban_scorers::completion::{FaultKind, TransportErrorKind};
use monban_scorers::diagnosis::{Context, blames_server};
use monban_scorers::judge::{Attempt, Judgement, Outcome, judge};
use monban_scorers::{Answer, Completion, Exchange, Mode, Request, Verdict};

use super::probes::{Judged, ROWS};
use super::report::{Capability, Status};
use super::seen::Seen;
use super::singles::FIRST;

/// One task as judged; the modes that were not answered in time are left out.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) id: &'static str,
    pub(super) modes: Vec<Mode>,
    pub(super) judgement: Judgement,
}

impl Case {
    /// The completion in a mode.
    pub(super) fn completion(&self, mode: Mode) -> Option<&Completion> {
        let at = self.modes.iter().position(|known| *known == mode)?;
        self.judgement.answers.get(at)?.completion()
    }

    /// The completions in both modes.
    pub(super) fn completions(&self) -> impl Iterator<Item = &Completion> {
        self.judgement.answers.iter().filter_map(Answer::completion)
    }
}

/// Judges every task that was answered; where none was, the first question.
pub(super) fn cases(judged: &Judged, seen: &Seen, context: &Context) -> Vec<Case> {
    let cases: Vec<Case> = ROWS.iter().filter_map(|(id, _)| case(id, judged, seen, context)).collect();
    if cases.is_empty() { first(seen, context).into_iter().collect() } else { cases }
}

/// Every probe ran into its budget: nothing was answered to its end.
pub(super) fn all_cut(cases: &[Case]) -> bool {
    !cases.is_empty() && cases.iter().all(|case| case.judgement.outcome == Outcome::Truncated)
}

fn first(seen: &Seen, context: &Context) -> Option<Case> {
    let exchange = seen.exchange(FIRST, Mode::Plain)?.clone();
    let request = Request::from(exchange.request.value());
    let judgement =
        judge(&Attempt { task: FIRST, request: &request, exchanges: &[exchange], expectations: &[], context });
    Some(Case { id: FIRST, modes: vec![Mode::Plain], judgement })
}

fn case(id: &'static str, judged: &Judged, seen: &Seen, context: &Context) -> Option<Case> {
    let task = judged.task(id)?;
    let answered = [Mode::Plain, Mode::Stream].map(|mode| Some((mode, seen.exchange(id, mode)?.clone())));
    let (mut modes, mut exchanges): (Vec<Mode>, Vec<Exchange>) = answered.into_iter().flatten().unzip();
    // A mode that only ran out of time says nothing of the other.
    if exchanges.iter().any(|exchange| exchange.error.is_none()) {
        let in_time = |exchange: &Exchange| {
            !exchange.error.as_ref().is_some_and(|error| error.kind == TransportErrorKind::Timeout)
        };
        let keep: Vec<bool> = exchanges.iter().map(in_time).collect();
        let mut kept = keep.iter();
        modes.retain(|_| kept.next() == Some(&true));
        exchanges.retain(in_time);
    }
    if exchanges.is_empty() {
        return None;
    }
    let judgement = judge(&Attempt {
        task: id,
        request: task.request(),
        exchanges: &exchanges,
        expectations: &task.expectations,
        context,
    });
    Some(Case { id, modes, judgement })
}

/// The rows of the judged probes.
pub(super) fn rows(cases: &[Case]) -> Vec<Capability> {
    let row = |(id, name): &(&'static str, &'static str)| match cases.iter().find(|case| case.id == *id) {
        Some(case) => {
            let (status, evidence) = status(case);
            Capability::new(name, status, how(case), evidence)
        }
        None => Capability::new(name, Status::Inconclusive, "", "not asked, or not answered"),
    };
    ROWS.iter().map(row).collect()
}

fn how(case: &Case) -> &'static str {
    match case.modes.as_slice() {
        [Mode::Plain, Mode::Stream] => "asked plain and streamed",
        [Mode::Stream] => "asked streamed",
        _ => "asked plain",
    }
}

/// What a judgement means for a capability. A wrong answer without a server's fault is no evidence either way.
fn status(case: &Case) -> (Status, String) {
    let judgement = &case.judgement;
    let first = judgement.findings.first();
    let said = || first.map(|finding| format!("{}: {}", finding.rule, finding.message)).unwrap_or_default();
    if let Some(fault) = judgement.answers.iter().find_map(|answer| match answer {
        Answer::Fault(fault) => Some(fault),
        Answer::Completion(_) => None,
    }) {
        let words = match fault.status {
            Some(status) => format!("HTTP {status}: {}", fault.message),
            None => fault.message.clone(),
        };
        return match (fault.kind, fault.status) {
            (FaultKind::Timeout | FaultKind::Unreachable, _) => (Status::Inconclusive, words),
            (_, Some(400..=499)) => (Status::Refused, words),
            _ => (Status::Broken, words),
        };
    }
    if blames_server(&judgement.findings) {
        return (Status::Broken, said());
    }
    match judgement.outcome {
        Outcome::Passed => (Status::Ok, brief(case)),
        Outcome::ServerFault => (Status::Broken, said()),
        Outcome::Truncated => (Status::Inconclusive, "the budget was used up first".to_owned()),
        Outcome::Failed => (Status::Inconclusive, format!("the model's doing: {}", reason(judgement))),
        Outcome::Error | Outcome::Skipped => (Status::Inconclusive, reason(judgement)),
    }
}

fn reason(judgement: &Judgement) -> String {
    let wrong = judgement.scored.iter().find_map(|scored| match &scored.delivered {
        Verdict::Fail(why) => Some(why.clone()),
        Verdict::Pass | Verdict::NotScored(_) => None,
    });
    wrong.unwrap_or_else(|| "nothing to judge".to_owned())
}

/// The right answer in a few characters.
fn brief(case: &Case) -> String {
    let Some(completion) = case.completions().next() else { return String::new() };
    let calls = completion.tool_calls.iter().map(ToString::to_string);
    let calls: Vec<String> = calls.collect();
    if calls.is_empty() { completion.text().trim().to_owned() } else { calls.join(", ") }
}
