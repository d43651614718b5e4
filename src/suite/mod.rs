//! Suites: TOML → [`Suite`], with every error placed; the built-in ones; the lint.
//!
//! ```text
//! text ─▶ said (JSON + places) ─▶ parse (tool, task, messages, fields, expect, dataset) ─▶ Suite
//!                                      └▶ problems by pointer ─▶ diagnostics by line and column
//! ```
//!
//! Nothing here contacts anything or judges an answer, but for [`null_models`], which lets models that cannot answer try.

mod builtin;
mod dataset;
mod digest;
mod expect;
mod fields;
mod import;
mod load;
mod messages;
mod model;
pub mod null_models;
mod parse;
mod problem;
mod reader;
mod said;
mod schema;
mod task;
mod tool;

pub use builtin::{BUILTIN, Builtin};
pub use import::import;
pub use load::{Loaded, check_text, load};
pub use model::{StreamMode, Suite, Task, Tool};
pub use parse::Parsed;
pub use schema::schema;
