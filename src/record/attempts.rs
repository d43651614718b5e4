//! [`Attempts`]: what a journal holds of each attempt, in the order of the plan, one in memory at a time.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use monban_scorers::Outcome;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::event::{AttemptDone, Event};
use super::store_error::StoreError;

/// The attempts of a run: the final outcome of each, and of those without one the last error.
#[derive(Debug)]
pub struct Attempts {
    file: BufReader<File>,
    path: PathBuf,
    places: std::vec::IntoIter<u64>,
    buffer: Vec<u8>,
}

/// As much of a line as says which attempt it is of.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Head {
    AttemptDone {
        task: usize,
        attempt: u32,
        outcome: Outcome,
    },
    Resumed(IgnoredAny),
    #[serde(untagged)]
    Other(IgnoredAny),
}

impl Attempts {
    /// Indexes a journal.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let corrupt = |error: &dyn std::fmt::Display| StoreError::corrupt(path, error);
        let file = File::open(path).map_err(|error| corrupt(&error))?;
        let mut file = BufReader::with_capacity(128 << 10, file);
        let mut index = Index::default();
        let (mut buffer, mut offset, mut line) = (Vec::new(), 0, 0_u64);
        loop {
            buffer.clear();
            let size = file.read_until(b'\n', &mut buffer).map_err(|error| corrupt(&error))?;
            if buffer.last() != Some(&b'\n') {
                break;
            }
            line += 1;
            let event = serde_json::from_slice(&buffer).map_err(|error| {
                corrupt(&format!(
                    "line {line} of the journal cannot be read: {error}; without that line, the others can"
                ))
            })?;
            index.take(event, offset);
            offset += size as u64;
        }
        Ok(Self { file, path: path.to_owned(), places: index.places().into_iter(), buffer })
    }

    fn read(&mut self, place: u64) -> Result<Option<AttemptDone>, StoreError> {
        let corrupt = |error: &dyn std::fmt::Display| StoreError::corrupt(&self.path, error);
        self.file.seek(SeekFrom::Start(place)).map_err(|error| corrupt(&error))?;
        self.buffer.clear();
        self.file.read_until(b'\n', &mut self.buffer).map_err(|error| corrupt(&error))?;
        match serde_json::from_slice(&self.buffer).map_err(|error| corrupt(&error))? {
            Event::AttemptDone(done) => Ok(Some(done)),
            _ => Ok(None),
        }
    }
}

impl Iterator for Attempts {
    type Item = Result<AttemptDone, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let place = self.places.next()?;
        self.read(place).transpose()
    }
}

/// Where the line of each attempt begins: the first final outcome, else the last error since the run was taken up again.
#[derive(Default)]
struct Index {
    done: BTreeMap<(usize, u32), u64>,
    errors: BTreeMap<(usize, u32), u64>,
}

impl Index {
    fn take(&mut self, head: Head, offset: u64) {
        match head {
            Head::AttemptDone { outcome: Outcome::Skipped, .. } | Head::Other(_) => {}
            Head::AttemptDone { task, attempt, outcome: Outcome::Error } => {
                self.errors.insert((task, attempt), offset);
            }
            Head::AttemptDone { task, attempt, .. } => {
                self.done.entry((task, attempt)).or_insert(offset);
            }
            Head::Resumed(_) => self.errors.clear(),
        }
    }

    fn places(mut self) -> Vec<u64> {
        for (key, place) in self.errors {
            self.done.entry(key).or_insert(place);
        }
        self.done.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Journal;

    #[test]
    fn each_attempt_comes_once_with_its_final_outcome() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let mut journal = Journal::create(&path).unwrap();
        let mut write = |task, attempt, outcome| {
            let (expectations, findings, measures, exchanges) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            let why = String::new();
            let done = AttemptDone { task, attempt, outcome, expectations, why, findings, measures, exchanges };
            journal.append(&Event::AttemptDone(done)).unwrap();
        };
        write(1, 0, Outcome::Error);
        write(0, 1, Outcome::Error);
        write(0, 0, Outcome::Passed);
        drop(journal);
        let mut journal = Journal::reopen(&path).unwrap();
        journal.append(&Event::Resumed { at: String::new() }).unwrap();
        let mut again = |task, attempt, outcome| {
            let (expectations, findings, measures, exchanges) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            let why = String::new();
            let done = AttemptDone { task, attempt, outcome, expectations, why, findings, measures, exchanges };
            journal.append(&Event::AttemptDone(done)).unwrap();
        };
        again(1, 0, Outcome::Failed);
        again(2, 0, Outcome::Error);
        let found: Vec<_> = Attempts::open(&path)
            .unwrap()
            .map(|done| done.map(|done| (done.task, done.attempt, done.outcome)).unwrap())
            .collect();
        assert_eq!(found, [(0, 0, Outcome::Passed), (1, 0, Outcome::Failed), (2, 0, Outcome::Error)]);
    }
}
