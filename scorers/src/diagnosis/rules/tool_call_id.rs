//! `tool_call_id`: the ids of tool calls are missing, doubled or of a form the model's template cannot use.

use std::collections::HashSet;

use crate::diagnosis::causes::ToolKind;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "tool_call_id",
    kind: "other",
    summary: "The ids of tool calls are missing, doubled, or of a form the model's template cannot use.",
    manual: "Looks at delivered ids that are empty or doubled; and, for models whose template carries the tool's name \
             in the id (Kimi K2: functions.NAME:INDEX) or takes nine letters and digits alone (Mistral), at ids of \
             another form, in the answer and in the history. The call itself may be right: it is the next turn that \
             suffers.",
    explains: &["wrong_tool_parser", "server_dropped_output"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    in_history(signs).or_else(|| delivered(signs))
}

fn in_history(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.tool.as_ref().filter(|found| found.kind == ToolKind::HistoryIds)?;
    let id = facts.history_ids().next().unwrap_or_default();
    let message = format!(
        "{}; only after tool turns in the history, whose ids ({id}) are not of \
         the form functions.<name>:<index> that this model continues",
        trouble.seen
    );
    Some(
        Draft::new(&RULE, Blame::ServerBug, trouble.confidence, message)
            .evidence(facts, "request", id)
            .ruled_out("the budget: finish_reason is not length")
            .fix("keep ids in the form functions.<name>:<index> in the history")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

fn delivered(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    // A call that was left in the text is the graver fault.
    if signs.tool.as_ref().is_some_and(|found| found.side.leak_place() == Some("content")) {
        return None;
    }
    facts.sides.iter().find_map(|side| {
        let calls = &side.completion.tool_calls;
        let mut seen = HashSet::new();
        // function_call has no id.
        let older = side.completion.deviates("legacy_function_call");
        let (id, what) = calls.iter().find_map(|call| {
            let id = call.id.as_deref().unwrap_or_default();
            let what = if call.name.is_empty() || older {
                return None;
            } else if id.is_empty() {
                "the id of the call is empty: warning, an empty id breaks tool replies"
            } else if !seen.insert(id) {
                "two calls carry the same id: warning, tool replies cannot be told apart"
            } else if facts.ids_carry_names() && !call.name.contains(':') && !id.contains(&format!("{}:", call.name)) {
                "the id is not of the form functions.<name>:<index>, which this \
                 model's template reads the name from: warning, multi-turn risk"
            } else if facts.ids_are_short()
                && signs.tool.is_none()
                && !(id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()))
            {
                "the id is not of the nine letters and digits that this model's \
                 template takes: warning, the next turn will be refused"
            } else {
                return None;
            };
            Some((id.to_owned(), what))
        })?;
        let draft = Draft::new(&RULE, Blame::ServerBug, Confidence::High, format!("{what}; the call itself is right"));
        Some(
            draft
                .severity(Severity::Warning)
                .families(None, facts.launch.tool_parser.value())
                .evidence(facts, "tool_calls", &format!("id {id:?}"))
                .fix(advice::upgrade(facts))
                .done(),
        )
    })
}
