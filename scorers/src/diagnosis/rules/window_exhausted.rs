//! `window_exhausted`: the answer was cut at the end of the context window, not at the budget of the request.

use crate::diagnosis::facts::Side;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "window_exhausted",
    kind: "context_overflow",
    summary: "The answer was cut at the end of the context window, not at the budget of the request.",
    manual: "Looks at finish_reason length where fewer tokens came than max_tokens allows (or none was set) and prompt \
             and answer together fill a round window (a multiple of 1024). The server was started with a window \
             smaller than the model's; Ollama's default is 2048 or 4096, and its OpenAI route takes no num_ctx. And at \
             finish_reason length before the first token: prompt and budget did not fit the window together.",
    explains: &["reasoning_truncated", "model_fault", "structured_output_ignored"],
    hides_intent: true,
    check,
};

/// Windows are whole multiples of this; smaller ones are no windows.
const UNIT: u64 = 1024;
const LEAST: u64 = 2048;

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if let Some(side) = facts.sides.iter().find(|side| never_began(side)) {
        return Some(no_room(signs, side));
    }
    let (prompt, tokens) = facts.sides.iter().find_map(filled)?;
    let window = prompt + tokens;
    let asked =
        facts.view.request.max_tokens.map(|max| format!(", and max_tokens {max} was not reached")).unwrap_or_default();
    let message = format!(
        "{prompt} prompt + {tokens} completion = {window} tokens: \
         the context window is full{asked}; finish_reason length"
    );
    let fix = match facts.server().engine.as_deref() {
        Some("ollama") => {
            "OLLAMA_CONTEXT_LENGTH, or PARAMETER num_ctx in a Modelfile: the OpenAI route takes no num_ctx"
        }
        _ => "start the server with a larger window (--max-model-len, --context-length, -c)",
    };
    Some(
        Draft::new(&RULE, Blame::ServerConfig, Confidence::Medium, message)
            .severity(Severity::Warning)
            .evidence(facts, "usage", &format!("prompt_tokens {prompt}, completion_tokens {tokens}"))
            .ruled_out("the budget of the request: it was not spent")
            .fix(fix)
            .fix("or shorten the prompt")
            .done(),
    )
}

/// Prompt and completion fill a window, below the budget asked for.
fn filled(side: &Side<'_>) -> Option<(u64, u64)> {
    let usage = side.completion.usage?;
    let (prompt, tokens) = (usage.prompt_tokens?, usage.completion_tokens?);
    let window = prompt.checked_add(tokens)?;
    let unspent = side.request.max_tokens.is_none_or(|max| tokens < max);
    (side.completion.is_truncated() && unspent && window >= LEAST && window.is_multiple_of(UNIT))
        .then_some((prompt, tokens))
}

/// Cut before the first token.
fn never_began(side: &Side<'_>) -> bool {
    let none = side.completion.usage.is_some_and(|usage| usage.completion_tokens == Some(0));
    side.completion.is_truncated() && none && side.is_silent() && !side.has_reasoning()
}

/// LMDeploy answers so where prompt and max_tokens pass its session length (InternLM/lmdeploy#1170, #1589).
fn no_room(signs: &Signs<'_>, side: &Side<'_>) -> Finding {
    let asked = side.request.max_tokens.map(|max| format!(" and max_tokens {max}")).unwrap_or_default();
    let message = format!(
        "finish_reason length before the first token: the prompt{asked} do not fit the window together, and nothing \
         was generated"
    );
    Draft::new(&RULE, Blame::Request, Confidence::Medium, message)
        .severity(Severity::Warning)
        .evidence(&signs.facts, "usage", "completion_tokens 0")
        .ruled_out("the model: it was not asked")
        .fix("lower max_tokens or leave it out, or shorten the prompt")
        .fix("or start the server with a larger window (--session-len, --max-model-len, --context-length, -c)")
        .done()
}
