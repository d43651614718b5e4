//! From the wire to a completion: lenient, and nothing is lost. Surprises become [`Deviation`]s.

mod exchange;
mod read;
mod types;

pub use exchange::{Body, Exchange, Mode, Piece, Raw, RawJson, TransportError, TransportErrorKind, Try};
pub use read::read;
pub use types::{Answer, Arguments, Completion, Deviation, Fault, FaultKind, Timing, ToolCall, Usage};
