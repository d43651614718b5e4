//! One model family's raw markup for tool calls and reasoning: recognise, parse, render.
//!
//! A dialect never repairs silently: what it had to mend is in [`Reread::repairs`].

mod bytes;
mod dialect;
mod families;
mod read;
mod registry;
mod reread;
mod thinking;
mod turns;
mod types;

pub(crate) use read::{Stand, is_mistyped, is_word_of_sentence, reads_as_declared};

use dialect::read_calls;

pub use bytes::ByteSet;
pub use dialect::{reasoning_dialect, recognise, split_reasoning, tool_dialect, writes_types};
pub use registry::{REASONING_DIALECTS, TOOL_DIALECTS};
pub use reread::reread;
pub(crate) use reread::{BOXED, PADDED, QUOTED, UNTYPED, may_have_lost_types, unboxed};
pub use turns::{turn_end, turn_head};
pub use types::{
    Call, Grammar, Hints, Need, Parsed, ReasoningDialect, Recognition, Reread, Scan, Split, Strength, Thinking,
    ToolDialect,
};
