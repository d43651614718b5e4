//! What is behind the signs: one decision for the tool calls and one for the reasoning, which the rules then put into words.

mod leak;
mod reasoning;
mod tool;

pub use reasoning::{ReasoningKind, ReasoningTrouble};
pub use tool::{ToolKind, ToolTrouble};

pub(in crate::diagnosis) use reasoning::assess as reasoning;
pub(in crate::diagnosis) use tool::assess as tool;
