//! `template`: the chat template is missing, refuses the conversation, or keeps the tools from the model.

use std::sync::LazyLock;

use regex::Regex;

use crate::diagnosis::causes::{ReasoningKind, ToolKind};
use crate::diagnosis::facts::{Facts, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "template",
    kind: "template",
    summary: "The chat template is missing, refuses the conversation, or keeps the tools from the model.",
    manual: "Looks at template errors; at a right call kept from its parser by a code fence; at thoughts left in the \
             text because the request does not declare the thinking mode the parser goes by; and, where the task \
             wanted a call, at prose together with a prompt too short to hold the declared tools, or a model that is \
             known to need a tool template its launch line does not name; and, where the history ends with a tool's \
             result, at an answer that says there was none (vllm#39614).",
    explains: &["model_fault"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    signs
        .error_finding(&RULE)
        .or_else(|| fenced(signs))
        .or_else(|| undeclared(signs))
        .or_else(|| unseen_tools(signs))
        .or_else(|| unseen_result(signs))
}

fn fenced(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.tool.as_ref().filter(|found| found.kind == ToolKind::Fenced)?;
    let form = trouble.family.filter(|family| family.contains("pythonic")).map_or("call", |_| "pythonic call");
    let message = format!(
        "the model put a fence around a {form}, and the parser only looks at \
         the start of the text: its template does not ask for a bare call"
    );
    Some(
        Draft::new(&RULE, Blame::ServerConfig, trouble.confidence, message)
            .families(trouble.family, facts.launch.tool_parser.value())
            .evidence(facts, "content", trouble.side.completion.text())
            .fix("a chat template that tells the model to write the call without markdown")
            .fixes(advice::tool_template(facts))
            .done(),
    )
}

fn undeclared(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.reasoning.as_ref().filter(|found| found.kind == ReasoningKind::Undeclared)?;
    let message = format!(
        "{}: the opening tag is in the prompt, and the request does not \
         declare thinking mode, by which the server decides where to start",
        trouble.seen
    );
    Some(
        Draft::new(&RULE, Blame::Request, trouble.confidence, message)
            .families(trouble.side.thoughts().map(|split| split.family), facts.launch.reasoning_parser.value())
            .evidence(facts, "content", trouble.side.completion.text())
            .fix("send chat_template_kwargs {\"thinking\": true}")
            .fix("or set --default-chat-template-kwargs '{\"thinking\": true}' on the server")
            .done(),
    )
}

/// The task wanted a call and got prose, and the model may never have seen the tools.
fn unseen_tools(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.first()?;
    if !facts.may_call()
        || !facts.call_was_missed()
        || signs.tool.is_some()
        || side.is_silent()
        || !side.completion.tool_calls.is_empty()
        || side.finish() == "tool_calls"
    {
        return None;
    }
    let why = why_unseen(facts, side)?;
    let prompt =
        format!("prompt_tokens {}", side.completion.usage.and_then(|usage| usage.prompt_tokens).unwrap_or_default());
    let message = format!("the model answered in prose, and {why}: the model may never have seen the tools");
    Some(
        Draft::new(&RULE, Blame::ServerConfig, Confidence::Medium, message)
            .families(None, facts.launch.tool_parser.value())
            .evidence(facts, "content", side.completion.text())
            .evidence(facts, "usage", &prompt)
            .fixes(if replaced_by_name(facts) {
                vec!["drop --chat-template, so that the model's own is used with --jinja".to_owned()]
            } else {
                advice::tool_template(facts)
            })
            .fix(
                "compare prompt_tokens of the same messages with and \
                 without tools: equal means the template ignores them",
            )
            .done(),
    )
}

/// Why the model may never have seen the tools, where something speaks for it.
fn why_unseen(facts: &Facts<'_>, side: &Side<'_>) -> Option<&'static str> {
    Some(if facts.prompt_too_short_for_tools(side) {
        "the prompt is too short to hold the declared tools"
    } else if facts.lacks_tool_template() {
        "this model's own template has no section for tools, and the launch line names no other"
    } else if replaced_by_name(facts) {
        "the launch line puts a built-in template without a section \
         for tools (--chat-template) in the place of the model's own"
    } else {
        return None;
    })
}

/// Words with which a model says that a tool brought nothing.
static NOTHING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:did(?:n.t| not)|does(?:n.t| not)|has(?:n.t| not)|have(?:n.t| not)) (?:seem to )?(?:return|provide|contain|include|give)|\bno (?:data|results?|output|information|content|response|usable)\b|\b(?:returned|came back|was|were|is|appears? to be|seems? to be) (?:an? )?(?:empty|blank|nothing)\b|\bempty (?:results?|responses?|output|data)\b|没有返回|未返回|没有(?:任何)?(?:数据|结果|内容)|(?:结果|内容|数据|响应|返回值?)(?:是|为)?空",
    )
    .ok()
});

/// The history ends with a tool's result, and the model says that there was none.
fn unseen_result(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.first()?;
    let text = side.completion.text();
    let denies = |text: &str| NOTHING.as_ref().is_some_and(|pattern| pattern.is_match(text));
    let told = facts.view.scored.is_empty() || facts.something_failed();
    if !facts.view.request.ends_with_result()
        || !told
        || !side.completion.tool_calls.is_empty()
        || side.at_cap()
        || !denies(text)
    {
        return None;
    }
    let result = facts.last_result()?;
    let says_nothing = denies(&result)
        || ["error", "not found", "null", "none", "[]", "{}"].iter().any(|word| result.to_lowercase().contains(word));
    // A word or number of the result in the answer: the model saw it.
    let mut words = result.split(|c: char| !c.is_alphanumeric());
    let seen = words.any(|word| (word.len() > 3 || word.chars().any(char::is_numeric)) && text.contains(word));
    if says_nothing || result.trim().is_empty() || seen {
        return None;
    }
    let fix = facts.server().is("vllm").then(|| {
        "--chat-template-content-format string (found out by itself it may be \
         openai, and some templates drop the text of a tool's result then)"
            .to_owned()
    });
    let message = "the history ends with a tool's result, and the model says that \
                   the tool brought nothing: its template may not have shown it";
    Some(
        Draft::new(&RULE, Blame::ServerConfig, Confidence::Medium, message)
            .evidence(facts, "request", &result)
            .evidence(facts, "content", text)
            .fixes(fix)
            .fix(
                "render the messages (/tokenize, /apply-template) and look for the result; send it as a string, not as \
                 content parts, or the other way round",
            )
            .fixes(advice::tool_template(facts))
            .done(),
    )
}

/// llama-server is told to use one of its own templates, by name: none of them shows tools.
fn replaced_by_name(facts: &Facts<'_>) -> bool {
    let named = facts.launch.chat_template.value().filter(|_| facts.server().is("llama_cpp"));
    named.is_some_and(|name| !name.contains(['.', '/', '{', '$', '<']))
}
