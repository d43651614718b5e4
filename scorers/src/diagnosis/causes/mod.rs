//! What is behind the signs: one decision each for the tool calls, their arguments and the
//! reasoning, which the rules then put into words.

mod arguments;
mod beginnings;
mod leak;
mod misfit;
mod reasoning;
mod swallowed;
mod tool;

pub use arguments::Spoilt;
pub use misfit::{Departure, Maker, Misfit};
pub use reasoning::{ReasoningKind, ReasoningTrouble};
pub use tool::{ToolKind, ToolTrouble};

pub(in crate::diagnosis) use arguments::{is_nothing, spoilt};
pub(in crate::diagnosis) use misfit::{assess as misfit, departure};
pub(in crate::diagnosis) use reasoning::assess as reasoning;
pub(in crate::diagnosis) use tool::assess as tool;
