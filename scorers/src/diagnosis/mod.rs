//! Scored attempts → findings: whose fault is the red.
//!
//! ```text
//! AttemptView ─▶ Facts ─▶ causes (calls, reasoning) + error table ─▶ RULES ─▶ findings, the most telling first
//! ```

mod advice;
mod attempt;
mod causes;
mod errors;
mod facts;
mod finding;
mod rule;
mod rules;
mod schema;
mod view;

pub use attempt::{attempt_findings, blames_server, filed_under, hides_intent};
pub use finding::{Blame, Confidence, Context, Evidence, Finding, Severity};
pub use rule::{Rule, Signs};
pub use rules::RULES;
pub use view::AttemptView;

/// The rule called `id`.
#[must_use]
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id).copied()
}
