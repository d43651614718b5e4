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
mod schema;
mod stored;
mod tasks;
mod view;

pub use attempt::{attempt_findings, blames_server, filed_under, hides_intent};
pub use finding::{Blame, Confidence, Context, Evidence, Finding, Severity};
pub use rule::{Draft, ErrorSign, Rule, Signs};
pub use rules::RULES;
pub use stored::{Diagnosed, Expected, Filed, diagnose};
pub use view::AttemptView;

/// The rule called `id`.
#[must_use]
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id).copied()
}
