//! What the doctor found: [`Report`].

use monban_scorers::diagnosis::Context;
use monban_scorers::{Blame, Finding, Severity};
use serde::Serialize;

use crate::endpoint::identify::Fact;
use crate::exit;

/// Everything there is to tell of an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The base URL.
    pub endpoint: String,
    /// The model name that was sent.
    pub model: String,
    /// `real:LABEL`, or `harness` where the endpoint is a simulated one.
    pub environment: String,
    /// Engine, version, parsers, as far as known. The profile's text is left out.
    pub identity: Context,
    /// How each of it was learned.
    pub facts: Vec<Fact>,
    /// The matrix.
    pub capabilities: Vec<Capability>,
    /// What is wrong, the worst first.
    pub findings: Vec<Finding>,
    /// What to launch it with.
    pub flags: Flags,
    /// Requests sent.
    pub requests: usize,
    /// How long it took, milliseconds.
    pub wall_ms: u64,
    /// What the process exits with.
    pub exit_code: u8,
    /// Completions that arrived.
    pub completions: usize,
}

/// One row of the matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Capability {
    /// What.
    pub capability: String,
    /// Whether.
    pub status: Status,
    /// How it is known.
    pub how: String,
    /// What was seen, bounded; hostile like anything a server says.
    pub evidence: String,
}

/// What a capability came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Works.
    Ok,
    /// The server spoils it.
    Broken,
    /// Accepted, without effect.
    Ignored,
    /// Answered with an error.
    Refused,
    /// Not enough evidence.
    Inconclusive,
    /// Does not apply here.
    NotApplicable,
}

impl Status {
    /// The word in the table.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Broken => "broken",
            Self::Ignored => "ignored",
            Self::Refused => "refused",
            Self::Inconclusive => "inconclusive",
            Self::NotApplicable => "n/a",
        }
    }
}

/// What to launch the endpoint with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Flags {
    /// For tool calls.
    pub tool: Option<String>,
    /// For reasoning.
    pub reasoning: Option<String>,
    /// What else.
    pub notes: Vec<String>,
    /// What this rests on: the model's id, the family seen.
    pub basis: String,
}

impl Capability {
    /// A row.
    pub(super) fn new(capability: &str, status: Status, how: &str, evidence: impl Into<String>) -> Self {
        let evidence: String = evidence.into();
        Self {
            capability: capability.to_owned(),
            status,
            how: how.to_owned(),
            evidence: evidence.chars().take(300).collect(),
        }
    }
}

/// 3 where an error is the server's, 4 where nothing was answered, or (`cut`) nothing to its end, else 0.
pub(super) fn exit_code(completions: usize, cut: bool, findings: &[Finding]) -> u8 {
    let servers = |finding: &Finding| {
        finding.severity == Severity::Error
            && matches!(finding.blame, Blame::ServerConfig | Blame::ServerBug | Blame::Gateway | Blame::Profile)
    };
    match completions {
        _ if findings.iter().any(|finding| finding.rule == "profile_conflict" && servers(finding)) => {
            exit::MISCONFIGURED
        }
        0 => exit::INVALID,
        _ if findings.iter().any(servers) => exit::MISCONFIGURED,
        _ if cut => exit::INVALID,
        _ => exit::PASS,
    }
}
