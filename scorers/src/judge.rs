//! From the exchanges of one attempt to its [`Outcome`]: delivered and intent verdicts side by side.

use serde::{Deserialize, Serialize};

mod emptiness;
mod loss;
mod modes;
mod outcome;
#[cfg(test)]
mod tests;

pub(crate) use loss::runs_on_behind_tag;
use modes::Side;

use crate::completion::{self, Answer, Deviation, Exchange};
use crate::diagnosis::facts::Facts;
use crate::diagnosis::{AttemptView, Context, Finding, attempt_findings};
use crate::dialects::{self, Hints, Reread};
use crate::request::Request;
use crate::scorer::{Expectation, Verdict};

/// One execution of a task, ready to judge.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// The task's id, for the evidence.
    pub task: &'a str,
    /// What was asked.
    pub request: &'a Request,
    /// The exchanges, in the order asked (streamed and plain; later: turns, judges).
    pub exchanges: &'a [Exchange],
    /// What must hold. Empty in `diagnose`, where only the fault is looked for.
    pub expectations: &'a [Expectation],
    /// What is known of the endpoint.
    pub context: &'a Context,
}

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A complete answer arrived and every expectation holds.
    Passed,
    /// A complete answer arrived and it is wrong.
    Failed,
    /// The answer was cut at the token budget.
    Truncated,
    /// What was delivered is wrong, what the model wrote is right.
    ServerFault,
    /// Nothing was answered.
    Error,
    /// Not asked.
    Skipped,
}

/// One expectation's two verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scored {
    /// The scorer's name (`not contains`, `any(contains, regex)` for combinations).
    pub scorer: String,
    /// On what the client got.
    pub delivered: Verdict,
    /// On what the model wrote. `None` when it is not known (no re-reading was possible or called for: then it is what
    /// was delivered).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<Verdict>,
}

/// The judgement of one attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The outcome.
    pub outcome: Outcome,
    /// Each expectation's verdicts, in order.
    pub scored: Vec<Scored>,
    /// What this attempt alone shows of faults.
    pub findings: Vec<Finding>,
    /// The answers as read, one for each exchange.
    pub answers: Vec<Answer>,
    /// What the re-reading did to recover the intent: booked, never silent.
    pub repairs: Vec<Deviation>,
}

/// A value of a call is not of its declared type, and the model's own format writes no types.
fn is_untyped(view: &AttemptView<'_>) -> bool {
    let calls = view.answers.iter().filter_map(Answer::completion).flat_map(|completion| &completion.tool_calls);
    let mut lost = calls.filter(|call| dialects::may_have_lost_types(call, view.request));
    lost.next().is_some() && Facts::read(view).writes_types() == Some(false)
}

/// Judges one attempt: reads the exchanges, scores what was delivered, re-reads where the wire shows a fault, scores
/// that too, and says what it shows.
///
/// ```
/// use monban_scorers::diagnosis::Context;
/// use monban_scorers::judge::{Attempt, Outcome, judge};
/// use monban_scorers::{Exchange, Expectation, Registry, Request};
/// use serde_json::json;
///
/// let body = json!({"messages": [{"role": "user", "content": "What is the capital of France?"}]});
/// let response = json!({"choices": [{"message": {"role": "assistant", "content": "Paris."}, "finish_reason": "stop"}]});
/// let table = json!({"scorer": "contains", "text": "Paris"});
/// let expectation = Expectation::parse(table.as_object().unwrap(), &Registry::builtin()).unwrap();
///
/// let judgement = judge(&Attempt {
///     task: "capital",
///     request: &Request::read(&body),
///     exchanges: &[Exchange::from_stored(&body, &response)?],
///     expectations: &[expectation],
///     context: &Context::default(),
/// });
/// assert_eq!(judgement.outcome, Outcome::Passed);
/// # Ok::<(), String>(())
/// ```
#[must_use]
pub fn judge(attempt: &Attempt<'_>) -> Judgement {
    let answers: Vec<Answer> = attempt.exchanges.iter().map(read).collect();
    let model = attempt.context.model.as_deref().unwrap_or(&attempt.request.model);
    let unread = AttemptView {
        task: attempt.task,
        request: attempt.request,
        exchanges: attempt.exchanges,
        answers: &answers,
        rereads: &[],
        scored: &[],
        context: attempt.context,
    };
    let hints = Hints {
        request: Some(attempt.request),
        model: Some(model).filter(|model| !model.is_empty()),
        untyped: is_untyped(&unread),
    };
    let mut rereads: Vec<Option<Reread>> =
        answers.iter().map(|answer| dialects::reread(answer.completion()?, attempt.request, &hints)).collect();
    let whole = answers.iter().all(|answer| answer.completion().is_some()) && !answers.is_empty();
    let mut scored = match whole {
        true => modes::score(attempt.expectations, attempt.request, &sides(&answers, &rereads)),
        false => unanswered(attempt.expectations, &answers),
    };
    if whole && modes::markup_is_wanted(attempt.expectations, attempt.request, &scored, &sides(&answers, &rereads)) {
        rereads.iter_mut().for_each(|reread| *reread = None);
        scored = modes::score(attempt.expectations, attempt.request, &sides(&answers, &rereads));
    }
    let sides = sides(&answers, &rereads);
    let cut = outcome::cut(attempt.request, &sides, &mut scored);
    outcome::given_up(&sides, &mut scored);
    let findings = attempt_findings(&AttemptView { rereads: &rereads, scored: &scored, ..unread });
    let outcome = if whole { outcome::decide(&sides, &scored, cut, &findings) } else { Outcome::Error };
    let repairs = rereads.into_iter().flatten().flat_map(|reread| reread.repairs).collect();
    Judgement { outcome, scored, findings, answers, repairs }
}

/// Each completion as delivered and as meant.
fn sides<'a>(answers: &'a [Answer], rereads: &'a [Option<Reread>]) -> Vec<Side<'a>> {
    answers.iter().zip(rereads).filter_map(|(answer, reread)| Side::of(answer, reread)).collect()
}

/// Reads an exchange; where it departs in a way that matters, a stock client is asked as well.
fn read(exchange: &Exchange) -> Answer {
    let mut answer = completion::read(exchange);
    if let Answer::Completion(completion) = &mut answer
        && completion.deviations.iter().any(|deviation| !deviation.is_harmless())
        && let Some(refused) = completion::strict_client(exchange)
    {
        completion.deviations.push(refused);
    }
    answer
}

/// Nothing is scored that was not answered.
fn unanswered(expectations: &[Expectation], answers: &[Answer]) -> Vec<Scored> {
    let fault = answers.iter().find_map(|answer| match answer {
        Answer::Fault(fault) => Some(fault),
        Answer::Completion(_) => None,
    });
    let why = match fault {
        Some(fault) => format!("no answer: {}", outcome::in_words(fault)),
        None => "no answer: nothing was asked".to_owned(),
    };
    let scored = |expectation: &Expectation| Scored {
        scorer: expectation.label(),
        delivered: Verdict::NotScored(why.clone()),
        intent: None,
    };
    expectations.iter().map(scored).collect()
}
