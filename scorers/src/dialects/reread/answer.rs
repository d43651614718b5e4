//! The order of a re-reading: delivered calls, then the content, then (only when the content is blank) the reasoning.

use std::collections::HashSet;

use super::super::{Call, Hints, Recognition, Reread, Split, read_calls, split_reasoning, turn_end, turn_head};
use super::{beheaded, calls, misfiled, residue};
use crate::completion::{Arguments, Completion, Deviation, ToolCall};
use crate::request::{Request, ToolChoice};

/// Blocks of thought that are taken out of one text before giving up.
const MOST_BLOCKS: usize = 8;

/// Booked with the completion: what is in its reasoning is known to be a thought.
const UNCLOSED: &str = "reasoning_unclosed";

/// Re-reads a completion the way the model meant it. `None` when nothing in it calls for another reading.
///
/// Guards against false alarms: markup that quotes, that names no declared tool, or that stands in a code sample is
/// left alone.
#[must_use]
pub fn reread(completion: &Completion, request: &Request, hints: &Hints<'_>) -> Option<Reread> {
    if is_plain(completion, request, hints.model) {
        return None;
    }
    let hints = Hints { request: Some(request), ..*hints };
    let mut work = Work { request, hints, out: completion.clone(), tool: None, split: None, repairs: Vec::new() };
    if let Some(found) = calls::mend(&mut work.out, request, &hints, &mut work.repairs) {
        work.tool = Some((found, "tool_calls"));
    }
    work.read_text();
    work.read_reasoning();
    work.settle_finish_reason();
    (!work.repairs.is_empty()).then_some(Reread {
        completion: work.out,
        tool: work.tool,
        reasoning: work.split,
        repairs: work.repairs,
    })
}

/// A text without markup, and no calls to look for: the common case, told without a copy.
fn is_plain(completion: &Completion, request: &Request, model: Option<&str>) -> bool {
    let text = completion.text();
    completion.tool_calls.is_empty()
        && request.tools.is_empty()
        && !text.trim().is_empty()
        && split_reasoning(text).is_none()
        && turn_end(text, completion.is_truncated(), request).is_none()
        && turn_head(text, request).is_none()
        && residue::before_frame_end(text).is_none()
        && residue::split_tag(completion.reasoning(), text).is_none()
        && residue::odd_frame(text, model).is_none()
}

struct Work<'a> {
    request: &'a Request,
    hints: Hints<'a>,
    out: Completion,
    tool: Option<(Recognition, &'static str)>,
    split: Option<Split>,
    repairs: Vec<Deviation>,
}

impl Work<'_> {
    fn read_text(&mut self) {
        let text = self.out.text().to_owned();
        let mut answer = text.clone();
        self.join_tag(&mut answer);
        for _ in 0..MOST_BLOCKS {
            let odd = || residue::odd_frame(&answer, self.hints.model);
            let Some(split) = split_reasoning(&answer).or_else(odd) else { break };
            self.book("reasoning_in_content", "content", format!("{} markup stands in the content", split.family));
            self.add_reasoning(&split.reasoning);
            if split.unclosed && split.answer.is_empty() {
                self.out.deviations.push(Deviation {
                    kind: UNCLOSED.to_owned(),
                    place: "content".to_owned(),
                    detail: "the thought was never closed".to_owned(),
                });
            }
            answer.clone_from(&split.answer);
            self.split.get_or_insert(split);
        }
        let read = self.read_calls(&answer, "content");
        if let Some(rest) = read {
            answer = rest;
        } else if answer.trim().is_empty() && self.out.tool_calls.is_empty() {
            // The call was written before the thought was closed.
            let thought = self.split.as_ref().map(|split| split.reasoning.clone()).unwrap_or_default();
            if let Some(rest) = self.read_calls(&thought, "content") {
                self.out.reasoning = Some(rest);
            }
        }
        if !self.out.tool_calls.is_empty()
            && let Some(before) = residue::before_markers(&answer).map(str::to_owned)
        {
            self.book("markup_residue", "content", "markers of the call are left in the content".to_owned());
            answer = before;
        }
        self.trim(&mut answer);
        if answer != text {
            self.out.text = Some(answer).filter(|answer| !answer.is_empty());
        }
    }

    /// A closing tag whose halves stand in two fields is taken out of both.
    fn join_tag(&mut self, answer: &mut String) {
        if let Some((ends, begins)) = residue::split_tag(self.out.reasoning(), answer) {
            self.book("tag_split", "content", "a closing tag is cut in two between reasoning and content".to_owned());
            let reasoning = self.out.reasoning();
            self.out.reasoning = Some(reasoning[..reasoning.len() - ends].to_owned());
            answer.drain(..begins);
        }
    }

    /// What stands behind the end of the turn, and the end of the answer's frame, is no answer.
    fn trim(&mut self, answer: &mut String) {
        if let Some((end, marker)) = turn_head(answer, self.request) {
            self.book("turn_marker", "content", format!("{marker} stands before the answer"));
            answer.drain(..end);
        }
        if let Some((at, marker)) = turn_end(answer, self.out.is_truncated(), self.request)
            && self.tool.is_none()
        {
            self.book("turn_marker", "content", format!("the turn ended at {marker}"));
            answer.truncate(at);
        }
        if let Some(end) = residue::before_frame_end(answer).map(str::len)
            && !self.out.reasoning().trim().is_empty()
        {
            self.book("answer_frame", "content", "the closing tag of the answer's frame is left".to_owned());
            answer.truncate(end);
        }
    }

    fn read_reasoning(&mut self) {
        let thought = self.out.deviates(UNCLOSED);
        if !self.out.is_empty_answer() || self.out.reasoning().trim().is_empty() || self.split.is_some() || thought {
            return;
        }
        let reasoning = self.out.reasoning().to_owned();
        if let Some(split) = split_reasoning(&reasoning).filter(|split| !split.answer.is_empty()) {
            let answer = self.read_calls(&split.answer, "reasoning").unwrap_or_else(|| split.answer.clone());
            self.book("answer_in_reasoning", "reasoning", format!("{} markup stands in the reasoning", split.family));
            self.out.reasoning = Some(split.reasoning.clone());
            self.out.text = Some(answer).filter(|answer| !answer.is_empty());
            self.split = Some(split);
        } else if let Some(rest) = self.read_calls(&reasoning, "reasoning") {
            self.out.reasoning = Some(rest).filter(|rest| !rest.is_empty());
        } else if misfiled::is_answer(&self.out, self.request) {
            self.book("answer_in_reasoning", "reasoning", "the whole answer stands in the reasoning field".to_owned());
            self.out.text = self.out.reasoning.take().map(|text| text.trim().to_owned());
        }
    }

    /// Takes the calls out of a text. `None` when there are none; else what is left of the text.
    fn read_calls(&mut self, text: &str, place: &'static str) -> Option<String> {
        if self.request.tools.is_empty() || self.request.tool_choice == Some(ToolChoice::None) {
            return None;
        }
        let reopened =
            self.out.tool_calls.is_empty().then(|| beheaded::reopen(text, self.request, &self.hints)).flatten();
        let (found, parsed) = reopened.or_else(|| read_calls(text, &self.hints))?;
        let mut booked = format!("{} markup stands in the {place}", found.family);
        if let Some(damage) = &found.damage {
            booked = format!("{booked}; {damage}");
        }
        self.book("tool_call_in_text", place, booked);
        self.repairs.extend(parsed.repairs.into_iter().map(|repair| Deviation { place: place.to_owned(), ..repair }));
        let known = |call: &ToolCall| Some((call.name.clone(), call.arguments.value().ok()?.to_string()));
        let delivered: HashSet<_> = self.out.tool_calls.iter().filter_map(known).collect();
        for call in parsed.calls {
            self.add_call(call, &delivered);
        }
        self.tool.get_or_insert((found, place));
        Some(parsed.text)
    }

    fn add_call(&mut self, call: Call, delivered: &HashSet<(String, String)>) {
        let key = (call.name, serde_json::Value::Object(call.arguments).to_string());
        if delivered.contains(&key) {
            return;
        }
        let (name, arguments) = key;
        let index = self.out.tool_calls.len();
        self.out.tool_calls.push(ToolCall {
            id: Some(call.id.unwrap_or_else(|| format!("recovered_{index}"))),
            kind: Some("function".to_owned()),
            index: i64::try_from(index).ok(),
            name,
            arguments: Arguments::Text(arguments),
        });
    }

    fn add_reasoning(&mut self, reasoning: &str) {
        let old = self.out.reasoning().trim().to_owned();
        let joint = if old.is_empty() || reasoning.is_empty() { "" } else { "\n" };
        self.out.reasoning = Some(format!("{old}{joint}{reasoning}"));
        self.out.reasoning_field.get_or_insert_with(|| "reasoning".to_owned());
    }

    fn settle_finish_reason(&mut self) {
        let reason = self.out.finish_reason.as_deref().unwrap_or_default();
        // The model writes calls, and the server the reason for their end; beside a named tool `stop` is right.
        let named = matches!(self.request.tool_choice, Some(ToolChoice::Named(_)));
        let calls = !self.out.tool_calls.is_empty() && (self.tool.is_some() || reason == "stop" && !named);
        if calls && reason != "tool_calls" && !self.out.is_truncated() {
            let was = if reason.is_empty() { "nothing" } else { reason }.to_owned();
            self.book("finish_reason", "finish_reason", format!("{was} was sent although a tool was called"));
            self.out.finish_reason = Some("tool_calls".to_owned());
        }
    }

    fn book(&mut self, kind: &str, place: &str, detail: String) {
        self.repairs.push(Deviation { kind: kind.to_owned(), place: place.to_owned(), detail });
    }
}
