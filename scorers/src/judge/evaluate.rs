//! Verdicts taken together ([`all`]), and whether an expectation only forbids ([`is_negative`]).

use crate::completion::Completion;
use crate::request::Request;
use crate::scorer::{Expectation, Subject, Verdict};

/// The first fail, else the first that was not scored, else a pass.
pub(super) fn all(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    let mut combined = Verdict::Pass;
    for verdict in verdicts {
        match verdict {
            Verdict::Pass => {}
            Verdict::Fail(_) => return verdict,
            Verdict::NotScored(_) if combined == Verdict::Pass => combined = verdict,
            Verdict::NotScored(_) => {}
        }
    }
    combined
}

/// The expectation forbids something and asks for nothing: it says so, or (a scorer that does not) an answer of no words holds it, and any words do.
/// (`equals ""` asks for emptiness: words do not hold it.)
pub(super) fn is_negative(expectation: &Expectation, request: &Request, like: &Completion) -> bool {
    let answer = |text: &str| Completion {
        mode: like.mode,
        text: Some(text.to_owned()),
        finish_reason: Some("stop".to_owned()),
        usage: like.usage,
        choices: 1,
        timing: like.timing,
        ..Completion::default()
    };
    expectation.is_negative()
        || ["", "All is well here, thank you."].iter().all(|text| {
            let completion = answer(text);
            expectation.evaluate(&Subject { request, completion: &completion, other: None }) == Verdict::Pass
        })
}
