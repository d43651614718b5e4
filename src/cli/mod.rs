//! The command line: one subcommand a file, each an `…Args` for clap and a `run(args, &mut Io) -> Result<u8>`.
//!
//! This file only declares and dispatches. Data goes to [`Io::out`], progress and notes to [`Io::err`]; the number
//! returned is one of [`crate::exit`]. An `Err` is printed as one line and exits 2.

mod asked;
mod compare;
mod completions;
mod demo;
mod diagnose;
mod doctor;
mod endpoint;
mod explain;
mod harness;
mod hint;
mod io;
mod launched;
mod lines;
mod live;
mod options;
mod output;
mod profile;
mod progress;
mod report;
mod rescore;
mod resume;
mod run;
mod runs;
mod score;
mod scorers;
mod show;
mod suite;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

pub use io::Io;
pub use options::{DataFormat, EndpointArgs, ReportFormat};

/// A gatekeeper for self-hosted LLM endpoints: does it answer well, and if it is red, whose fault is it?
#[derive(Debug, Parser)]
#[command(name = "monban", version, max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands, in the order of the help.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show right and wrong server settings side by side, offline, against the embedded simulated endpoint
    Demo(demo::DemoArgs),
    /// Run suites against an endpoint and leave a record under a run id
    Run(run::RunArgs),
    /// Probe an endpoint: capabilities, and what is wrong with its configuration
    Doctor(doctor::DoctorArgs),
    /// Say whose fault stored exchanges are: JSONL in, one JSON object a line out
    Diagnose(diagnose::DiagnoseArgs),
    /// Judge stored responses against a suite, without an endpoint
    Score(score::ScoreArgs),
    /// Judge a run's stored answers again, without an endpoint
    Rescore(rescore::RescoreArgs),
    /// Write a run's report
    Report(report::ReportArgs),
    /// Show one run, or one attempt with everything that went over the wire
    Show(show::ShowArgs),
    /// List the runs
    Runs(runs::RunsArgs),
    /// Compare runs: comparability first, then quality and performance
    Compare(compare::CompareArgs),
    /// Read, check and compare launch profiles
    Profile(profile::ProfileArgs),
    /// List, check and import suites
    Suite(suite::SuiteArgs),
    /// List the scorers, or print one's manual
    Scorers(scorers::ScorersArgs),
    /// Explain a rule, scorer, parser, model family, outcome or exit code
    Explain(explain::ExplainArgs),
    /// Serve the embedded simulated endpoint
    Harness(harness::HarnessArgs),
    /// Print a shell's completion script
    Completions(completions::CompletionsArgs),
}

/// Parses `args` (the first is the program's name) and does what they say. Never exits the process.
pub fn main(args: impl IntoIterator<Item = impl Into<OsString> + Clone>, io: &mut Io) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return io.usage(&error),
    };
    match dispatch(cli.command, io) {
        Ok(code) => code,
        Err(error) => io.failed(&error),
    }
}

fn dispatch(command: Command, io: &mut Io) -> anyhow::Result<u8> {
    match command {
        Command::Demo(args) => demo::run(args, io),
        Command::Run(args) => run::run(args, io),
        Command::Doctor(args) => doctor::run(args, io),
        Command::Diagnose(args) => diagnose::run(args, io),
        Command::Score(args) => score::run(args, io),
        Command::Rescore(args) => rescore::run(args, io),
        Command::Report(args) => report::run(args, io),
        Command::Show(args) => show::run(args, io),
        Command::Runs(args) => runs::run(args, io),
        Command::Compare(args) => compare::run(args, io),
        Command::Profile(args) => profile::run(args, io),
        Command::Suite(args) => suite::run(args, io),
        Command::Scorers(args) => scorers::run(args, io),
        Command::Explain(args) => explain::run(args, io),
        Command::Harness(args) => harness::run(args, io),
        Command::Completions(args) => completions::run(args, io),
    }
}
