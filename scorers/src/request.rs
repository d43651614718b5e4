//! What was asked: the request body in typed form, read once per task.

use serde_json::{Map, Value};

use crate::fnv::Fnv;

/// The chat-completions request, as far as judging needs it. Built from the body as sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// `model`.
    pub model: String,
    /// The declared functions, in order.
    pub tools: Vec<Tool>,
    /// `tool_choice`, as sent; `None` when absent.
    pub tool_choice: Option<ToolChoice>,
    /// `max_tokens` or `max_completion_tokens`.
    pub max_tokens: Option<u64>,
    /// `response_format`, verbatim.
    pub response_format: Option<Value>,
    /// What the request says of thinking: `chat_template_kwargs.enable_thinking` / `.thinking`, `None` when nothing.
    pub thinking: Option<bool>,
    body: Value,
    /// Which keys the body may have, by [`bit`].
    keys: u64,
    /// The messages hold calls or their results.
    replays_calls: bool,
    /// A digest of `messages`.
    conversation: u64,
}

/// A declared function.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// `function.name`.
    pub name: String,
    /// `function.parameters`: a JSON schema, `Null` when absent.
    pub parameters: Value,
}

/// `tool_choice`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    Auto,
    /// No call wanted.
    None,
    /// At least one call.
    Required,
    /// This function.
    Named(String),
    /// Anything else, as text.
    Other(String),
}

impl Request {
    /// Reads a request body. Lenient: what is missing or of another shape is left at its default.
    #[must_use]
    pub fn read(body: &Value) -> Self {
        Self::from(body.clone())
    }

    /// The whole body, verbatim.
    #[must_use]
    pub fn body(&self) -> &Value {
        &self.body
    }

    /// A member of the body. Most requests have few, and the rules ask for many: a missing one costs nothing.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&Value> {
        if self.keys & bit(key) == 0 { None } else { self.body.get(key) }
    }

    /// The messages hold tool calls or their results.
    #[must_use]
    pub fn replays_calls(&self) -> bool {
        self.replays_calls
    }

    /// The calls that the messages hold, verbatim, in order.
    pub(crate) fn replayed_calls(&self) -> impl Iterator<Item = &Value> {
        self.messages().iter().filter_map(|message| message.get("tool_calls").and_then(Value::as_array)).flatten()
    }

    /// The last message is a tool's result: the model may have nothing to add.
    #[must_use]
    pub fn ends_with_result(&self) -> bool {
        let last = || self.messages().last().and_then(|message| message.get("role"));
        self.replays_calls && last().and_then(Value::as_str) == Some("tool")
    }

    /// `messages`, verbatim.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        self.body.get("messages").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// A digest of [`Request::messages`], to tell whether two requests say the same.
    pub(crate) fn conversation(&self) -> u64 {
        self.conversation
    }

    /// The declared function called `name`.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// The text of all messages of a role, for comparing an answer with what was said.
    #[must_use]
    pub fn text_of(&self, role: &str) -> String {
        let mut out = String::new();
        for message in self.messages() {
            if message.get("role").and_then(Value::as_str) == Some(role) {
                match message.get("content") {
                    Some(Value::String(text)) => out.push_str(text),
                    Some(Value::Array(parts)) => parts
                        .iter()
                        .filter_map(|part| part.get("text").and_then(Value::as_str))
                        .for_each(|text| out.push_str(text)),
                    _ => {}
                }
                out.push('\n');
            }
        }
        out
    }
}

impl From<Value> for Request {
    /// As [`Request::read`], without a copy of the body.
    fn from(body: Value) -> Self {
        let kwargs = body.get("chat_template_kwargs");
        let thinking = ["enable_thinking", "thinking"]
            .iter()
            .find_map(|key| kwargs.and_then(|kwargs| kwargs.get(key)).and_then(Value::as_bool));
        let messages = body.get("messages");
        let mut conversation = Fnv::default();
        // Writing into a digest cannot fail.
        let _ = messages.map(|messages| serde_json::to_writer(&mut conversation, messages));
        let mut said = messages.and_then(Value::as_array).into_iter().flatten();
        Self {
            keys: body.as_object().into_iter().flatten().fold(0, |keys, (key, _)| keys | bit(key)),
            replays_calls: said.any(is_of_a_call),
            conversation: conversation.0,
            model: body.get("model").and_then(Value::as_str).unwrap_or_default().to_owned(),
            tools: body
                .get("tools")
                .and_then(Value::as_array)
                .map(|tools| tools.iter().filter_map(Tool::read).collect())
                .unwrap_or_default(),
            tool_choice: body.get("tool_choice").filter(|choice| !choice.is_null()).map(ToolChoice::read),
            max_tokens: ["max_completion_tokens", "max_tokens"]
                .iter()
                .find_map(|key| body.get(key).and_then(Value::as_u64)),
            response_format: body.get("response_format").filter(|format| !format.is_null()).cloned(),
            thinking,
            body,
        }
    }
}

/// One of 64 bits for a key: two keys may share one.
fn bit(key: &str) -> u64 {
    let bytes = key.as_bytes();
    let end = |byte: Option<&u8>| byte.map_or(0, |byte| usize::from(*byte));
    1 << ((31 * end(bytes.first()) + 7 * end(bytes.last()) + bytes.len()) % 64)
}

/// A message that makes calls, or brings the result of one.
fn is_of_a_call(message: &Value) -> bool {
    message.get("role").and_then(Value::as_str) == Some("tool")
        || message.get("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty())
}

impl Tool {
    /// The declared parameters by name; `None` where the schema lists none.
    pub(crate) fn properties(&self) -> Option<&Map<String, Value>> {
        self.parameters.get("properties")?.as_object()
    }

    /// What is declared for a parameter.
    pub(crate) fn property(&self, key: &str) -> Option<&Value> {
        self.properties()?.get(key)
    }

    fn read(tool: &Value) -> Option<Self> {
        let function = tool.get("function").unwrap_or(tool);
        Some(Self {
            name: function.get("name")?.as_str()?.to_owned(),
            parameters: function.get("parameters").cloned().unwrap_or_default(),
        })
    }
}

impl ToolChoice {
    fn read(choice: &Value) -> Self {
        match choice {
            Value::String(word) => match word.as_str() {
                "auto" => Self::Auto,
                "none" => Self::None,
                "required" | "any" => Self::Required,
                other => Self::Other(other.to_owned()),
            },
            Value::Object(_) => choice
                .pointer("/function/name")
                .or_else(|| choice.get("name"))
                .and_then(Value::as_str)
                .map_or_else(|| Self::Other(choice.to_string()), |name| Self::Named(name.to_owned())),
            other => Self::Other(other.to_string()),
        }
    }
}
