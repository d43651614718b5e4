//! What every report takes and where it is sent: [`Input`], [`Format`], [`write`].

use std::io::{self, Write};

use crate::record::{AttemptDone, RunDir, RunRecord};

/// The formats of a run's report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Format {
    /// For people: aligned, coloured on a terminal.
    #[default]
    Table,
    /// For programs: one object.
    Json,
    /// For pull requests and chats.
    Markdown,
    /// For CI.
    Junit,
    /// One page that stands alone.
    Html,
    /// One row an attempt.
    Csv,
}

/// What a report is made of.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The run.
    pub record: &'a RunRecord,
    /// Where its journal is, for what is told of single attempts.
    pub dir: Option<&'a RunDir>,
    /// The least rate that passes.
    pub fail_under: Option<f64>,
    /// How the table looks.
    pub style: Style,
}

/// How the table looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// ANSI colours.
    pub colour: bool,
    /// Columns of the terminal; 0 where it is not known.
    pub width: usize,
}

impl<'a> Input<'a> {
    /// A record without its journal, in plain style.
    #[must_use]
    pub fn of(record: &'a RunRecord) -> Self {
        Self { record, dir: None, fail_under: None, style: Style::default() }
    }

    /// The attempts in the order of the plan, one in memory at a time.
    pub(super) fn attempts(&self) -> io::Result<Box<dyn Iterator<Item = io::Result<AttemptDone>>>> {
        let Some(dir) = self.dir else { return Ok(Box::new(std::iter::empty())) };
        let attempts = dir.attempts().map_err(io::Error::other)?;
        Ok(Box::new(attempts.map(|attempt| attempt.map_err(io::Error::other))))
    }

    /// The name of the suite a task belongs to.
    pub(super) fn suite_of(&self, task: usize) -> &'a str {
        let start = &self.record.start;
        start.tasks.get(task).and_then(|task| start.suites.get(task.suite)).map_or("", |suite| suite.name.as_str())
    }

    /// The id of a task.
    pub(super) fn id_of(&self, task: usize) -> &'a str {
        self.record.start.tasks.get(task).map_or("", |task| task.id.as_str())
    }
}

/// Writes a run's report.
///
/// # Errors
/// When the journal cannot be read or the output not written.
pub fn write(format: Format, input: &Input<'_>, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Table => super::table::write(input, out),
        Format::Json => super::json::write(input, out),
        Format::Markdown => super::markdown::write(input, out),
        Format::Junit => super::junit::write(input, out),
        Format::Html => super::html::write(input, out),
        Format::Csv => super::csv::write(input, out),
    }
}

/// A run's report as text.
///
/// # Errors
/// When the journal cannot be read.
pub fn render(format: Format, input: &Input<'_>) -> io::Result<String> {
    let mut out = Vec::new();
    write(format, input, &mut out)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}
