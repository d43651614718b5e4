//! Which engine answers, in which version, with which model and parsers: asked of the endpoint, each fact with its source.
//!
//! Main type: [`Identity`]. [`identify`] asks; [`read`](reading::read) is pure and reads what was answered.

mod asking;
mod facts;
mod reading;

pub use asking::identify;
pub use facts::{Fact, Identity};
pub use reading::{Answers, read};
