//! Verdicts and findings → [`Outcome`]: [`decide`], in the order in which one thing makes another meaningless.
//!
//! Never a wrong answer: what was not answered, what was cut, and what the server swallowed.

use super::modes::Side;
use super::{Outcome, Scored};
use crate::completion::{Completion, Fault};
use crate::diagnosis::{Finding, blames_server, hides_intent};
use crate::request::Request;
use crate::scorer::Verdict;

/// Finish reasons with which engines say that they gave up (vLLM and SGLang `abort`, Atlas `timeout`).
const GAVE_UP: [&str; 5] = ["abort", "error", "timeout", "cancelled", "cancel"];

/// The answer was cut at its budget and is wrong for that alone: then its fails are no verdicts, and are rewritten so.
pub(super) fn cut(request: &Request, sides: &[Side<'_>], scored: &mut [Scored]) -> bool {
    if !sides.iter().any(|side| is_cut(side.delivered, request)) {
        return false;
    }
    let holds = !scored.is_empty() && scored.iter().all(|scored| scored.delivered == Verdict::Pass);
    if holds || intent_holds(scored) {
        return false;
    }
    for scored in scored.iter_mut() {
        if let Verdict::Fail(reason) = &scored.delivered {
            scored.delivered = Verdict::NotScored(format!("the answer was cut at the token budget: {reason}"));
        }
    }
    true
}

/// The server gave up in the middle: what is wrong with the piece that arrived is no verdict on an answer.
pub(super) fn given_up(sides: &[Side<'_>], scored: &mut [Scored]) {
    if !sides.iter().any(|side| broke_off(side.delivered)) {
        return;
    }
    for scored in scored.iter_mut() {
        if let Verdict::Fail(reason) = &scored.delivered {
            scored.delivered = Verdict::NotScored(format!("the server gave up in the middle: {reason}"));
        }
    }
}

/// The server says so, or the budget is spent to the last token and a call stands unfinished.
fn is_cut(completion: &Completion, request: &Request) -> bool {
    let unfinished = completion.tool_calls.iter().any(|call| call.arguments.value().is_err());
    completion.is_truncated()
        || (completion.has_spent(request.max_tokens) && (unfinished || completion.is_empty_answer()))
}

/// The outcome of an attempt of which every exchange brought a completion.
pub(super) fn decide(sides: &[Side<'_>], scored: &[Scored], cut: bool, findings: &[Finding]) -> Outcome {
    if sides.iter().any(|side| broke_off(side.delivered)) {
        return Outcome::Error;
    }
    let swallowed = sides.iter().any(|side| is_swallowed(side.delivered));
    if scored.is_empty() {
        return match () {
            () if blames_server(findings) => Outcome::ServerFault,
            () if cut => Outcome::Truncated,
            () if swallowed => Outcome::Error,
            // Nothing was asked for and nothing came: there is nothing to call right.
            () if sides.iter().any(|side| side.delivered.is_empty_answer()) => Outcome::Skipped,
            () => Outcome::Passed,
        };
    }
    if cut {
        return Outcome::Truncated;
    }
    let failed = scored.iter().any(|scored| matches!(scored.delivered, Verdict::Fail(_)));
    let passed = scored.iter().any(|scored| scored.delivered == Verdict::Pass);
    match (failed, passed) {
        (false, true) => Outcome::Passed,
        // Nothing could be judged, and nobody is to blame.
        (false, false) => Outcome::Skipped,
        _ if intent_holds(scored) => Outcome::ServerFault,
        // What the model wrote was lost on the way: that is no wrong answer of its own.
        _ if (swallowed || hides_intent(findings) && !intent_known(sides, scored)) && blames_server(findings) => {
            Outcome::ServerFault
        }
        _ if swallowed => Outcome::Error,
        _ => Outcome::Failed,
    }
}

/// What the model wrote is known, and every expectation holds on it.
fn intent_holds(scored: &[Scored]) -> bool {
    scored.iter().any(|scored| scored.intent.is_some())
        && scored.iter().all(|scored| !matches!(scored.intent.as_ref().unwrap_or(&scored.delivered), Verdict::Fail(_)))
        && scored.iter().any(|scored| *scored.intent.as_ref().unwrap_or(&scored.delivered) == Verdict::Pass)
}

/// What the model wrote was read, right or wrong: whole in one mode at least, not from the pieces a parser left, nor from
/// thoughts with nothing behind them.
fn intent_known(sides: &[Side<'_>], scored: &[Scored]) -> bool {
    let whole = |side: &Side<'_>| {
        let found = side.reread.and_then(|reread| reread.tool.as_ref());
        !side.meant().is_empty_answer()
            && found.is_none_or(|(found, place)| *place != "tool_calls" && found.damage.is_none())
    };
    let open = |scored: &&Scored| {
        matches!((&scored.delivered, &scored.intent), (Verdict::Fail(_), None | Some(Verdict::NotScored(_))))
    };
    scored.iter().any(|scored| scored.intent.is_some())
        && !scored.iter().any(|scored| open(&scored))
        && sides.iter().any(whole)
}

/// The server gave up in the middle.
fn broke_off(completion: &Completion) -> bool {
    let reason = completion.finish_reason.as_deref();
    (completion.stream_error.is_some() && reason.is_none()) || reason.is_some_and(|reason| GAVE_UP.contains(&reason))
}

/// Something was generated, or a call announced, and nothing arrived: the model may have answered rightly.
fn is_swallowed(completion: &Completion) -> bool {
    let booked = |kind: &str| completion.deviates(kind);
    completion.is_empty_answer()
        && !completion.is_truncated()
        && (booked("phantom_tokens") || booked("finish_reason_calls_without_calls"))
}

/// A fault in one line.
pub(super) fn in_words(fault: &Fault) -> String {
    let kind = serde_json::to_value(fault.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
    let status = fault.status.filter(|status| *status >= 300).map(|status| format!(" {status}")).unwrap_or_default();
    let message: String = fault.message.chars().take(200).collect();
    format!("{}{status}: {message}", kind.unwrap_or_default()).trim_end_matches([':', ' ']).to_owned()
}
