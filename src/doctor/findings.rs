//! All findings of all probes → one list: what is the model's is no error here, one fault is one finding, and what several
//! probes prove together sharpens what one suspects. Pure.

use monban_scorers::catalogue::{Part, SplitOutcome};
use monban_scorers::diagnosis::Context;
use monban_scorers::{Blame, Confidence, Finding, Mode, Outcome, Severity, catalogue};
use serde_json::Value;

use super::followups::{PARSED_CALL, SEPARATED};
use super::judged::{Case, all_cut};
use super::probes::{THINKING_OFF, TOOLS_AUTO, TOOLS_REQUIRED, TOOLS_UNTHINKING};
use super::readings::{evidence, finding};
use super::reconcile;
use super::recovered::Recovered;
use super::seen::Seen;

/// Evidence kept of one finding.
const EVIDENCE: usize = 5;

/// Rules about tool calls that did not arrive, and about thoughts that did not arrive apart.
const TOOL_RULES: &[&str] = &["wrong_tool_parser", "no_tool_parser", "auto_tool_choice_missing"];
const THOUGHT_RULES: &[&str] = &["wrong_reasoning_parser", "no_reasoning_parser"];

/// Faults of asking that leave nothing to judge: errors all the same.
const ERRORS_OF_ASKING: &[&str] =
    &["unauthorised", "wrong_model_name", "unreachable_or_loading", "rate_limited", "wrong_path"];

/// What the findings rest on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'a> {
    pub(super) cases: &'a [Case],
    pub(super) seen: &'a Seen,
    pub(super) recovered: Option<&'a Recovered>,
    pub(super) context: &'a Context,
    /// How often vLLM's parser ran during the probes without and with a call found.
    pub(super) parser_runs: Option<(u64, u64)>,
}

/// The findings, the worst first.
pub(super) fn collect(scene: &Scene<'_>, readings: Vec<Finding>) -> Vec<Finding> {
    let template = readings.iter().any(|finding| finding.rule == "template");
    let mut merged: Vec<Finding> = Vec::new();
    let answers = scene.cases.iter().any(|case| case.completions().next().is_some());
    let judged = scene.cases.iter().flat_map(|case| case.judgement.findings.iter().map(move |found| (case.id, found)));
    let judged =
        judged.filter(|(id, found)| is_held_up(scene, id, found)).map(|(_, found)| soften(found.clone(), answers));
    readings.into_iter().chain(judged).chain(choice(scene, template)).for_each(|found| merge(&mut merged, found));
    reconcile::reconcile(scene, &mut merged);
    merged.iter_mut().for_each(|found| sharpen(scene, found));
    // The budget is a remark beside answers; where it is all there is, it is the news.
    if all_cut(scene.cases) {
        let budget = |found: &&mut Finding| found.blame == Blame::Budget;
        merged.iter_mut().filter(budget).for_each(|found| found.severity = Severity::Warning);
    }
    merged.sort_by_key(|found| (std::cmp::Reverse(found.severity), std::cmp::Reverse(found.confidence)));
    merged
}

/// What the model did wrong, and what a budget did, is worth a remark and no more: the doctor looks at the server.
fn soften(mut found: Finding, answers: bool) -> Finding {
    // One probe that took too long says little where others were answered.
    if found.rule == "unreachable_or_loading" && answers {
        found.severity = Severity::Info;
    }
    if ERRORS_OF_ASKING.contains(&found.rule.as_str()) {
        return found;
    }
    let most = match found.blame {
        Blame::Model | Blame::Budget | Blame::None | Blame::Suite => Severity::Info,
        Blame::Request => Severity::Warning,
        _ => Severity::Error,
    };
    found.severity = found.severity.min(most);
    found
}

/// A suspicion that the tokens themselves refute is dropped.
fn is_held_up(scene: &Scene<'_>, id: &str, found: &Finding) -> bool {
    let silent = id == TOOLS_AUTO && found.observed_family.is_none() && TOOL_RULES[..2].contains(&found.rule.as_str());
    !(silent && scene.recovered.is_some_and(|recovered| recovered.source == "logprobs" && recovered.call.is_none()))
}

/// Findings of one rule are one: the surest, with the evidence of all.
pub(super) fn merge(merged: &mut Vec<Finding>, mut found: Finding) {
    let Some(known) = merged.iter_mut().find(|known| known.rule == found.rule) else {
        found.evidence.truncate(EVIDENCE);
        merged.push(found);
        return;
    };
    let telling = |one: &Finding| (one.severity, one.observed_family.is_some(), one.confidence);
    if telling(&found) > telling(known) {
        std::mem::swap(known, &mut found);
    }
    known.count += found.count;
    for more in found.evidence {
        if known.evidence.len() < EVIDENCE && !known.evidence.iter().any(|have| have.excerpt == more.excerpt) {
            known.evidence.push(more);
        }
    }
}

/// Adds what other probes prove: the text behind a swallowed call, the re-parse, the parser's own counter.
fn sharpen(scene: &Scene<'_>, found: &mut Finding) {
    let rule = found.rule.as_str();
    if TOOL_RULES[..2].contains(&rule) {
        if let Some(recovered) = scene.recovered
            && let Some((family, _)) = &recovered.call
        {
            name_family(scene.context, found, family);
            found.evidence.insert(0, evidence(TOOLS_AUTO, recovered.source, recovered.text.clone()));
        }
        if let Some((without, with)) = scene.parser_runs.filter(|(without, with)| without + with > 0) {
            let text = format!(
                "during the probes a tool parser ran {without} times without finding a call, {with} times with one"
            );
            found.evidence.push(evidence("", "GET /metrics", text));
        }
        if let Some(text) = parsed_call(scene.seen) {
            found.evidence.push(evidence(PARSED_CALL, "POST /parse_function_call", text));
            found.confidence = Confidence::High;
        }
    } else if THOUGHT_RULES.contains(&rule) {
        if let Some(text) = separated(scene.seen) {
            found.evidence.push(evidence(SEPARATED, "POST /separate_reasoning", text));
            found.confidence = Confidence::High;
        }
        only_off(scene, found);
    }
}

/// Split with thinking on, misread with thinking off: the parser does not heed the request's switch (vllm#17609).
fn only_off(scene: &Scene<'_>, found: &mut Finding) {
    let shows = |case: &Case| case.judgement.findings.iter().any(|own| own.rule == found.rule);
    let off = [THINKING_OFF, TOOLS_UNTHINKING];
    let (unthinking, thinking): (Vec<&Case>, Vec<&Case>) =
        scene.cases.iter().filter(|case| shows(case)).partition(|case| off.contains(&case.id));
    if unthinking.is_empty() || !thinking.is_empty() {
        return;
    }
    found.message.push_str("; with thinking on it splits rightly: the parser does not heed the request's switch");
    // The running version's nearest is the one at work.
    for fix in &mut found.fix {
        if let Some((newer, _)) = fix.split_once(", whose nearest is ") {
            *fix = format!("upgrade: {newer}");
        }
    }
    let engine = scene.context.engine.as_deref().unwrap_or_default();
    let names = heeding(engine, scene.context.engine_version.as_deref());
    if !names.is_empty() {
        found.fix.push(format!("a parser that heeds enable_thinking false: {}", names.join(", ")));
    }
    found.fix.push("or leave thinking on".to_owned());
}

/// The parsers that split thoughts between tags, and leave an answer alone where the request turns thinking off.
fn heeding(engine: &str, version: Option<&str>) -> Vec<&'static str> {
    let seen = |name: &str, shape, thinking| {
        catalogue::reasoning_outcome(engine, version, shape, name, Some(thinking), Mode::Plain)
            .map(|(outcome, _)| outcome)
    };
    let leaves = |name: &str| {
        let seen = seen(name, "no_thinking_plain", false);
        matches!(seen, Some(SplitOutcome::Split { reasoning: Part::None | Part::Empty, .. }))
    };
    let names = catalogue::parser_names(engine, catalogue::FamilyKind::Reasoning, version);
    let heeds = |name: &&str| seen(name, "think_prefilled", true).is_some_and(SplitOutcome::is_right) && leaves(name);
    names.into_iter().filter(heeds).take(4).collect()
}

/// The family is known after all: say so, and name its parser.
fn name_family(context: &Context, found: &mut Finding, family: &str) {
    if found.observed_family.is_some() {
        return;
    }
    found.observed_family = Some(family.to_owned());
    found.message.push_str(&format!("; token by token the call is there, in the markup of {family}"));
    found.confidence = Confidence::High;
    let engine = context.engine.as_deref().unwrap_or_default();
    let advice =
        catalogue::recommend(engine, context.engine_version.as_deref(), context.model.as_deref(), Some(family));
    if let Some(tool) = advice.tool {
        let about_launching = |note: &String| note.contains("--") || note.contains("template");
        found.fix = std::iter::once(tool.text).chain(advice.notes.into_iter().filter(about_launching)).collect();
    }
}

/// SGLang's own parser reads calls out of the text.
fn parsed_call(seen: &Seen) -> Option<String> {
    let body = seen.json(PARSED_CALL)?;
    let call = body.get("calls").and_then(Value::as_array)?.first()?.clone();
    let parser = asked(seen, PARSED_CALL, "tool_call_parser");
    Some(format!("with tool_call_parser {parser} the same text is read as {call}"))
}

fn separated(seen: &Seen) -> Option<String> {
    let body = seen.json(SEPARATED)?;
    let thought = body.get("reasoning_text").and_then(Value::as_str).filter(|text| !text.trim().is_empty())?;
    let parser = asked(seen, SEPARATED, "reasoning_parser");
    Some(format!("with reasoning_parser {parser} the same text is split; reasoning: {thought}"))
}

fn asked(seen: &Seen, id: &str, key: &str) -> String {
    let body = seen.0.iter().find(|asked| asked.probe.id == id).map(|asked| &asked.probe.body);
    body.and_then(|body| body.get(key)).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Forced it calls, by itself it writes prose without a trace of markup: the model's choice, and nobody's fault.
fn choice(scene: &Scene<'_>, template: bool) -> Option<Finding> {
    let outcome = |id: &str| scene.cases.iter().find(|case| case.id == id);
    let (auto, forced) = (outcome(TOOLS_AUTO)?, outcome(TOOLS_REQUIRED)?);
    let declined = auto.judgement.outcome == Outcome::Failed
        && auto.judgement.findings.is_empty()
        && auto.completions().all(|one| one.tool_calls.is_empty() && !one.text().trim().is_empty());
    if template || !declined || forced.judgement.outcome != Outcome::Passed {
        return None;
    }
    let message = "with tool_choice auto the model answers in prose without a \
                   trace of a call, forced it calls: its choice, not the parser's";
    let mut found = finding("model_fault", Severity::Info, Blame::Model, message);
    found.confidence = Confidence::Medium;
    let text = auto.completions().next().map(|one| one.text().to_owned()).unwrap_or_default();
    found.evidence.push(evidence(TOOLS_AUTO, "content", text));
    found.ruled_out.push("the tool parser: there is no markup for it to miss".to_owned());
    Some(found)
}

/// The families seen in spoilt answers: of calls, of thoughts.
pub(super) fn families(findings: &[Finding]) -> (Option<&str>, Option<&str>) {
    let seen = |rules: &[&str]| {
        let about = findings.iter().filter(|found| rules.contains(&found.rule.as_str()));
        about.filter_map(|found| found.observed_family.as_deref()).next()
    };
    (seen(TOOL_RULES), seen(THOUGHT_RULES))
}
