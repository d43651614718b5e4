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
