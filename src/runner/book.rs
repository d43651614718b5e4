//! [`Book`]: a run's place on disk, taken for writing, and the sink that writes there.

use std::fmt;
use std::io;

use super::sink::Sink;
use crate::record::{Event, RunDir, RunLock, RunRecord, RunStart, Store, StoreError};

/// A run taken for writing: nobody else writes it while this lives.
#[derive(Debug)]
pub struct Book {
    /// Where it lives.
    pub dir: RunDir,
    /// Where its events go.
    pub sink: Sink,
    /// Keep it until the manifest is written.
    pub lock: RunLock,
}

/// Why a run cannot be written.
#[derive(Debug)]
pub enum BookError {
    /// The run cannot be had.
    Store(StoreError),
    /// Its journal cannot be written.
    Journal(io::Error),
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::Journal(error) => write!(f, "the journal cannot be written: {error}"),
        }
    }
}

impl std::error::Error for BookError {}

impl From<StoreError> for BookError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<io::Error> for BookError {
    fn from(error: io::Error) -> Self {
        Self::Journal(error)
    }
}

impl Book {
    /// Begins a run: its directory, its lock, its manifest, the first line of its journal.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn begin(store: &Store, start: &RunStart) -> Result<Self, BookError> {
        let (dir, lock, journal) = store.create(start)?;
        let mut sink = Sink::new(Some(journal), Default::default());
        sink.emit(&Event::RunStart(start.clone()))?;
        Ok(Self { dir, sink, lock })
    }

    /// Takes a run up again: what was torn off is cut off, what is not final will be asked again.
    ///
    /// # Errors
    /// When another process has it, or its files are not what they should be.
    pub fn resume(dir: RunDir) -> Result<Self, BookError> {
        let lock = dir.lock()?;
        let fold = dir.fold_to_go_on()?;
        let mut journal = dir.reopen()?;
        if std::fs::metadata(dir.journal_path())?.len() == 0 {
            journal.append(&Event::RunStart(fold.start().clone()))?;
        }
        // From here on the manifest must not speak for the run: it has not ended.
        dir.write_manifest(&RunRecord { end: None, ..fold.record() })?;
        let mut sink = Sink::new(Some(journal), fold);
        sink.emit(&Event::Resumed { at: jiff::Timestamp::now().to_string() })?;
        Ok(Self { dir, sink, lock })
    }
}
