//! `empty_stream`: a stream was opened with a good status and closed without a single chunk.

use crate::completion::{FaultKind, Mode};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "empty_stream",
    kind: "stream_only",
    summary: "The stream was opened with a good status and ended without a single chunk.",
    manual: "Looks at streams that hold [DONE], comments or blank data lines and nothing else: \
             an error before the first token is lost in many streaming paths, and proxies that \
             rewrite streams lose the data. Nothing was answered, so it is not scored.",
    explains: &["unreachable_or_loading", "server_dropped_output"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let good = |status: Option<u16>| status.is_none_or(|status| status < 300);
    let mut streams =
        facts.faults.iter().filter(|(exchange, _)| exchange.mode == Mode::Stream && good(exchange.status));
    let (exchange, fault) = streams.find(|(_, fault)| fault.kind == FaultKind::EmptyBody)?;
    let bytes = exchange.body.bytes();
    let lines = String::from_utf8_lossy(&bytes);
    if lines.trim().is_empty() {
        return None;
    }
    let plain = facts.sides.iter().any(|side| side.mode == Mode::Plain && !side.is_silent());
    let beside = if plain { "; the plain answer to the same request is whole" } else { "" };
    let gateway = facts.server().gateway.as_deref();
    let between =
        gateway.map(|gateway| format!("; {gateway} stands between, and may have lost them")).unwrap_or_default();
    let message = format!("the stream was opened with HTTP 200 and ended without a single chunk{beside}{between}");
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
            .evidence(facts, "stream", &format!("{}: {}", fault.message, lines.trim()))
            .ruled_out("the model: nothing of an answer arrived, right or wrong")
            .fix("read the server's log: an error before the first token is lost in many streaming paths")
            .fix("compare with stream: false, and with a call to the engine directly")
            .fix(advice::upgrade(facts))
            .done(),
    )
}
