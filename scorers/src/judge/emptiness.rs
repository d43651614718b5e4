//! A prohibition passes on a healthy, non-empty answer only: [`refuse`].

use super::Scored;
use super::loss::lost;
use super::modes::Side;
use crate::completion::Completion;
use crate::request::Request;
use crate::scorer::{Expectation, Subject, Verdict};

/// Takes the passes back where the answer is empty and nothing that was asked for is there.
pub(super) fn refuse(expectations: &[Expectation], request: &Request, sides: &[Side<'_>], scored: &mut [Scored]) {
    let Some(empty) = sides.iter().map(|side| side.delivered).find(|completion| completion.is_empty_answer()) else {
        return;
    };
    if scored.iter().any(|scored| matches!(scored.delivered, Verdict::Fail(_))) {
        return;
    }
    let asked_for = scored
        .iter()
        .zip(expectations)
        .any(|(scored, expectation)| scored.delivered == Verdict::Pass && !is_undemanding(expectation, request, empty));
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

/// The expectation forbids something or asks for nothing: it says so itself, or holds for no words and for any words.
/// (`equals ""` asks for emptiness: words do not hold it.)
pub(super) fn is_undemanding(expectation: &Expectation, request: &Request, like: &Completion) -> bool {
    let holds = |text: &str| {
        let completion = Completion {
            mode: like.mode,
            text: Some(text.to_owned()),
            finish_reason: Some("stop".to_owned()),
            usage: like.usage,
            choices: 1,
            timing: like.timing,
            ..Completion::default()
        };
        expectation.evaluate(&Subject { request, completion: &completion, other: None }) == Verdict::Pass
    };
    expectation.is_negative() || (holds("") && holds("All is well here, thank you."))
}
