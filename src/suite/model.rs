//! What a suite means.

use serde::{Deserialize, Serialize};

/// Whether answers are asked streamed, plain, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum StreamMode {
    /// Streamed.
    On,
    /// Plain.
    #[default]
    Off,
    /// One exchange of each; every expectation must hold on both.
    Both,
}
