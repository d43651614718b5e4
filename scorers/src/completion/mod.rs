//! From the wire to a completion: lenient, and nothing is lost. Surprises become [`Deviation`]s.
//!
//! ```text
//! Exchange ─▶ read ─▶ (json | sse ─▶ stream) ─▶ assemble ◀─ message, calls, usage, error ─▶ checks ─▶ Answer
//! ```

mod arguments;
mod assemble;
mod calls;
mod checks;
mod deltas;
mod deviation;
mod error;
mod exchange;
mod json;
mod mend;
mod message;
mod read;
mod repeat;
mod sse;
mod stored;
mod stream;
mod strict;
#[cfg(test)]
mod tests;
mod types;
mod usage;

pub use deviation::{DEVIATION_KINDS, DeviationKind};
pub use exchange::{Body, Exchange, Mode, Piece, Raw, RawJson, TransportError, TransportErrorKind, Try};
pub use json::mended;
pub use read::read;
pub use strict::strict_client;
pub use types::{Answer, Arguments, Completion, Deviation, Fault, FaultKind, Timing, ToolCall, Usage};
