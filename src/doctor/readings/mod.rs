//! Single probes → rows of the matrix and findings that no one answer shows. Pure functions over [`Seen`](super::seen).

mod limits;
mod modes;
mod reach;
mod sampling;
mod template;
mod thinking;

use monban_scorers::completion::Fault;
use monban_scorers::{Blame, Confidence, Evidence, Finding, Severity};

use super::report::{Capability, Status};
use super::seen::Reply;

pub(super) use limits::limits;
pub(super) use modes::modes;
pub(super) use reach::{reach, tell_mute};
pub(super) use sampling::sampling;
pub(super) use template::template;
pub(super) use thinking::thinking;

/// Of a probe that was given up: the endpoint is dead, or the time was spent.
const UNASKED: &str = "not asked";

/// A row for a probe that brought no completion.
fn unanswered(capability: &str, how: &str, reply: &Reply) -> Option<Capability> {
    match reply {
        Reply::Completion(_) => None,
        Reply::Unasked => Some(Capability::new(capability, Status::Inconclusive, how, UNASKED)),
        Reply::Fault(fault) => {
            let status = match fault.status {
                Some(400..=499) | Some(501) => Status::Refused,
                Some(500..) => Status::Broken,
                _ => Status::Inconclusive,
            };
            Some(Capability::new(capability, status, how, words(fault)))
        }
    }
}

fn words(fault: &Fault) -> String {
    match fault.status {
        Some(status) => format!("HTTP {status}: {}", fault.message),
        None => fault.message.clone(),
    }
}

/// A finding that rests on several probes.
pub(super) fn finding(rule: &str, severity: Severity, blame: Blame, message: impl Into<String>) -> Finding {
    Finding::new(rule, severity, blame, Confidence::High, message)
}

/// A piece of evidence, bounded.
pub(super) fn evidence(task: &str, place: &str, excerpt: impl Into<String>) -> Evidence {
    let excerpt: String = excerpt.into();
    Evidence { task: task.to_owned(), place: place.to_owned(), excerpt: excerpt.chars().take(300).collect() }
}
