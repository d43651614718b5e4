//! Is what stands in the reasoning field the whole answer, put there by a parser that waits for a closing tag?

use crate::completion::Completion;
use crate::request::Request;

/// Tokens that may be missing from view (template tokens, counting) before something was swallowed.
const SLACK: u64 = 8;
/// The same where no tool is offered, so that nothing but the answer can be missing: thoughts behind which an answer was lost
/// are longer than this.
const SLACK_WITHOUT_TOOLS: u64 = 32;
/// No language that models write takes more characters for a token, over a whole answer.
const CHARS_PER_TOKEN: u64 = 3;

/// The answer came in the reasoning field: the content is blank, nothing was cut, and nothing is missing that the tokens
/// billed would pay for.
pub(super) fn is_answer(completion: &Completion, request: &Request) -> bool {
    if completion.is_truncated() && !whole_budget_is_tiny(completion, request) {
        return false;
    }
    if completion.finish_reason.as_deref() == Some("tool_calls") {
        return false;
    }
    if request.thinking == Some(false) {
        return true;
    }
    // No thoughts are one JSON value: whatever was billed, this is what a schema or a prompt asked for.
    if request.tools.is_empty() && is_json(completion.reasoning()) {
        return true;
    }
    match billed(completion) {
        _ if request.ends_with_result() => false,
        Some(tokens) => {
            let slack = if request.tools.is_empty() { SLACK_WITHOUT_TOOLS } else { SLACK };
            tokens <= explained(completion.reasoning()) + slack
        }
        None => request.tools.is_empty(),
    }
}

fn is_json(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn billed(completion: &Completion) -> Option<u64> {
    completion.billed().filter(|tokens| *tokens > 0)
}

fn explained(text: &str) -> u64 {
    let wide = text.chars().filter(|c| !c.is_ascii()).count();
    let narrow = text.chars().count() - wide;
    u64::try_from(narrow).unwrap_or(u64::MAX) / CHARS_PER_TOKEN + u64::try_from(wide).unwrap_or(u64::MAX)
}

/// A budget of a few tokens is for a verdict of one letter, not for thinking.
fn whole_budget_is_tiny(completion: &Completion, request: &Request) -> bool {
    request.max_tokens.is_some_and(|budget| budget <= 4) && completion.reasoning().trim().chars().count() <= 16
}
