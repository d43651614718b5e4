//! A completion read again, the way the model meant it: content, reasoning field and tool calls together.
//!
//! Nothing is mended silently, and a healthy completion is left alone.

mod answer;
mod arguments;
mod beheaded;
mod boxed;
mod calls;
mod misfiled;
mod residue;
mod wrapped;

pub use answer::reread;
pub(crate) use arguments::{UNTYPED, may_have_lost_types};
pub(crate) use boxed::{BOXED, unboxed};
pub(crate) use wrapped::{PADDED, QUOTED};
