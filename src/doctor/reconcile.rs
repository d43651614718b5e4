//! Findings of different probes held against each other: [`reconcile`]. What one probe leaves open another decides, of two
//! that exclude each other one stays, and what follows from a finding is no second one. Pure.

use monban_scorers::{Blame, Confidence, Finding, Severity};

use super::findings::{Scene, TOOL_RULES, merge};
use super::judged::Case;
use super::probes::{THINKING_ON, TOOLS_AUTO};

const WRONG_TOOL: &str = "wrong_tool_parser";
const NO_TOOL: &str = "no_tool_parser";
const REFUSED: &str = "auto_tool_choice_missing";
const WRONG_THOUGHT: &str = "wrong_reasoning_parser";
const NO_THOUGHT: &str = "no_reasoning_parser";

/// Makes one story of the findings of all probes.
pub(super) fn reconcile(scene: &Scene<'_>, merged: &mut Vec<Finding>) {
    a_tool_parser_ran(scene, merged);
    thoughts_arrived_elsewhere(scene, merged);
    one_of_two(merged);
    alternatives(scene, merged);
    consequences(merged);
}

fn sure(rule: &str, merged: &[Finding]) -> bool {
    merged.iter().any(|found| found.rule == rule && found.confidence > Confidence::Low)
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

/// A parser cannot be missing and be the wrong one. That the modes differ speaks for a wrong reasoning parser, unless a wrong
/// tool parser makes them differ.
fn one_of_two(merged: &mut Vec<Finding>) {
    if sure(NO_THOUGHT, merged) && sure(WRONG_THOUGHT, merged) {
        let guessed = |found: &&Finding| found.rule == NO_THOUGHT && found.confidence < Confidence::High;
        let explained = sure(WRONG_TOOL, merged);
        let none_is_a_guess = merged.iter().any(|found| guessed(&found));
        drop_rule(if none_is_a_guess && !explained { NO_THOUGHT } else { WRONG_THOUGHT }, merged);
    }
    if sure(NO_TOOL, merged) && sure(WRONG_TOOL, merged) {
        let confidence = |rule: &str| merged.iter().find(|found| found.rule == rule).map(|found| found.confidence);
        drop_rule(if confidence(NO_TOOL) > confidence(WRONG_TOOL) { WRONG_TOOL } else { NO_TOOL }, merged);
    }
}

/// "Explained by this as well" is left out where another probe decides between the two, or where the engine cannot do both.
fn alternatives(scene: &Scene<'_>, merged: &mut Vec<Finding>) {
    let engine = scene.context.engine.as_deref().unwrap_or_default();
    // vLLM refuses tools without a parser; llama.cpp has no parser to choose wrongly.
    let answered = scene.cases.iter().any(|case| case.id == TOOLS_AUTO && case.completions().next().is_some());
    let decided = engine == "llama_cpp" || engine == "vllm" && answered;
    let pairs = [
        (WRONG_TOOL, NO_TOOL, decided),
        (NO_TOOL, WRONG_TOOL, decided),
        (NO_TOOL, REFUSED, true),
        (WRONG_TOOL, REFUSED, true),
        (WRONG_THOUGHT, NO_THOUGHT, true),
        (NO_THOUGHT, WRONG_THOUGHT, true),
    ];
    for (rule, against, decided) in pairs {
        if decided && sure(against, merged) {
            merged.retain(|found| found.rule != rule || found.confidence > Confidence::Low);
        }
    }
}

/// A wrong parser reads a call in one mode by chance, and makes ids of its own form: that is no bug of the server's beside it.
fn consequences(merged: &mut Vec<Finding>) {
    let is_cause = |found: &Finding| {
        TOOL_RULES[..2].contains(&found.rule.as_str())
            && found.blame == Blame::ServerConfig
            && found.severity == Severity::Error
            && found.confidence > Confidence::Low
    };
    let Some(at) = merged.iter().position(is_cause) else { return };
    let mut cause = merged.remove(at);
    let family = cause.observed_family.clone();
    let follows = |found: &Finding| match found.rule.as_str() {
        "stream_only" => found.observed_family.is_some() && found.observed_family == family,
        "tool_call_id" => found.severity < Severity::Error,
        _ => false,
    };
    let (consequences, rest): (Vec<Finding>, Vec<Finding>) = merged.drain(..).partition(follows);
    *merged = rest;
    for found in consequences {
        let note = if found.rule == "stream_only" {
            "one mode delivers some of the calls, the other none"
        } else {
            "ids are not of the model's form"
        };
        cause.message.push_str("; ");
        cause.message.push_str(note);
        cause.count += found.count;
        cause.evidence.extend(found.evidence.into_iter().take(1));
    }
    merged.insert(0, cause);
}
