//! The runs behind a matrix: which version stands in for another, and how a cell's extent is written.

use super::data::catalogue;
use super::entries::ParserKind;
use super::parser::{entry, status_of};
use super::version::Version;

/// The versions of one engine whose parsers were run, oldest first.
#[derive(Debug, Default)]
pub(super) struct Runs {
    engine: String,
    runs: Vec<Run>,
    /// The engine's checked versions, oldest first.
    checked: Vec<Version>,
}

#[derive(Debug)]
struct Run {
    text: String,
    version: Option<Version>,
    place: usize,
}

/// A parser and the runs a cell holds for, both ends inclusive.
#[derive(Debug)]
pub(super) struct Extent {
    pub(super) parser: String,
    from: usize,
    to: usize,
}

impl Extent {
    pub(super) fn covers(&self, parser: &str, run: usize) -> bool {
        self.parser == parser && (self.from..=self.to).contains(&run)
    }
}

impl Runs {
    pub(super) fn new(engine: &str, versions: Vec<String>) -> Self {
        let checked = catalogue().versions.get(engine).map_or(&[][..], Vec::as_slice);
        let checked: Vec<_> = checked.iter().filter_map(|version| Version::parse(version)).collect();
        let runs = versions.into_iter().map(|text| {
            let version = Version::parse(&text);
            Run { place: version.map_or(0, |version| place(&checked, version)), text, version }
        });
        Self { engine: engine.to_owned(), runs: runs.collect(), checked }
    }

    /// Reads `name`, `name@A` or `name@A..B`. `None` for a version that is no run.
    pub(super) fn extent(&self, text: &str) -> Option<Extent> {
        let (parser, range) = text.split_once('@').map_or((text, None), |(name, range)| (name, Some(range)));
        let position = |version: &str| self.runs.iter().position(|run| run.text == version);
        let (from, to) = match range.map(|range| range.split_once("..").unwrap_or((range, range))) {
            None => (0, self.runs.len()),
            Some((from, to)) => (position(from)?, position(to)?),
        };
        Some(Extent { parser: parser.to_owned(), from, to })
    }

    /// The name of a run.
    pub(super) fn version(&self, run: usize) -> &str {
        self.runs.get(run).map_or("", |run| &run.text)
    }

    /// The run nearest to a version among those whose engine had the parser; of two as near the older. The newest without a version.
    ///
    /// Nearness is counted in checked versions, so that a long gap of releases does not look short.
    pub(super) fn nearest(&self, kind: ParserKind, parser: &str, version: Option<Version>) -> Option<usize> {
        let (_, def) = entry(&self.engine, kind, parser)?;
        let had = |run: &Run| status_of(def, run.version) == super::ParserStatus::Known;
        let mut runs = self.runs.iter().enumerate().filter(|(_, run)| had(run));
        let nearest = match version.map(|version| place(&self.checked, version)) {
            Some(place) => runs.min_by_key(|(index, run)| (run.place.abs_diff(place), *index)),
            None => runs.next_back(),
        };
        nearest.map(|(index, _)| index)
    }
}

/// How many checked versions are not newer.
fn place(checked: &[Version], version: Version) -> usize {
    checked.partition_point(|checked| *checked <= version.released())
}
