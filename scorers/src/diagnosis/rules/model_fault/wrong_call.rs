//! Well-formed calls that are the wrong ones: of a tool that was not offered, where none was wanted, of another tool.

use serde_json::Value;

use super::draft;
use crate::completion::ToolCall;
use crate::diagnosis::facts::{Facts, Side};
use crate::diagnosis::{Confidence, Finding};
use crate::scorer::Verdict;

/// A tool that was not offered.
pub(super) fn undeclared(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    if facts.view.request.tools.is_empty() {
        return None;
    }
    let call = side.completion.tool_calls.iter().find(|call| is_undeclared(facts, call))?;
    let nearest = nearest(facts, &call.name);
    let message = format!(
        "tool name not in the request: the model calls {}, which was not offered; closest declared tool: {nearest}",
        call.name
    );
    Some(
        draft(Confidence::High, message)
            .evidence(facts, "tool_calls", &call.to_string())
            .ruled_out("the server: name and arguments arrived whole")
            .fix("clearer tool names and descriptions, or a larger model")
            .done(),
    )
}

/// Well formed in every way but its name.
fn is_undeclared(facts: &Facts<'_>, call: &ToolCall) -> bool {
    let plain = !call.name.is_empty()
        && call.name.chars().all(|c| c.is_alphanumeric() || "_-.:/".contains(c))
        && call.name != "function";
    plain && facts.view.request.tool(&call.name).is_none() && matches!(call.arguments.value(), Ok(Value::Object(_)))
}

fn nearest(facts: &Facts<'_>, name: &str) -> String {
    let likeness = |known: &str| if name.contains(known) { 1.0 } else { strsim::jaro_winkler(name, known) };
    let tools = facts.view.request.tools.iter();
    let known = tools.map(|tool| (likeness(&tool.name), tool.name.as_str()));
    let best = known.max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or_else(String::new, |(_, known)| known.to_owned())
}

/// The task wanted no call, and a well-formed one arrived.
pub(super) fn unwanted(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    let call = side.completion.tool_calls.first()?;
    let wanted_none = facts.view.scored.iter().any(|scored| match &scored.delivered {
        Verdict::Fail(reason) => scored.scorer.starts_with("tool_call") && reason.contains("no call"),
        Verdict::Pass | Verdict::NotScored(_) => false,
    });
    if !wanted_none || facts.forced() || facts.view.request.tool(&call.name).is_none() {
        return None;
    }
    let message = format!(
        "expected no call, and the model called {}: the call is well formed, so nothing was lost on the way",
        call.name
    );
    Some(
        draft(Confidence::High, message)
            .evidence(facts, "tool_calls", &call.to_string())
            .fix("tell the model in the system prompt when not to call")
            .done(),
    )
}

/// The call whose result the messages end with, over again.
pub(super) fn again(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    if !facts.view.request.ends_with_result() || !facts.something_failed() || facts.call_was_missed() || facts.forced()
    {
        return None;
    }
    let answered = answered(facts)?;
    let call = side.completion.tool_calls.first().filter(|_| side.completion.tool_calls.len() == 1)?;
    let same = |asked: &Value| {
        let asked_for = asked.pointer("/function/arguments").and_then(Value::as_str);
        let arguments = asked_for.and_then(|text| serde_json::from_str::<Value>(text).ok());
        asked.pointer("/function/name").and_then(Value::as_str) == Some(call.name.as_str())
            && arguments.is_some_and(|arguments| call.arguments.value().is_ok_and(|value| value == arguments))
    };
    answered.iter().any(same).then(|| {
        let message = format!(
            "the model makes the very call again whose result the messages end with ({}): it does not use the \
             result, or the template does not show it",
            call.name
        );
        draft(Confidence::Low, message)
            .evidence(facts, "tool_calls", &call.to_string())
            .fix(
                "compare prompt_tokens with and without the result: where they are the same, the template drops it \
                 (--chat-template)",
            )
            .fix("a larger model, or a system prompt that says to answer from results")
            .done()
    })
}

/// The calls that the last assistant's turn made.
fn answered<'a>(facts: &Facts<'a>) -> Option<&'a Vec<Value>> {
    let messages = facts.view.request.messages();
    messages.iter().rev().find_map(|message| message.get("tool_calls").and_then(Value::as_array))
}

/// One declared tool was wanted, and a whole call of another one arrived.
pub(super) fn another(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    if facts.forced() || side.at_cap() || side.reread.is_some() || side.lost_tokens() {
        return None;
    }
    let reasons = facts.view.scored.iter().filter(|scored| scored.scorer.starts_with("tool_call"));
    let failed = reasons.map(|scored| scored.delivered.reason()).find(|reason| reason.contains("unexpected: `"))?;
    let named = |part: &str| {
        let name = failed.split(part).nth(1).and_then(|rest| rest.split('`').next());
        name.filter(|name| facts.view.request.tool(name).is_some())
    };
    let (wanted, chosen) = (named("missing: `")?, named("unexpected: `")?);
    let whole = |call: &&ToolCall| call.name == chosen && matches!(call.arguments.value(), Ok(Value::Object(_)));
    let call = side.completion.tool_calls.iter().find(whole)?;
    if wanted == chosen || side.completion.tool_calls.iter().any(|call| call.name == wanted) {
        return None;
    }
    let message = format!(
        "the model chose {chosen} where the task wants {wanted}, which was offered \
         as well: the call is well formed, so nothing was lost on the way"
    );
    Some(
        draft(Confidence::Medium, message)
            .evidence(facts, "tool_calls", &call.to_string())
            .ruled_out("the server: name and arguments arrived whole")
            .fix(
                "tell the two tools apart in their descriptions; look \
                 whether the task allows the other one as a first step",
            )
            .done(),
    )
}
