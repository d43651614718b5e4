//! The integration tests: one binary, a module a theme.

mod cli;
mod profile;
mod client;
mod reports;
mod runner;
mod server;
