//! `finish_reason`: what the server says of the end of the answer is not what happened.

use crate::completion::Mode;
use crate::diagnosis::facts::{Facts, Known, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};
use crate::request::ToolChoice;

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "finish_reason",
    kind: "finish_reason",
    summary: "finish_reason does not tell what happened: calls under stop, \
              tool_calls without a call, a cut answer under another name.",
    manual: "Looks at stop (not for a named tool) beside delivered calls, which is a warning; at tool_calls with an \
             empty list and prose, where a forced call was not enforced; at tool_calls where the tokens reach \
             max_tokens and the arguments are unterminated: that is a cut answer, and the budget's; at whole streams \
             without any finish_reason; at calls under a reason that no client knows; at a reason given before the \
             answer has begun.",
    explains: &["bad_args", "arguments_misread", "stream_only", "model_fault", "template"],
    hides_intent: false,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    facts.sides.iter().find_map(|side| {
        cut(facts, side)
            .or_else(|| under_stop(facts, side))
            .or_else(|| no_call(signs, side))
            .or_else(|| unstated(facts, side))
            .or_else(|| unheard(facts, side))
            .or_else(|| early(facts, side))
    })
}

/// The first chunks say that the answer is over, and then it comes: clients that stop there see nothing of it.
fn early(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    let early = side.completion.deviates("delta_after_finish");
    if !early || side.completion.stream_error.is_some() {
        return None;
    }
    let (blame, who) = match facts.server().gateway.as_deref() {
        Some(gateway) => (Blame::Gateway, format!("; {gateway} stands between")),
        None => (Blame::ServerBug, String::new()),
    };
    let message = format!(
        "finish_reason {} comes before the answer is over, and more of \
         it follows: clients that stop there lose the rest{who}",
        side.finish()
    );
    Some(
        Draft::new(&RULE, blame, Confidence::High, message)
            .severity(Severity::Warning)
            .evidence(facts, "content", side.completion.text())
            .ruled_out("the model: its answer arrived")
            .fix("compare with stream: false, and with a call to the engine directly")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// Calls arrived, under a reason that the contract does not have.
fn unheard(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    let unknown = side.completion.deviates("finish_reason_unknown");
    if side.completion.tool_calls.is_empty() || !unknown || side.completion.stream_error.is_some() {
        return None;
    }
    let message = format!(
        "warning only: the calls arrived, and finish_reason is {:?}, \
         which the contract does not have; strict clients skip them",
        side.finish()
    );
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::High, message)
            .severity(Severity::Warning)
            .evidence(facts, "finish_reason", side.finish())
            .fix(format!("{}; branch on tool_calls, not on finish_reason", advice::upgrade(facts)))
            .done(),
    )
}

/// The stream is whole, and no chunk says why it ended.
fn unstated(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    let departs = |kind: &str| side.completion.deviates(kind);
    if side.mode != Mode::Stream
        || !departs("finish_reason_missing")
        || departs("no_done")
        || departs("stream_error")
        || side.is_silent()
    {
        return None;
    }
    let message = "the stream ends with [DONE] and no chunk carries a \
                   finish_reason: strict clients take the answer for a broken one";
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
            .severity(Severity::Warning)
            .evidence(facts, "content", side.completion.text())
            .ruled_out("the model: its answer arrived")
            .fix("compare with stream: false")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

fn cut(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    let call = side.broken_call()?;
    if !side.at_cap() || side.completion.is_truncated() {
        return None;
    }
    let message = format!(
        "truncated although finish_reason says {}: {} completion tokens \
         reach max_tokens, and the arguments of {} are unterminated",
        side.finish(),
        side.billed().unwrap_or_default(),
        call.name,
    );
    Some(
        Draft::new(&RULE, Blame::Budget, Confidence::High, message)
            .severity(Severity::Warning)
            .families(None, facts.launch.tool_parser.value())
            .evidence(facts, "arguments", &call.arguments.as_text())
            .ruled_out("the model: it was cut in the middle")
            .fix("raise max_tokens; treat the answer as truncated")
            .done(),
    )
}

fn under_stop(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    let named = matches!(facts.view.request.tool_choice, Some(ToolChoice::Named(_)));
    if side.completion.tool_calls.is_empty() || side.finish() != "stop" || named {
        return None;
    }
    let message =
        "warning only: the calls arrived, and finish_reason says stop; clients that go by finish_reason skip them";
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::High, message)
            .severity(Severity::Warning)
            .evidence(facts, "finish_reason", side.finish())
            .fix(format!("{}; branch on tool_calls, not on finish_reason", advice::upgrade(facts)))
            .done(),
    )
}

fn no_call(signs: &Signs<'_>, side: &Side<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if side.finish() != "tool_calls"
        || !side.completion.tool_calls.is_empty()
        || side.leak().is_some()
        || side.is_silent()
    {
        return None;
    }
    let parser_known = facts.launch.tool_parser.value().is_some();
    let enforced = if facts.forced() { "; required was not enforced by the server" } else { "" };
    let (blame, fixes) = if parser_known || facts.launch.tool_parser == Known::Unknown && !facts.forced() {
        (Blame::ServerBug, vec![format!("{}; use tool_choice auto on this build", advice::upgrade(facts))])
    } else {
        (Blame::ServerConfig, advice::enable_tools(facts, None))
    };
    let message =
        format!("finish_reason tool_calls with empty tool_calls: the text is prose and holds no call{enforced}");
    Some(
        Draft::new(&RULE, blame, Confidence::High, message)
            .families(None, facts.launch.tool_parser.value())
            .evidence(facts, "content", side.completion.text())
            .evidence(facts, "finish_reason", side.finish())
            .fixes(fixes)
            .done(),
    )
}
