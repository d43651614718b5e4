//! The integration tests: one binary, a module a theme.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should stop there")]

mod cli;
mod client;
mod compare;
mod diagnose;
mod doctor;
mod harness;
mod harness_process;
mod odd_servers;
mod parser_table;
mod plan;
mod profile;
mod profile_alterations;
mod profile_forms;
mod reports;
mod run;
mod runner;
mod server;
mod suite_check;
mod suite_errors;
