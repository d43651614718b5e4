//! Everything the rules look at, computed once for an attempt: [`Facts`].
//!
//! What the catalogue knows of models and parsers is asked for here, so that causes and rules read as plain sentences.

mod asked;
mod engine;
mod launch;
mod lore;
mod markup;
mod model;
mod side;
mod thinking;
mod unread;

pub use engine::Server;
pub use launch::{Known, Launch};
pub use markup::{CallState, Seen};
pub use model::Model;
pub use side::Side;

use unread::unread;

use std::cell::OnceCell;

use serde_json::Value;

use super::AttemptView;
use crate::completion::{Answer, Exchange, Fault};
use crate::request::ToolChoice;
use crate::scorer::Verdict;

/// What is known of one attempt.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// The attempt.
    pub view: AttemptView<'a>,
    /// The launch line.
    pub launch: Launch,
    /// The completions.
    pub sides: Vec<Side<'a>>,
    /// The exchanges without one.
    pub faults: Vec<(&'a Exchange, &'a Fault)>,
    // Most answers are fine, and then nobody asks for these.
    server: OnceCell<Server>,
    model: OnceCell<Model>,
}

impl<'a> Facts<'a> {
    /// Reads an attempt.
    #[must_use]
    pub fn read(view: &AttemptView<'a>) -> Self {
        let mut sides = Vec::new();
        let mut faults = Vec::new();
        for (at, (exchange, answer)) in view.exchanges.iter().zip(view.answers).enumerate() {
            match answer {
                // A text completion is raw by design.
                Answer::Completion(found) if found.deviates("text_completion") => {}
                Answer::Completion(completion) => sides.push(Side {
                    mode: exchange.mode,
                    exchange,
                    completion,
                    reread: view.rereads.get(at).and_then(Option::as_ref),
                    request: view.request,
                    unread: unread(completion, view.rereads.get(at).and_then(Option::as_ref), view),
                }),
                Answer::Fault(fault) => faults.push((exchange, fault)),
            }
        }
        Self {
            view: *view,
            launch: Launch::read(view.context),
            sides,
            faults,
            server: OnceCell::new(),
            model: OnceCell::new(),
        }
    }

    /// The engine and what stands before it.
    #[must_use]
    pub fn server(&self) -> &Server {
        self.server.get_or_init(|| {
            let completions: Vec<_> = self.sides.iter().map(|side| side.completion).collect();
            Server::read(self.view.context, self.view.exchanges, &completions)
        })
    }

    /// The model, and what the catalogue says of it.
    #[must_use]
    pub fn model(&self) -> &Model {
        self.model.get_or_init(|| {
            let stated = [self.launch.model.as_deref(), self.view.context.model.as_deref()];
            Model::read(&[stated[0], stated[1], Some(&self.view.request.model)])
        })
    }

    /// A call is forced.
    #[must_use]
    pub fn forced(&self) -> bool {
        matches!(self.view.request.tool_choice, Some(ToolChoice::Required | ToolChoice::Named(_)))
    }

    /// Calls may be made.
    #[must_use]
    pub fn may_call(&self) -> bool {
        !self.view.request.tools.is_empty() && self.view.request.tool_choice != Some(ToolChoice::None)
    }

    /// The messages hold tool calls or their results.
    #[must_use]
    pub fn history_calls(&self) -> bool {
        self.view.request.replays_calls()
    }

    /// The ids of the calls in the history.
    pub fn history_ids(&self) -> impl Iterator<Item = &'a str> {
        self.view.request.replayed_calls().filter_map(|call| call.get("id").and_then(Value::as_str))
    }

    /// The text of the tool's result that the messages end with.
    #[must_use]
    pub fn last_result(&self) -> Option<String> {
        match self.view.request.messages().last()?.get("content")? {
            Value::String(text) => Some(text.clone()),
            Value::Array(parts) => {
                let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
                Some(texts.collect::<Vec<_>>().join(" "))
            }
            _ => None,
        }
    }

    /// The request names stop sequences.
    #[must_use]
    pub fn has_stop(&self) -> bool {
        match self.view.request.field("stop") {
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Array(texts)) => !texts.is_empty(),
            _ => false,
        }
    }

    /// JSON was asked for through the API.
    #[must_use]
    pub fn wants_json(&self) -> bool {
        self.view.request.response_format.as_ref().is_some_and(|format| {
            matches!(format.get("type").and_then(Value::as_str), Some("json_schema" | "json_object"))
        })
    }

    /// The modes show different things of the same call: not merely another sample.
    #[must_use]
    pub fn modes_differ(&self) -> bool {
        let [first, second] = self.sides.as_slice() else { return false };
        if first.call_state() != second.call_state() {
            return true;
        }
        let texts = first.completion.text().split_whitespace().ne(second.completion.text().split_whitespace());
        texts && (self.is_greedy() || first.meant_calls() == second.meant_calls())
    }

    /// The same request gives the same answer.
    #[must_use]
    pub fn is_greedy(&self) -> bool {
        self.view.request.field("temperature").and_then(Value::as_f64) == Some(0.0)
    }

    /// The request says that two answers may differ.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        self.view.request.field("temperature").and_then(Value::as_f64).is_some_and(|degree| degree > 0.0)
    }

    /// The task wanted a call, and none was delivered as wanted.
    #[must_use]
    pub fn call_was_missed(&self) -> bool {
        self.view
            .scored
            .iter()
            .any(|scored| scored.scorer.starts_with("tool_call") && matches!(scored.delivered, Verdict::Fail(_)))
    }

    /// An expectation fails on what was delivered.
    #[must_use]
    pub fn something_failed(&self) -> bool {
        self.view.scored.iter().any(|scored| matches!(scored.delivered, Verdict::Fail(_)))
    }

    /// The gateway is named together with the engine behind it, and passes text through.
    #[must_use]
    pub fn behind_gateway_is_known(&self) -> bool {
        ["vllm", "sglang", "llama_cpp", "tensorrt_llm"].iter().any(|engine| self.server().is(engine))
    }
}

/// Where an error stands that came instead of an answer: `status`, or what is odd about its place.
#[must_use]
pub(super) fn place_of(exchange: &Exchange, fault: &Fault) -> &'static str {
    match (exchange.status.is_some_and(|status| status < 300), exchange.mode) {
        (true, crate::completion::Mode::Plain) if !fault.message.is_empty() => "error object with HTTP 200",
        (true, crate::completion::Mode::Stream) if !fault.message.is_empty() => {
            let bytes = exchange.body.bytes();
            let framed = bytes.starts_with(b"data:") || bytes.windows(6).any(|window| window == b"\ndata:");
            if framed { "error inside the stream" } else { "unframed error in stream" }
        }
        _ => "status",
    }
}
