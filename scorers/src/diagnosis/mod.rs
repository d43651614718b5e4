//! Scored attempts → findings: whose fault is the red.

mod finding;

pub use finding::{Blame, Confidence, Context, Evidence, Finding, Severity};
