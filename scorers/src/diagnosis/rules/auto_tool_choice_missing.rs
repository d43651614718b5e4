//! `auto_tool_choice_missing`: the flags that turn tool calls on are not set.

use crate::diagnosis::causes::ToolKind;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "auto_tool_choice_missing",
    kind: "auto_tool_choice_missing",
    summary: "The flags that turn tool calls on (--enable-auto-tool-choice, --tool-call-parser) are not set.",
    manual: "Looks at vLLM's refusal of tool_choice auto (or of a forced call, from 0.14), in whatever shape gateways \
             hand it on; and, in older versions, at a forced call answered with the raw JSON of guided decoding. vLLM \
             says the same when only one of the two flags is missing: the launch line tells which.",
    explains: &["finish_reason", "model_fault", "no_tool_parser"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let kinds = [ToolKind::ForcedUnparsed, ToolKind::SwitchedOff];
    let Some(trouble) = signs.tool.as_ref().filter(|found| kinds.contains(&found.kind)) else {
        return signs
            .error_finding(&RULE)
            .filter(|_| !facts.launch.surely_no_tool_parser)
            .map(|finding| tell_which(signs, finding));
    };
    let form = if trouble.kind == ToolKind::ForcedUnparsed {
        ", and the JSON is guided decoding's, not a format of the model's"
    } else {
        ""
    };
    let message = format!("{}: no error was raised although flags are missing{form}", trouble.seen);
    Some(
        Draft::new(&RULE, Blame::ServerConfig, trouble.confidence, message)
            .families(trouble.family, facts.launch.tool_parser.value())
            .evidence(facts, "content", trouble.side.leaked_text())
            .evidence(facts, "finish_reason", trouble.side.finish())
            .fixes(advice::enable_tools(facts, None))
            .done(),
    )
}

fn tell_which(signs: &Signs<'_>, mut finding: Finding) -> Finding {
    let launch = &signs.facts.launch;
    if let Some(parser) = launch.tool_parser.value() {
        finding.configured_family = Some(parser.to_owned());
        if launch.auto_tool_choice == Some(false) {
            finding
                .message
                .push_str(&format!("; --tool-call-parser {parser} is set, --enable-auto-tool-choice is not"));
        }
    }
    finding
}
