//! `monban harness`: serve the embedded simulated endpoint.

use super::Io;

/// The arguments of `monban harness`.
#[derive(Debug, clap::Args)]
pub struct HarnessArgs {
    /// The port on 127.0.0.1; 0 takes a free one
    #[arg(long, value_name = "P", default_value_t = 0)]
    pub port: u16,
    /// The model family whose markup the simulated model writes
    #[arg(long, value_name = "F", default_value = "hermes")]
    pub family: String,
    /// The tool parser the simulated server runs with, or none; default: the right one
    #[arg(long, value_name = "X")]
    pub tool_parser: Option<String>,
    /// The reasoning parser the simulated server runs with, or none; default: the right one
    #[arg(long, value_name = "Y")]
    pub reasoning_parser: Option<String>,
    /// The engine to behave like: vllm, sglang, llamacpp, or vllm@0.33.0
    #[arg(long, value_name = "E", default_value = "vllm")]
    pub engine: String,
    /// A fault to show; may be repeated
    #[arg(long, value_name = "FAULT")]
    pub fault: Vec<String>,
}

pub(super) fn run(_args: HarnessArgs, _io: &mut Io) -> anyhow::Result<u8> {
    super::unavailable("harness")
}
