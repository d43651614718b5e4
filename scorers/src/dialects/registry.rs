//! The known dialects, in the order of the classifier.

use super::{ReasoningDialect, ToolDialect};

/// Every tool dialect. A test walks it.
pub static TOOL_DIALECTS: &[&ToolDialect] = &[];

/// Every reasoning dialect. A test walks it.
pub static REASONING_DIALECTS: &[&ReasoningDialect] = &[];
