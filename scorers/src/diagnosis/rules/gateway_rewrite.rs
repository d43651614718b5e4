//! `gateway_rewrite`: something between client and engine changed or dropped a part of the answer.

use crate::diagnosis::causes::{ReasoningKind, ToolKind};
use crate::diagnosis::facts::Side;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs};

use super::odd_call_shape::odd;

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "gateway_rewrite",
    kind: "gateway_rewrite",
    summary: "A gateway between client and engine changed or dropped a part of the answer.",
    manual: "Only where a gateway is known to stand in front (headers, the answer's own keys, what the context \
             states). Looks at reasoning tokens that were billed and not delivered, at an answer far shorter than its \
             tokens, at thoughts in the text that were counted apart, at a bare call in the text, and at calls in a \
             shape that clients do not read. One call to the engine directly tells who it was.",
    explains: &["no_tool_parser", "server_dropped_output", "tool_call_id", "wrong_tool_parser"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if let Some(finding) = odd_calls(signs) {
        return Some(finding);
    }
    let lost = facts.sides.iter().find_map(|side| Some((side, lost_reasoning(signs, side)?)));
    if signs.tool.is_none() && signs.reasoning.is_none() && lost.is_none() {
        return None;
    }
    let framed = signs.reasoning.as_ref().is_some_and(|found| found.kind == ReasoningKind::MergedBack);
    let gateway = facts.server().gateway.as_deref().or(framed.then_some("not named"))?;
    if let Some(finding) = bare_call(signs, gateway).or_else(|| merged_back(signs, gateway)) {
        return Some(finding);
    }
    if signs.tool.is_some() || signs.reasoning.is_some() {
        return None;
    }
    let (side, (seen, confidence)) = lost?;
    let message = format!("tokens missing between engine and client: {seen}; {gateway} stands between");
    Some(
        Draft::new(&RULE, Blame::Gateway, confidence, message)
            .evidence(facts, "usage", &seen)
            .evidence(facts, "content", side.completion.text())
            .fix("compare with a direct call to the engine")
            .fix(
                "upgrade the gateway (LiteLLM >= 1.82.3 hands on delta.reasoning); \
                 use its chat route (openai/<model>), not openai/responses/",
            )
            .done(),
    )
}

/// A call in the text, which the gateway or the engine behind it left there.
fn bare_call(signs: &Signs<'_>, gateway: &str) -> Option<Finding> {
    let trouble = signs.tool.as_ref().filter(|found| found.kind == ToolKind::Gateway)?;
    let message = format!("{} ({gateway}): cannot tell gateway from engine on this evidence", trouble.seen);
    Some(
        Draft::new(&RULE, Blame::Gateway, Confidence::Low, message)
            .families(trouble.family, None)
            .evidence(&signs.facts, "content", trouble.side.leaked_text())
            .fix("call the engine directly with the same request")
            .fix("use the gateway's chat route for this engine (LiteLLM: ollama_chat/ instead of ollama/)")
            .done(),
    )
}

/// Thoughts that the engine split off, and that stand in the text again.
fn merged_back(signs: &Signs<'_>, gateway: &str) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.reasoning.as_ref().filter(|found| found.kind == ReasoningKind::MergedBack)?;
    let message = format!(
        "{}, though the engine split them off: the gateway ({gateway}) put them back into the text",
        trouble.seen
    );
    Some(
        Draft::new(&RULE, Blame::Gateway, trouble.confidence, message)
            .families(trouble.side.thoughts().map(|split| split.family), None)
            .evidence(facts, "content", trouble.side.completion.text())
            .fix(
                "switch the gateway's merging off (LiteLLM: merge_reasoning_content_in_choices: \
                 false), or call the engine instead of Open WebUI",
            )
            .fix("compare with a direct call to the engine")
            .done(),
    )
}

/// Calls in a shape that clients do not read, put together by the gateway.
fn odd_calls(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let (side, says) = facts.sides.iter().find_map(|side| Some((side, odd(side)?)))?;
    let gateway = facts.server().gateway.as_deref()?;
    let calls = side.completion.tool_calls.iter();
    let calls: Vec<String> = calls.map(|call| format!("{:?}({})", call.name, call.arguments.as_text())).collect();
    Some(
        Draft::new(&RULE, Blame::Gateway, Confidence::Medium, format!("{says}; {gateway} stands between"))
            .severity(if facts.something_failed() { Severity::Error } else { Severity::Warning })
            .evidence(facts, "tool_calls", &calls.join(" "))
            .ruled_out("the model: no model writes the list of calls itself")
            .fix("compare with a direct call to the engine")
            .fix(format!("upgrade {gateway}"))
            .done(),
    )
}

/// Thoughts take more tokens than this; fewer are what gateways estimate where the engine counts none.
const FEW: u64 = 48;

/// Tokens that were billed as reasoning, or for far more text than arrived.
fn lost_reasoning(signs: &Signs<'_>, side: &Side<'_>) -> Option<(String, Confidence)> {
    let model = side.completion.model.as_deref().unwrap_or(&signs.facts.view.request.model);
    if side.has_reasoning() || side.is_silent() || !signs.facts.view.request.tools.is_empty() || keeps_reasoning(model)
    {
        return None;
    }
    let tokens = side.billed().unwrap_or_default();
    let counted = side.completion.usage.and_then(|usage| usage.reasoning_tokens).filter(|tokens| *tokens > 0);
    match counted {
        Some(counted) => Some((
            format!("{counted} of {tokens} completion tokens were reasoning, and none of it was delivered"),
            Confidence::High,
        )),
        None if side.lost_tokens() && tokens > FEW => Some((
            format!("{tokens} completion tokens, and a text of {} characters", side.completion.text().chars().count()),
            Confidence::Medium,
        )),
        None => None,
    }
}

/// The vendor counts this model's reasoning and does not hand it on in chat completions (Gemini: unless asked to):
/// nothing was lost on the way.
fn keeps_reasoning(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let series = ["o1", "o3", "o4", "gpt-5", "gemini", "grok"].iter().find_map(|series| name.strip_prefix(series));
    series.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_whose_reasoning_never_arrives() {
        assert!(keeps_reasoning("azure/o3-mini-2025-01-31") && keeps_reasoning("gpt-5.4"));
        assert!(keeps_reasoning("gemini/gemini-2.5-pro") && keeps_reasoning("grok-4"));
        assert!(!keeps_reasoning("openai/gpt-oss-120b") && !keeps_reasoning("olmo-3"));
    }
}
