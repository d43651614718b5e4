//! `schema_forbids_calls`: a schema for the answer leaves the model no way to call a tool.

use serde_json::Value;

use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "schema_forbids_calls",
    kind: "other",
    summary: "The request asks for tools and for an answer after a \
              schema, and the grammar leaves room for the answer only.",
    manual: "Looks at a JSON object in the text where the task wanted a call, and the \
             request carries both tools and a response_format: the grammar holds from \
             the first token, so the model cannot write a call, and invents an answer.",
    explains: &["no_reasoning_parser", "wrong_tool_parser", "no_tool_parser", "model_fault", "template"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if !facts.wants_json() || !facts.may_call() || facts.forced() || !facts.call_was_missed() || signs.tool.is_some() {
        return None;
    }
    let side = facts.sides.iter().find(|side| side.completion.tool_calls.is_empty() && !side.at_cap())?;
    serde_json::from_str::<Value>(side.completion.text().trim()).ok().filter(Value::is_object)?;
    let message = "the request carries tools and a schema for the answer at once: the grammar lets the model write \
                   that JSON and nothing else, so no call was possible";
    Some(
        Draft::new(&RULE, Blame::Request, Confidence::Medium, message)
            .evidence(facts, "content", side.completion.text())
            .ruled_out("the tool parser: there was no call to read")
            .fix("send response_format only on the turn that is to answer, or offer the answer as a tool of its own")
            .done(),
    )
}
