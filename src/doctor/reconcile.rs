//! Findings of different probes held against each other: [`reconcile`]. What one probe leaves open another decides. Pure.

use monban_scorers::{Confidence, Finding, diagnosis};

use super::findings::{Scene, merge};
use super::judged::Case;
use super::probes::THINKING_ON;

const WRONG_TOOL: &str = "wrong_tool_parser";
const NO_TOOL: &str = "no_tool_parser";
const WRONG_THOUGHT: &str = "wrong_reasoning_parser";
const NO_THOUGHT: &str = "no_reasoning_parser";

/// Makes one story of the findings of all probes.
pub(super) fn reconcile(scene: &Scene<'_>, merged: &mut Vec<Finding>) {
    a_tool_parser_ran(scene, merged);
    thoughts_arrived_elsewhere(scene, merged);
    diagnosis::reconcile(merged, scene.context.engine.as_deref());
    alternatives(merged);
}

fn drop_rule(rule: &str, merged: &mut Vec<Finding>) {
    merged.retain(|found| found.rule != rule);
}

/// Takes a guess that other probes refute out of the list; what is known for sure stays.
fn take_guess(rule: &str, merged: &mut Vec<Finding>) -> Option<Finding> {
    let at = merged.iter().position(|found| found.rule == rule && found.confidence == Confidence::Medium)?;
    Some(merged.remove(at))
}

/// vLLM counts its parser's runs only where one is set: then none is missing, and the one there is for another family.
fn a_tool_parser_ran(scene: &Scene<'_>, merged: &mut Vec<Finding>) {
    if scene.parser_runs.is_none_or(|(without, with)| without + with == 0) {
        return;
    }
    let Some(mut found) = take_guess(NO_TOOL, merged) else { return };
    drop_rule(WRONG_TOOL, merged);
    found.rule = WRONG_TOOL.to_owned();
    found.confidence = Confidence::High;
    found.message = format!("a tool parser is at work, and it is for another format: {}", seen(&found.message));
    merge(merged, found);
}

/// Thoughts in the text here, and apart there: a reasoning parser runs, so none is missing.
fn thoughts_arrived_elsewhere(scene: &Scene<'_>, merged: &mut Vec<Finding>) {
    let direct = scene.context.route.as_deref().is_none_or(|route| route == "direct");
    let apart = |case: &&Case| {
        case.completions().any(|one| !one.reasoning().trim().is_empty() && !one.text().trim().is_empty())
    };
    let cases: Vec<&str> = scene.cases.iter().filter(apart).map(|case| case.id).collect();
    if cases.is_empty() || !direct {
        return;
    }
    let Some(mut found) = take_guess(NO_THOUGHT, merged) else { return };
    drop_rule(WRONG_THOUGHT, merged);
    found.rule = WRONG_THOUGHT.to_owned();
    found.confidence = Confidence::High;
    found.message = format!(
        "a reasoning parser is at work, as thoughts arrived apart in {}; elsewhere it does not split them: {}",
        cases.join(", "),
        seen(&found.message)
    );
    if cases.iter().all(|id| [THINKING_ON, "schema-thinking"].contains(id)) {
        found.message.push_str("; it splits only where the request switches thinking on");
        found.fix.push("or send chat_template_kwargs {\"enable_thinking\": true} with every request".to_owned());
    }
    merge(merged, found);
}

/// What was seen, without what was made of it.
fn seen(message: &str) -> &str {
    message.split_once(": ").map_or(message, |(_, seen)| seen)
}

/// What one probe leaves open about the thoughts, others have said.
fn alternatives(merged: &mut Vec<Finding>) {
    for (rule, against) in [(WRONG_THOUGHT, NO_THOUGHT), (NO_THOUGHT, WRONG_THOUGHT)] {
        if merged.iter().any(|found| found.rule == against && found.confidence > Confidence::Low) {
            merged.retain(|found| found.rule != rule || found.confidence > Confidence::Low);
        }
    }
}
