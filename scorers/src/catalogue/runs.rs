//! The runs behind a matrix: which version stands in for another, and how a cell's extent is written.

use super::data::{ParserKind, catalogue};
use super::parser::{entry, status_of};
use super::version::Version;

/// The versions of one engine whose parsers were run, oldest first.
#[derive(Debug, Default)]
pub(super) struct Runs {
    engine: String,
    versions: Vec<(String, Option<Version>)>,
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
        let versions =
            versions.into_iter().map(|text| (Version::parse(&text), text)).map(|(v, text)| (text, v)).collect();
        Self { engine: engine.to_owned(), versions }
    }

    /// Reads `name`, `name@A` or `name@A..B`. `None` for a version that is no run.
    pub(super) fn extent(&self, text: &str) -> Option<Extent> {
        let (parser, range) = text.split_once('@').map_or((text, None), |(name, range)| (name, Some(range)));
        let position = |version: &str| self.versions.iter().position(|(run, _)| run == version);
        let (from, to) = match range.map(|range| range.split_once("..").unwrap_or((range, range))) {
            None => (0, self.versions.len()),
            Some((from, to)) => (position(from)?, position(to)?),
        };
        Some(Extent { parser: parser.to_owned(), from, to })
    }

    /// The name of a run.
    pub(super) fn version(&self, run: usize) -> &str {
        self.versions.get(run).map_or("", |(text, _)| text)
    }

    /// The run nearest to a version among those whose engine had the parser; of two as near the older. The newest without a version.
    ///
    /// Nearness is counted in checked versions, so that a long gap of releases does not look short.
    pub(super) fn nearest(&self, kind: ParserKind, parser: &str, version: Option<Version>) -> Option<usize> {
        let (_, def) = entry(&self.engine, kind, parser)?;
        let had = |run: &Version| status_of(&self.engine, def, Some(*run)) == super::ParserStatus::Known;
        let runs =
            self.versions.iter().enumerate().filter_map(|(index, (_, run))| run.filter(had).map(|run| (index, run)));
        let Some(version) = version else { return runs.last().map(|(index, _)| index) };
        let place = self.place(version);
        runs.min_by_key(|(index, run)| (self.place(*run).abs_diff(place), *index)).map(|(index, _)| index)
    }

    /// How many checked versions are not newer.
    fn place(&self, version: Version) -> usize {
        let checked = catalogue().versions.get(&self.engine).map_or(&[][..], Vec::as_slice);
        checked
            .iter()
            .filter(|checked| Version::parse(checked).is_some_and(|checked| checked <= version.base()))
            .count()
    }
}
