//! One expectation on one completion: [`verdict`], [`label`], and whether it only forbids ([`is_negative`]).

use crate::completion::Completion;
use crate::request::Request;
use crate::scorer::{Expectation, Subject, Verdict};

/// The verdict of an expectation, combinations included.
pub(super) fn verdict(expectation: &Expectation, subject: &Subject<'_>) -> Verdict {
    match expectation {
        Expectation::One { scorer, .. } => scorer.score(subject),
        Expectation::Not(inner) => match verdict(inner, subject) {
            Verdict::Pass => Verdict::Fail(format!("{} holds and must not", label(inner))),
            Verdict::Fail(_) => Verdict::Pass,
            not_scored @ Verdict::NotScored(_) => not_scored,
        },
        Expectation::Any(options) => any(options, subject),
        Expectation::All(parts) => all(parts.iter().map(|part| verdict(part, subject))),
    }
}

fn any(options: &[Expectation], subject: &Subject<'_>) -> Verdict {
    let (mut reasons, mut not_scored) = (Vec::new(), None);
    for option in options {
        match verdict(option, subject) {
            Verdict::Pass => return Verdict::Pass,
            Verdict::Fail(reason) => reasons.push(format!("{}: {reason}", label(option))),
            Verdict::NotScored(reason) => not_scored = not_scored.or(Some(reason)),
        }
    }
    match not_scored {
        Some(reason) => Verdict::NotScored(reason),
        None if reasons.is_empty() => Verdict::Fail("there is nothing to choose from".to_owned()),
        None => Verdict::Fail(format!("none holds: {}", reasons.join("; "))),
    }
}

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

/// What an expectation is called in a report: `contains`, `not contains`, `any(contains, regex)`.
pub(super) fn label(expectation: &Expectation) -> String {
    let list = |parts: &[Expectation]| parts.iter().map(label).collect::<Vec<_>>().join(", ");
    match expectation {
        Expectation::One { name, .. } => name.clone(),
        Expectation::Not(inner) => format!("not {}", label(inner)),
        Expectation::Any(options) => format!("any({})", list(options)),
        Expectation::All(parts) => format!("all({})", list(parts)),
    }
}

/// The expectation forbids something and asks for nothing: an answer of no words holds it, and any words do.
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
    ["", "All is well here, thank you."].iter().all(|text| {
        let completion = answer(text);
        verdict(expectation, &Subject { request, completion: &completion, other: None }) == Verdict::Pass
    })
}
