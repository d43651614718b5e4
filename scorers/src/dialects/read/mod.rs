//! The reading machinery that the families share: positions, values, types, patterns. Knows no family.

mod braces;
mod coerce;
mod cx;
mod form;
mod json;
mod params;
mod part;
mod pattern;
mod python;
mod python_write;
mod shape;
mod stand;
mod step;
mod write;

pub(super) use coerce::{fit, of_declared_type};
pub(crate) use coerce::{is_mistyped, reads_as_declared};
pub(super) use form::Form;
pub(super) use params::{Params, Typing};
pub(super) use part::Part;
pub(super) use pattern::Pattern;
pub(in crate::dialects) use python::whole as python_literal;
pub(super) use python_write::Quote;
pub(super) use shape::Shape;
pub(crate) use stand::{Stand, is_word_of_sentence};
