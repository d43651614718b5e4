//! Runs compared only when they are the same match: comparability first, then paired statistics, quality and performance.
//!
//! [`compare`] takes two runs and says everything; [`Comparison`] is what the outputs are written from.

mod comparability;
mod gate;
mod measure;
mod pairs;
mod side;
mod stats;
mod verdict;
mod wire;
mod words;

pub use comparability::{Difference, Kind, differences, is_match};
pub use gate::{Gate, gate};
pub use measure::{Estimate, Measures};
pub use pairs::{Flip, Pairs};
pub use side::{Side, SideError};
pub use stats::{mcnemar_exact, percentile_interval, repeat_z};
pub use verdict::{Comparison, compare};
pub use wire::{WireChange, wire_changes};
pub use words::words;
