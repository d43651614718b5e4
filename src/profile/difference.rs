//! Which axes differ between two profiles, and what each difference gives and costs: [`diff`].

use serde::Serialize;

use super::axis::Axis;
use super::flags::flag_table;
use super::model::Profile;

/// One axis that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The axis.
    pub axis: Axis,
    /// In the first profile; `None` where it leaves the axis to the engine.
    pub from: Option<String>,
    /// In the second.
    pub to: Option<String>,
    /// What the change gives and costs.
    pub trade: String,
}

/// The axes that differ, in reading order.
#[must_use]
pub fn diff(first: &Profile, second: &Profile) -> Vec<Change> {
    let (one, two) = (first.axes(), second.axes());
    let mut axes: Vec<Axis> = one.keys().chain(two.keys()).copied().collect();
    axes.sort();
    axes.dedup();
    axes.into_iter()
        .filter(|axis| one.get(axis) != two.get(axis))
        .map(|axis| {
            let (from, to) = (one.get(&axis).cloned(), two.get(&axis).cloned());
            let (low, high) = (measure(first, axis, from.as_deref()), measure(second, axis, to.as_deref()));
            Change { axis, trade: trade(axis, low, high).to_owned(), from, to }
        })
        .collect()
}

/// An axis as a number that goes up or down: a count or share as it is (the engine's default where nothing is said),
/// types by their bits.
fn measure(profile: &Profile, axis: Axis, value: Option<&str>) -> Option<f64> {
    let key = match axis {
        Axis::MemoryShare => "gpu-memory-utilization",
        Axis::Context => "max-model-len",
        Axis::Concurrency => "max-num-seqs",
        Axis::Batching => "max-num-batched-tokens",
        Axis::Weights | Axis::KvDtype => return Some(bits(value.unwrap_or_default())),
        _ => return None,
    };
    let table = flag_table(&profile.engine)?;
    profile.number(key).or_else(|| table.default_of(table.name_of(key)?).parse().ok())
}

/// How many bits a type keeps of a number; 16 where nothing says less.
fn bits(value: &str) -> f64 {
    let has = |parts: &[&str]| parts.iter().any(|part| value.contains(part));
    if has(&["fp4", "int4", "awq", "gptq", "q4", "iq4", "4bit", "bnb"]) {
        4.0
    } else if has(&["q5", "q6"]) {
        6.0
    } else if has(&["fp8", "int8", "q8", "8bit"]) {
        8.0
    } else {
        16.0
    }
}

/// What going up gives and costs, and what going down does.
const TRADES: &[(Axis, &str, &str)] = &[
    (
        Axis::Weights,
        "quality; the weights take more memory and bandwidth",
        "memory and bandwidth; some quality is lost",
    ),
    (
        Axis::KvDtype,
        "accuracy at long range; less context fits",
        "more context fits; some accuracy at long range is lost",
    ),
    (
        Axis::MemoryShare,
        "more KV cache, less memory for everything else on the machine",
        "memory for others, less KV cache: fewer or shorter requests at once",
    ),
    (
        Axis::Context,
        "longer prompts fit; each takes more KV cache, so fewer fit at once",
        "more requests fit at once; longer prompts are refused",
    ),
    (
        Axis::Concurrency,
        "more throughput; each request waits and decodes slower under load",
        "quicker single requests; the others queue",
    ),
    (
        Axis::Batching,
        "long prompts are read sooner; running requests stutter meanwhile",
        "running requests stay smooth; the first token of long prompts comes later",
    ),
];

/// The same for axes without an order.
const SWAPS: &[(Axis, &str)] = &[
    (Axis::Engine, "another engine: parsers, templates and defaults change with it"),
    (Axis::EngineVersion, "parsers and defaults may differ: read both versions' before blaming the model"),
    (Axis::Model, "another model: nothing else can be read from the difference"),
    (Axis::Weights, "the same bits kept another way: kernels and quality may differ"),
    (Axis::ComputeDtype, "range and precision of the computation"),
    (Axis::KvDtype, "the same bits kept another way: kernels and accuracy may differ"),
    (Axis::Caching, "shared prefixes are read once; the first request is slow and the later ones flatter the latency"),
    (Axis::ChunkedPrefill, "long prompts no longer block running requests, or block them again"),
    (Axis::ToolParser, "whether calls arrive as calls: pass rates before and after are not the model's"),
    (
        Axis::ReasoningParser,
        "whether thoughts arrive apart from answers: answers before and after are not comparable as text",
    ),
    (Axis::ChatTemplate, "the model is told something else"),
    (Axis::Multimodal, "memory kept for images and video against what prompts may hold"),
    (Axis::Parallelism, "more GPUs, less memory each, more traffic between them"),
    (Axis::Speculation, "quicker decoding while drafts are right; parsers see several tokens at once"),
    (Axis::Sampling, "other answers from the same model"),
    (Axis::StructuredOutput, "whether and how schemas are enforced"),
    (Axis::Routes, "another way to the engine"),
    (Axis::Network, "names, addresses and keys: no answer changes"),
    (Axis::Other, "see the engine's manual"),
];

fn trade(axis: Axis, from: Option<f64>, to: Option<f64>) -> &'static str {
    let ordered = TRADES.iter().find(|(of, ..)| *of == axis);
    match (ordered, from, to) {
        (Some((_, up, _)), Some(from), Some(to)) if to > from => up,
        (Some((_, _, down)), Some(from), Some(to)) if to < from => down,
        _ => SWAPS
            .iter()
            .find(|(of, _)| *of == axis)
            .map_or("left to the engine on one side: compare the start-up logs", |(_, text)| text),
    }
}
