//! Findings of several attempts held against each other: [`reconcile`]. Of two that exclude each other one stays, and what
//! follows from a finding is no second one. Pure; must not look at answers again.

use super::{Blame, Confidence, Finding, Severity};

const WRONG_TOOL: &str = "wrong_tool_parser";
const NO_TOOL: &str = "no_tool_parser";
const REFUSED: &str = "auto_tool_choice_missing";
const WRONG_THOUGHT: &str = "wrong_reasoning_parser";
const NO_THOUGHT: &str = "no_reasoning_parser";

/// Evidence kept of one finding.
const EVIDENCE: usize = 5;

/// Makes one story of the merged findings of several attempts at one endpoint, run by `engine`.
pub fn reconcile(findings: &mut Vec<Finding>, engine: Option<&str>) {
    one_of_two(findings);
    alternatives(findings, engine.unwrap_or_default());
    consequences(findings);
}

/// The confidence of a rule's surest finding, where that is more than a possibility.
fn sure(rule: &str, findings: &[Finding]) -> Option<Confidence> {
    let of_rule = findings.iter().filter(|found| found.rule == rule && found.confidence > Confidence::Low);
    of_rule.map(|found| found.confidence).max()
}

/// A parser cannot be missing and be the wrong one. That the modes differ speaks for a wrong reasoning parser, unless a
/// wrong tool parser makes them differ.
fn one_of_two(findings: &mut Vec<Finding>) {
    if let (Some(missing), Some(_)) = (sure(NO_THOUGHT, findings), sure(WRONG_THOUGHT, findings)) {
        let guessed = missing < Confidence::High && sure(WRONG_TOOL, findings).is_none();
        let loser = if guessed { NO_THOUGHT } else { WRONG_THOUGHT };
        findings.retain(|found| found.rule != loser);
    }
    if let (Some(missing), Some(wrong)) = (sure(NO_TOOL, findings), sure(WRONG_TOOL, findings)) {
        let loser = if missing > wrong { WRONG_TOOL } else { NO_TOOL };
        findings.retain(|found| found.rule != loser);
    }
}

/// "Explained by this as well" is left out where the engine cannot do both: vLLM refuses tools without a parser, and
/// llama.cpp has no parser to choose wrongly.
fn alternatives(findings: &mut Vec<Finding>, engine: &str) {
    let decided = ["vllm", "llama_cpp"].contains(&engine);
    let pairs = [
        (WRONG_TOOL, NO_TOOL, decided),
        (NO_TOOL, WRONG_TOOL, decided),
        (NO_TOOL, REFUSED, true),
        (WRONG_TOOL, REFUSED, true),
    ];
    for (rule, against, decided) in pairs {
        if decided && sure(against, findings).is_some() {
            findings.retain(|found| found.rule != rule || found.confidence > Confidence::Low);
        }
    }
}

/// A wrong parser reads a call in one mode by chance, and makes ids of its own form; a reasoning parser that waits for
/// an end which never comes keeps the calls of a stream from their parser. Neither is a bug of the server's beside it.
fn consequences(findings: &mut Vec<Finding>) {
    let is_cause = |found: &Finding| {
        [WRONG_TOOL, NO_TOOL, WRONG_THOUGHT].contains(&found.rule.as_str())
            && found.blame == Blame::ServerConfig
            && found.severity == Severity::Error
            && found.confidence > Confidence::Low
    };
    let mut kept: Vec<Finding> = Vec::new();
    let (mut causes, rest): (Vec<Finding>, Vec<Finding>) = findings.drain(..).partition(is_cause);
    for found in rest {
        let of_calls = |cause: &&mut Finding| cause.rule != WRONG_THOUGHT;
        let (cause, note) = match found.rule.as_str() {
            "stream_only" if !is_error_line(&found) => {
                let of_family =
                    |cause: &Finding| found.observed_family.is_none() || cause.observed_family == found.observed_family;
                let same = |cause: &Finding| cause.rule != WRONG_THOUGHT && of_family(cause);
                let at = causes.iter().position(same);
                let thoughts = || causes.iter().position(|cause| cause.rule == WRONG_THOUGHT);
                (
                    at.or_else(thoughts).and_then(|at| causes.get_mut(at)),
                    "; of some calls one mode delivers what the other loses",
                )
            }
            "bad_args" | "arguments_misread" if found.blame == Blame::ServerBug => {
                (causes.iter_mut().find(of_calls), "; of what it takes for calls, arguments are lost or misread")
            }
            "tool_call_id" if found.severity < Severity::Error => {
                (causes.iter_mut().find(of_calls), "; ids are not of the model's form")
            }
            _ => (None, ""),
        };
        match cause {
            Some(cause) => fold(cause, found, note),
            None => kept.push(found),
        }
    }
    causes.append(&mut kept);
    *findings = causes;
}

/// An error that the server wrote into the stream has a cause of its own.
fn is_error_line(found: &Finding) -> bool {
    found.evidence.iter().any(|evidence| evidence.place == "stream" && evidence.excerpt.starts_with("error:"))
}

fn fold(cause: &mut Finding, found: Finding, note: &str) {
    if !cause.message.contains(note) {
        cause.message.push_str(note);
    }
    cause.count += found.count;
    let room = EVIDENCE.saturating_sub(cause.evidence.len());
    cause.evidence.extend(found.evidence.into_iter().take(room.max(1)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::Evidence;

    fn found(rule: &str, blame: Blame, confidence: Confidence) -> Finding {
        let severity = if confidence == Confidence::Low { Severity::Warning } else { Severity::Error };
        Finding {
            rule: rule.to_owned(),
            severity,
            blame,
            confidence,
            message: "seen".to_owned(),
            evidence: Vec::new(),
            ruled_out: Vec::new(),
            fix: Vec::new(),
            observed_family: Some("hermes_json".to_owned()),
            configured_family: None,
            count: 1,
        }
    }

    fn config(rule: &str, confidence: Confidence) -> Finding {
        found(rule, Blame::ServerConfig, confidence)
    }

    #[track_caller]
    fn left(engine: &str, findings: Vec<Finding>, rules: &[&str]) -> Vec<Finding> {
        let mut findings = findings;
        reconcile(&mut findings, Some(engine));
        assert_eq!(findings.iter().map(|found| found.rule.as_str()).collect::<Vec<_>>(), rules);
        findings
    }

    #[test]
    fn a_parser_is_not_missing_and_wrong() {
        let (high, medium) = (Confidence::High, Confidence::Medium);
        let both = || vec![config(WRONG_THOUGHT, high), config(NO_THOUGHT, medium)];
        left("vllm", both(), &[WRONG_THOUGHT]);
        // The modes differ because of the tool parser: the guess of the answers without tools holds.
        let mut two_faults = both();
        two_faults.push(config(WRONG_TOOL, high));
        left("vllm", two_faults, &[WRONG_TOOL, NO_THOUGHT]);
        left("vllm", vec![config(WRONG_THOUGHT, high), config(NO_THOUGHT, high)], &[NO_THOUGHT]);
        left("sglang", vec![config(NO_TOOL, medium), config(WRONG_TOOL, high)], &[WRONG_TOOL]);
        left("sglang", vec![config(NO_TOOL, high), config(WRONG_TOOL, medium)], &[NO_TOOL]);
    }

    #[test]
    fn alternatives_are_left_where_the_engine_leaves_them_open() {
        let (medium, low) = (Confidence::Medium, Confidence::Low);
        let open = || vec![config(NO_TOOL, medium), config(WRONG_TOOL, low)];
        left("llama_cpp", open(), &[NO_TOOL]);
        left("tensorrt_llm", open(), &[NO_TOOL, WRONG_TOOL]);
        left("vllm", vec![config(REFUSED, Confidence::High), config(NO_TOOL, low)], &[REFUSED]);
    }

    #[test]
    fn what_follows_is_no_second_finding() {
        let bug = |rule| found(rule, Blame::ServerBug, Confidence::High);
        let id = || Finding { severity: Severity::Warning, ..bug("tool_call_id") };
        let cause = || config(WRONG_TOOL, Confidence::High);
        let one = left("vllm", vec![bug("stream_only"), cause(), id()], &[WRONG_TOOL]);
        assert_eq!(one[0].count, 3);
        let other = Finding { observed_family: Some("glm45_argkey".to_owned()), ..bug("stream_only") };
        left("vllm", vec![other, cause()], &[WRONG_TOOL, "stream_only"]);
        let unlike = Finding { observed_family: None, ..bug("stream_only") };
        left("vllm", vec![unlike.clone(), cause(), bug("bad_args"), bug("arguments_misread")], &[WRONG_TOOL]);
        let excerpt = "error: {}".to_owned();
        let line = Evidence { task: String::new(), place: "stream".to_owned(), excerpt };
        left("vllm", vec![Finding { evidence: vec![line], ..unlike }, cause()], &[WRONG_TOOL, "stream_only"]);
        let model = Finding { blame: Blame::Model, ..bug("bad_args") };
        left("vllm", vec![model, cause()], &[WRONG_TOOL, "bad_args"]);
        // A reasoning parser that waits for the end of the thoughts keeps the streamed calls.
        left("vllm", vec![bug("stream_only"), config(WRONG_THOUGHT, Confidence::High)], &[WRONG_THOUGHT]);
        left("vllm", vec![id(), config(WRONG_THOUGHT, Confidence::High)], &[WRONG_THOUGHT, "tool_call_id"]);
        // A bug alone stays one, and so does a bug beside a bug.
        left("vllm", vec![bug("stream_only"), id()], &["stream_only", "tool_call_id"]);
        left("vllm", vec![bug("stream_only"), bug(WRONG_TOOL)], &["stream_only", WRONG_TOOL]);
    }
}
