//! What each reasoning parser makes of each text shape, by engine version and by what the request says of thinking.
//!
//! A *shape* is a text a model writes: a thought and an answer in some family's markers, a plain answer, a thought cut short.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::data::{catalogue, read};
use super::engine::engine_def;
use super::entries::FamilyKind;
use super::matrix::unpack;
use super::parser::{parser_families, parser_names};
use super::runs::{Extent, Runs};
use super::version::Version;
use crate::completion::Mode;

/// What stands in one of the two fields of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// Null or absent.
    None,
    /// The empty string.
    Empty,
    /// What was thought.
    Thought,
    /// What was answered.
    Answer,
    /// The whole raw text.
    Raw,
    /// The whole raw text with `<think>` put before it.
    Opened,
    /// What stands after the closing marker, markup and all.
    Rest,
    /// The thought and the tool call in it.
    ThoughtCall,
    /// The raw text up to the closing marker, the opening one left in.
    Opening,
    /// The raw text short of its end.
    Cut,
    /// Thought and answer, the marker between them dropped.
    Joined,
    /// Something else.
    Other,
}

/// What came of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SplitOutcome {
    /// It was split (or not) into the two fields.
    Split {
        /// The reasoning field.
        reasoning: Part,
        /// The content field.
        content: Part,
    },
    /// The parser refuses the model's tokenizer.
    Refuse,
}

impl SplitOutcome {
    /// Thought and answer each stand where they belong.
    #[must_use]
    pub fn is_right(self) -> bool {
        matches!(self, Self::Split { reasoning: Part::Thought, content: Part::Answer })
    }

    fn read(text: &str) -> Option<Self> {
        if text == "refuse" {
            return Some(Self::Refuse);
        }
        let (reasoning, content) = text.split_once('+')?;
        Some(Self::Split { reasoning: part(reasoning)?, content: part(content)? })
    }
}

fn part(word: &str) -> Option<Part> {
    Some(match word {
        "none" => Part::None,
        "empty" => Part::Empty,
        "thought" => Part::Thought,
        "answer" => Part::Answer,
        "raw" => Part::Raw,
        "opened" => Part::Opened,
        "rest" => Part::Rest,
        "thought_call" => Part::ThoughtCall,
        "opening" => Part::Opening,
        "cut" => Part::Cut,
        "joined" => Part::Joined,
        "other" => Part::Other,
        _ => return None,
    })
}

/// By what the request says of thinking (nothing, off, on), then what a stream gives where that differs.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    plain: [Option<SplitOutcome>; 3],
    streamed: Option<SplitOutcome>,
}

#[derive(Debug, Default)]
struct EngineMatrix {
    runs: Runs,
    shapes: BTreeMap<String, Vec<(Extent, Cell)>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ReasoningFile {
    pub(super) runs: BTreeMap<String, Vec<String>>,
    pub(super) shapes: BTreeMap<String, String>,
    pub(super) vllm: BTreeMap<String, BTreeMap<String, String>>,
    pub(super) sglang: BTreeMap<String, BTreeMap<String, String>>,
}

pub(super) const REASONING: &str = include_str!("../../catalogue/reasoning.toml");

/// What a reasoning parser makes of a shape, and the version that was run. `None` where nothing was measured.
///
/// `thinking` is what the request says (`chat_template_kwargs`). Without a parser name of the engine there is no answer:
/// a server without a reasoning parser hands every text through.
#[must_use]
pub fn reasoning_outcome(
    engine: &str,
    version: Option<&str>,
    shape: &str,
    parser: &str,
    thinking: Option<bool>,
    mode: Mode,
) -> Option<(SplitOutcome, &'static str)> {
    let matrix = matrices().0.get(engine)?;
    let run = matrix.runs.nearest(FamilyKind::Reasoning, parser, version.and_then(Version::parse))?;
    let (_, cell) = matrix.shapes.get(shape)?.iter().find(|(extent, _)| extent.covers(parser, run))?;
    let column = match thinking {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    };
    let streamed = cell.streamed.filter(|_| mode == Mode::Stream);
    let outcome = streamed.or(cell.plain[column])?;
    // As with tools: a refusal by a parser made for the shape is the run's tokenizer's fault.
    let made_for_it = || {
        let families = parser_families(engine, FamilyKind::Reasoning, parser).iter();
        families.filter_map(|family| shape_of(family)).any(|own| own == shape)
    };
    (outcome != SplitOutcome::Refuse || !made_for_it()).then(|| (outcome, matrix.runs.version(run)))
}

/// The reasoning parsers of an engine's version that split a family's text rightly; those made for it first.
///
/// Where a parser made for the family was not measured on it, its word is taken, after the measured ones.
#[must_use]
pub fn reasoning_parsers_reading(engine: &str, family: &str, version: Option<&str>) -> Vec<&'static str> {
    let Some(known) = catalogue().family_of(FamilyKind::Reasoning, family) else { return Vec::new() };
    let own = known.parsers(engine);
    let thinking = (known.opened_by == "request").then_some(true);
    // The runs had no template to learn an opened block from.
    let told = known.opened_by != "model" && engine_def(engine).is_some_and(|def| def.reads_template);
    let mut ranked: Vec<_> = parser_names(engine, FamilyKind::Reasoning, version)
        .into_iter()
        .filter_map(|name| {
            let place = own.iter().position(|own| own == name);
            let shape = known.shape.as_deref().unwrap_or_default();
            match reasoning_outcome(engine, version, shape, name, thinking, Mode::Plain) {
                Some((outcome, _)) if outcome.is_right() => Some((false, place.unwrap_or(usize::MAX), name)),
                Some(_) if !told => None,
                _ => place.map(|place| (true, place, name)),
            }
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, _, name)| name).collect()
}

/// The shape that a reasoning family writes.
#[must_use]
pub fn shape_of(family: &str) -> Option<&'static str> {
    catalogue().family_of(FamilyKind::Reasoning, family)?.shape.as_deref()
}

/// The text of a shape: `Let me think.` is thought, `It is sunny.` answered.
#[must_use]
pub fn shape_text(shape: &str) -> Option<&'static str> {
    matrices().1.get(shape).map(String::as_str)
}

type Matrices = (BTreeMap<String, EngineMatrix>, BTreeMap<String, String>);

fn matrices() -> &'static Matrices {
    static MATRICES: OnceLock<Matrices> = OnceLock::new();
    MATRICES.get_or_init(|| {
        let mut file: ReasoningFile = read(REASONING);
        let engines = [("vllm", file.vllm), ("sglang", file.sglang)];
        let mut engine = |name: &str, cells| {
            let runs = Runs::new(name, file.runs.remove(name).unwrap_or_default());
            let shapes = unpack(cells, &runs, expand);
            EngineMatrix { runs, shapes }
        };
        let matrices = engines.into_iter().map(|(name, cells)| (name.to_owned(), engine(name, cells))).collect();
        (matrices, file.shapes)
    })
}

/// `a` stands for all, `a / b / c` goes by what the request says of thinking, `a ~ b` is plain and streamed.
fn expand(key: &str) -> Cell {
    if let Some((plain, streamed)) = key.split_once(" ~ ") {
        return Cell { plain: [SplitOutcome::read(plain); 3], streamed: SplitOutcome::read(streamed) };
    }
    let outcomes: Vec<_> = key.split(" / ").map(SplitOutcome::read).collect();
    let plain = match outcomes[..] {
        [unsaid, off, on] => [unsaid, off, on],
        [all, ..] => [all; 3],
        [] => [None; 3],
    };
    Cell { plain, streamed: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn vllm(version: &str, shape: &str, parser: &str, thinking: Option<bool>, reasoning: Part, content: Part) {
        let seen = reasoning_outcome("vllm", Some(version), shape, parser, thinking, Mode::Plain).map(|seen| seen.0);
        assert_eq!(
            seen,
            Some(SplitOutcome::Split { reasoning, content }),
            "{parser} on {shape} in {version}, {thinking:?}"
        );
    }

    #[test]
    fn text_without_a_closing_tag() {
        vllm("0.33.0", "no_thinking_plain", "qwen3", None, Part::Raw, Part::None);
        vllm("0.33.0", "no_thinking_plain", "qwen3", Some(false), Part::None, Part::Raw);
        vllm("0.33.0", "no_thinking_plain", "deepseek_r1", Some(false), Part::Raw, Part::None);
        vllm("0.33.0", "no_thinking_plain", "deepseek_v3", None, Part::None, Part::Raw);
    }

    #[test]
    fn qwen3_learned_to_do_without_the_opening_tag() {
        vllm("0.16.0", "think_prefilled", "qwen3", None, Part::None, Part::Raw);
        vllm("0.17.1", "think_prefilled", "qwen3", None, Part::Thought, Part::Answer);
    }

    #[test]
    fn one_parser_keeps_the_thought_in_the_content() {
        vllm("0.33.0", "think_prefilled", "minimax_m2_append_think", None, Part::None, Part::Opened);
    }

    #[test]
    fn sglang_parsers_that_need_the_tag() {
        let seen = |parser| {
            reasoning_outcome("sglang", Some("0.5.23"), "think_prefilled", parser, None, Mode::Plain).unwrap().0
        };
        assert!(seen("deepseek-r1").is_right());
        assert_eq!(seen("qwen3"), SplitOutcome::Split { reasoning: Part::Empty, content: Part::Raw });
    }

    #[test]
    fn who_splits_a_family() {
        let old = reasoning_parsers_reading("vllm", "think_start_in_prompt", Some("0.16.0"));
        assert_eq!(old[0], "deepseek_r1");
        assert!(!old.contains(&"qwen3"), "{old:?}");
        let new = reasoning_parsers_reading("vllm", "think_start_in_prompt", Some("0.33.0"));
        assert!(new.contains(&"qwen3") && !new.contains(&"gemma4"), "{new:?}");
        assert_eq!(reasoning_parsers_reading("vllm", "gptoss_harmony", Some("0.33.0"))[0], "openai_gptoss");
        assert_eq!(reasoning_parsers_reading("vllm", "gemma4_channel", Some("0.11.2")), [""; 0]);
        assert!(reasoning_parsers_reading("vllm", "deepseek_v3_switch", None).starts_with(&["deepseek_v3"]));
    }

    #[test]
    fn every_family_with_a_shape_has_its_text() {
        assert_eq!(shape_text(shape_of("mistral_think").unwrap()), Some("[THINK]Let me think.[/THINK]It is sunny."));
    }
}
