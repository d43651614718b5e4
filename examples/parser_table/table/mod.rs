//! The parser table in parts: what is asked, of which models, what a cell holds, and the document.

pub(crate) mod ask;
pub(crate) mod cell;
pub(crate) mod document;
pub(crate) mod expected;
pub(crate) mod models;
pub(crate) mod thinking;
pub(crate) mod thought;
