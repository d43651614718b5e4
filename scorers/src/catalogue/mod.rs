//! What engines are called, which parser names exist in which version, which model wants which parser: data.
//!
//! The facts are the TOML files of `scorers/catalogue/`, embedded and parsed once; [`catalogue`] answers questions of them.
//! The two matrices (what a parser makes of a text) are parsed when first asked for. Nothing here looks at an answer:
//! that is what the dialects and the diagnosis do, with these facts.

mod data;
mod deliver;
mod engine;
mod entries;
mod explain;
mod matrix;
mod model;
mod parser;
mod reasoning;
mod recognise;
mod recommend;
mod runs;
mod version;

#[cfg(test)]
mod integrity;

pub use data::{Catalogue, catalogue};
pub use deliver::{BY_TEMPLATE, Basis, Delivered, Delivery, Setup, Written, deliver};
pub use engine::{EngineName, engine_def, engine_id, engine_name, notes, reasoning_fields};
pub use entries::{EngineDef, Family, FamilyKind, Note, ParserDef, ParserKind};
pub use explain::{explain, explain_family};
pub use matrix::{Measured, Outcome as MatrixOutcome, outcome, parsers_giving, parsers_made_for, parsers_reading};
pub use model::{EngineParsers, ModelRule, model_rule};
pub use parser::{ParserStatus, exists_since, parser_def, parser_families, parser_family, parser_names, parser_status};
pub use reasoning::{Part, SplitOutcome, reasoning_outcome, reasoning_parsers_reading, shape_of, shape_text};
pub use recognise::{ContentRule, family_of_content, family_of_template, template_rule};
pub use recommend::{Advice, Recommendation, recommend};
pub use version::Version;
