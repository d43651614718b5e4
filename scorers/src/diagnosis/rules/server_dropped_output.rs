//! `server_dropped_output`: tokens were generated, and the server delivered nothing for them.

use crate::diagnosis::causes::ToolKind;
use crate::diagnosis::facts::Side;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};
use crate::request::ToolChoice;

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "server_dropped_output",
    kind: "other",
    summary: "Tokens were generated and billed, and the server delivered nothing for them.",
    manual: "Looks at completion tokens with every field empty where no tool parser explains it (no tools, or the \
             right parser), at empty answers whose usage is nought throughout, and at text cut out of an answer to \
             tool_choice none. Confirm with logprobs, return_token_ids or /v1/completions.",
    explains: &["finish_reason"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let finding = |side: &Side<'_>, message: String, confidence, fix: &str| {
        Draft::new(&RULE, Blame::ServerBug, confidence, message)
            .families(None, facts.launch.tool_parser.value())
            .evidence(facts, "usage", &format!("completion_tokens {}", side.tokens().unwrap_or_default()))
            .evidence(facts, "content", side.completion.text())
            .ruled_out("the model: it generated tokens")
            .fix(fix)
            .fix(advice::upgrade(facts))
            .fix("compare with /v1/completions, logprobs or return_token_ids")
            .done()
    };
    if let Some(trouble) = signs.tool.as_ref().filter(|found| found.kind == ToolKind::Dropped) {
        return Some(finding(&trouble.side, trouble.seen.clone(), trouble.confidence, "retry; compare both modes"));
    }
    if facts.view.request.tool_choice == Some(ToolChoice::None) && !facts.view.request.tools.is_empty() {
        let side = facts.sides.iter().find(|side| side.is_phantom() || side.lost_tokens() && side.ends_open())?;
        let message = format!(
            "tokens missing: {} completion tokens, and a text that ends open after {} characters; with tool_choice \
             none the server still strips what looks like a call",
            side.tokens().unwrap_or_default(),
            side.completion.text().chars().count(),
        );
        return Some(finding(side, message, Confidence::Medium, "omit tools instead of sending tool_choice none"));
    }
    if let Some(finding) = nothing_asked(signs) {
        return Some(finding);
    }
    let side =
        facts.sides.iter().find(|side| side.is_phantom()).filter(|_| !facts.may_call() && signs.reasoning.is_none())?;
    let message = format!(
        "tokens were generated but nothing was delivered: {} completion \
         tokens, text, calls and reasoning empty, finish_reason {}",
        side.tokens().unwrap_or_default(),
        side.finish(),
    );
    Some(finding(side, message, Confidence::Medium, "retry"))
}

/// No prompt is of no tokens: the request did not reach a model, or its answer was lost with its usage (ollama#13371).
fn counts_nothing(side: &Side<'_>) -> bool {
    side.completion.usage.is_some_and(|usage| usage.prompt_tokens == Some(0) && usage.completion_tokens == Some(0))
        && side.completion.stream_error.is_none()
}

fn nothing_asked(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.iter().find(|side| side.is_silent() && !side.has_reasoning() && counts_nothing(side))?;
    let message = format!(
        "nothing was generated: text, calls and reasoning are empty, usage counts 0 prompt and 0 completion tokens, \
         and finish_reason is {} all the same",
        side.finish()
    );
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
            .evidence(facts, "usage", "prompt_tokens 0, completion_tokens 0")
            .evidence(facts, "finish_reason", side.finish())
            .ruled_out("the model: it was not asked")
            .fix("retry; read the server's log for this request")
            .fix(advice::upgrade(facts))
            .done(),
    )
}
