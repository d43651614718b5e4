//! What a server makes of the model's raw text, by the catalogue's measured deliveries.
//!
//! Main function: [`deliver`]. What the catalogue names by class (leak, swallow, wrong call) is made concrete here.

use monban_scorers::Mode;
use monban_scorers::catalogue::{self, Delivery, MatrixOutcome, Part};
use monban_scorers::dialects::{REASONING_DIALECTS, TOOL_DIALECTS};
use monban_scorers::request::{Request, ToolChoice};
use serde_json::Value;

use super::options::Options;
use super::solve::Written;
use super::wire::{Delivered, DeliveredCall, tokens};

/// The model's raw text, in the parts a parser may or may not tell apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RawText {
    /// The thought; empty where it did not think.
    pub thought: String,
    /// The answer with its tool markup.
    pub answer: String,
    /// The tool markup within the answer; empty without calls.
    pub markup: String,
    /// All of it, as the model writes it after the prompt.
    pub whole: String,
}

/// Renders what a model of the family writes.
#[must_use]
pub(super) fn raw(written: &Written, options: &Options, thinking: bool) -> RawText {
    let dialect = TOOL_DIALECTS
        .iter()
        .find(|dialect| dialect.family == options.family || dialect.same_as.contains(&options.family.as_str()));
    let markup = match dialect {
        Some(dialect) if !written.calls.is_empty() => dialect.render(&written.calls),
        _ => String::new(),
    };
    let blank = if written.text.is_empty() || markup.is_empty() { "" } else { "\n" };
    let answer = format!("{}{blank}{markup}", written.text);
    let family = options.reasoning_family.as_deref().filter(|_| thinking);
    let dialect = family.and_then(|family| REASONING_DIALECTS.iter().find(|dialect| dialect.family == family));
    let Some(dialect) = dialect else {
        return RawText { answer: answer.clone(), markup, whole: answer, ..RawText::default() };
    };
    let thought =
        if written.reasoning.is_empty() { "The request is clear.".to_owned() } else { written.reasoning.clone() };
    let whole = dialect.render(&thought, &answer, options.opening_in_prompt());
    RawText { thought, answer, markup, whole }
}

/// What the client gets of a raw text; `None` where the engine turns the request down.
#[must_use]
pub(super) fn deliver(
    written: &Written,
    raw: &RawText,
    options: &Options,
    request: &Request,
    mode: Mode,
) -> Option<Delivered> {
    let forced = matches!(request.tool_choice, Some(ToolChoice::Required | ToolChoice::Named(_)));
    let calls = !written.calls.is_empty();
    let asked = catalogue::Written {
        offered: !request.tools.is_empty() && !forced && request.tool_choice != Some(ToolChoice::None),
        calls: calls.then_some(options.family.as_str()),
        parallel: written.calls.len() > 1,
        thought: options.reasoning_family.as_deref().filter(|_| !raw.thought.is_empty()),
        thinking: request.thinking,
        mode,
    };
    let answer = match catalogue::deliver(&options.setup(), &asked) {
        Delivery::Answer(answer) => answer,
        Delivery::Rejected | Delivery::NoStart(_) => return None,
    };
    let mut delivered = Delivered {
        content: part(answer.content, raw),
        reasoning: part(answer.reasoning, raw),
        finish: "stop".into(),
        ..Delivered::default()
    };
    if let Some(outcome) = answer.calls {
        // A forced call is made by the grammar, whatever the parser reads.
        apply(if forced { MatrixOutcome::Ok } else { outcome }, written, raw, options, &mut delivered);
    }
    if matches!(request.tool_choice, Some(ToolChoice::Named(_))) && options.engine == "vllm" {
        delivered.finish = "stop".into();
    }
    Some(delivered)
}

fn part(part: Part, raw: &RawText) -> Option<String> {
    let before_answer = || raw.whole.strip_suffix(&raw.answer).unwrap_or(&raw.whole).to_owned();
    match part {
        Part::None => None,
        Part::Empty => Some(String::new()),
        Part::Thought | Part::ThoughtCall => Some(raw.thought.clone()),
        Part::Answer | Part::Rest => Some(raw.answer.clone()),
        Part::Opened => Some(format!("<think>{}", raw.whole)),
        Part::Opening => Some(before_answer()),
        Part::Cut => {
            let end = raw.whole.char_indices().nth_back(0).map_or(0, |(at, _)| at);
            Some(raw.whole[..end].to_owned())
        }
        Part::Joined => Some(format!("{}\n{}", raw.thought, raw.answer)),
        _ => Some(raw.whole.clone()),
    }
}

/// Makes a class of the matrix concrete.
fn apply(outcome: MatrixOutcome, written: &Written, raw: &RawText, options: &Options, delivered: &mut Delivered) {
    let text = (!written.text.is_empty()).then(|| written.text.clone());
    let right = || {
        written
            .calls
            .iter()
            .enumerate()
            .map(|(at, call)| made(&call.name, Value::Object(call.arguments.clone()).to_string(), at, options))
            .collect()
    };
    match outcome {
        MatrixOutcome::Ok => (delivered.content, delivered.calls) = (text, right()),
        MatrixOutcome::Residue => (delivered.content, delivered.calls) = (Some(tail(&raw.markup)), right()),
        MatrixOutcome::Swallow => delivered.content = text,
        MatrixOutcome::Wrong => {
            delivered.content = text;
            delivered.calls = vec![made(inner(&raw.markup), "{}".to_owned(), 0, options)];
        }
        MatrixOutcome::Partial => delivered.content = Some(tail(&raw.markup)),
        MatrixOutcome::Leak | MatrixOutcome::Refuse => {}
    }
    if !delivered.calls.is_empty() {
        delivered.finish = "tool_calls".into();
    }
}

fn made(name: &str, arguments: String, at: usize, options: &Options) -> DeliveredCall {
    let id = match options.engine.as_str() {
        "vllm" => format!("chatcmpl-tool-{:016x}", options.seed.wrapping_add(at as u64)),
        _ => format!("call_{:024x}", options.seed.wrapping_add(at as u64)),
    };
    DeliveredCall { id, name: name.to_owned(), arguments: Value::String(arguments) }
}

/// The body of a markup without its first marker: what a parser of another family takes for a name.
fn inner(markup: &str) -> &str {
    let body = markup.split_once('>').map_or(markup, |(_, rest)| rest);
    body.trim().split("</").next().unwrap_or(body).trim()
}

/// What is left of a markup when a parser ate its beginning.
fn tail(markup: &str) -> String {
    markup.split_once('\n').or_else(|| markup.split_once('>')).map_or(markup, |(_, rest)| rest).to_owned()
}

/// How many tokens a text amounts to.
#[must_use]
pub(super) fn count(text: &str) -> u64 {
    tokens(text).count() as u64
}
