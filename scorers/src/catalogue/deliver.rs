//! What a server set up in a certain way delivers of what a model writes: both matrices put together, for the simulated endpoint.
//!
//! The reasoning parser splits first; the tool parser sees what is left as content. Main type: [`Delivery`]. Classes only:
//! the texts are rendered by the dialects.

use super::data::catalogue;
use super::engine::engine_def;
use super::entries::{Family, FamilyKind, ParserKind};
use super::matrix::{Outcome, outcome};
use super::parser::{ParserStatus, parser_def, parser_families, parser_status};
use super::reasoning::{Part, SplitOutcome, reasoning_outcome};
use crate::completion::Mode;

/// Stands for the parser of an engine that takes no names, because the format comes from the chat template (llama.cpp).
pub const BY_TEMPLATE: &str = "template";

/// A server: engine, version, and the parsers it was started with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setup<'a> {
    /// The engine's canonical name.
    pub engine: &'a str,
    /// Its version; the newest that is known without.
    pub version: Option<&'a str>,
    /// The tool parser, `None` for a server without, and for vLLM without `--enable-auto-tool-choice`.
    pub tool_parser: Option<&'a str>,
    /// The reasoning parser, `None` for a server without.
    pub reasoning_parser: Option<&'a str>,
}

/// What the model writes, and how it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written<'a> {
    /// The request offers tools, and leaves it to the model whether to call them.
    pub offered: bool,
    /// The family of its calls; `None` for a plain answer.
    pub calls: Option<&'a str>,
    /// It writes two calls.
    pub parallel: bool,
    /// The family of its thought; `None` where it does not think.
    pub thought: Option<&'a str>,
    /// What the request says of thinking.
    pub thinking: Option<bool>,
    /// How the answer is sent.
    pub mode: Mode,
}

/// What the client gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The server does not start, for this parser.
    NoStart(ParserKind),
    /// The request is turned down: tools without a tool parser.
    Rejected,
    /// An answer.
    Answer(Delivered),
}

/// An answer's fields by what stands in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivered {
    /// The reasoning field.
    pub reasoning: Part,
    /// The content before the tool parser saw it.
    pub content: Part,
    /// What the tool parser made of the calls in the content; `None` where it saw none.
    pub calls: Option<Outcome>,
    /// The calls stand in the reasoning field.
    pub calls_in_reasoning: bool,
    /// Text that stands in the content lost its special tokens.
    pub stripped: bool,
    /// How this is known.
    pub basis: Basis,
}

/// How a delivery is known; of two that apply the weaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// A parser was run on such a text.
    Measured,
    /// The parser is made for the family.
    Declared,
    /// Taken to be as its kind is.
    Assumed,
}

/// What a server delivers of what a model writes.
///
/// ```
/// # use monban_scorers::{Mode, catalogue::{Delivery, MatrixOutcome, Setup, Written, deliver}};
/// let setup = Setup { engine: "vllm", version: Some("0.33.0"), tool_parser: Some("hermes"), reasoning_parser: None };
/// let written = Written { offered: true, calls: Some("qwen3_coder_xml"), parallel: false, thought: None, thinking: None, mode: Mode::Stream };
/// let Delivery::Answer(answer) = deliver(&setup, &written) else { panic!("it starts") };
/// assert_eq!(answer.calls, Some(MatrixOutcome::Swallow));
/// ```
#[must_use]
pub fn deliver(setup: &Setup<'_>, written: &Written<'_>) -> Delivery {
    if written.offered && setup.tool_parser.is_none() && setup.engine == "vllm" && !harmony(written) {
        return Delivery::Rejected;
    }
    let (split, split_basis) = match setup.reasoning_parser {
        // vLLM splits harmony by itself.
        _ if setup.engine == "vllm" && harmony(written) => (RIGHT, Basis::Declared),
        None => (unsplit(written), Basis::Measured),
        Some(parser) => split(setup, written, parser),
    };
    let SplitOutcome::Split { reasoning, content } = split else { return Delivery::NoStart(FamilyKind::Reasoning) };
    let mut delivered =
        Delivered { reasoning, content, calls: None, calls_in_reasoning: false, stripped: false, basis: split_basis };
    let Some(family) = written.calls else { return Delivery::Answer(delivered) };
    if matches!(content, Part::None | Part::Empty) {
        delivered.calls_in_reasoning = true;
        return Delivery::Answer(delivered);
    }
    let (calls, basis) = match setup.tool_parser {
        None if setup.engine == "vllm" => (Outcome::Swallow, Basis::Declared),
        None => (Outcome::Leak, Basis::Declared),
        Some(parser) => calls(setup, written, family, parser),
    };
    if calls == Outcome::Refuse {
        return Delivery::NoStart(FamilyKind::Tool);
    }
    delivered.stripped = calls == Outcome::Leak && strips(setup, family);
    Delivery::Answer(Delivered { calls: Some(calls), basis: basis.max(split_basis), ..delivered })
}

/// vLLM reads harmony by itself: it asks for no tool parser, and drops the calls without one.
fn harmony(written: &Written<'_>) -> bool {
    [written.calls, written.thought].contains(&Some("gptoss_harmony"))
}

/// vLLM drops special tokens by default; a parser that is made for such tokens keeps them, another may not.
fn strips(setup: &Setup<'_>, family: &str) -> bool {
    let family = catalogue().family_of(FamilyKind::Tool, family);
    setup.engine == "vllm" && family.is_some_and(|family| family.special_tokens == "yes" && family.stripped.is_some())
}

/// Without a reasoning parser all of it is content.
fn unsplit(written: &Written<'_>) -> SplitOutcome {
    let content = if written.thought.is_some() { Part::Raw } else { Part::Answer };
    SplitOutcome::Split { reasoning: Part::None, content }
}

const RIGHT: SplitOutcome = SplitOutcome::Split { reasoning: Part::Thought, content: Part::Answer };

fn split(setup: &Setup<'_>, written: &Written<'_>, parser: &str) -> (SplitOutcome, Basis) {
    if by_template(setup, FamilyKind::Reasoning, parser) {
        return (if written.thought.is_some() { RIGHT } else { unsplit(written) }, Basis::Declared);
    }
    if unknown(setup, FamilyKind::Reasoning, parser) {
        return (SplitOutcome::Refuse, Basis::Declared);
    }
    let def = parser_def(setup.engine, FamilyKind::Reasoning, parser);
    if def.is_some_and(|def| def.blind_without_tools) && !written.offered && written.thought.is_some() {
        return (SplitOutcome::Split { reasoning: Part::Empty, content: Part::Joined }, Basis::Measured);
    }
    let forced = def.and_then(|def| def.forced_like.as_deref()).filter(|_| written.thinking != Some(false));
    let seen = |shape: &str| {
        // Forced or not, a parser ends at a tool call as it is wont to.
        let parser = forced.filter(|_| shape != "tool_inside_think").unwrap_or(parser);
        let seen = reasoning_outcome(setup.engine, setup.version, shape, parser, written.thinking, written.mode);
        seen.map(|(outcome, _)| outcome)
    };
    let Some(family) = written.thought.and_then(|name| catalogue().family_of(FamilyKind::Reasoning, name)) else {
        return thoughtless(written, parser, seen);
    };
    let declared = parser_families(setup.engine, FamilyKind::Reasoning, parser).contains(&family.name);
    let told = family.opened_by != "model" && engine_def(setup.engine).is_some_and(|def| def.reads_template);
    match family.shape.as_deref().and_then(seen) {
        Some(outcome) if outcome.is_right() || !(declared && told) => (outcome, Basis::Measured),
        _ if declared => (RIGHT, Basis::Declared),
        _ if same_markers(setup.engine, parser, family) => (RIGHT, Basis::Assumed),
        _ => (unsplit(written), Basis::Assumed),
    }
}

/// A model that does not think, behind a reasoning parser. Some parsers take a tool call for the end of thinking.
fn thoughtless(
    written: &Written<'_>,
    parser: &str,
    seen: impl Fn(&str) -> Option<SplitOutcome>,
) -> (SplitOutcome, Basis) {
    let plain = SplitOutcome::Split { reasoning: Part::None, content: Part::Answer };
    let tag = |name: &str| catalogue().family_of(FamilyKind::Tool, name).and_then(|family| family.example.as_deref());
    let ends_at_a_call = written.calls.and_then(tag).is_some_and(|call| call.contains("<tool_call>"))
        && matches!(seen("tool_inside_think"), Some(SplitOutcome::Split { content: Part::Rest, .. }));
    match seen("no_thinking_plain") {
        Some(SplitOutcome::Split { reasoning: Part::Raw, content }) if written.calls.is_none() || !ends_at_a_call => {
            (SplitOutcome::Split { reasoning: Part::Answer, content }, Basis::Measured)
        }
        // `Refuse` only says that the run's tokenizer lacked markers.
        Some(SplitOutcome::Split { .. }) => (plain, Basis::Measured),
        _ if parser == "none" => (plain, Basis::Declared),
        _ => (plain, Basis::Assumed),
    }
}

fn same_markers(engine: &str, parser: &str, family: &Family) -> bool {
    let mut own = parser_families(engine, FamilyKind::Reasoning, parser).iter();
    own.any(|name| catalogue().family_of(FamilyKind::Reasoning, name).is_some_and(|own| own.end == family.end))
}

fn calls(setup: &Setup<'_>, written: &Written<'_>, family: &str, parser: &str) -> (Outcome, Basis) {
    if by_template(setup, FamilyKind::Tool, parser) {
        return (Outcome::Ok, Basis::Declared);
    }
    if unknown(setup, FamilyKind::Tool, parser) {
        return (Outcome::Refuse, Basis::Declared);
    }
    if let Some(seen) = outcome(setup.engine, setup.version, family, parser, written.mode, written.parallel) {
        return (seen.outcome, Basis::Measured);
    }
    let known = catalogue().family_of(FamilyKind::Tool, family);
    let names = known.into_iter().flat_map(|known| [Some(&known.name), known.same_bytes_as.as_ref()]).flatten();
    let reads = parser_families(setup.engine, FamilyKind::Tool, parser);
    if names.into_iter().any(|name| reads.contains(name)) {
        return (Outcome::Ok, Basis::Declared);
    }
    // Atlas hides leaked markup from streams.
    let silent = setup.engine == "atlas" && written.mode == Mode::Stream;
    (if silent { Outcome::Swallow } else { Outcome::Leak }, Basis::Assumed)
}

fn by_template(setup: &Setup<'_>, kind: ParserKind, parser: &str) -> bool {
    parser == BY_TEMPLATE && parser_status(setup.engine, kind, parser, setup.version) == ParserStatus::NoNames
}

/// A name the running version does not have: the server does not start.
fn unknown(setup: &Setup<'_>, kind: ParserKind, parser: &str) -> bool {
    let status = parser_status(setup.engine, kind, parser, setup.version);
    !matches!(status, ParserStatus::Known | ParserStatus::NoNames)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: Written<'_> =
        Written { offered: true, calls: None, parallel: false, thought: None, thinking: None, mode: Mode::Plain };
    const HYBRID: &str = "think_model_emits_start";

    fn setup<'a>(engine: &'a str, version: &'a str, tool: &'a str, reasoning: &'a str) -> Setup<'a> {
        let some = |name: &'a str| Some(name).filter(|name| !name.is_empty());
        Setup { engine, version: Some(version), tool_parser: some(tool), reasoning_parser: some(reasoning) }
    }

    #[track_caller]
    fn answer(setup: &Setup<'_>, written: &Written<'_>) -> Delivered {
        match deliver(setup, written) {
            Delivery::Answer(delivered) => delivered,
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn fields(setup: &Setup<'_>, written: &Written<'_>) -> (Part, Part) {
        let delivered = answer(setup, written);
        (delivered.reasoning, delivered.content)
    }

    // What genuine servers did: vLLM 0.32.0 and SGLang 0.5.23, their models scripted.

    #[test]
    fn a_right_setup() {
        let written = Written { calls: Some("hermes_json"), thought: Some(HYBRID), ..BASE };
        let delivered = answer(&setup("vllm", "0.32.0", "hermes", "qwen3"), &written);
        assert_eq!((delivered.reasoning, delivered.calls), (Part::Thought, Some(Outcome::Ok)));
        assert_eq!(delivered.basis, Basis::Measured);
    }

    #[test]
    fn a_wrong_tool_parser_swallows() {
        let written = Written { calls: Some("hermes_json"), ..BASE };
        let delivered = answer(&setup("vllm", "0.32.0", "qwen3_coder", ""), &written);
        assert_eq!(delivered.calls, Some(Outcome::Swallow));
    }

    #[test]
    fn vllm_turns_down_tools_without_a_parser_even_for_plain_answers() {
        let bare = setup("vllm", "0.32.0", "", "qwen3");
        assert_eq!(deliver(&bare, &BASE), Delivery::Rejected);
        assert_ne!(deliver(&bare, &Written { offered: false, ..BASE }), Delivery::Rejected);
        let sglang = answer(&setup("sglang", "0.5.23", "", ""), &Written { calls: Some("gemma4"), ..BASE });
        assert_eq!((sglang.calls, sglang.stripped), (Some(Outcome::Leak), false));
    }

    #[test]
    fn harmony_needs_no_parser_but_loses_its_calls() {
        let written = Written { calls: Some("gptoss_harmony"), thought: Some("gptoss_harmony"), ..BASE };
        assert_eq!(answer(&setup("vllm", "0.32.0", "", ""), &written).calls, Some(Outcome::Swallow));
        let right = answer(&setup("vllm", "0.32.0", "openai", "openai_gptoss"), &written);
        assert_eq!((right.reasoning, right.calls), (Part::Thought, Some(Outcome::Ok)));
    }

    #[test]
    fn an_unneeded_reasoning_parser_takes_the_answer() {
        let vllm = setup("vllm", "0.32.0", "hermes", "qwen3");
        assert_eq!(fields(&vllm, &BASE), (Part::Answer, Part::None));
        assert_eq!(fields(&vllm, &Written { thinking: Some(false), ..BASE }), (Part::None, Part::Answer));
        assert_eq!(fields(&setup("sglang", "0.5.23", "qwen", "qwen3"), &BASE), (Part::Answer, Part::Empty));
    }

    #[test]
    fn and_the_call_unless_it_ends_thinking() {
        let call = |family| Written { calls: Some(family), ..BASE };
        let hermes = answer(&setup("vllm", "0.32.0", "hermes", "qwen3"), &call("hermes_json"));
        assert_eq!(hermes.calls, Some(Outcome::Ok));
        let llama = answer(&setup("vllm", "0.32.0", "llama3_json", "qwen3"), &call("llama3_json"));
        assert!(llama.calls_in_reasoning && llama.calls.is_none());
        let sglang = answer(&setup("sglang", "0.5.23", "qwen", "deepseek-r1"), &call("hermes_json"));
        assert!(sglang.calls_in_reasoning);
    }

    #[test]
    fn sglang_strips_what_its_mistral_parser_looks_for() {
        let mistral = setup("sglang", "0.5.23", "mistral", "mistral");
        let written = Written { thought: Some("mistral_think"), ..BASE };
        assert_eq!(fields(&mistral, &Written { offered: false, ..written }), (Part::Empty, Part::Joined));
        assert_eq!(fields(&mistral, &written), (Part::Thought, Part::Answer));
    }

    #[test]
    fn no_reasoning_parser_leaves_the_thought_in_the_content() {
        let written = Written { calls: Some("hermes_json"), thought: Some(HYBRID), ..BASE };
        let delivered = answer(&setup("vllm", "0.32.0", "hermes", ""), &written);
        assert_eq!((delivered.content, delivered.calls), (Part::Raw, Some(Outcome::Ok)));
    }

    #[test]
    fn a_name_the_version_lacks_does_not_start() {
        let written = Written { calls: Some("gemma4"), ..BASE };
        assert_eq!(deliver(&setup("vllm", "0.11.2", "gemma4", ""), &written), Delivery::NoStart(FamilyKind::Tool));
        assert_eq!(
            deliver(&setup("vllm", "0.11.2", "", "gemma4"), &Written { offered: false, ..BASE }),
            Delivery::NoStart(FamilyKind::Reasoning)
        );
    }

    #[test]
    fn engines_nobody_ran() {
        let trt =
            answer(&setup("tensorrt_llm", "1.3.0rc23", "qwen3", ""), &Written { calls: Some("hermes_json"), ..BASE });
        assert_eq!((trt.calls, trt.basis), (Some(Outcome::Ok), Basis::Declared));
        let streamed = Written { calls: Some("kimi_k2"), mode: Mode::Stream, ..BASE };
        let atlas = answer(&setup("atlas", "", "hermes", ""), &streamed);
        assert_eq!((atlas.calls, atlas.basis), (Some(Outcome::Swallow), Basis::Assumed));
    }
}
