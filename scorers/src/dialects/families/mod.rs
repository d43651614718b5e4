//! The families as data, grouped by the machinery their markup shares. Formats from the engines' parsers and the models'
//! chat templates (vLLM 0.8.5 to 0.33.0, SGLang 0.4.6 to 0.5.23).

mod argkey;
mod braces;
mod dsml;
mod elements;
mod json_bare;
mod json_list;
mod json_tags;
mod marked_elements;
mod named;
mod pythonic;
mod suffixed;
mod taught;

pub(super) use argkey::*;
pub(super) use braces::*;
pub(super) use dsml::*;
pub(super) use elements::*;
pub(super) use json_bare::*;
pub(super) use json_list::*;
pub(super) use json_tags::*;
pub(super) use marked_elements::*;
pub(super) use named::*;
pub(super) use pythonic::*;
pub(super) use taught::*;
