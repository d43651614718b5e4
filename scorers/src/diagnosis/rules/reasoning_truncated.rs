//! `reasoning_truncated`: the token budget was spent on reasoning.

use super::degenerate_text::one_symbol;
use crate::diagnosis::causes::ReasoningKind;
use crate::diagnosis::facts::Side;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "reasoning_truncated",
    kind: "reasoning_truncated",
    summary: "The token budget was spent before the model had finished thinking.",
    manual: "Looks at reasoning without text or call where finish_reason is length (or the \
             tokens reach max_tokens), and at a budget spent to the end of which nothing is \
             shown. Nobody is wrong but the budget: the attempt is truncated, not failed.",
    explains: &["structured_output_ignored", "finish_reason", "server_dropped_output", "gateway_rewrite", "template"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.iter().find(|side| side.at_cap() && side.is_silent())?;
    if !side.has_reasoning() {
        return unseen(signs, side);
    }
    // One symbol over and over is no thought: more tokens would bring more of it.
    if one_symbol(side.completion.reasoning()).is_some() {
        return None;
    }
    if signs.reasoning.as_ref().is_some_and(|found| found.kind != ReasoningKind::ModesDiffer) {
        return None;
    }
    let usage = side.completion.usage.unwrap_or_default();
    let share = match (usage.reasoning_tokens.filter(|tokens| *tokens > 0), usage.completion_tokens) {
        (Some(reasoning), Some(tokens)) => format!("{reasoning} of {tokens} tokens were reasoning"),
        (None, Some(tokens)) => format!("all {tokens} tokens went into reasoning"),
        _ => "all tokens went into reasoning".to_owned(),
    };
    let cap = facts.view.request.max_tokens.map(|max| format!(" (max_tokens {max})")).unwrap_or_default();
    let message = format!("the text is blank because of the token cap{cap}: {share}, finish_reason {}", side.finish());
    Some(
        Draft::new(&RULE, Blame::Budget, Confidence::High, message)
            .severity(Severity::Warning)
            .evidence(facts, "reasoning", side.completion.reasoning())
            .ruled_out("the server and the gateway: nothing is missing, the thoughts are unfinished")
            .fix("raise max_tokens")
            .fix("or switch thinking off for this request (enable_thinking false, reasoning_effort none)")
            .done(),
    )
}

/// The whole budget is spent and nothing of it is shown: thoughts that the server keeps to itself, or loses where they are
/// cut before their closing marker.
fn unseen(signs: &Signs<'_>, side: &Side<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let tokens = side.billed().filter(|tokens| *tokens >= HIDDEN)?;
    if facts.model().reasons == Some(false) || signs.tool.is_some() || signs.reasoning.is_some() {
        return None;
    }
    let cap = facts.view.request.max_tokens.map(|max| format!(" (max_tokens {max})")).unwrap_or_default();
    let message = format!(
        "the text is blank because of the token cap{cap}: all {tokens} tokens were spent, and neither text nor \
         reasoning of them is shown, finish_reason {}",
        side.finish()
    );
    Some(
        Draft::new(&RULE, Blame::Budget, Confidence::Medium, message)
            .severity(Severity::Warning)
            .evidence(facts, "usage", &format!("completion_tokens {tokens}"))
            .ruled_out("an empty answer of the model: that costs a token or two")
            .fix("raise max_tokens")
            .fix("or switch thinking off for this request (enable_thinking false, reasoning_effort none)")
            .fix("look whether the server shows reasoning at all (--reasoning-parser, include_reasoning)")
            .done(),
    )
}

/// Fewer tokens than this may be blanks.
const HIDDEN: u64 = 16;
