//! The record of a run: an append-only journal of [`Event`]s and the [`RunRecord`] that folds them.

mod event;
mod summary;

pub use event::{AttemptDone, Event, Measure, RunEnd, RunStart, SuiteRef, TaskRef};
pub use summary::{Counts, Histogram, Performance, Rates, RunRecord, RunVerdict, TaskRecord};
