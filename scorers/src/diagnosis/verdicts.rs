//! From a judgement's verdicts to the words of a diagnosed line: [`Verdicts`] knows where a finding says that a verdict is
//! not the model's, or that nothing is left to tell.

use super::stored::Expected;
use super::{filed_under, hides_intent};
use crate::judge::{Judgement, Scored};
use crate::request::Request;
use crate::scorer::Verdict;

/// What the findings say of the verdicts.
pub(super) struct Verdicts {
    pub(super) diagnosis: &'static str,
    /// What the model would have delivered is lost.
    lost: bool,
    /// Reasoning was dropped on the way, or kept from happening.
    reasoning_lost: bool,
    /// All that arrived is reasoning, and that is as it should be: cut by the budget, or nothing left to say.
    only_reasoning: bool,
    /// The request declares no tools.
    no_tools: bool,
    /// The text as it arrived, and whether it is the model's answer: `None` where there is none to speak of.
    text: Option<bool>,
}

impl Verdicts {
    pub(super) fn of(request: &Request, judgement: &Judgement) -> Self {
        let first = judgement.findings.first();
        let is = |rules: &[&str]| first.is_some_and(|finding| rules.contains(&finding.rule.as_str()));
        let completions: Vec<_> = judgement.answers.iter().filter_map(|answer| answer.completion()).collect();
        let unseen = first.is_some_and(|finding| finding.observed_family.is_none());
        let reasoning_lost = unseen && is(&["gateway_rewrite", "no_reasoning_parser"]);
        let swallowed = completions
            .iter()
            .any(|found| found.is_empty_answer() && found.reasoning().trim().is_empty() && !found.is_truncated());
        let silent = completions.iter().all(|found| found.is_empty_answer() && !found.reasoning().trim().is_empty());
        let has_text = completions.iter().any(|found| !found.text().trim().is_empty());
        let not_the_answer = is(&["content_duplicates_call"])
            || silent && is(&["wrong_reasoning_parser", "unneeded_reasoning_parser", "profile_conflict"]);
        Self {
            diagnosis: filed_under(&judgement.findings),
            lost: hides_intent(&judgement.findings) || reasoning_lost || swallowed,
            reasoning_lost,
            only_reasoning: silent && !completions.is_empty() && (is(&["reasoning_truncated"]) || first.is_none()),
            no_tools: request.tools.is_empty(),
            text: (has_text || not_the_answer).then_some(!not_the_answer),
        }
    }

    /// One expectation's verdicts, as words.
    pub(super) fn expected(&self, name: &'static str, scored: Scored) -> Expected {
        let delivered = match &scored.delivered {
            Verdict::Fail(_) if name == "reasoning_split" && self.only_reasoning => Verdict::Pass,
            Verdict::NotScored(_) if name == "reasoning_split" && self.only_reasoning => Verdict::Pass,
            Verdict::Pass if name == "reasoning_split" && self.reasoning_lost => {
                Verdict::Fail("no reasoning arrived".to_owned())
            }
            Verdict::Fail(reason)
                if name == "tool_call" && self.diagnosis == "finish_reason" && is_of_the_end(reason) =>
            {
                Verdict::Pass
            }
            Verdict::Fail(_) if name == "tool_call" && self.no_tools => {
                Verdict::NotScored("the request carried no tools".to_owned())
            }
            delivered => delivered.clone(),
        };
        let changed = delivered != scored.delivered;
        let intent = match (&scored.intent, &delivered) {
            (_, Verdict::NotScored(_)) => "unknown",
            (Some(Verdict::NotScored(_)), _) => "unknown",
            // The model writes the call, the server the reason for its end.
            (Some(Verdict::Fail(reason)), _)
                if name == "tool_call" && is_of_the_end(reason) && reason.contains("is \"stop\"") =>
            {
                "pass"
            }
            (Some(intent), _) if !changed => intent.word(),
            (_, Verdict::Fail(_)) if self.lost => "unknown",
            (_, delivered) => delivered.word(),
        };
        Expected {
            scorer: name,
            check: scored.scorer,
            delivered: delivered.word(),
            intent,
            reason: delivered.reason().to_owned(),
        }
    }

    /// What the answer says of verdicts that the task did not ask for.
    pub(super) fn beside(&self, names: &[&'static str]) -> Vec<Expected> {
        let mut more = Vec::new();
        let entry = |scorer, check: &str, delivered, intent| Expected {
            scorer,
            check: check.to_owned(),
            delivered,
            intent,
            reason: String::new(),
        };
        if let Some(whole) = self.text.filter(|_| !names.is_empty() && !names.contains(&"text")) {
            more.push(entry("text", "arrived", if whole { "pass" } else { "fail" }, "pass"));
        }
        if self.no_tools && self.diagnosis == "model_fault" && !names.contains(&"tool_call") {
            more.push(entry("tool_call", "declared", "not_scored", "fail"));
        }
        more
    }
}

/// All that is wrong is the reason given for the end of an answer whose calls arrived: said in the finding, and no lost
/// call.
fn is_of_the_end(reason: &str) -> bool {
    !reason.contains("; ") && reason.contains("shape: finish_reason is ") && reason.contains("expected \"tool_calls\"")
}
