//! What a plan needs of an endpoint: [`Needs`], read from its requests.

use monban_scorers::request::ToolChoice;
use serde_json::Value;

use super::Planned;

/// What a plan needs of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Tasks that offer tools.
    pub tools: usize,
    /// Of these, tasks that leave the choice to the model: the server needs a tool-call parser.
    pub auto_tools: usize,
    /// Of these, tasks that force a call (`required` or a named function): the server needs guided decoding.
    pub forced_tools: usize,
    /// Tasks that ask for thinking, or expect it to arrive in a field of its own: the server needs a reasoning parser.
    pub reasoning: usize,
    /// Tasks with a JSON schema or JSON mode.
    pub structured_output: usize,
    /// Tasks with images.
    pub images: usize,
    /// Tasks asked streamed.
    pub streamed: usize,
    /// The longest conversation, characters of text.
    pub longest_prompt_chars: usize,
    /// The largest token budget; 0 where no task states one.
    pub max_tokens: u64,
}

impl Needs {
    pub(super) fn add(&mut self, task: &Planned) {
        let request = &task.request;
        let forced = matches!(request.tool_choice, Some(ToolChoice::Required | ToolChoice::Named(_)));
        let tools = !request.tools.is_empty();
        let auto = tools && matches!(request.tool_choice, None | Some(ToolChoice::Auto));
        let structured = request.response_format.as_ref().and_then(|format| format.get("type")).and_then(Value::as_str);
        self.tools += usize::from(tools);
        self.auto_tools += usize::from(auto);
        self.forced_tools += usize::from(tools && forced);
        self.reasoning += usize::from(request.thinking == Some(true) || task.tags.iter().any(|tag| tag == "reasoning"));
        self.structured_output += usize::from(structured.is_some_and(|kind| kind != "text"));
        self.streamed += usize::from(task.stream != crate::suite::StreamMode::Off);
        let (chars, images) = conversation(request.messages());
        self.images += usize::from(images);
        self.longest_prompt_chars = self.longest_prompt_chars.max(chars);
        self.max_tokens = self.max_tokens.max(request.max_tokens.unwrap_or(0));
    }
}

/// Characters of text, and whether there is an image.
fn conversation(messages: &[Value]) -> (usize, bool) {
    let (mut chars, mut images) = (0, false);
    for content in messages.iter().filter_map(|message| message.get("content")) {
        match content {
            Value::String(text) => chars += text.chars().count(),
            Value::Array(parts) => {
                for part in parts {
                    chars += part.get("text").and_then(Value::as_str).map_or(0, |text| text.chars().count());
                    images |= part.get("type").and_then(Value::as_str) == Some("image_url");
                }
            }
            _ => {}
        }
    }
    (chars, images)
}
