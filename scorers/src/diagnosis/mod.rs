//! Scored attempts → findings: whose fault is the red.
//!
//! ```text
//! AttemptView ─▶ Facts ─▶ causes (calls, reasoning) + error table ─▶ RULES ─▶ findings, the most telling first
//! ```

mod advice;
mod attempt;
pub mod causes;
mod errors;
pub mod facts;
mod finding;
mod rule;
mod rules;
mod run;
mod run_rules;
mod schema;
mod stored;
mod tasks;
mod together;
mod verdicts;
mod view;

pub use attempt::{attempt_findings, blames_server, filed_under, hides_intent};
pub use finding::{Blame, Confidence, Context, Evidence, Finding, Severity};
pub use rule::{Draft, ErrorSign, Rule, Signs};
pub use rules::RULES;
pub use run::{CallTally, Prompts, RunSignals, Tally, run_findings};
pub use run_rules::{RUN_RULES, RunRule};
pub use stored::{Diagnosed, Expected, Filed, LINE_KEYS, diagnose};
pub use together::reconcile;
pub use view::AttemptView;

/// The rule called `id`.
#[must_use]
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What the reports of `tests/fixtures` are filed under.
    const KINDS: &[&str] = &[
        "wrong_tool_parser",
        "no_tool_parser",
        "auto_tool_choice_missing",
        "wrong_reasoning_parser",
        "no_reasoning_parser",
        "unneeded_reasoning_parser",
        "reasoning_truncated",
        "template",
        "stream_only",
        "bad_args",
        "double_encoded_args",
        "finish_reason",
        "structured_output_ignored",
        "context_overflow",
        "gateway_rewrite",
        "unreachable_or_loading",
        "model_fault",
        "profile_conflict",
        "other",
    ];

    #[test]
    fn every_rule_is_registered_once_named_and_explained() {
        let files = include_str!("rules/mod.rs").lines().filter(|line| line.trim().ends_with(',')).count();
        assert_eq!(RULES.len(), files);
        let all = RULES.iter().map(|rule| (rule.id, rule.kind, rule.summary, rule.manual));
        let all = all.chain(RUN_RULES.iter().map(|rule| (rule.id, rule.kind, rule.summary, rule.manual)));
        let mut ids = BTreeSet::new();
        for (id, kind, summary, manual) in all {
            assert!(ids.insert(id), "{id} twice");
            assert!(KINDS.contains(&kind), "{id}: {kind}");
            assert!(summary.ends_with('.') && manual.len() > 40, "{id}");
        }
        for rule in RULES {
            for explained in rule.explains {
                assert!(super::rule(explained).is_some(), "{} explains {explained}", rule.id);
                assert_ne!(*explained, rule.id);
            }
        }
    }
}
