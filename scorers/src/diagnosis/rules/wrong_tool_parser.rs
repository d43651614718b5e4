//! `wrong_tool_parser`: a tool parser runs, and it is for another family's markup.

use crate::diagnosis::causes::{ToolKind, ToolTrouble};
use crate::diagnosis::facts::Facts;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "wrong_tool_parser",
    kind: "wrong_tool_parser",
    summary: "The server's tool parser is for another family's markup: the model calls, and the call does not arrive.",
    manual: "A wrong parser leaks the call into the text, swallows it (no text, no call, tokens billed), or delivers \
             pieces of markup as a call. Looks at both modes together: a call in the text of one and silence in the \
             other, completion tokens with every field empty, finish_reason tool_calls with an empty list, a call \
             whose name is markup, another format's markers left beside a call. Not told from no_tool_parser by one \
             leaked answer alone: then the launch line, the engine's habits and how common each fault is decide, and \
             the other is named too.",
    explains: &[
        "finish_reason",
        "bad_args",
        "arguments_misread",
        "stream_only",
        "model_fault",
        "server_dropped_output",
    ],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let Some(trouble) =
        signs.tool.as_ref().filter(|found| matches!(found.kind, ToolKind::WrongParser | ToolKind::RightParserFails))
    else {
        return signs.error_finding(&RULE);
    };
    let right_name = trouble.kind == ToolKind::RightParserFails;
    let (blame, says) = blame_and_words(facts, right_name);
    let draft = Draft::new(&RULE, blame, trouble.confidence, format!("{says}: {}", trouble.seen))
        .families(trouble.family, facts.launch.tool_parser.value())
        .evidence(facts, "content", trouble.side.leaked_text())
        .evidence(facts, "finish_reason", trouble.side.finish())
        .note(if ends_without_calls(trouble) { "; finish_reason tool_calls with empty tool_calls" } else { "" })
        .note(if signs.reasoning.is_some() { "; two separate faults: the reasoning is not split either" } else { "" })
        .note(if facts.view.request.thinking == Some(true) && trouble.side.has_reasoning() {
            "; seen here in thinking mode only: retest with thinking off to confirm"
        } else {
            ""
        })
        .note(&advice::parsers_that_fit(signs));
    let draft = match trouble.family {
        Some(_) => draft.ruled_out("the model not calling: the call is there, whole"),
        None => draft
            .ruled_out("the model staying silent: tokens were billed")
            .ruled_out("the budget: finish_reason is not length"),
    };
    let fixes = advice::tool_parser(facts, trouble.family);
    let next = trouble.side.completion.tool_calls.iter().any(|call| facts.view.request.tool(&call.name).is_some());
    let draft = match next && facts.server().is("llama_cpp") {
        true => draft.fix("send parallel_tool_calls: true: without it the grammar and parser take one call alone"),
        false => draft,
    };
    let draft = match right_name {
        true => draft.fix("upgrade the engine; probe with a canary call instead of trusting the flag"),
        false => draft,
    };
    Some(draft.fixes(fixes).done())
}

/// Whose fault it is, and what happens.
fn blame_and_words(facts: &Facts<'_>, right_name: bool) -> (Blame, &'static str) {
    if right_name && facts.launch.template_parses {
        (Blame::ServerBug, "a parser is at work, and does not read what this model writes")
    } else if right_name {
        (
            Blame::ServerBug,
            "the configured name is right, behaviour is not: in this \
             engine or version it does not read this model's calls",
        )
    } else {
        (Blame::ServerConfig, "the model calls the tool, and the server's tool parser is for another format")
    }
}

/// The end is announced as calls, there are none, and what was seen does not say so yet.
fn ends_without_calls(trouble: &ToolTrouble<'_>) -> bool {
    let side = trouble.side;
    side.finish() == "tool_calls" && side.completion.tool_calls.is_empty() && !trouble.seen.contains("finish_reason")
}
