//! Which engine answers, in which version, with which model and parsers: asked of the endpoint, each fact with its source.
//!
//! Main type: [`Identity`]. [`identify`] asks; [`read`] is pure and reads what was answered;
//! [`witness`] adds what the answers to other requests give away.

mod asking;
mod facts;
mod metrics;
mod reading;
mod witness;

pub use asking::identify;
pub use facts::{Fact, Identity};
pub use metrics::parser_runs;
pub use reading::{Answers, read};
pub use witness::witness;
