//! The built-in scorers, one file each.

mod contains;
mod equals;
mod finish_reason;
mod json_path;
mod json_schema;
mod json_valid;
mod latency;
mod length;
mod number;
mod reasoning_split;
mod regex;
mod stream_parity;
#[cfg(test)]
mod testing;
mod tool_call;

pub use self::regex::REGEX;
pub use contains::CONTAINS;
pub use equals::EQUALS;
pub use finish_reason::FINISH_REASON;
pub use json_path::JSON_PATH;
pub use json_schema::JSON_SCHEMA;
pub use json_valid::JSON_VALID;
pub use latency::LATENCY;
pub use length::LENGTH;
pub use number::NUMBER;
pub use reasoning_split::REASONING_SPLIT;
pub use stream_parity::STREAM_PARITY;
pub use tool_call::TOOL_CALL;

use crate::scorer::ScorerDef;

/// Every built-in scorer, in the order of `monban scorers`. A test walks it.
pub static BUILTIN: &[&ScorerDef] = &[
    &CONTAINS,
    &EQUALS,
    &REGEX,
    &NUMBER,
    &JSON_VALID,
    &JSON_SCHEMA,
    &JSON_PATH,
    &TOOL_CALL,
    &LENGTH,
    &FINISH_REASON,
    &LATENCY,
    &REASONING_SPLIT,
    &STREAM_PARITY,
];
