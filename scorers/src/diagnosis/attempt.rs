//! What one attempt shows of faults: runs the attempt's rules over an [`AttemptView`].

use super::{AttemptView, Finding};

/// The findings of one attempt, the gravest first.
#[must_use]
pub fn attempt_findings(_view: &AttemptView<'_>) -> Vec<Finding> {
    Vec::new()
}
