//! What a server makes of the model's raw text: the reasoning parser first, then the tool parser, by the measured matrices.
//!
//! Main function: [`deliver`]. A class of the matrix is made concrete here (what a leak, a swallow, a wrong call looks like).

use monban_scorers::Mode;
use monban_scorers::catalogue::{self, FamilyKind, MatrixOutcome, Part, SplitOutcome};
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

/// What the client gets of a raw text.
#[must_use]
pub(super) fn deliver(written: &Written, raw: &RawText, options: &Options, request: &Request, mode: Mode) -> Delivered {
    let (reasoning, content) = split(raw, options, request, mode);
    let mut delivered = Delivered { content, reasoning, finish: "stop".into(), ..Delivered::default() };
    let forced = matches!(request.tool_choice, Some(ToolChoice::Required | ToolChoice::Named(_)));
    let reached = delivered.content.as_deref().is_some_and(|content| content.contains(&raw.markup));
    if !written.calls.is_empty() && reached {
        // A forced call is made by the grammar, whatever the parser reads.
        let outcome = if forced { MatrixOutcome::Ok } else { tool_outcome(options, written.calls.len() > 1, mode) };
        apply(outcome, written, raw, options, &mut delivered);
        if matches!(request.tool_choice, Some(ToolChoice::Named(_)))
            && options.engine == "vllm"
            && !delivered.calls.is_empty()
        {
            delivered.finish = "stop".into();
        }
    }
    delivered
}

/// Reasoning and content after the reasoning parser.
fn split(raw: &RawText, options: &Options, request: &Request, mode: Mode) -> (Option<String>, Option<String>) {
    let Some(parser) = &options.reasoning_parser else { return (None, Some(raw.whole.clone())) };
    let shape = if raw.thought.is_empty() { "no_thinking_plain" } else { options.shape() };
    let outcome =
        catalogue::reasoning_outcome(&options.engine, Some(&options.version), shape, parser, request.thinking, mode);
    match outcome {
        Some((SplitOutcome::Split { reasoning, content }, _)) => (part(reasoning, raw), part(content, raw)),
        // Not measured: its word is taken for its own family, and any other text passes through.
        _ if raw.thought.is_empty() => (None, Some(raw.answer.clone())),
        _ if options.reads_reasoning(parser) => (Some(raw.thought.clone()), Some(raw.answer.clone())),
        _ => (None, Some(raw.whole.clone())),
    }
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

fn tool_outcome(options: &Options, parallel: bool, mode: Mode) -> MatrixOutcome {
    let Some(parser) = &options.tool_parser else { return MatrixOutcome::Leak };
    let measured = catalogue::outcome(&options.engine, Some(&options.version), &options.family, parser, mode, parallel);
    measured.map_or_else(
        || {
            let own = catalogue::parser_families(&options.engine, FamilyKind::Tool, parser)
                .iter()
                .any(|family| *family == options.family);
            if own { MatrixOutcome::Ok } else { MatrixOutcome::Leak }
        },
        |measured| measured.outcome,
    )
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
