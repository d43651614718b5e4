//! Tool calls, whole or in deltas: [`Calls`] keeps them apart whatever the server does with index and id.
//!
//! A call is never merged with another one silently, and never dropped.

use std::collections::HashMap;

use super::ToolCall;
use super::arguments::{Braces, append};
use super::deviation::Notes;
use super::json::{Json, Members, duplicates, get, get_some};

/// The calls read so far.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub(super) calls: Vec<ToolCall>,
    braces: Vec<Braces>,
    by_index: HashMap<i64, usize>,
    by_id: HashMap<String, usize>,
    /// The call of the legacy `function_call`.
    legacy: Option<usize>,
}

/// One entry of `tool_calls` as it stands on the wire.
#[derive(Default)]
struct Entry<'j, 'a> {
    id: Option<String>,
    kind: Option<String>,
    index: Option<i64>,
    name: Option<String>,
    arguments: Option<&'j Json<'a>>,
}

impl Calls {
    /// Reads `tool_calls`, whatever its shape.
    pub(super) fn read(&mut self, json: &Json<'_>, path: &str, streamed: bool, notes: &mut Notes) {
        match json {
            Json::Null => {}
            Json::List(entries) => {
                if entries.is_empty() {
                    notes.add("tool_calls_empty", format_args!("{path}.tool_calls"), "[]");
                }
                for (at, entry) in entries.iter().enumerate() {
                    self.entry(entry, &format_args!("{path}.tool_calls[{at}]"), streamed, notes);
                }
            }
            Json::Map(members) => {
                notes.add("tool_calls_not_list", format_args!("{path}.tool_calls"), json.type_name());
                let one = ["function", "name", "id"].iter().any(|key| get(members, key).is_some());
                let entries = if one { vec![json] } else { members.iter().map(|(_, entry)| entry).collect() };
                for entry in entries {
                    self.entry(entry, &format_args!("{path}.tool_calls"), streamed, notes);
                }
            }
            other => {
                let detail = other.to_text();
                notes.add("tool_calls_not_list", format_args!("{path}.tool_calls"), &detail);
                if let Ok(json @ (Json::List(_) | Json::Map(_))) = serde_json::from_str(&detail) {
                    self.read(&json, path, streamed, notes);
                }
            }
        }
    }

    /// Reads the legacy `function_call`.
    pub(super) fn legacy(&mut self, json: &Json<'_>, path: &str, notes: &mut Notes) {
        let Some(members) = json.as_map() else { return };
        let place = format_args!("{path}.function_call");
        notes.add("legacy_function_call", place, json.to_value());
        let mut entry = Entry::default();
        entry.function(members, &place, notes);
        let at = *self.legacy.get_or_insert_with(|| {
            self.calls.push(ToolCall::default());
            self.braces.push(Braces::default());
            self.calls.len() - 1
        });
        self.extend(at, entry, &place, notes);
    }

    /// Reads a call that came as a content part (`tool_use`).
    pub(super) fn part(&mut self, part: &Json<'_>, path: &dyn std::fmt::Display, notes: &mut Notes) {
        notes.add("tool_call_in_content", path, part.to_value());
        self.entry(part, path, false, notes);
    }

    fn entry(&mut self, json: &Json<'_>, path: &dyn std::fmt::Display, streamed: bool, notes: &mut Notes) {
        let Some(members) = json.as_map() else {
            notes.add("tool_call_not_object", path, json.to_text());
            if let Some(Ok(inner @ Json::Map(_))) = json.as_str().map(serde_json::from_str::<Json<'_>>) {
                self.entry(&inner, path, streamed, notes);
            }
            return;
        };
        let entry = Entry::read(members, path, notes);
        let at = match streamed.then(|| self.place(&entry, path, notes)).flatten() {
            Some(at) => at,
            None => self.open(&entry),
        };
        self.extend(at, entry, path, notes);
    }

    /// The call that a delta continues; `None` where it begins another one.
    fn place(&mut self, entry: &Entry<'_, '_>, path: &dyn std::fmt::Display, notes: &mut Notes) -> Option<usize> {
        let Some(index) = entry.index else {
            notes.add("tool_delta_without_index", path, "the calls are kept apart by their ids and names");
            return match &entry.id {
                Some(id) => self.by_id.get(id).copied(),
                None => self.calls.len().checked_sub(1).filter(|last| !self.begins_another(*last, entry)),
            };
        };
        let at = *self.by_index.get(&index)?;
        let other_id = matches!((&entry.id, &self.calls[at].id), (Some(new), Some(old)) if new != old);
        if other_id && entry.name.is_none() && self.awaits_more(at) {
            // Another id in each piece (litellm#40040): without a name it is the same call that goes on.
            notes.add("tool_id_changes", path, format_args!("index {index}: {:?}", entry.id));
            return Some(at);
        }
        if other_id || (entry.id.is_none() && self.begins_another(at, entry)) {
            notes.add(
                "tool_index_reused",
                path,
                format_args!("index {index} is another call's: {:?}", self.calls[at].name),
            );
            return entry.id.as_ref().and_then(|id| self.by_id.get(id).copied());
        }
        Some(at)
    }

    /// A delta without an id begins another call when it names another function, or the same one after whole arguments.
    fn begins_another(&self, at: usize, entry: &Entry<'_, '_>) -> bool {
        let (call, braces) = (&self.calls[at], &self.braces[at]);
        entry
            .name
            .as_ref()
            .is_some_and(|name| !call.name.is_empty() && (braces.closed || (braces.begun && *name != call.name)))
    }

    /// The call has its name, and its arguments are not whole yet.
    fn awaits_more(&self, at: usize) -> bool {
        !self.calls[at].name.is_empty() && !self.braces[at].closed
    }

    fn open(&mut self, entry: &Entry<'_, '_>) -> usize {
        let at = self.calls.len();
        if let Some(index) = entry.index {
            self.by_index.insert(index, at);
        }
        self.calls.push(ToolCall { index: entry.index, ..ToolCall::default() });
        self.braces.push(Braces::default());
        at
    }

    fn extend(&mut self, at: usize, entry: Entry<'_, '_>, path: &dyn std::fmt::Display, notes: &mut Notes) {
        if let (Some(id), None) = (&entry.id, &self.calls[at].id) {
            self.by_id.entry(id.clone()).or_insert(at);
        }
        let call = &mut self.calls[at];
        call.id = call.id.take().or(entry.id);
        call.kind = call.kind.take().or(entry.kind);
        if let Some(name) = entry.name {
            if call.name.is_empty() {
                call.name = name;
            } else if call.name == name {
                notes.add("tool_name_repeated", path, name);
            } else {
                notes.add("tool_name_in_fragments", path, format_args!("{:?} + {name:?}", call.name));
                call.name.push_str(&name);
            }
        }
        if let Some(json) = entry.arguments {
            append(&mut call.arguments, &mut self.braces[at], json, path, notes);
        }
    }
}

impl<'j, 'a> Entry<'j, 'a> {
    fn read(members: &'j Members<'a>, path: &dyn std::fmt::Display, notes: &mut Notes) -> Self {
        duplicates(members, path, notes);
        let mut entry = Self {
            kind: get_some(members, "type").map(Json::to_text),
            index: index(members, path, notes),
            ..Self::default()
        };
        entry.id = get_some(members, "id").and_then(|id| {
            if id.as_str().is_none() {
                notes.add("tool_call_id_not_text", format_args!("{path}.id"), id.type_name());
            }
            Some(id.to_text()).filter(|id| !id.is_empty())
        });
        match get_some(members, "function").or_else(|| get_some(members, "custom")) {
            Some(Json::Map(function)) => entry.function(function, path, notes),
            function => {
                let flat =
                    ["name", "arguments", "input", "parameters"].iter().any(|key| get_some(members, key).is_some());
                if flat || function.is_some() {
                    notes.add("tool_call_flat", path, "name and arguments stand on the call");
                }
                entry.function(members, path, notes);
                entry.name = entry.name.or_else(|| function.and_then(Json::as_str).map(str::to_owned));
            }
        }
        entry
    }

    fn function(&mut self, function: &'j Members<'a>, path: &dyn std::fmt::Display, notes: &mut Notes) {
        duplicates(function, path, notes);
        if let Some(name) = get_some(function, "name") {
            if name.as_str().is_none() {
                notes.add("tool_call_name_not_text", format_args!("{path}.function.name"), name.type_name());
            }
            self.name = Some(name.to_text()).filter(|name| !name.is_empty());
        }
        self.arguments = get_some(function, "arguments");
        if self.arguments.is_none()
            && let Some((key, json)) =
                ["parameters", "input", "args"].iter().find_map(|key| Some((key, get_some(function, key)?)))
        {
            notes.add("arguments_renamed", path, format_args!("{key} in place of arguments"));
            self.arguments = Some(json);
        }
    }
}

fn index(members: &Members<'_>, path: &dyn std::fmt::Display, notes: &mut Notes) -> Option<i64> {
    let json = get_some(members, "index")?;
    if let Json::Number(number) = json
        && let Some(index) = number.as_i64()
    {
        return Some(index);
    }
    notes.add("tool_index_not_integer", format_args!("{path}.index"), json.to_text());
    let number =
        json.to_text().trim().parse::<f64>().ok().filter(|number| number.fract() == 0.0 && number.abs() < 1e9)?;
    #[expect(clippy::cast_possible_truncation, reason = "a whole number below 1e9")]
    Some(number as i64)
}
