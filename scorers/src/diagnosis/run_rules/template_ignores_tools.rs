//! `template_ignores_tools`: the prompt does not grow when tools are declared.

use super::{RunRule, evidence, finding};
use crate::diagnosis::run::RunSignals;
use crate::diagnosis::{Blame, Confidence, Context, Finding, Severity};

pub(super) static RULE: RunRule = RunRule {
    id: "template_ignores_tools",
    kind: "template",
    summary: "The prompt does not grow when tools are declared: the chat template leaves them out.",
    manual: "Compares prompt_tokens of the same messages with and without tools, where \
             the run holds both; else looks whether the prompts of tasks with tools \
             are shorter than their tools alone. Says nothing while calls arrive.",
    check,
};

fn check(signals: &RunSignals, _context: &Context) -> Option<Finding> {
    if signals.auto.called > 0 {
        return None;
    }
    let pairs: Vec<(u64, u64)> =
        signals.prompts.values().filter_map(|prompts| Some((prompts.with?, prompts.without?))).collect();
    let equal = pairs.iter().filter(|(with, without)| with <= without).count();
    let (proof, confidence) = if !pairs.is_empty() && equal == pairs.len() {
        let (with, without) = pairs.first()?;
        (format!("the same messages cost {with} prompt tokens with tools and {without} without"), Confidence::High)
    } else if pairs.is_empty() && signals.tools_counted >= 2 && signals.tools_unseen == signals.tools_counted {
        (
            format!("in all {} attempts with tools the prompt is shorter than the tools alone", signals.tools_counted),
            Confidence::Medium,
        )
    } else {
        return None;
    };
    let mut found = finding(&RULE, format!("the chat template ignores tools: {proof}, so the model never saw them"));
    found.severity = Severity::Error;
    found.blame = Blame::ServerConfig;
    found.confidence = confidence;
    found.evidence.push(evidence("usage", proof));
    found.count = signals.tools_counted;
    found.fix.push(
        "--chat-template with one that renders tools (llama.cpp: --chat-template-file; vLLM: \
         examples/tool_chat_template_*.jinja)"
            .to_owned(),
    );
    Some(found)
}
