//! The built-in scorers, one file each.

use crate::scorer::ScorerDef;

/// Every built-in scorer. A test walks it.
pub static BUILTIN: &[&ScorerDef] = &[];
