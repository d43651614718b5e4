//! `odd_call_shape`: calls arrive in a shape that clients do not read: empty entries, the older field, another structure.

use crate::completion::ToolCall;
use crate::diagnosis::facts::Side;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "odd_call_shape",
    kind: "other",
    summary: "Calls arrive in a shape that clients do not read: entries \
              without name and arguments, function_call, no list.",
    manual: "Looks at entries of tool_calls that hold neither a name nor arguments, beside a text or beside whole \
             calls (lmstudio-bug-tracker#830, BerriAI/litellm#17425), at calls in function_call, which the contract \
             has replaced by tool_calls, and at tool_calls that is no list of objects or holds name and arguments \
             elsewhere. Where a gateway is known to stand in front it is gateway_rewrite's.",
    explains: &["tool_call_id", "wrong_tool_parser", "finish_reason", "server_dropped_output"],
    hides_intent: false,
    check,
};

/// What the reading books, and what it means for clients.
const SHAPES: &[(&str, &str)] = &[
    (
        "legacy_function_call",
        "the call came in function_call, the contract's older field: clients that read tool_calls see none",
    ),
    ("tool_calls_not_list", "tool_calls is no list: strict clients cannot read the answer"),
    ("tool_call_not_object", "an entry of tool_calls is no object: strict clients cannot read the answer"),
    (
        "tool_call_flat",
        "name and arguments stand on the call itself, not in its function: strict clients see a call without either",
    ),
    (
        "tool_call_in_content",
        "the call came as a part of the content (tool_use), not in tool_calls: clients of this API see none",
    ),
];

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let (side, says) = facts.sides.iter().find_map(|side| Some((side, odd(side)?)))?;
    if facts.server().gateway.is_some() {
        return None;
    }
    let severity = if facts.something_failed() { Severity::Error } else { Severity::Warning };
    let calls = &side.completion.tool_calls;
    let calls: Vec<String> =
        calls.iter().map(|call| format!("{:?}({})", call.name, call.arguments.as_text())).collect();
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::High, says)
            .severity(severity)
            .families(None, facts.launch.tool_parser.value())
            .evidence(facts, "tool_calls", &calls.join(" "))
            .ruled_out("the model: no model writes the list of calls itself")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// What is odd about a side's calls, if anything.
pub(super) fn odd(side: &Side<'_>) -> Option<&'static str> {
    if ToolCall::hollow_among(&side.completion.tool_calls).any(|hollow| hollow) {
        return Some(
            "an entry of tool_calls holds neither a name nor arguments: clients take it for a call they cannot make",
        );
    }
    let shapes = SHAPES.iter().filter(|_| !side.completion.tool_calls.is_empty());
    let booked = |kind: &str| side.completion.deviates(kind);
    // Asked for by the older name, a call is to come by it.
    let older = side.request.field("functions").is_some() && booked("legacy_function_call");
    if older {
        return None;
    }
    shapes.into_iter().find(|(kind, _)| booked(kind)).map(|(_, says)| *says)
}
