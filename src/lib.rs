//! A gatekeeper for self-hosted LLM endpoints: does it answer well, and if it is red, whose fault is it?
//!
//! This crate is everything that **acts**: suites, plans, the endpoint, the runner, records, profiles, comparisons,
//! reports and the command line. What judges is in [`monban_scorers`], which embeds alone.

pub mod cli;
pub mod compare;
pub mod diagnostic;
pub mod doctor;
pub mod endpoint;
pub mod exit;
pub mod plan;
pub mod profile;
pub mod record;
pub mod report;
pub mod runner;
pub mod suite;
