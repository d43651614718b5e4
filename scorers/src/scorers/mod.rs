//! The built-in scorers, one file each.

mod contains;

pub use contains::CONTAINS;

use crate::scorer::ScorerDef;

/// Every built-in scorer. A test walks it.
pub static BUILTIN: &[&ScorerDef] = &[&CONTAINS];
