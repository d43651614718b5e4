//! Options that several subcommands share.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::builder::{NonEmptyStringValueParser, OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::{Io, hint};

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
    /// How the endpoint is reached: direct, gateway:litellm, … [default: as seen]
    #[arg(long, value_name = "LABEL", value_parser = NonEmptyStringValueParser::new())]
    pub route: Option<String>,
    /// Where it runs; recorded as real:LABEL
    #[arg(long, value_name = "LABEL", default_value = "default", value_parser = NonEmptyStringValueParser::new())]
    pub environment: String,
    /// Seconds one request may take
    #[arg(long, value_name = "S", default_value_t = 120.0, value_parser = positive, allow_negative_numbers = true)]
    pub timeout: f64,
}

/// A number above nought: nought seconds answer nothing, and nought requests a second never end.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if f64::is_finite(number) && number > 0.0 => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    }
}

/// The name or path of a suite. Runs are recorded in JSON, which holds no path that is not UTF-8.
pub(super) fn suite() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().try_map(|name| {
        name.into_string().map_err(|name| {
            let shown = hint::word(&name);
            format!("the path {shown} is not UTF-8, and a run could not record it: rename the file, or link to it")
        })
    })
}

/// The largest text read from a file or from standard input.
const LARGEST_INPUT: u64 = 256 << 20;

/// A text file, or standard input for `-`.
pub(super) fn read_input(file: &Path, io: &mut Io) -> anyhow::Result<String> {
    let name = file.display();
    let mut text = String::new();
    let mut read = |from: &mut dyn Read| from.take(LARGEST_INPUT + 1).read_to_string(&mut text);
    if file == Path::new("-") {
        read(&mut io.input).context("standard input cannot be read")?;
    } else {
        let mut opened = File::open(file).with_context(|| format!("`{name}` cannot be opened"))?;
        read(&mut opened).with_context(|| format!("`{name}` cannot be read"))?;
    }
    anyhow::ensure!(text.len() as u64 <= LARGEST_INPUT, "`{name}` is larger than {} MiB", LARGEST_INPUT >> 20);
    Ok(text)
}
