//! `tool_choice_ignored`: calls were delivered although none were allowed.

use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};
use crate::request::ToolChoice;

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "tool_choice_ignored",
    kind: "other",
    summary: "The server delivers calls although tool_choice is none, or another tool than the one it was told to force.",
    manual: "Looks at delivered calls under tool_choice none, and at a call to another tool than the named one. The server is to \
             enforce both.",
    explains: &["model_fault", "finish_reason"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.iter().find(|side| !side.completion.tool_calls.is_empty())?;
    let call = side.completion.tool_calls.first()?;
    let message = match &facts.request.tool_choice {
        Some(ToolChoice::None) => "tool_choice none not honoured: the server delivers calls all the same".to_owned(),
        Some(ToolChoice::Named(name)) if *name != call.name && facts.request.tool(&call.name).is_some() => {
            format!("tool_choice not honoured: {name} was to be called, and the server delivers {}", call.name)
        }
        _ => return None,
    };
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::High, message)
            .families(None, facts.launch.tool_parser.value())
            .evidence(facts, "tool_calls", &format!("{}({})", call.name, call.arguments.as_text()))
            .fix(format!("{}; omit tools instead of sending tool_choice none", advice::upgrade(facts)))
            .done(),
    )
}
