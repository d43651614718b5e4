//! The integration tests: one binary, a module a theme.

mod cli;
mod client;
mod compare;
mod profile;
mod reports;
mod run;
mod runner;
mod server;
mod suite_errors;
