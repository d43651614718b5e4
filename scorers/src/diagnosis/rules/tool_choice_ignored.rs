//! `tool_choice_ignored`: calls were delivered although none were allowed.

use crate::completion::ToolCall;
use crate::diagnosis::facts::{CallState, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};
use crate::dialects::{Hints, Strength, recognise};
use crate::request::ToolChoice;

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "tool_choice_ignored",
    kind: "other",
    summary: "The server does not hold to tool_choice: calls under none, another tool than the named one, prose under \
              required, several calls under parallel_tool_calls false.",
    manual: "Looks at delivered calls under tool_choice none, or in place of JSON without any tools \
             (ai-dynamo/dynamo#13176), at a text that is nothing but a call there, at a call to another tool than the \
             named one, at whole prose where a call was forced, and at several calls under parallel_tool_calls false. \
             The server is to enforce all of these.",
    explains: &["model_fault", "finish_reason", "no_reasoning_parser", "structured_output_ignored"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    if let Some(finding) = called_without_tools(signs) {
        return Some(finding);
    }
    let choice = match signs.facts.view.request.tool_choice.as_ref() {
        Some(ToolChoice::None) => called_all_the_same(signs).or_else(|| called_in_text(signs)),
        Some(ToolChoice::Named(name)) => called_another(signs, name).or_else(|| answered_in_prose(signs)),
        Some(ToolChoice::Required) => answered_in_prose(signs),
        _ => None,
    };
    choice.or_else(|| called_in_parallel(signs))
}

/// JSON was asked for and calls are delivered, and the request neither declares tools nor replays calls: a tool parser took
/// the answer for one.
fn called_without_tools(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let declares =
        ["tools", "functions"].iter().any(|key| facts.view.request.field(key).is_some_and(|value| !value.is_null()));
    if declares || facts.history_calls() || !facts.wants_json() {
        return None;
    }
    let side = facts.sides.iter().find(|side| !side.completion.tool_calls.is_empty())?;
    let calls = side.completion.tool_calls.iter();
    let calls: Vec<String> = calls.map(ToString::to_string).collect();
    let message = "calls are delivered although the request declares no tools: the \
                   tool parser runs all the same, and took the answer for a call"
        .to_owned();
    Some(
        draft(signs, message)
            .evidence(facts, "tool_calls", &calls.join(" "))
            .ruled_out("the model: it was shown no tools")
            .fix(advice::upgrade(facts))
            .fix("serve requests without tools from an endpoint without a tool parser until then")
            .done(),
    )
}

/// Several calls, and one at a time was asked for.
fn called_in_parallel(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.iter().find(|side| side.completion.tool_calls.len() > 1)?;
    if facts.view.request.field("parallel_tool_calls") != Some(&serde_json::Value::Bool(false)) {
        return None;
    }
    let calls = &side.completion.tool_calls;
    let names = calls.iter().map(ToString::to_string).collect::<Vec<_>>();
    Some(
        draft(signs, format!("parallel_tool_calls false not honoured: the server delivers {} calls", calls.len()))
            .severity(Severity::Warning)
            .evidence(facts, "tool_calls", &names.join(" "))
            .fix(format!("{}; take the first call only", advice::upgrade(facts)))
            .done(),
    )
}

fn draft(signs: &Signs<'_>, message: String) -> Draft {
    Draft::new(&RULE, Blame::ServerBug, Confidence::High, message)
        .families(None, signs.facts.launch.tool_parser.value())
}

fn delivered(signs: &Signs<'_>, message: impl Fn(&ToolCall) -> Option<String>) -> Option<Finding> {
    let facts = &signs.facts;
    let call = facts.sides.iter().find_map(|side| side.completion.tool_calls.first())?;
    Some(
        draft(signs, message(call)?)
            .evidence(facts, "tool_calls", &call.to_string())
            .fix(format!("{}; omit tools instead of sending tool_choice none", advice::upgrade(facts)))
            .done(),
    )
}

fn called_all_the_same(signs: &Signs<'_>) -> Option<Finding> {
    delivered(signs, |_| Some("tool_choice none not honoured: the server delivers calls all the same".to_owned()))
}

fn called_another(signs: &Signs<'_>, name: &str) -> Option<Finding> {
    delivered(signs, |call| {
        let other = name != call.name && signs.facts.view.request.tool(&call.name).is_some();
        other.then(|| {
            format!("tool_choice not honoured: {name} was to be called, and the server delivers {}", call.name)
        })
    })
}

/// The text is a call and little else, although none was to be made: the model was shown the tools all the same.
fn called_in_text(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if facts.view.request.tools.is_empty() || !facts.view.scored.is_empty() && !facts.something_failed() {
        return None;
    }
    let side = facts.sides.iter().find(|side| {
        let text = side.completion.text();
        let hints = Hints { request: Some(facts.view.request), ..Hints::default() };
        text.contains(['<', '['])
            && recognise(text, &hints).is_some_and(|found| {
                found.damage.is_none() && found.strength == Strength::Strong && text.trim().len() <= found.span.len()
            })
    })?;
    let message = "tool_choice none, and the model calls in the text: the template \
                   shows it the tools all the same, and no parser looks"
        .to_owned();
    Some(
        draft(signs, message)
            .evidence(facts, "content", side.completion.text())
            .ruled_out("the tool parser: it is not to run under tool_choice none")
            .fix("omit tools instead of sending tool_choice none (vLLM: --exclude-tools-when-tool-choice-none)")
            .done(),
    )
}

/// A call was forced, and plain prose came back whole.
fn answered_in_prose(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if signs.tool.is_some() || signs.reasoning.is_some() || facts.view.request.tools.is_empty() {
        return None;
    }
    let prose = |side: &&Side<'_>| {
        // Tokens that are not accounted for change nothing: a forced call is delivered or it is not.
        matches!(side.call_state(), CallState::None | CallState::Lost)
            && !side.is_silent()
            && side.finish() == "stop"
            && !side.at_cap()
    };
    let side = facts.sides.iter().find(prose)?;
    let message = "tool_choice not honoured: a call was forced, and the server \
                   lets the model answer in prose; required was not enforced"
        .to_owned();
    Some(
        draft(signs, message)
            .evidence(facts, "content", side.completion.text())
            .ruled_out("the model alone: a forced call is the server's to enforce")
            .fix(format!("{}; tool_choice auto until then", advice::upgrade(facts)))
            .done(),
    )
}
