//! The reading machinery that the families share: positions, values, types, patterns. Knows no family.

mod braces;
mod coerce;
mod cx;
mod json;
mod params;
mod part;
mod pattern;
mod python;
mod shape;
mod stand;
mod step;
mod write;

pub(super) use coerce::fit;
pub(super) use params::{Params, Typing};
pub(super) use part::Part;
pub(super) use pattern::{Form, Pattern};
pub(super) use python::Quote;
pub(super) use shape::Shape;
pub(super) use stand::Stand;
