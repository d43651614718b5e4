//! Reachable, which model, which key.

use monban_scorers::completion::{Fault, FaultKind};
use monban_scorers::{Finding, Mode};

use super::{UNASKED, words};
use crate::doctor::judged::Case;
use crate::doctor::report::{Capability, Status};
use crate::doctor::seen::{Reply, Seen};
use crate::doctor::singles::FIRST;
use crate::endpoint::identify::Identity;

/// What [`is_mute`] is called.
const MUTE: &str = "accepts requests but never answers";

/// The server answers a GET, and leaves the chat's first request without a byte for as long as is waited.
fn is_mute(seen: &Seen, identity: &Identity) -> bool {
    let silent = |fault: &Fault| fault.kind == FaultKind::Timeout && fault.status.is_none();
    identity.reached && matches!(seen.reply(FIRST), Reply::Fault(fault) if silent(&fault))
}

/// Says so in the finding about it.
pub(in crate::doctor) fn tell_mute(seen: &Seen, identity: &Identity, findings: &mut [Finding]) {
    let about = findings.iter_mut().find(|found| found.rule == "unreachable_or_loading");
    if let Some(found) = about.filter(|_| is_mute(seen, identity)) {
        found.message = format!("{MUTE}: GET is answered, POST /v1/chat/completions is not, so nothing is scored");
    }
}

/// The rows.
pub(in crate::doctor) fn reach(seen: &Seen, identity: &Identity, cases: &[Case], model: &str) -> Vec<Capability> {
    vec![reachable(seen, identity), served(seen, identity, cases, model), unknown_name(seen), key(seen)]
}

fn reachable(seen: &Seen, identity: &Identity) -> Capability {
    let (name, how) = ("reachable", "GET /v1/models, POST /v1/chat/completions");
    match seen.reply(FIRST) {
        Reply::Completion(completion) => {
            let time = completion.timing.latency_us / 1000;
            Capability::new(name, Status::Ok, how, format!("answered in {time} ms"))
        }
        Reply::Fault(fault) if is_mute(seen, identity) => {
            Capability::new(name, Status::Broken, how, format!("{MUTE}: {}", words(&fault)))
        }
        Reply::Fault(fault) => Capability::new(name, Status::Broken, how, words(&fault)),
        Reply::Unasked => {
            let why = identity.unreached.clone().unwrap_or_else(|| "not answered in time".to_owned());
            Capability::new(name, Status::Broken, how, why)
        }
    }
}

fn served(seen: &Seen, identity: &Identity, cases: &[Case], model: &str) -> Capability {
    let (name, how) = ("model name", "GET /v1/models");
    let answered = cases.iter().any(|case| case.completions().next().is_some());
    let listed = identity.served.iter().any(|served| served == model);
    let names = || identity.served.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    match seen.reply(FIRST) {
        Reply::Fault(fault) if fault.status == Some(404) => Capability::new(name, Status::Refused, how, words(&fault)),
        _ if listed => Capability::new(name, Status::Ok, how, format!("`{model}` is served")),
        _ if identity.served.is_empty() => {
            Capability::new(name, Status::Inconclusive, how, "the models are not listed")
        }
        _ if answered => {
            Capability::new(name, Status::Ok, how, format!("`{model}` is answered; listed are: {}", names()))
        }
        _ => Capability::new(
            name,
            Status::Inconclusive,
            how,
            format!("`{model}` is not listed; listed are: {}", names()),
        ),
    }
}

fn unknown_name(seen: &Seen) -> Capability {
    let (name, how) = ("unknown model name", "asked for a model that is not there");
    match seen.reply("no-model") {
        Reply::Completion(_) => {
            Capability::new(name, Status::Ignored, how, "any name is answered: a misspelt one is not noticed")
        }
        Reply::Fault(fault) if matches!(fault.status, Some(400..=499)) => {
            Capability::new(name, Status::Ok, how, words(&fault))
        }
        Reply::Fault(fault) => Capability::new(name, Status::Inconclusive, how, words(&fault)),
        Reply::Unasked => Capability::new(name, Status::Inconclusive, how, UNASKED),
    }
}

fn key(seen: &Seen) -> Capability {
    let (name, how) = ("API key", "the same request without the key");
    if let Reply::Fault(fault) = seen.reply(FIRST)
        && matches!(fault.status, Some(401 | 403))
    {
        return Capability::new(name, Status::Refused, "POST /v1/chat/completions", words(&fault));
    }
    if seen.exchange("no-key", Mode::Plain).is_none() {
        return match seen.reply(FIRST) {
            Reply::Completion(_) => {
                Capability::new(name, Status::NotApplicable, "no key was given", "answers without one")
            }
            _ => Capability::new(name, Status::Inconclusive, "no key was given", "nothing was answered"),
        };
    }
    match seen.reply("no-key") {
        Reply::Fault(fault) if matches!(fault.status, Some(401 | 403)) => {
            Capability::new(name, Status::Ok, how, words(&fault))
        }
        Reply::Completion(_) => Capability::new(name, Status::Ignored, how, "answered without the key as well"),
        _ => Capability::new(name, Status::Inconclusive, how, "no clear answer"),
    }
}
