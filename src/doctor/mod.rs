//! Probes an endpoint for a minute at most and says what it can, what is wrong with it, and with which flags to launch it.
//!
//! ```text
//! identify ─▶ probes (probes.toml judged, singles read) ─▶ Seen ─▶ follow-ups ─▶ Seen ─▶ readings ─▶ Report
//! ```
//!
//! Main function: [`examine`]. Asking is `asking.rs`; everything behind `Seen` is pure. Nothing here prints, and
//! what was not answered is `inconclusive`, never a fault.

mod asking;
mod examine;
mod findings;
mod followups;
mod judged;
mod probes;
mod readings;
mod reconcile;
mod recovered;
mod report;
mod seen;
mod singles;
mod table;

pub use examine::{Patient, examine};
pub use report::{Capability, Flags, Report, Status};
pub use table::write as write_table;
