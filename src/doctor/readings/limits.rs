//! What happens beyond the limits: the context, and the shape of an error.

use monban_scorers::{Blame, Finding, Mode, Severity};
use serde_json::Value;

use super::{UNASKED, evidence, finding, words};
use crate::doctor::report::{Capability, Status};
use crate::doctor::seen::{Reply, Seen};
use crate::endpoint::identify::Identity;

/// The rows, and what is wrong.
pub(in crate::doctor) fn limits(seen: &Seen, identity: &Identity) -> (Vec<Capability>, Vec<Finding>) {
    let (context, found) = context(seen, identity);
    (vec![context, shape(seen)], found.into_iter().collect())
}

fn context(seen: &Seen, identity: &Identity) -> (Capability, Option<Finding>) {
    let name = "context limit";
    let Some(limit) = identity.max_model_len else {
        return (Capability::new(name, Status::Inconclusive, "", "the context length is not stated"), None);
    };
    let how = "a prompt above the stated context";
    match seen.reply("over-context") {
        Reply::Fault(fault) if matches!(fault.status, Some(400..=499)) => {
            (Capability::new(name, Status::Ok, how, words(&fault)), None)
        }
        Reply::Fault(fault) => (Capability::new(name, Status::Inconclusive, how, words(&fault)), None),
        Reply::Completion(completion) => {
            let prompt = completion.usage.and_then(|usage| usage.prompt_tokens).unwrap_or_default();
            let text = format!("accepted; {prompt} prompt tokens of a context of {limit}");
            if prompt > limit {
                return (Capability::new(name, Status::Inconclusive, how, text), None);
            }
            let mut found = finding(
                "context_overflow",
                Severity::Warning,
                Blame::ServerConfig,
                format!("a prompt longer than the context of {limit} tokens is cut silently instead of refused"),
            );
            found.evidence.push(evidence("over-context", "usage", text.clone()));
            found.fix.push("start without --allow-auto-truncate (SGLang) or context shifting (llama.cpp)".to_owned());
            (Capability::new(name, Status::Ignored, how, text), Some(found))
        }
        Reply::Unasked => (budget(seen, name, limit), None),
    }
}

/// Where the context is too long for a cheap prompt: a budget above it.
fn budget(seen: &Seen, name: &str, limit: u64) -> Capability {
    let how = "max_tokens above the stated context";
    match seen.reply_in("over-budget", Mode::Stream) {
        Reply::Fault(fault) if matches!(fault.status, Some(400..=499)) => {
            Capability::new(name, Status::Ok, how, words(&fault))
        }
        Reply::Completion(_) => Capability::new(
            name,
            Status::Inconclusive,
            how,
            format!("{limit} tokens stated; a larger budget is lowered silently"),
        ),
        _ => Capability::new(
            name,
            Status::Inconclusive,
            how,
            format!("{limit} tokens stated; not asked, or not answered"),
        ),
    }
}

/// The shape of an error: what a client library needs to read it.
fn shape(seen: &Seen) -> Capability {
    let (name, how) = ("error shape", "a request without messages");
    let Some(exchange) = seen.exchange("no-messages", Mode::Plain) else {
        return Capability::new(name, Status::Inconclusive, how, UNASKED);
    };
    let Some(status) = exchange.status else {
        let why = exchange.error.as_ref().map_or(UNASKED, |error| error.message.as_str());
        return Capability::new(name, Status::Inconclusive, how, why);
    };
    if status < 400 {
        return Capability::new(name, Status::Inconclusive, how, format!("HTTP {status}: not refused"));
    }
    let body: Value = serde_json::from_slice(&exchange.body.bytes()).unwrap_or_default();
    let message = |at: &Value| at.get("message").and_then(Value::as_str).map(str::to_owned);
    let (found, text) = match (body.get("error").and_then(message), message(&body), body.get("detail")) {
        (Some(text), ..) => (Status::Ok, format!("HTTP {status}, error.message: {text}")),
        (None, Some(text), _) => (Status::Ignored, format!("HTTP {status}, flat `message`: {text}")),
        (None, None, Some(detail)) => (Status::Ignored, format!("HTTP {status}, `detail`: {detail}")),
        _ => (Status::Broken, format!("HTTP {status} without an error object")),
    };
    Capability::new(name, found, how, text)
}
