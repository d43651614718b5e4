//! The shape of a diagnosis.

use serde::{Deserialize, Serialize};

/// A diagnosis: which fault, how bad, whose, on what evidence, and the fix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule, which names the fault: `wrong_tool_parser`.
    pub rule: String,
    /// How bad.
    pub severity: Severity,
    /// Who is at fault.
    pub blame: Blame,
    /// How sure.
    pub confidence: Confidence,
    /// What is wrong, in one or two sentences for the reader of the table.
    pub message: String,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// What else it could have been, and why it is not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ruled_out: Vec<String>,
    /// What to change, for this engine and version, the most likely first.
    pub fix: Vec<String>,
    /// The family whose markup was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_family: Option<String>,
    /// The parser (or its family) the server seems to be configured with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configured_family: Option<String>,
    /// How many attempts show it.
    #[serde(default = "one")]
    pub count: u64,
}

fn one() -> u64 {
    1
}

impl Finding {
    /// A finding that one attempt (or probe) shows, without evidence or fix yet.
    #[must_use]
    pub fn new(
        rule: impl Into<String>,
        severity: Severity,
        blame: Blame,
        confidence: Confidence,
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule: rule.into(),
            severity,
            blame,
            confidence,
            message: message.into(),
            evidence: Vec::new(),
            ruled_out: Vec::new(),
            fix: Vec::new(),
            observed_family: None,
            configured_family: None,
            count: 1,
        }
    }
}

/// One piece of evidence. Excerpts are bounded and hostile: escape them on the way out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The task's id; empty where it is about the endpoint.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task: String,
    /// Where it was seen: `content`, `reasoning`, `finish_reason`, `usage`, `status`, `stream`, `profile`, …
    pub place: String,
    /// What was seen, at most 300 characters.
    pub excerpt: String,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Works, but not as meant.
    Warning,
    /// Results do not mean what they seem to.
    Error,
}

/// Who is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Blame {
    /// The model answered wrongly.
    Model,
    /// The server's flags.
    ServerConfig,
    /// The server's code.
    ServerBug,
    /// Something between client and engine.
    Gateway,
    /// The request asked for what cannot be.
    Request,
    /// The token budget.
    Budget,
    /// The suite or a scorer in it.
    Suite,
    /// The endpoint: not there, not ready, another one.
    Endpoint,
    /// The launch profile.
    Profile,
    /// Nobody.
    None,
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Possible.
    Low,
    /// Likely.
    Medium,
    /// Shown.
    High,
}

/// What is known of the endpoint beside the exchanges. All optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Context {
    /// `vllm`, `sglang`, `tensorrt_llm`, `llama_cpp`, `atlas`, `litellm`, `ollama`, …; `None` when not known.
    pub engine: Option<String>,
    /// The engine's version.
    pub engine_version: Option<String>,
    /// The model id, best the one of the weights (`Qwen/Qwen3-Coder-30B`), else the served name.
    pub model: Option<String>,
    /// The tool parser the server is known to run with (`Some("")`: known to run without).
    pub tool_parser: Option<String>,
    /// The reasoning parser the server is known to run with (`Some("")`: known to run without).
    pub reasoning_parser: Option<String>,
    /// The launch profile's text, where one was given.
    pub profile: Option<String>,
    /// `direct`, `gateway:litellm`, …
    pub route: Option<String>,
    /// The server's start-up log or probe results, where kept.
    pub notes: Vec<String>,
}
