//! The record of a run: an append-only journal of [`Event`]s and the [`RunRecord`] that folds them.

mod attempts;
mod done;
mod event;
mod findings;
mod fold;
mod histogram;
mod journal;
mod rates;
mod run_id;
mod store;
mod store_error;
mod summary;
mod tally;

pub use attempts::Attempts;
pub use done::Done;
pub use event::{AttemptDone, Event, Measure, RunEnd, RunStart, SuiteRef, TaskRef};
pub use fold::Fold;
pub use histogram::Histogram;
pub use histogram::RELATIVE_ERROR;
pub use journal::{Journal, JournalError, JournalReader, line, write_line};
pub use rates::{ANSWERED_AT_LEAST, PassK, pass_at_k, pass_hat_k, wilson95};
pub use run_id::{is_run_id, run_id};
pub use store::{RunDir, RunLock, Store};
pub use store_error::{StoreError, StoreErrorKind};
pub use summary::{Counts, Performance, Rates, RunRecord, RunVerdict, TaskRecord};
