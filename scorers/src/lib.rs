//! Judge chat completions, and say whose fault a red is.
//!
//! Everything here is pure: no I/O, no async, no clock. The data flows one way:
//!
//! ```text
//! Exchange ─▶ Answer (Completion | Fault) ─▶ Verdict(delivered, intent) ─▶ Outcome ─▶ Finding
//! ```
//!
//! An [`Exchange`] is the wire, verbatim. [`completion::read`] normalises it without losing anything,
//! [`dialects`] re-read what the model wrote, [`scorers`] judge, [`diagnosis`] explains.

pub mod args;
pub mod catalogue;
pub mod completion;
pub mod diagnosis;
pub mod dialects;
pub mod expectation;
mod fnv;
pub mod json;
pub mod judge;
pub mod numerals;
pub mod request;
pub mod schema;
pub mod scorer;
pub mod scorers;
pub mod text;

pub use completion::{
    Answer, Body, Completion, Deviation, Exchange, Fault, FaultKind, Mode, Piece, Raw, RawJson, ToolCall, Usage,
};
pub use diagnosis::{Blame, Confidence, Evidence, Finding, Severity};
pub use judge::{Attempt, Judgement, Outcome, Scored};
pub use request::Request;
pub use scorer::{ArgError, Args, Expectation, Registry, Scorer, ScorerDef, Subject, Verdict};
