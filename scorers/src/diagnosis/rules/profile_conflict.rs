//! `profile_conflict`: flags that are right alone and do not go together.

use crate::diagnosis::causes::{ReasoningKind, ToolKind};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "profile_conflict",
    kind: "profile_conflict",
    summary: "Flags that are right alone do not go together.",
    manual: "Looks at a call inside the reasoning field although each parser is right alone; at two layers that both \
             split the reasoning; at a template of the launch line that makes the model write another format than its \
             parser reads; at a tokenizer mode the parser cannot work with; at flags handed to the wrong layer.",
    explains: &["wrong_tool_parser", "wrong_reasoning_parser", "model_fault", "finish_reason"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs.error_finding(&RULE).or_else(|| tools(signs)).or_else(|| reasoning(signs))
}

fn tools(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.tool.as_ref()?;
    let parser = facts.launch.tool_parser.value().unwrap_or_default();
    let (says, fixes) = match trouble.kind {
        ToolKind::TemplateOverride => (
            format!(
                "the launch line's template override (--chat-template) makes the \
                 model write another format than --tool-call-parser {parser} reads"
            ),
            vec![
                "drop --chat-template".to_owned(),
                format!(
                    "or use the parser of the template's format ({})",
                    advice::flag_values(facts, trouble.family).join(" or ")
                ),
            ],
        ),
        ToolKind::TokenizerMode => (
            format!(
                "--tokenizer-mode {} does not go with --tool-call-parser mistral",
                facts.launch.tokenizer_mode.value().unwrap_or_default()
            ),
            vec![
                "--tokenizer-mode mistral --config-format mistral --load-format mistral".to_owned(),
                "or upgrade vLLM".to_owned(),
            ],
        ),
        _ => return None,
    };
    Some(
        Draft::new(&RULE, Blame::ServerConfig, trouble.confidence, format!("{says}: {}", trouble.seen))
            .families(trouble.family, facts.launch.tool_parser.value())
            .evidence(facts, "content", trouble.side.leaked_text())
            .fixes(fixes)
            .done(),
    )
}

fn reasoning(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.reasoning.as_ref()?;
    let draft = match trouble.kind {
        ReasoningKind::CallInThoughts => {
            let message = format!(
                "{}: each parser is right alone, but the model called before it closed \
                 its thoughts, and the tool side only sees the text behind them",
                trouble.seen
            );
            Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
                .families(trouble.side.leak().map(|(found, _)| found.family), facts.launch.reasoning_parser.value())
                .ruled_out("the flags: changing --tool-call-parser does not help")
                .fix(advice::upgrade(facts))
                .fix("switch thinking off for tool tasks; do not change the tool parser")
        }
        ReasoningKind::DoubleSplit => {
            let message = format!(
                "{}: two layers own the same job, the wrapper's own switch and the engine's reasoning flags",
                trouble.seen
            );
            Draft::new(&RULE, Blame::ServerConfig, trouble.confidence, message)
                .families(None, facts.launch.reasoning_parser.value())
                .fix("drop --enable_reasoning / --reasoning_parser when the wrapper splits the reasoning itself")
        }
        _ => return None,
    };
    Some(
        draft
            .evidence(facts, "reasoning", trouble.side.completion.reasoning())
            .evidence(facts, "finish_reason", trouble.side.finish())
            .done(),
    )
}
