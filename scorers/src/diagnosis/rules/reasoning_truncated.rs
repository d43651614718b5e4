//! `reasoning_truncated`: the token budget was spent on reasoning.

use crate::diagnosis::causes::ReasoningKind;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "reasoning_truncated",
    kind: "reasoning_truncated",
    summary: "The token budget was spent before the model had finished thinking.",
    manual: "Looks at reasoning without text or call where finish_reason is length (or the tokens reach max_tokens). Nobody is \
             wrong but the budget: the attempt is truncated, not failed.",
    explains: &["structured_output_ignored", "finish_reason", "server_dropped_output", "gateway_rewrite", "template"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.iter().find(|side| side.at_cap() && side.is_silent() && side.has_reasoning())?;
    if signs.reasoning.as_ref().is_some_and(|found| found.kind != ReasoningKind::ModesDiffer) {
        return None;
    }
    let usage = side.completion.usage.unwrap_or_default();
    let share = match (usage.reasoning_tokens.filter(|tokens| *tokens > 0), usage.completion_tokens) {
        (Some(reasoning), Some(tokens)) => format!("{reasoning} of {tokens} tokens were reasoning"),
        (None, Some(tokens)) => format!("all {tokens} tokens went into reasoning"),
        _ => "all tokens went into reasoning".to_owned(),
    };
    let cap = facts.request.max_tokens.map(|max| format!(" (max_tokens {max})")).unwrap_or_default();
    Some(
        Draft::new(&RULE, Blame::Budget, Confidence::High, format!("the text is blank because of the token cap{cap}: {share}, finish_reason {}", side.finish()))
            .severity(Severity::Warning)
            .evidence(facts, "reasoning", side.completion.reasoning())
            .ruled_out("the server and the gateway: nothing is missing, the thoughts are unfinished")
            .fix("raise max_tokens")
            .fix("or switch thinking off for this request (enable_thinking false, reasoning_effort none)")
            .done(),
    )
}
