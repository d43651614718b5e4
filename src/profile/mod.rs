//! Launch profiles: what an endpoint was started with, in any of the forms people write.
//!
//! [`read`] makes a [`Profile`] of a text. Nothing here starts, contacts or opens anything; files are read by the command
//! line. The engine's flags are data (`flags/*.toml`), its parsers and models those of the scorers' catalogue.

mod agree;
mod axes;
mod axis;
mod blamed;
mod conflict;
mod container;
mod difference;
mod flags;
mod model;
mod read;
mod reading;

mod record;
mod render;
mod rules;
mod setting;
mod stored;
mod value;
mod words;
mod yaml;

pub use agree::{Item, agreement};
pub use axis::Axis;
pub use blamed::Lines;
pub use conflict::Discovered;
pub use container::{Container, Gpus, Health, Port, Route};
pub use difference::{Change, diff};
pub use flags::{FlagTable, Found, Presence, flag_table};
pub use model::{Form, Profile};
pub use read::{read, scan_text};

pub use reading::{Group, Lang, Layer, Question, ReadItem, Reading, reading};
pub use record::{RequestDefaults, to_finding};
pub use render::{Rendering, render};
pub use rules::{Known, ProfileRule, RULES, check, check_together, profile_rules};
pub use setting::{Fault, FaultKind, Origin, Placed, Setting};
pub use stored::lint_stored;
pub use value::FlagType;
