//! The normalised answer: [`Completion`] or [`Fault`].

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Mode;

/// What an exchange amounts to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "the large variant is the common one; boxing it would cost every attempt"
)]
pub enum Answer {
    /// A completion arrived. It may be truncated or deviate from the contract, but it can be read.
    Completion(Completion),
    /// No completion arrived: nothing to score.
    Fault(Fault),
}

impl Answer {
    /// The completion, where there is one.
    #[must_use]
    pub fn completion(&self) -> Option<&Completion> {
        match self {
            Self::Completion(completion) => Some(completion),
            Self::Fault(_) => None,
        }
    }
}

/// An exchange normalised. Open-ended fields (`finish_reason`, `kind`) stay strings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Completion {
    /// Plain or streamed; `None` in a completion built by hand.
    pub mode: Option<Mode>,
    /// `choices[0].message.content`, joined. `None` when null or missing, `Some("")` when empty.
    pub text: Option<String>,
    /// The reasoning, joined. `None` when null or missing.
    pub reasoning: Option<String>,
    /// The name of the field the reasoning came in: `reasoning`, `reasoning_content`, …
    pub reasoning_field: Option<String>,
    /// The model's refusal in its own field.
    pub refusal: Option<String>,
    /// The tool calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// `choices[0].finish_reason`.
    pub finish_reason: Option<String>,
    /// Token counts as the server states them.
    pub usage: Option<Usage>,
    /// The answer's id.
    pub id: Option<String>,
    /// The model name the server answers with.
    pub model: Option<String>,
    /// `system_fingerprint`.
    pub system_fingerprint: Option<String>,
    /// How many choices the answer holds.
    pub choices: usize,
    /// The texts of `choices[1..]`.
    pub other_choices: Vec<String>,
    /// The keys of the message object (all deltas' keys, when streamed), sorted: tells `reasoning: null` from absence.
    pub message_keys: Vec<String>,
    /// An error object that arrived inside an otherwise readable stream.
    pub stream_error: Option<String>,
    /// Where the wire departs from the OpenAI contract.
    pub deviations: Vec<Deviation>,
    /// When what arrived.
    pub timing: Timing,
}

impl Completion {
    /// The text, or the empty string.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// The reasoning, or the empty string.
    #[must_use]
    pub fn reasoning(&self) -> &str {
        self.reasoning.as_deref().unwrap_or_default()
    }

    /// No text, no call, no refusal: nothing an application could use (reasoning alone is no answer).
    #[must_use]
    pub fn is_empty_answer(&self) -> bool {
        self.text().chars().all(char::is_whitespace)
            && self.tool_calls.is_empty()
            && self.refusal.as_deref().unwrap_or_default().is_empty()
    }

    /// The text is the beginning of another one's, and stops within a word of it: no model ends an answer so.
    #[must_use]
    pub fn is_cut_short_of(&self, whole: &Self) -> bool {
        let (text, other) = (self.text().trim_end(), whole.text());
        let within = |rest: &str| {
            rest.starts_with(char::is_alphanumeric)
                && text.ends_with(char::is_alphanumeric)
                && text.len() == self.text().len()
        };
        !text.is_empty()
            && !self.is_truncated()
            && !whole.is_truncated()
            && other.strip_prefix(text).is_some_and(within)
    }

    /// A deviation of this kind was booked.
    #[must_use]
    pub fn deviates(&self, kind: &str) -> bool {
        self.deviations.iter().any(|deviation| deviation.kind == kind)
    }

    /// All tokens generated, as the server states them.
    #[must_use]
    pub fn billed(&self) -> Option<u64> {
        self.usage.and_then(|usage| usage.completion_tokens)
    }

    /// As many tokens were generated as the request allows (`None`: it sets no budget).
    #[must_use]
    pub fn has_spent(&self, budget: Option<u64>) -> bool {
        budget.is_some_and(|budget| self.billed().is_some_and(|tokens| tokens >= budget))
    }

    /// The server says that it cut the answer at its token budget.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        matches!(self.finish_reason.as_deref(), Some("length" | "max_tokens" | "MAX_TOKENS"))
    }
}

/// One tool call as delivered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolCall {
    /// The id; `None` when null or missing.
    pub id: Option<String>,
    /// `type`; `None` when null or missing.
    pub kind: Option<String>,
    /// `index` where one was sent.
    pub index: Option<i64>,
    /// `function.name`; empty when null or missing (a deviation says so).
    pub name: String,
    /// `function.arguments`.
    pub arguments: Arguments,
}

impl ToolCall {
    /// Neither a name nor arguments: an empty entry of the list.
    #[must_use]
    pub fn is_hollow(&self) -> bool {
        self.name.is_empty() && self.arguments.as_text().trim().is_empty()
    }

    /// Which entries of a list are empty: beside a call with a name, an empty object without one is no call either
    /// (vllm#33690). Alone it is what a wrong parser makes of a call without arguments.
    pub fn hollow_among(calls: &[Self]) -> impl Iterator<Item = bool> {
        let named = calls.iter().any(|call| !call.name.is_empty());
        let nameless = |call: &Self| call.name.is_empty() && call.arguments.as_text().trim() == "{}";
        calls.iter().map(move |call| call.is_hollow() || named && nameless(call))
    }
}

/// `name(arguments)`, as it arrived.
impl std::fmt::Display for ToolCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({})", self.name, self.arguments.as_text())
    }
}

/// A call's arguments in the shape they arrived.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// Null or missing.
    #[default]
    Missing,
    /// A JSON string, as the contract wants. May hold anything.
    Text(String),
    /// An object (or another non-string value) where a string is wanted.
    Json(Value),
}

impl Arguments {
    /// The value the arguments stand for: the text parsed (an empty or blank text is `{}`), or the JSON itself.
    ///
    /// # Errors
    /// The parser's message, where the text is not JSON.
    pub fn value(&self) -> Result<Value, String> {
        match self {
            Self::Missing => Ok(Value::Object(serde_json::Map::new())),
            Self::Text(text) if text.trim().is_empty() => Ok(Value::Object(serde_json::Map::new())),
            Self::Text(text) => serde_json::from_str(text).map_err(|error| error.to_string()),
            Self::Json(value) => Ok(value.clone()),
        }
    }

    /// The arguments as text, for excerpts.
    #[must_use]
    pub fn as_text(&self) -> String {
        match self {
            Self::Missing => String::new(),
            Self::Text(text) => text.clone(),
            Self::Json(value) => value.to_string(),
        }
    }
}

/// Token counts. `None` where the server states none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Tokens generated, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
    /// `completion_tokens_details.reasoning_tokens` (or `usage.reasoning_tokens`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// `prompt_tokens_details.cached_tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
}

/// When what arrived, microseconds since the request was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timing {
    /// The first reasoning token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_reasoning_us: Option<u64>,
    /// The first text token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_text_us: Option<u64>,
    /// The first tool-call token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_tool_us: Option<u64>,
    /// The last token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_token_us: Option<u64>,
    /// The whole answer.
    pub latency_us: u64,
}

impl Timing {
    /// The first token of any kind; `None` when not streamed.
    #[must_use]
    pub fn ttft_us(&self) -> Option<u64> {
        [self.first_reasoning_us, self.first_text_us, self.first_tool_us].into_iter().flatten().min()
    }
}

/// A departure of the wire from the OpenAI contract. Never an error by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deviation {
    /// What departs, `snake_case`: `arguments_object`, `content_parts`, `tool_call_without_id`, `no_done`, …
    pub kind: String,
    /// Where: a JSON path into the body, or `event 12`.
    pub place: String,
    /// What was found, bounded and in plain words.
    pub detail: String,
}

/// No completion: why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// The HTTP status, where one arrived.
    pub status: Option<u16>,
    /// The server's or the transport's own words, bounded.
    pub message: String,
    /// `error.type`.
    pub error_type: Option<String>,
    /// `error.code`, a string whatever it was.
    pub code: Option<String>,
    /// `error.param`.
    pub param: Option<String>,
    /// Where the wire departs from the contract all the same.
    pub deviations: Vec<Deviation>,
}

/// Why there is no completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultKind {
    /// No connection (refused, DNS, TLS).
    Unreachable,
    /// No answer in time.
    Timeout,
    /// The connection broke before the answer was whole.
    Cut,
    /// A status of 400 or above.
    Status,
    /// An error object with a good status, or in a stream before anything else.
    ErrorBody,
    /// A good status and a body that is not JSON (HTML, text, truncated JSON).
    NotJson,
    /// A good status and no body, or no event.
    EmptyBody,
    /// JSON that holds no choice to read.
    NoChoice,
    /// Larger than the bound.
    TooLarge,
}
