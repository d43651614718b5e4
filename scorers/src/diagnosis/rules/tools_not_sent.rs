//! `tools_not_sent`: the history holds tool turns, and the request declares no tools.

use crate::diagnosis::causes::ToolKind;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "tools_not_sent",
    kind: "other",
    summary: "The history holds tool turns, and this request declares no tools.",
    manual: "Looks at a call in the text of an answer to a request without tools whose messages replay tool calls. The \
             server has no tools to look for, so no flag helps.",
    explains: &["model_fault", "finish_reason"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.tool.as_ref().filter(|found| found.kind == ToolKind::ToolsNotSent)?;
    let message =
        format!("{}: the model goes on calling, and the server passes the text through as it must", trouble.seen);
    Some(
        Draft::new(&RULE, Blame::Request, trouble.confidence, message)
            .families(trouble.family, facts.launch.tool_parser.value())
            .evidence(facts, "content", trouble.side.leaked_text())
            .fix("send tools on every turn of a conversation that uses them")
            .done(),
    )
}
