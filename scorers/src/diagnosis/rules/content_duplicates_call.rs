//! `content_duplicates_call`: the text repeats a delivered call's arguments.

use serde_json::Value;

use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "content_duplicates_call",
    kind: "other",
    summary: "The text repeats a call, or its arguments, that was delivered as it should be.",
    manual: "Looks at a text that is the same JSON as a delivered call's arguments, or that holds the markup of the \
             very calls that are delivered. The call is right; clients that show the text show a duplicate.",
    explains: &[],
    hides_intent: false,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let mut calling = facts.sides.iter().filter(|side| !side.completion.tool_calls.is_empty());
    calling.find_map(|side| {
        let message = match side.repeats_calls() {
            true => "the text holds the markup of the call beside it as well; the call itself is right",
            false => {
                let text: Value = serde_json::from_str(side.completion.text().trim()).ok()?;
                side.completion
                    .tool_calls
                    .iter()
                    .find(|call| text.is_object() && call.arguments.value().as_ref() == Ok(&text))?;
                "the text is a duplicate of the arguments of the call beside it; the call itself is right"
            }
        };
        Some(
            Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
                .severity(Severity::Warning)
                .families(None, facts.launch.tool_parser.value())
                .evidence(facts, "content", side.completion.text())
                .fix(advice::upgrade(facts))
                .fixes(advice::reasoning_parser(facts, None))
                .done(),
        )
    })
}
