//! `harmony_markers_in_call`: control tokens of the Harmony format stand in a call's name, or beside the calls.

use crate::diagnosis::facts::{Facts, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "harmony_markers_in_call",
    kind: "other",
    summary: "Markers of the Harmony format (gpt-oss) are left in a call's \
              name, or a call of it in the text beside the calls.",
    manual: "Looks at a declared tool's name with a channel token behind it or the namespace functions. before it, \
             and at a recipient (to=functions.…) with its arguments in the text beside delivered calls. The model \
             slips in its format now and then; the server is to read or strip these.",
    explains: &["wrong_tool_parser", "bad_args", "arguments_misread", "model_fault", "finish_reason"],
    hides_intent: true,
    check,
};

/// A call's arguments begin within this many characters of its recipient.
const NEAR: usize = 40;

/// The tokens that no name is meant to hold.
const TOKENS: &[&str] = &["<|channel|>", "<|constrain|>", "<|message|>"];

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    facts.sides.iter().find_map(|side| in_name(signs, side).or_else(|| in_text(signs, side)))
}

fn draft(facts: &Facts<'_>, message: String) -> Draft {
    Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
        .families(Some("gptoss_harmony"), facts.launch.tool_parser.value())
        .ruled_out("the flags: the call itself was read")
        .fix(advice::upgrade(facts))
        .fix("retry; take what stands before the first control token as the name")
}

/// `get_weather<|channel|>commentary` (vllm#32587).
fn in_name(signs: &Signs<'_>, side: &Side<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let call = side.completion.tool_calls.iter().find(|call| {
        // The recipient as it is written, its namespace with it.
        let short = call.name.strip_prefix("functions.").filter(|_| facts.is_harmony());
        if short.is_some_and(|short| facts.view.request.tool(short).is_some()) {
            return facts.view.request.tool(&call.name).is_none();
        }
        let at = TOKENS.iter().filter_map(|token| call.name.find(token)).min();
        at.and_then(|at| call.name.get(..at)).is_some_and(|name| facts.view.request.tool(name.trim()).is_some())
    })?;
    let message = format!(
        "a piece of the markup stands in the tool's name: {}; name and arguments are right otherwise",
        call.name
    );
    Some(draft(facts, message).evidence(facts, "tool_calls", &call.to_string()).done())
}

fn in_text(signs: &Signs<'_>, side: &Side<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let text = side.completion.text();
    if side.completion.tool_calls.is_empty() || signs.tool.is_some() || !text.contains("to=functions.") {
        return None;
    }
    let called = |rest: &str| {
        let behind = facts.view.request.tools.iter().find_map(|tool| rest.strip_prefix(tool.name.as_str()));
        behind.is_some_and(|behind| behind.chars().take(NEAR).any(|c| c == '{'))
    };
    if !text.split("to=functions.").skip(1).any(called) {
        return None;
    }
    let message =
        "a call's recipient and arguments are left in the text beside the calls that were delivered".to_owned();
    Some(draft(facts, message).evidence(facts, "content", text).done())
}
