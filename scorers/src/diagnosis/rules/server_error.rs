//! `server_error`: the server failed while answering.

use crate::diagnosis::facts::Side;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "server_error",
    kind: "other",
    summary: "The server failed while answering.",
    manual: "Looks at HTTP 500, at texts of an engine that died, and at answers \
             whose finish_reason says that the server gave up (abort, error), also where a router \
             hides it behind stop and keeps it as native_finish_reason.",
    explains: &[],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs.error_finding(&RULE).or_else(|| gave_up(signs))
}

/// The server says itself that it broke off, and not why.
fn gave_up(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let said = facts.sides.iter().find_map(|side| Some((side, given_up(side)?)));
    let (side, said) = said.filter(|_| signs.error.is_none())?;
    let message = format!("the server gave up in the middle of the answer: finish_reason {said}");
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
            .evidence(facts, "content", side.completion.text())
            .evidence(facts, "finish_reason", &said)
            .ruled_out("the model: it did not end here")
            .fix("read the server's log (memory, a cancelled or timed-out request); retry")
            .done(),
    )
}

/// Reasons for an end that no model gives. Source: vLLM, SGLang (abort), OpenRouter (error, and the native ones behind
/// it), the DeepSeek API.
const BROKEN: &[&str] =
    &["abort", "error", "cancelled", "cancel", "network_error", "server_error", "insufficient_system_resource"];

/// The reason that says the server gave up: the answer's own, or the native one of an answer without a word.
fn given_up(side: &Side<'_>) -> Option<String> {
    if BROKEN.contains(&side.finish()) {
        return Some(side.finish().to_owned());
    }
    let native = side.is_silent().then(|| native_reason(&side.exchange.body.bytes())).flatten()?;
    BROKEN.contains(&native.as_str()).then(|| format!("{} (native_finish_reason {native})", side.finish()))
}

/// The last `native_finish_reason` of a body.
fn native_reason(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let (_, rest) = text.rsplit_once("\"native_finish_reason\"")?;
    let (reason, _) = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?.split_once('"')?;
    Some(reason.to_owned())
}
