//! The embedded simulated endpoint: a model that answers rightly, behind any parser, with the faults it is told to show.
//!
//! Everything that it answers is labelled `harness` in the records. It is no model of quality: only of the wire.

mod asked;
mod brain;
mod deliver;
mod engine;
pub mod fault;
mod options;
mod reparse;
mod running;
mod sample;
mod server;
mod solve;
mod wire;

pub use brain::Brain;
pub use engine::Simulated;
pub use fault::{Fault, FaultKind};
pub use options::{Options, ParserChoice};
pub use running::Harness;
pub use solve::{Written, solve};
