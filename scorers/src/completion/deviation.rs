//! The kinds of departure, [`DEVIATION_KINDS`], and their collector, [`Notes`].
//!
//! The one place that says which kinds exist. Booking is bounded: a kind is written out a few times, then counted.

use std::fmt::{Display, Write as _};

use super::Deviation;

/// A kind of departure from the OpenAI contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviationKind {
    /// The name, as in [`Deviation::kind`].
    pub name: &'static str,
    /// A stock client copes with it: it is kept for the record and is no sign of a fault.
    pub harmless: bool,
    /// One line on what it means.
    pub meaning: &'static str,
}

impl Deviation {
    /// A deviation with a bounded detail.
    #[must_use]
    pub fn new(kind: &str, place: impl Display, detail: impl Display) -> Self {
        Self { kind: kind.to_owned(), place: bounded(place, 200), detail: bounded(detail, DETAIL) }
    }

    /// A stock client copes with it. Kinds that are not listed count as harmful.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        DEVIATION_KINDS.iter().any(|kind| kind.harmless && kind.name == self.kind)
    }
}

const DETAIL: usize = 300;
/// How often a kind is written out; further ones are counted.
const WRITTEN: usize = 4;

/// Collects deviations while an answer is read.
#[derive(Debug, Default)]
pub(super) struct Notes {
    found: Vec<Deviation>,
    counts: Vec<(&'static str, usize)>,
    event: Option<usize>,
}

impl Notes {
    /// What follows is about this event of a stream (from 1).
    pub(super) fn at_event(&mut self, event: usize) {
        self.event = Some(event);
    }

    /// What follows is about the whole answer.
    pub(super) fn at_end(&mut self) {
        self.event = None;
    }

    /// Books a departure. Within a stream a kind is written out once, else a few times.
    pub(super) fn add(&mut self, kind: &'static str, path: impl Display, detail: impl Display) {
        let count = match self.counts.iter().position(|(known, _)| *known == kind) {
            Some(at) => &mut self.counts[at].1,
            None => {
                self.counts.push((kind, 0));
                let last = self.counts.len() - 1;
                &mut self.counts[last].1
            }
        };
        *count += 1;
        if *count > if self.event.is_some() { 1 } else { WRITTEN } {
            return;
        }
        let place = match self.event {
            Some(event) => format!("event {event} {path}").trim_end().to_owned(),
            None => path.to_string(),
        };
        self.found.push(Deviation::new(kind, place, detail));
    }

    /// How many were booked of all kinds.
    pub(super) fn total(&self) -> usize {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// How many were booked of a kind.
    pub(super) fn count(&self, kind: &str) -> usize {
        self.counts.iter().find(|(known, _)| *known == kind).map_or(0, |(_, count)| *count)
    }

    /// Everything booked; where a kind was counted only, its last entry says how many more there were.
    pub(super) fn finish(mut self) -> Vec<Deviation> {
        for (kind, count) in &self.counts {
            let written = self.found.iter().filter(|deviation| deviation.kind == *kind).count();
            if *count > written
                && let Some(last) = self.found.iter_mut().rev().find(|deviation| deviation.kind == *kind)
            {
                let _ = write!(last.detail, " (and {} more)", count - written);
            }
        }
        self.found
    }
}

/// The first `limit` characters of what is shown; an ellipsis says that there was more.
pub(super) fn bounded(shown: impl Display, limit: usize) -> String {
    let mut out = Bounded { text: String::new(), left: limit };
    if write!(out, "{shown}").is_err() {
        out.text.push('…');
    }
    out.text
}

struct Bounded {
    text: String,
    left: usize,
}

impl std::fmt::Write for Bounded {
    fn write_str(&mut self, piece: &str) -> std::fmt::Result {
        for char in piece.chars() {
            self.left = self.left.checked_sub(1).ok_or(std::fmt::Error)?;
            self.text.push(char);
        }
        Ok(())
    }
}

const fn harmful(name: &'static str, meaning: &'static str) -> DeviationKind {
    DeviationKind { name, harmless: false, meaning }
}

const fn harmless(name: &'static str, meaning: &'static str) -> DeviationKind {
    DeviationKind { name, harmless: true, meaning }
}

/// Every kind of departure that reading an answer books.
pub static DEVIATION_KINDS: &[DeviationKind] = &[
    // The text as such.
    harmless("bom", "a byte-order mark stands before the JSON"),
    harmful("invalid_utf8", "bytes that are no UTF-8"),
    harmful("non_finite_number", "NaN or Infinity, which JSON does not have"),
    harmful(
        "number_out_of_range",
        "a number beyond what a double or the field can hold, or more tokens than there can be",
    ),
    harmful("lone_surrogate", "half of a UTF-16 pair in a string"),
    harmful("control_character", "a raw control character in a string"),
    harmful("deep_nesting", "values nested too deeply to be read"),
    harmful("duplicate_key", "a key stands twice in an object; the last one counts"),
    harmful("status_unknown", "a status outside HTTP's 100 to 599"),
    harmful("html_body", "an HTML page in place of JSON: a proxy or another server answers"),
    harmful("truncated_json", "the JSON ends in the middle"),
    // The frame of a stream.
    harmless("sse_line_ending", "lines end in CR or CRLF"),
    harmless("sse_comment", "comment lines (keep-alive)"),
    harmless("sse_multiline_data", "an event with several data lines"),
    harmless("sse_no_space", "no space after `data:`"),
    harmless("sse_event_name", "an event with a name of its own"),
    harmless("sse_blank_data", "an event with empty data: clients see nothing of it"),
    harmful("sse_without_data", "lines of JSON without `data:`: a stock client sees nothing"),
    harmful("sse_error_line", "an error in a line of its own (`error: …`): a stock client sees nothing"),
    harmful("sse_single_newline", "events are not separated by a blank line"),
    harmful("sse_unknown_line", "a line that is no server-sent event"),
    harmful("chunk_not_json", "the data of an event is not JSON"),
    harmful("no_done", "the stream ends without `[DONE]`"),
    harmless("done_padded", "white space around `[DONE]`: some clients fail on it"),
    harmful("data_after_done", "events after `[DONE]`"),
    harmful("json_instead_of_stream", "one JSON body where a stream was asked"),
    harmful("stream_instead_of_json", "a stream where one JSON body was asked"),
    harmful("cut_after_end", "the connection broke after the answer was whole"),
    harmful("stream_error", "an error object inside a stream"),
    // The body's frame.
    harmful("choices_not_list", "`choices` is not an array"),
    harmful("choice_without_message", "a choice without message, delta or text"),
    harmful("choice_index", "the only choice does not have index 0"),
    harmful("delta_in_plain", "`delta` in place of `message` in a plain answer"),
    harmful("message_in_chunk", "`message` in place of `delta` in a stream"),
    harmful("text_completion", "`text` as in the legacy completions API"),
    harmful("error_beside_choices", "an error object beside readable choices"),
    harmless("chunk_without_choices", "a chunk without choices, usage or error"),
    harmful("id_changes", "the chunks of one stream carry different ids"),
    // The message.
    harmful("role_not_assistant", "the role is missing or another than `assistant`"),
    harmful("content_parts", "content is an array of parts where a string is wanted"),
    harmful("content_part_unknown", "a content part of a type that is not known"),
    harmful("content_not_text", "content is a number, a boolean or an object"),
    harmful("refusal_not_text", "`refusal` is not a string"),
    harmful("reasoning_not_text", "the reasoning is not a string"),
    harmless("reasoning_twice", "the reasoning came in two fields at once"),
    harmful("message_empty", "neither text, reasoning, refusal nor call"),
    // Calls.
    harmless("tool_calls_empty", "`tool_calls` is an empty array"),
    harmful("tool_calls_not_list", "`tool_calls` is not an array"),
    harmful("tool_call_not_object", "an entry of `tool_calls` is not an object"),
    harmful("tool_call_flat", "name and arguments stand on the call, without `function`"),
    harmful("tool_call_in_content", "a call came as a content part"),
    harmful("legacy_function_call", "`function_call` in place of `tool_calls`"),
    harmful("tool_call_without_id", "a call's id is null, empty or missing"),
    harmful("tool_call_id_not_text", "a call's id is not a string"),
    harmful("duplicate_tool_call_id", "two calls carry the same id"),
    harmful("tool_call_without_type", "a call's type is null or missing"),
    harmful("tool_call_type", "a call's type is another than `function`"),
    harmful("tool_call_without_name", "a call's name is null, empty or missing"),
    harmful("tool_call_name_not_text", "a call's name is not a string"),
    harmful("tool_index_not_integer", "a call's index is not an integer"),
    harmful("tool_delta_without_index", "a call's delta has no index"),
    harmful("tool_index_reused", "another call under an index already used: a stock client merges the two"),
    harmful("tool_id_changes", "the pieces of one call carry different ids: clients that merge by id tear it apart"),
    harmful("tool_name_repeated", "the name stands in more than one delta: clients that append double it"),
    harmful("tool_name_in_fragments", "the name came in fragments"),
    harmful("arguments_missing", "arguments are null or missing"),
    harmful("arguments_empty", "arguments are an empty string where JSON is wanted"),
    harmful("arguments_object", "arguments are an object where a JSON string is wanted"),
    harmful("arguments_not_text", "arguments are neither string nor object"),
    harmful("arguments_renamed", "the arguments stand under another key"),
    harmful("arguments_invalid_json", "the arguments' text is not JSON"),
    harmful("arguments_double_encoded", "the arguments' text is JSON that holds JSON text"),
    harmful("arguments_not_object", "the arguments' JSON is no object"),
    // The end.
    harmful("finish_reason_missing", "no finish reason came"),
    harmful("finish_reason_not_text", "the finish reason is not a string"),
    harmful("finish_reason_unknown", "a finish reason outside the contract"),
    harmful("deltas_in_pairs", "every delta of the text comes twice"),
    harmful("deltas_cumulative", "every delta holds the whole text so far"),
    harmful("delta_after_finish", "the answer goes on behind a chunk that says it is over"),
    harmful("finish_reason_changed", "two different finish reasons in one stream"),
    harmful("finish_reason_stop_with_calls", "`stop` although calls were delivered"),
    harmful("finish_reason_calls_without_calls", "`tool_calls` although no call was delivered"),
    harmless("usage_missing", "a plain answer without usage"),
    harmful("usage_partial", "usage without prompt or completion tokens"),
    harmful("usage_not_object", "usage is not an object"),
    harmful("usage_not_integer", "a token count is not an integer"),
    harmful("usage_negative", "a token count is below zero"),
    harmful("phantom_tokens", "tokens were generated, but every field of the answer is empty"),
    // Errors.
    harmful("error_flat", "an error object without the `error` key"),
    harmful("error_detail", "an error in `detail`"),
    harmful("error_text", "an error as text where an object is wanted"),
    harmless("error_code_number", "the error's code is a number: strict clients refuse it"),
    harmless("error_extra", "further fields of the error object"),
    harmless("error_wrapped", "a gateway wraps the engine's own error"),
    harmful("error_with_good_status", "an error object under a status of success"),
    // Clients.
    harmful("strict_client", "a stock OpenAI client refuses this answer, at this place"),
];
