//! `bad_request`: the server refuses the request as malformed.

use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs};
use crate::request::ToolChoice;

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "bad_request",
    kind: "other",
    summary: "The request is malformed: the server refuses it, or answers what it cannot mean.",
    manual: "Looks at HTTP 4xx that no more telling rule explains, and at a tool_choice that names a tool the \
             request does not declare: some servers answer it all the same (vllm#14424).",
    explains: &["wrong_tool_parser", "bad_args", "arguments_misread", "model_fault", "finish_reason"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs.error_finding(&RULE).or_else(|| undeclared_choice(signs))
}

/// The choice names no declared tool: nothing that answers it can be right.
fn undeclared_choice(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let request = facts.view.request;
    let Some(ToolChoice::Named(name)) = &request.tool_choice else { return None };
    if facts.sides.is_empty() || request.tools.is_empty() || request.tool(name).is_some() {
        return None;
    }
    let declared: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    let message = format!(
        "tool_choice names {name}, and the request declares {}: no schema binds what is answered",
        declared.join(", ")
    );
    Some(
        Draft::new(&RULE, Blame::Request, Confidence::High, message)
            .evidence(facts, "request", name)
            .ruled_out("the server's parser: there is no tool to read a call of")
            .fix(format!("declare {name} in tools, or name one of those that are"))
            .done(),
    )
}
