//! All expectations on all completions of an attempt: [`score`].
//!
//! An expectation must hold in both modes. What one mode delivered is evidence of what the model meant in the other,
//! but only where the other **lost** it ([`super::loss`]): two different answers are two answers.

use super::Scored;
use super::evaluate::{all, is_negative};
use super::loss::lost;
use crate::completion::{Answer, Completion, Mode};
use crate::dialects::Reread;
use crate::request::Request;
use crate::scorer::{Expectation, Subject, Verdict};

/// One completion as delivered and as meant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    pub(super) delivered: &'a Completion,
    pub(super) reread: Option<&'a Reread>,
}

impl<'a> Side<'a> {
    pub(super) fn of(answer: &'a Answer, reread: &'a Option<Reread>) -> Option<Self> {
        Some(Self { delivered: answer.completion()?, reread: reread.as_ref() })
    }

    /// The completion as the model meant it.
    pub(super) fn meant(&self) -> &'a Completion {
        self.reread.map_or(self.delivered, |reread| &reread.completion)
    }
}

/// Each expectation's two verdicts.
pub(super) fn score(expectations: &[Expectation], request: &Request, sides: &[Side<'_>]) -> Vec<Scored> {
    let mut scored: Vec<Scored> = expectations.iter().map(|expectation| one(expectation, request, sides)).collect();
    refuse_emptiness(expectations, request, sides, &mut scored);
    scored
}

fn one(expectation: &Expectation, request: &Request, sides: &[Side<'_>]) -> Scored {
    let delivered: Vec<Verdict> =
        (0..sides.len()).map(|at| on(expectation, request, sides, at, |side| side.delivered)).collect();
    let failed = delivered.iter().any(|verdict| *verdict != Verdict::Pass);
    let reread = sides.iter().any(|side| side.reread.is_some());
    let mut intent = None;
    if reread || (failed && sides.len() > 1) {
        let meant: Vec<Verdict> = (0..sides.len()).map(|at| on(expectation, request, sides, at, Side::meant)).collect();
        let (borne_out, elsewhere) = borne_out(&meant, sides);
        if reread || elsewhere {
            intent = Some(all(borne_out.into_iter()));
        }
    }
    let mut delivered = told(delivered, sides);
    if delivered == Verdict::Pass
        && let Some(Verdict::Fail(reason)) = &intent
        && let Some(side) = sides.iter().find(|side| side.reread.is_some_and(|reread| reread.tool.is_some()))
        && is_negative(expectation, request, side.delivered)
    {
        // The prohibition was kept only because the server did not recognise the call that the model wrote.
        delivered = Verdict::Fail(format!("{reason} (the call stands in the answer as raw markup)"));
    }
    Scored { scorer: expectation.label(), delivered, intent }
}

/// The verdict on one side, the other mode's completion beside it.
fn on<'a>(
    expectation: &Expectation,
    request: &Request,
    sides: &[Side<'a>],
    at: usize,
    completion: impl Fn(&Side<'a>) -> &'a Completion,
) -> Verdict {
    let own = completion(&sides[at]);
    let other = sides.iter().map(&completion).find(|other| other.mode != own.mode);
    expectation.evaluate(&Subject { request, completion: own, other })
}

/// The verdicts on what was meant, where a side that lost something takes the verdict of the side that has it.
fn borne_out(meant: &[Verdict], sides: &[Side<'_>]) -> (Vec<Verdict>, bool) {
    let mut elsewhere = false;
    let borne = meant.iter().zip(sides).map(|(own, side)| {
        let whole =
            meant.iter().zip(sides).any(|(other, whole)| *other == Verdict::Pass && lost(side.meant(), whole.meant()));
        if *own == Verdict::Pass || !whole {
            return own.clone();
        }
        elsewhere = true;
        Verdict::Pass
    });
    let borne = borne.collect();
    (borne, elsewhere)
}

/// One verdict of several sides; a reason says which mode it is about where they differ.
fn told(verdicts: Vec<Verdict>, sides: &[Side<'_>]) -> Verdict {
    let differ = verdicts.windows(2).any(|pair| pair[0].word() != pair[1].word());
    all(verdicts.into_iter().zip(sides).map(|(verdict, side)| match verdict {
        Verdict::Fail(reason) if differ => Verdict::Fail(format!("{}: {reason}", mode(side.delivered))),
        other => other,
    }))
}

fn mode(completion: &Completion) -> &'static str {
    match completion.mode {
        Some(Mode::Stream) => "streamed",
        _ => "plain",
    }
}

/// A prohibition passes on a healthy, non-empty answer only. An empty one passes where something asked for is there.
fn refuse_emptiness(expectations: &[Expectation], request: &Request, sides: &[Side<'_>], scored: &mut [Scored]) {
    let Some(empty) = sides.iter().map(|side| side.delivered).find(|completion| completion.is_empty_answer()) else {
        return;
    };
    if expectations.is_empty() || scored.iter().any(|scored| matches!(scored.delivered, Verdict::Fail(_))) {
        return;
    }
    let negative: Vec<bool> = expectations.iter().map(|expectation| is_negative(expectation, request, empty)).collect();
    let asked_for =
        scored.iter().zip(&negative).any(|(scored, negative)| !negative && scored.delivered == Verdict::Pass);
    if asked_for {
        return;
    }
    let elsewhere = sides.iter().any(|side| lost(empty, side.meant()));
    for scored in scored.iter_mut().filter(|scored| scored.delivered == Verdict::Pass) {
        if elsewhere {
            scored.intent.get_or_insert(Verdict::Pass);
        }
        scored.delivered = Verdict::Fail("the answer is empty: it holds only because nothing was answered".to_owned());
    }
}
