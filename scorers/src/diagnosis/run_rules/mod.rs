//! The rules of a whole run, one a file.

mod not_enough_evidence;
mod several_models;
mod suspect_scorer;
mod template_ignores_tools;

use super::run::RunSignals;
use super::{Context, Finding};

/// A rule over what a run counted.
#[derive(Clone, Copy)]
pub struct RunRule {
    /// The id.
    pub id: &'static str,
    /// What reports of it are filed under.
    pub kind: &'static str,
    /// One line.
    pub summary: &'static str,
    /// What it looks at and what it does not, for `monban explain`.
    pub manual: &'static str,
    /// Looks at the run.
    pub check: fn(&RunSignals, &Context) -> Option<Finding>,
}

impl std::fmt::Debug for RunRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunRule").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Every rule of a run. A test walks it.
pub static RUN_RULES: &[&RunRule] =
    &[&template_ignores_tools::RULE, &suspect_scorer::RULE, &several_models::RULE, &not_enough_evidence::RULE];

/// A finding in the making, without evidence of an attempt.
fn finding(rule: &RunRule, message: String) -> Finding {
    Finding::new(rule.id, super::Severity::Warning, super::Blame::None, super::Confidence::Medium, message)
}

fn evidence(place: &str, excerpt: String) -> super::Evidence {
    super::Evidence { task: String::new(), place: place.to_owned(), excerpt }
}
