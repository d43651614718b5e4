//! `no_tool_parser`: no tool parser runs, so calls arrive as text.

use crate::diagnosis::causes::ToolKind;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "no_tool_parser",
    kind: "no_tool_parser",
    summary: "No tool parser runs: the model calls, and the call arrives as text.",
    manual: "Looks for a whole call of a known family in the text, the same in both modes, with finish_reason stop and \
             an empty list of calls, where tools were declared; and for the errors of servers that were started \
             without tool support. A call that is quoted in a sentence, or that names no declared tool, is no sign.",
    explains: &[
        "auto_tool_choice_missing",
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
    let Some(trouble) = signs.tool.as_ref().filter(|found| found.kind == ToolKind::NoParser) else {
        let refused =
            signs.error_finding_as("auto_tool_choice_missing", &RULE).filter(|_| facts.launch.surely_no_tool_parser);
        return refused.or_else(|| signs.error_finding(&RULE));
    };
    let damage = match trouble.side.leak() {
        Some((found, _)) if found.damaged => {
            "; it was damaged on the way, so what was meant cannot be recovered for sure"
        }
        _ => "",
    };
    let family = trouble.family.map(|family| format!(" ({})", advice::in_words(family))).unwrap_or_default();
    let message = format!("no tool parser is at work: {}", trouble.seen);
    Some(
        Draft::new(&RULE, Blame::ServerConfig, trouble.confidence, message)
            .note(&family)
            .note(damage)
            .families(trouble.family, facts.launch.tool_parser.value())
            .evidence(facts, "content", trouble.side.leaked_text())
            .evidence(facts, "finish_reason", trouble.side.finish())
            .ruled_out("the model not calling: the call is there")
            .fixes(advice::enable_tools(facts, trouble.family))
            .done(),
    )
}
