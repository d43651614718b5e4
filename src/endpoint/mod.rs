//! The only module that knows the network.

pub mod harness;
