//! Bodies and chunks → [`Completion`]: [`Assembly`] takes one JSON object after the other.

use std::collections::BTreeMap;

use super::deltas::Watch;
use super::deviation::{Notes, bounded};
use super::json::{Json, Members, duplicates, get, get_some};
use super::message::{Brought, Parts};
use super::{Completion, Timing, Usage, error, usage};

/// A completion as it grows.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    pub(super) parts: Parts,
    pub(super) finish_reason: Option<String>,
    pub(super) usage: Option<Usage>,
    pub(super) timing: Timing,
    /// An error object among the chunks or beside the choices.
    pub(super) error: Option<String>,
    /// A choice was seen.
    pub(super) choice: bool,
    id: Option<String>,
    model: Option<String>,
    system_fingerprint: Option<String>,
    /// The index of the choice that counts: the first one seen.
    primary: Option<i64>,
    others: BTreeMap<i64, String>,
    watch: Watch,
}

impl Assembly {
    /// Takes a body or a chunk.
    pub(super) fn take(&mut self, members: &Members<'_>, streamed: bool, at_us: Option<u64>, notes: &mut Notes) {
        duplicates(members, "", notes);
        self.head(members, notes);
        if let Some(json) = get(members, "usage")
            && let Some(usage) = usage::read(json, notes)
        {
            self.usage = Some(usage);
        }
        match get_some(members, "choices") {
            Some(Json::List(choices)) => {
                for (at, choice) in choices.iter().enumerate() {
                    self.choice(choice, at, streamed, at_us, notes);
                }
            }
            Some(json @ Json::Map(_)) => {
                notes.add("choices_not_list", "choices", json.type_name());
                self.choice(json, 0, streamed, at_us, notes);
            }
            Some(json) => notes.add("choices_not_list", "choices", json.type_name()),
            None => {}
        }
        if let Some(error) = error::find(members) {
            let words = error.words();
            if streamed {
                notes.add("stream_error", "", &words);
            } else if self.choice {
                notes.add("error_beside_choices", "error", &words);
            }
            self.error.get_or_insert(words);
        }
    }

    /// Takes a chunk that repeats the one before but for a piece of text.
    pub(super) fn take_piece(&mut self, piece: &str, field: &str, at_us: Option<u64>) {
        if field == "content" {
            self.watch.take(piece);
        }
        let brought = self.parts.push(piece, field);
        self.time(brought, at_us);
    }

    fn head(&mut self, members: &Members<'_>, notes: &mut Notes) {
        let text = |key: &str| get_some(members, key).map(Json::to_text);
        match (&self.id, get_some(members, "id")) {
            (None, Some(id)) => self.id = Some(id.to_text()),
            (Some(known), Some(Json::Text(id))) if known != id && !id.is_empty() && !known.is_empty() => {
                notes.add("id_changes", "id", format_args!("{known:?}, then {id:?}"));
            }
            _ => {}
        }
        if self.model.is_none() {
            self.model = text("model");
        }
        if self.system_fingerprint.is_none() {
            self.system_fingerprint = text("system_fingerprint");
        }
    }

    fn choice(&mut self, json: &Json<'_>, at: usize, streamed: bool, at_us: Option<u64>, notes: &mut Notes) {
        let Some(members) = json.as_map() else {
            return notes.add("choice_without_message", format_args!("choices[{at}]"), json.type_name());
        };
        let position = i64::try_from(at).unwrap_or(i64::MAX);
        let index = match get_some(members, "index") {
            Some(Json::Number(number)) => number.as_i64().unwrap_or(position),
            _ => position,
        };
        let primary = *self.primary.get_or_insert(index);
        if streamed && index == 0 && primary != 0 {
            self.swap(primary);
        } else if index != primary || (!streamed && at > 0) {
            return self.other(json, index);
        }
        self.choice = true;
        duplicates(members, "choices[0]", notes);
        self.finish(members, notes);
        if let Some(error) = get_some(members, "error") {
            let words = error.to_text();
            notes.add("error_beside_choices", "choices[0].error", &words);
            self.error.get_or_insert_with(|| bounded(words, 500));
        }
        let ended = streamed && self.finish_reason.is_some() && get_some(members, "finish_reason").is_none();
        if streamed
            && let Some(delta) = json.field("delta").and_then(|delta| delta.field("content")).and_then(Json::as_str)
        {
            self.watch.take(delta);
        }
        let brought = self.message(members, streamed, notes);
        if ended && (brought.text || brought.reasoning || brought.tool) {
            notes.add("delta_after_finish", "choices[0]", "more of the answer behind its finish_reason");
        }
        self.time(brought, at_us);
    }

    /// Choice 0 came after another one: what was read so far is the other's.
    fn swap(&mut self, primary: i64) {
        let text = std::mem::take(&mut self.parts).text.unwrap_or_default();
        self.others.insert(primary, text);
        self.primary = Some(0);
        self.finish_reason = None;
        self.timing = Timing::default();
    }

    /// Another choice than the one that counts: its text only, and of so many choices.
    fn other(&mut self, choice: &Json<'_>, index: i64) {
        let known = self.others.len();
        if known >= 128 && !self.others.contains_key(&index) {
            return;
        }
        let text = self.others.entry(index).or_default();
        let message = choice.field("message").or_else(|| choice.field("delta")).unwrap_or(choice);
        if let Some(content) = message.field("content").or_else(|| message.field("text")).and_then(Json::as_str) {
            text.push_str(content);
        }
    }

    fn finish(&mut self, choice: &Members<'_>, notes: &mut Notes) {
        let Some(json) = get_some(choice, "finish_reason") else { return };
        if json.as_str().is_none() {
            notes.add("finish_reason_not_text", "choices[0].finish_reason", json.to_text());
        }
        let reason = json.to_text();
        match &self.finish_reason {
            // Some servers send an empty string until the end.
            _ if reason.is_empty() => {}
            Some(known) if *known != reason => {
                notes.add("finish_reason_changed", "choices[0].finish_reason", format_args!("{known}, then {reason}"));
                self.finish_reason = Some(reason);
            }
            Some(_) => {}
            None => self.finish_reason = Some(reason),
        }
    }

    fn message(&mut self, choice: &Members<'_>, streamed: bool, notes: &mut Notes) -> Brought {
        let (message, delta) = (get_some(choice, "message"), get_some(choice, "delta"));
        if let Some(text) = get_some(choice, "text")
            && message.is_none()
            && delta.is_none()
        {
            notes.add("text_completion", "choices[0].text", "a legacy completion");
            let text = text.to_text();
            self.parts.push_text(&text);
            return Brought { text: !text.is_empty(), ..Brought::default() };
        }
        let (expected, path, other, other_path, kind) = if streamed {
            (delta, "choices[0].delta", message, "choices[0].message", "message_in_chunk")
        } else {
            (message, "choices[0].message", delta, "choices[0].delta", "delta_in_plain")
        };
        match (expected, other) {
            (Some(Json::Map(members)), _) => self.parts.read(members, path, streamed, notes),
            (_, Some(Json::Map(members))) => {
                notes.add(kind, other_path, "read all the same");
                if streamed && !self.parts.is_empty() {
                    // The whole message once more, at the end of its deltas.
                    return Brought::default();
                }
                self.parts.read(members, other_path, streamed, notes)
            }
            (None, None) if streamed && self.finish_reason.is_some() => Brought::default(),
            (json, _) => {
                let found = json.map_or("nothing", Json::type_name);
                notes.add("choice_without_message", path, format_args!("{found} where an object is wanted"));
                Brought::default()
            }
        }
    }

    fn time(&mut self, brought: Brought, at_us: Option<u64>) {
        let Some(at) = at_us else { return };
        let timing = &mut self.timing;
        for (came, first) in [
            (brought.reasoning, &mut timing.first_reasoning_us),
            (brought.text, &mut timing.first_text_us),
            (brought.tool, &mut timing.first_tool_us),
        ] {
            if came {
                first.get_or_insert(at);
                timing.last_token_us = Some(at);
            }
        }
    }

    /// What was read, without its deviations.
    pub(super) fn completion(self, notes: &mut Notes) -> Completion {
        if let Some(index) = self.primary.filter(|index| *index != 0)
            && self.others.is_empty()
        {
            notes.add("choice_index", "choices[0].index", index);
        }
        if let Some(kind) = self.watch.verdict() {
            notes.add(kind, "choices[0].delta.content", "the first deltas");
        }
        Completion {
            mode: None,
            text: self.parts.text,
            reasoning: self.parts.reasoning,
            reasoning_field: self.parts.reasoning_field,
            refusal: self.parts.refusal,
            tool_calls: self.parts.calls.calls,
            finish_reason: self.finish_reason,
            usage: self.usage,
            id: self.id,
            model: self.model,
            system_fingerprint: self.system_fingerprint,
            choices: usize::from(self.choice) + self.others.len(),
            other_choices: self.others.into_values().collect(),
            message_keys: self.parts.keys,
            stream_error: self.error,
            deviations: Vec::new(),
            timing: self.timing,
        }
    }
}
