//! Scored attempts → findings: whose fault is the red.

mod attempt;
mod finding;
mod view;

pub use attempt::attempt_findings;
pub use finding::{Blame, Confidence, Context, Evidence, Finding, Severity};
pub use view::AttemptView;
