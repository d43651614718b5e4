//! Options that several subcommands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub use crate::report::Format as ReportFormat;

/// For people or for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DataFormat {
    /// For people.
    #[default]
    Table,
    /// For programs.
    Json,
}

/// Which endpoint, and how to talk to it.
#[derive(Clone, Debug, Args)]
pub struct EndpointArgs {
    /// The endpoint's base URL, with its /v1
    #[arg(long, value_name = "URL", env = "MONBAN_BASE_URL")]
    pub base_url: Option<String>,
    /// The model name to send
    #[arg(long, value_name = "NAME", env = "MONBAN_MODEL")]
    pub model: Option<String>,
    /// The environment variable that holds the API key
    #[arg(long, value_name = "VAR")]
    pub api_key_env: Option<String>,
    /// The launch profile the endpoint was started with
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// How the endpoint is reached: direct, gateway:litellm, …
    #[arg(long, value_name = "LABEL", default_value = "direct")]
    pub route: String,
    /// Where it runs; recorded as real:LABEL
    #[arg(long, value_name = "LABEL", default_value = "default")]
    pub environment: String,
    /// Seconds one request may take
    #[arg(long, value_name = "S", default_value_t = 120.0)]
    pub timeout: f64,
}
