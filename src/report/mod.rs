//! A run's record → what people and machines read. One file a format, each a pure function of its input.

mod csv;
mod escape;
mod figures;
mod html;
mod json;
mod junit;
mod markdown;
mod table;
mod text;

pub(crate) use escape::is_hidden;
pub use escape::{excerpt, json_text, terminal};
pub(crate) use figures::cause_lines;
pub use table::write_findings;
pub use text::{Format, Input, Style, render, write};
