//! What is asked because of what was answered: [`stop`], [`after`] for calls that did not arrive, [`proofs`]. Pure.

use monban_scorers::diagnosis::Context;
use monban_scorers::{Mode, Request, catalogue};
use serde_json::{Value, json};

use super::judged::Case;
use super::probes::{Judged, TOOLS_AUTO};
use super::recovered::{RAW, Recovered, TOKENS};
use super::seen::{Probe, Seen, To};
use super::singles;

/// The re-parse proofs of SGLang.
pub(super) const PARSED_CALL: &str = "parsed-call";
pub(super) const SEPARATED: &str = "separated";

/// The re-asks for a call that did not arrive.
pub(super) fn after(cases: &[Case], judged: &Judged, context: &Context) -> Vec<Probe> {
    let mut probes = Vec::new();
    let silent = cases.iter().find(|case| case.id == TOOLS_AUTO).is_some_and(|case| {
        let mut completions = case.completions().peekable();
        completions.peek().is_some() && completions.all(|completion| completion.tool_calls.is_empty())
    });
    let spoilt = cases.iter().any(|case| {
        case.judgement
            .findings
            .iter()
            .any(|finding| ["wrong_tool_parser", "no_tool_parser"].contains(&finding.rule.as_str()))
    });
    if let (true, Some(task)) = (silent || spoilt, judged.task(TOOLS_AUTO)) {
        let with = |id, key: &str, value: Value| {
            let mut body = task.body(Mode::Plain).value();
            body[key] = value;
            Probe::chat(id, body)
        };
        probes.push(with(TOKENS, "logprobs", json!(true)));
        if ["vllm", "sglang"].contains(&context.engine.as_deref().unwrap_or("vllm")) {
            probes.push(with(RAW, "skip_special_tokens", json!(false)));
        }
    }
    probes
}

/// The first question again, with a word of its answer as the stop sequence.
pub(super) fn stop(seen: &Seen, model: &str) -> Option<Probe> {
    stop_word(seen).map(|word| singles::stopped(model, &word))
}

/// A word from the middle of the answer.
fn stop_word(seen: &Seen) -> Option<String> {
    let reply = seen.reply(singles::FIRST);
    let completion = reply.completion()?;
    let text = format!("{}{}", completion.reasoning(), completion.text());
    let words: Vec<&str> = text.split_whitespace().filter(|word| word.chars().count() > 2).collect();
    words.get(words.len() / 2).filter(|_| words.len() > 2).map(|word| (*word).to_owned())
}

/// SGLang parses any text with any parser: the right one on the text that was spoilt is the proof.
pub(super) fn proofs(
    cases: &[Case],
    recovered: Option<&Recovered>,
    request: &Request,
    context: &Context,
) -> Vec<Probe> {
    if context.engine.as_deref() != Some("sglang") {
        return Vec::new();
    }
    let version = context.engine_version.as_deref();
    let flags = |family: Option<&str>| catalogue::recommend("sglang", version, context.model.as_deref(), family);
    let mut probes = Vec::new();
    let leaked = recovered
        .filter(|found| found.call.is_some())
        .map(|found| (found.text.clone(), found.call.as_ref().map(|call| call.0)));
    if let Some((text, family)) = leaked.or_else(|| spoilt(cases, &["wrong_tool_parser", "no_tool_parser"]))
        && let Some(parser) = flags(family).tool.and_then(|advice| advice.parser)
    {
        let tools = request.field("tools").cloned().unwrap_or_default();
        let body = json!({ "text": text, "tools": tools, "tool_call_parser": parser });
        probes.push(Probe { id: PARSED_CALL, mode: Mode::Plain, to: To::Post("/parse_function_call"), body });
    }
    if let Some((text, family)) = spoilt(cases, &["wrong_reasoning_parser", "no_reasoning_parser"])
        && let Some(parser) = flags(family).reasoning.and_then(|advice| advice.parser)
    {
        let body = json!({ "text": text, "reasoning_parser": parser });
        probes.push(Probe { id: SEPARATED, mode: Mode::Plain, to: To::Post("/separate_reasoning"), body });
    }
    probes
}

/// The text of the first answer that one of these rules is about, and the family seen in it.
fn spoilt(cases: &[Case], rules: &[&str]) -> Option<(String, Option<&'static str>)> {
    cases.iter().find_map(|case| {
        let finding = case.judgement.findings.iter().find(|finding| rules.contains(&finding.rule.as_str()))?;
        let completion = case.completions().find(|completion| !completion.text().trim().is_empty())?;
        let family = finding.observed_family.as_deref().and_then(|name| catalogue::catalogue().family(name));
        Some((completion.text().to_owned(), family.map(|family| family.name.as_str())))
    })
}
