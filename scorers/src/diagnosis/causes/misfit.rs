//! A call that arrived whole and does not fit its tool's parameters: [`Misfit`], and who made it so.
//!
//! Only where the task's own expectation fails on it, every mode shows the same, and nothing else is wrong with the
//! answer. Formats that write no types leave them to the parser, which has the schema: there a wrong type may be its.

use serde_json::Value;

use crate::completion::{Mode, ToolCall};
use crate::diagnosis::Confidence;
use crate::diagnosis::facts::{CallState, Facts, Side};
use crate::diagnosis::schema::declared_type;
use crate::dialects;
use crate::request::Tool;
use crate::schema::{Checked, Schema};

/// How the arguments depart from the declared parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Departure {
    /// These required arguments are not there.
    Missing(Vec<String>),
    /// This argument is of another type than declared.
    Type {
        /// The argument.
        key: String,
        /// The declared type.
        wants: &'static str,
        /// The declaration stands behind a `$ref`.
        by_reference: bool,
        /// What arrived.
        value: Value,
        /// Its text, as a format without types holds it, reads as the declared type.
        reads: bool,
    },
    /// All of them stand in this one, which the tool does not have.
    Boxed(String),
    /// Anything else the schema says, in the validator's words.
    Other(String),
}

impl Departure {
    /// In words, of a call of the tool `name`.
    #[must_use]
    pub(in crate::diagnosis) fn in_words(&self, name: &str) -> String {
        match self {
            Self::Missing(keys) => format!("the call of {name} lacks the required `{}`", keys.join("`, `")),
            Self::Type { key, wants, value, .. } => {
                format!("argument `{key}` of {name} is {} where the schema says {wants}", crate::args::kind(value))
            }
            Self::Boxed(key) => {
                format!("the arguments of {name} stand in `{key}`, a parameter that it does not have")
            }
            Self::Other(wrong) => format!("the arguments of {name} are not valid against its parameters: {wrong}"),
        }
    }
}

/// Who made it so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// The model wrote it.
    Model,
    /// The model's format writes values as bare text, and the parser gives them types and places.
    Mistyped,
    /// More was generated than arrived.
    Lost,
}

/// A call that does not fit.
#[derive(Clone, Debug)]
pub struct Misfit<'a> {
    /// The call, as delivered.
    pub call: &'a ToolCall,
    /// What does not fit.
    pub departure: Departure,
    /// Who made it so.
    pub maker: Maker,
    /// How sure.
    pub confidence: Confidence,
    /// The family that the model writes, where known.
    pub family: Option<&'static str>,
}

/// The first call that does not fit, in a failed attempt that shows nothing worse.
#[must_use]
pub(in crate::diagnosis) fn assess<'a>(facts: &Facts<'a>) -> Option<Misfit<'a>> {
    if !facts.call_was_missed() || !facts.faults.is_empty() {
        return None;
    }
    let found: Option<Vec<_>> = facts.sides.iter().map(|side| unfit(side).map(|found| (side, found))).collect();
    let found = found?;
    let (side, (call, departure)) = found.iter().find(|(side, _)| side.mode == Mode::Plain).or(found.first())?;
    let alike = found.iter().all(|(_, (other, departs))| other.name == call.name && departs == departure);
    let shown = || facts.model().reasons == Some(false) || side.has_reasoning();
    if !alike || side.lost_tokens() && !shown() {
        return None;
    }
    let family = facts.written_family();
    let (maker, confidence) = judge(facts, side, departure);
    Some(Misfit { call, departure: departure.clone(), maker, confidence, family })
}

/// The first call of an answer that is whole in every other way.
fn unfit<'a>(side: &Side<'a>) -> Option<(&'a ToolCall, Departure)> {
    let typing = [dialects::UNTYPED, dialects::BOXED];
    let mended =
        side.reread.is_some_and(|reread| reread.repairs.iter().any(|repair| !typing.contains(&repair.kind.as_str())));
    if side.at_cap() || mended || side.call_state() != CallState::Fine {
        return None;
    }
    side.completion.tool_calls.iter().find_map(|call| {
        let tool = side.request.tool(&call.name)?;
        let arguments = call.arguments.value().ok().filter(Value::is_object)?;
        Some((call, departure(tool, &arguments)?))
    })
}

/// How arguments depart from what the tool declares, if they do.
pub(in crate::diagnosis) fn departure(tool: &Tool, arguments: &Value) -> Option<Departure> {
    if let Some((key, _)) = dialects::unboxed(arguments, tool) {
        return Some(Departure::Boxed(key));
    }
    let Checked::Invalid(wrong) = Schema::compile(&tool.parameters).ok()?.check(arguments) else { return None };
    let required = tool.parameters.get("required").and_then(Value::as_array).into_iter().flatten();
    let names = required.filter_map(Value::as_str).filter(|name| arguments.get(name).is_none());
    let missing: Vec<String> = names.map(str::to_owned).collect();
    if !missing.is_empty() {
        return Some(Departure::Missing(missing));
    }
    let mistyped = arguments.as_object()?.iter().find_map(|(key, value)| {
        let (declared, root) = (declared_type(&tool.parameters, key)?, &tool.parameters);
        let schema = root.get("properties")?.get(key).filter(|schema| dialects::is_mistyped(value, schema, root))?;
        let (wants, by_reference) = (declared.name, declared.by_reference);
        let reads = dialects::reads_as_declared(value, schema, root);
        Some(Departure::Type { key: key.clone(), wants, by_reference, value: value.clone(), reads })
    });
    mistyped.or_else(|| wrong.into_iter().next().map(Departure::Other))
}

fn judge(facts: &Facts<'_>, side: &Side<'_>, departure: &Departure) -> (Maker, Confidence) {
    if side.lost_tokens() {
        return (Maker::Lost, Confidence::Low);
    }
    let typed = facts.writes_types();
    // A streaming parser may lose what nobody saw whole.
    let stream_alone = facts.sides.iter().all(|side| side.mode == Mode::Stream);
    let seen = if stream_alone { Confidence::Low } else { Confidence::High };
    match (departure, typed) {
        (Departure::Type { reads: true, .. } | Departure::Boxed(_), Some(false)) => {
            (Maker::Mistyped, Confidence::Medium)
        }
        (Departure::Type { reads: true, .. }, None) => (Maker::Model, Confidence::Low),
        (Departure::Missing(_), _) if typed != Some(true) => (Maker::Model, seen.min(Confidence::Medium)),
        // What is there was written: a parser loses, and does not invent.
        (Departure::Type { .. } | Departure::Boxed(_) | Departure::Other(_), _) => (Maker::Model, Confidence::High),
        (Departure::Missing(_), _) => (Maker::Model, seen),
    }
}
