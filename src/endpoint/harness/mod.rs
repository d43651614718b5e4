//! The embedded simulated endpoint: a model that answers rightly, behind any parser, with the faults it is told to show.
//!
//! Everything that it answers is labelled `harness` in the records. It is no model of quality: only of the wire.

pub mod fault;
pub mod sample;
pub mod solve;
pub mod wire;
