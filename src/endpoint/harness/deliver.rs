//! What a server makes of the model's raw text, by the catalogue's measured deliveries.
//!
//! Main function: [`deliver`]. What the catalogue names by class (leak, swallow, wrong call) is made concrete here.

use monban_scorers::Mode;
use monban_scorers::catalogue::{self, Delivery, MatrixOutcome, Part};
use monban_scorers::dialects::{REASONING_DIALECTS, TOOL_DIALECTS, ToolDialect, tool_dialect};
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
    let same = |dialect: &&&ToolDialect| dialect.same_as.contains(&options.family.as_str());
    let dialect = tool_dialect(&options.family).or_else(|| TOOL_DIALECTS.iter().find(same).copied());
    let markup = match dialect {
        // ERNIE closes its thoughts right before a call; that marker is the thought's.
        Some(dialect) if !written.calls.is_empty() => {
            let markup = dialect.render(&written.calls);
            markup.strip_prefix("</think>").map_or(markup.as_str(), str::trim_start).to_owned()
        }
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
    // A thought in the content stays there when the calls are taken out.
    let around = delivered.content.as_deref().unwrap_or_default().replace(&raw.markup, "");
    let text = Some(around.trim_end().to_owned()).filter(|text| !text.is_empty());
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
        MatrixOutcome::Residue => {
            let name = written.calls.first().map(|call| call.name.as_str()).unwrap_or_default();
            (delivered.content, delivered.calls) = (Some(frame(&raw.markup, name)), right());
        }
        MatrixOutcome::Swallow => delivered.content = text,
        MatrixOutcome::Wrong => (delivered.content, delivered.calls) = (text, vec![misread(written, raw, options)]),
        MatrixOutcome::Partial => delivered.content = Some(tail(&raw.markup).to_owned()),
        MatrixOutcome::Leak | MatrixOutcome::Refuse => {}
    }
    if !delivered.calls.is_empty() {
        delivered.finish = "tool_calls".into();
    }
}

fn made(name: &str, arguments: String, at: usize, options: &Options) -> DeliveredCall {
    let number = options.seed.wrapping_add(at as u64);
    let id = match (options.engine.as_str(), options.tool_parser.as_deref()) {
        ("vllm" | "sglang", Some("kimi_k2")) => format!("functions.{name}:{at}"),
        ("sglang", Some("kimi_k3")) => format!("{name}:{at}"),
        // The one form that Mistral's template takes.
        ("vllm", Some("mistral")) => format!("{:09}", number % 1_000_000_000),
        ("vllm", _) => format!("chatcmpl-tool-{number:016x}"),
        _ => format!("call_{number:024x}"),
    };
    DeliveredCall { id, name: name.to_owned(), arguments: Value::String(arguments) }
}

/// The call that a parser makes of a text it misreads: two of its own family's glued into one or one cut short, of another
/// family's a name that is the markup itself.
fn misread(written: &Written, raw: &RawText, options: &Options) -> DeliveredCall {
    let parser = options.tool_parser.as_deref().unwrap_or_default();
    let own = catalogue::parsers_made_for(&options.engine, &options.family).contains(&parser);
    let (version, two) = (Some(options.version.as_str()), written.calls.len() > 1);
    let reads = |mode| {
        let seen = catalogue::outcome(&options.engine, version, &options.family, parser, mode, two);
        seen.is_some_and(|seen| seen.outcome == MatrixOutcome::Ok)
    };
    if !own || !(reads(Mode::Plain) || reads(Mode::Stream)) {
        return made(inner(&raw.markup), "{}".to_owned(), 0, options);
    }
    let name: String = written.calls.iter().map(|call| call.name.as_str()).collect();
    let mut arguments: String =
        written.calls.iter().map(|call| Value::Object(call.arguments.clone()).to_string()).collect();
    if written.calls.len() == 1 {
        arguments.pop();
    }
    made(&name, arguments, 0, options)
}

/// The body of a markup without its first marker: what a parser of another family takes for a name.
fn inner(markup: &str) -> &str {
    let body = tail(markup);
    body.trim().split("</").next().unwrap_or(body).trim()
}

/// Where the first marker of a markup ends: at its bracket, or before the JSON.
fn head(markup: &str) -> usize {
    let start = markup.len() - markup.trim_start().len();
    let text = markup.get(start..).unwrap_or_default();
    let close = match text.chars().next() {
        Some('<') => text.find('>').map(|at| at + 1),
        Some('[') if text.get(1..2).is_some_and(|next| next.chars().all(|c| c.is_ascii_uppercase())) => {
            text.find(']').map(|at| at + 1)
        }
        _ => text.find(['{', '(', '[']).filter(|at| *at > 0),
    };
    start + close.unwrap_or(0)
}

/// The first and the last marker: what is left when a parser takes the body out of the middle.
fn frame(markup: &str, name: &str) -> String {
    let (first, rest) = markup.split_at(head(markup));
    let first = if first.contains(name) { "" } else { first };
    let last = rest.rfind('<').filter(|_| rest.trim_end().ends_with('>')).map_or("", |at| &rest[at..]);
    format!("{first}\n\n{last}").trim_end().to_owned()
}

/// What is left of a markup when a parser ate its first marker.
fn tail(markup: &str) -> &str {
    markup.get(head(markup)..).unwrap_or(markup)
}

/// How many tokens a text amounts to.
#[must_use]
pub(super) fn count(text: &str) -> u64 {
    tokens(text).count() as u64
}
