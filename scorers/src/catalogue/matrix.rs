//! What each tool parser makes of each family's raw text, by engine version, plain and streamed. Measured, not derived.
//!
//! The matrix is a file of its own, parsed when first asked for.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::data::{catalogue, read};
use super::entries::FamilyKind;
use super::parser::{parser_families, parser_names};
use super::runs::{Extent, Runs};
use super::version::Version;
use crate::completion::Mode;

/// What came of a raw text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The right calls and nothing else.
    Ok,
    /// The right calls, with markup left in the content.
    Residue,
    /// No calls and no content.
    Swallow,
    /// Calls with wrong names or arguments.
    Wrong,
    /// No right calls, part of the markup in the content.
    Partial,
    /// The whole raw text in the content.
    Leak,
    /// The parser refuses the model's tokenizer: the server does not start (vLLM before 0.33: the first request fails).
    Refuse,
}

impl Outcome {
    fn read(word: &str) -> Option<Self> {
        Some(match word {
            "ok" => Self::Ok,
            "residue" => Self::Residue,
            "swallow" => Self::Swallow,
            "wrong" => Self::Wrong,
            "partial" => Self::Partial,
            "leak" => Self::Leak,
            "refuse" => Self::Refuse,
            _ => return None,
        })
    }

    /// The word of the matrix file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Residue => "residue",
            Self::Swallow => "swallow",
            Self::Wrong => "wrong",
            Self::Partial => "partial",
            Self::Leak => "leak",
            Self::Refuse => "refuse",
        }
    }
}

/// An outcome and the version it was measured in, which need not be the one asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// What came of it.
    pub outcome: Outcome,
    /// The engine version whose parser was run.
    pub measured_in: &'static str,
}

/// One call, one call streamed, two calls, two calls streamed.
type Outcomes = [Option<Outcome>; 4];

#[derive(Debug, Default)]
struct EngineMatrix {
    runs: Runs,
    families: BTreeMap<String, Vec<(Extent, Outcomes)>>,
    not_run: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct MatrixFile {
    pub(super) runs: BTreeMap<String, Vec<String>>,
    pub(super) not_run: BTreeMap<String, Vec<String>>,
    pub(super) vllm: BTreeMap<String, BTreeMap<String, String>>,
    pub(super) sglang: BTreeMap<String, BTreeMap<String, String>>,
}

pub(super) const MATRIX: &str = include_str!("../../catalogue/matrix.toml");

/// What a tool parser makes of a family's text. `None` where nothing was measured: unknown names, other engines, text that no run could judge.
///
/// The nearest run stands in for a version that was not run.
#[must_use]
pub fn outcome(
    engine: &str,
    version: Option<&str>,
    family: &str,
    parser: &str,
    mode: Mode,
    parallel: bool,
) -> Option<Measured> {
    let column = usize::from(mode == Mode::Stream) + 2 * usize::from(parallel);
    let matrix = matrices().get(engine)?;
    let run = matrix.runs.nearest(FamilyKind::Tool, parser, version.and_then(Version::parse))?;
    let measured_name = catalogue().family_of(FamilyKind::Tool, family).map_or(family, |known| known.measured_name());
    // A fuller text stands for the family where it was run; it was not run with two calls.
    let outcome = [measured_name, family].into_iter().find_map(|row| matrix.outcomes(row, parser, run)?[column])?;
    // The run's tokenizer knew little more than the markers: that it was refused says nothing against a parser made for the family.
    let made_for_it = || parser_families(engine, FamilyKind::Tool, parser).iter().any(|own| own == family);
    let measured = Measured { outcome, measured_in: matrix.runs.version(run) };
    (outcome != Outcome::Refuse || !made_for_it()).then_some(measured)
}

impl EngineMatrix {
    /// The outcomes of a row's parser in a run; what is not listed leaks.
    fn outcomes(&self, row: &str, parser: &str, run: usize) -> Option<Outcomes> {
        let cells = self.families.get(row)?;
        if self.not_run.iter().any(|name| name == parser) {
            return None;
        }
        let listed = cells.iter().find(|(extent, _)| extent.covers(parser, run));
        Some(listed.map_or([Some(Outcome::Leak); 4], |(_, outcomes)| *outcomes))
    }
}

/// The tool parsers of an engine's version that read a family, plain and streamed; those made for it first.
///
/// Where a parser made for the family was not measured on it, its word is taken, after the measured ones.
#[must_use]
pub fn parsers_reading(engine: &str, family: &str, version: Option<&str>) -> Vec<&'static str> {
    let own = parsers_made_for(engine, family);
    let names = parser_names(engine, FamilyKind::Tool, version);
    let mut ranked: Vec<_> = names
        .into_iter()
        .filter_map(|name| {
            let place = own.iter().position(|own| *own == name);
            let seen = |mode| outcome(engine, version, family, name, mode, false).map(|seen| seen.outcome);
            match (seen(Mode::Plain), seen(Mode::Stream)) {
                (Some(Outcome::Ok), Some(Outcome::Ok)) => Some((false, place.unwrap_or(usize::MAX), name)),
                (None, None) => place.map(|place| (true, place, name)),
                _ => None,
            }
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, _, name)| name).collect()
}

/// The parsers made for a family, then those made for the family whose bytes it shares.
#[must_use]
pub fn parsers_made_for(engine: &str, family: &str) -> Vec<&'static str> {
    let known = catalogue().family_of(FamilyKind::Tool, family);
    let shared = known.and_then(|known| catalogue().family_of(FamilyKind::Tool, known.same_bytes_as.as_deref()?));
    known.into_iter().chain(shared).flat_map(|family| family.parsers(engine)).map(String::as_str).collect()
}

/// The tool parsers that would explain what was seen of a family: the given outcome plain and streamed, `None` for "not seen".
#[must_use]
pub fn parsers_giving(
    engine: &str,
    version: Option<&str>,
    family: &str,
    plain: Option<Outcome>,
    stream: Option<Outcome>,
) -> Vec<&'static str> {
    let gives = |name: &str, mode, wanted: Option<Outcome>| {
        wanted.is_none_or(|wanted| {
            outcome(engine, version, family, name, mode, false).is_some_and(|seen| seen.outcome == wanted)
        })
    };
    let names = parser_names(engine, FamilyKind::Tool, version).into_iter();
    names.filter(|name| gives(name, Mode::Plain, plain) && gives(name, Mode::Stream, stream)).collect()
}

fn matrices() -> &'static BTreeMap<String, EngineMatrix> {
    static MATRICES: OnceLock<BTreeMap<String, EngineMatrix>> = OnceLock::new();
    MATRICES.get_or_init(|| {
        let mut file: MatrixFile = read(MATRIX);
        let engines = [("vllm", file.vllm), ("sglang", file.sglang)];
        let mut engine = |name: &str, cells| {
            let runs = Runs::new(name, file.runs.remove(name).unwrap_or_default());
            let families = unpack(cells, &runs, expand);
            EngineMatrix { runs, families, not_run: file.not_run.remove(name).unwrap_or_default() }
        };
        engines.into_iter().map(|(name, cells)| (name.to_owned(), engine(name, cells))).collect()
    })
}

/// Reads a file's rows, each `outcomes = "parser parser@A..B"`, into cells.
pub(super) fn unpack<T: Copy>(
    rows: BTreeMap<String, BTreeMap<String, String>>,
    runs: &Runs,
    read: fn(&str) -> T,
) -> BTreeMap<String, Vec<(Extent, T)>> {
    let cells = |row: BTreeMap<String, String>| {
        let pairs = row.iter().flat_map(|(key, parsers)| parsers.split(' ').map(move |parser| (parser, read(key))));
        pairs.filter_map(|(parser, value)| runs.extent(parser).map(|extent| (extent, value))).collect()
    };
    rows.into_iter().map(|(name, row)| (name, cells(row))).collect()
}

/// `ok` stands for all four columns, `ok/leak` for both counts, `ok/leak/-` has no second call.
fn expand(key: &str) -> Outcomes {
    let words: Vec<_> = key.split('/').map(Outcome::read).collect();
    match words[..] {
        [all] => [all; 4],
        [plain, stream] => [plain, stream, plain, stream],
        [plain, stream, _] => [plain, stream, None, None],
        [plain, stream, two, two_streamed, ..] => [plain, stream, two, two_streamed],
        [] => [None; 4],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn vllm(version: &str, family: &str, parser: &str, plain: Outcome, stream: Outcome) {
        for (mode, expected) in [(Mode::Plain, plain), (Mode::Stream, stream)] {
            let seen = outcome("vllm", Some(version), family, parser, mode, false).map(|seen| seen.outcome);
            assert_eq!(seen, Some(expected), "{parser} on {family} in {version}, {mode:?}");
        }
    }

    #[test]
    fn the_table_of_wrong_parsers() {
        use Outcome::*;
        vllm("0.33.0", "hermes_json", "hermes", Ok, Ok);
        vllm("0.33.0", "qwen3_coder_xml", "hermes", Leak, Swallow);
        vllm("0.33.0", "hermes_json", "qwen3_coder", Swallow, Swallow);
        vllm("0.33.0", "hermes_json", "poolside_v1", Wrong, Wrong);
        vllm("0.33.0", "deepseek_v3", "deepseek_v31", Wrong, Wrong);
        vllm("0.33.0", "seed_oss_xml", "qwen3_coder", Residue, Residue);
        vllm("0.16.0", "hermes_json", "qwen3_coder", Leak, Swallow);
        vllm("0.33.0", "granite31_json", "hermes", Leak, Wrong);
        vllm("0.33.0", "kimi_k2", "hermes", Leak, Leak);
        vllm("0.33.0", "hermes_json", "mistral", Refuse, Refuse);
    }

    #[test]
    fn sglang_swallows_since_0_5_16() {
        let seen =
            |version| outcome("sglang", Some(version), "hermes_json", "qwen3_coder", Mode::Plain, false).unwrap();
        assert_eq!(seen("0.5.9"), Measured { outcome: Outcome::Leak, measured_in: "0.5.9" });
        assert_eq!(seen("0.5.23").outcome, Outcome::Swallow);
    }

    #[test]
    fn the_nearest_run_stands_in_and_is_named() {
        let run = |version| outcome("vllm", version, "hermes_json", "hermes", Mode::Plain, false).unwrap().measured_in;
        assert_eq!(run(Some("0.32.0")), "0.33.0");
        assert_eq!(run(Some("0.23.0")), "0.22.1");
        assert_eq!(run(Some("0.9.2")), "0.11.2");
        assert_eq!(run(None), "0.33.0");
        let newer = outcome("vllm", Some("0.11.2"), "gemma4", "gemma4", Mode::Plain, false).unwrap();
        assert_eq!(newer.measured_in, "0.20.2", "only runs whose engine had the parser count");
    }

    #[test]
    fn families_of_the_same_bytes_share_a_row() {
        vllm("0.33.0", "granite4_json", "hermes", Outcome::Ok, Outcome::Ok);
        vllm("0.33.0", "poolside_v1", "glm47", Outcome::Ok, Outcome::Ok);
    }

    #[test]
    fn what_was_not_measured_is_none() {
        for (engine, family, parser) in [
            ("vllm", "gptoss_harmony", "openai"),
            ("vllm", "hermes_json", "beam"),
            ("vllm", "hermes_json", "no_such"),
            ("vllm", "no_such", "hermes"),
            ("llama_cpp", "hermes_json", "hermes"),
        ] {
            assert_eq!(outcome(engine, None, family, parser, Mode::Plain, false), None, "{engine} {family} {parser}");
        }
    }

    #[test]
    fn who_reads_a_family() {
        assert_eq!(parsers_reading("vllm", "qwen3_coder_xml", Some("0.33.0"))[..2], ["qwen3_coder", "qwen3_xml"]);
        assert_eq!(parsers_reading("vllm", "gemma4", Some("0.11.2")), [""; 0]);
        assert_eq!(parsers_reading("vllm", "gptoss_harmony", Some("0.33.0")), ["openai"], "taken by its word");
        assert_eq!(parsers_reading("vllm", "granite4_json", Some("0.11.2"))[0], "hermes", "made for the same bytes");
        assert_eq!(parsers_reading("vllm", "phi4_mini_functools", None), [""; 0], "streams lose the call");
        assert_eq!(parsers_reading("sglang", "hermes_json", Some("0.5.23"))[0], "qwen");
        assert_eq!(parsers_reading("tensorrt_llm", "kimi_k2", None), ["kimi_k2"]);
    }

    #[test]
    fn who_would_explain_what_is_seen() {
        let seen =
            parsers_giving("vllm", Some("0.33.0"), "qwen3_coder_xml", Some(Outcome::Leak), Some(Outcome::Swallow));
        assert!(seen.contains(&"hermes") && !seen.contains(&"qwen3_coder"), "{seen:?}");
        let swallowed = parsers_giving("vllm", Some("0.33.0"), "hermes_json", Some(Outcome::Swallow), None);
        assert!(swallowed.contains(&"glm45") && !swallowed.contains(&"hermes"), "{swallowed:?}");
    }
}
