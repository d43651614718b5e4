//! Where runs live: `runs/<run_id>/` with `manifest.json` (the record) and `events.jsonl` (the journal).
//!
//! The manifest is written whole or not at all. One process at a time writes a run: it holds a lock that ends with it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::attempts::Attempts;
use super::event::{Event, RunStart};
use super::fold::Fold;
use super::journal::{Journal, JournalReader};
use super::run_id::{by_age, is_run_id};
use super::store_error::{StoreError, StoreErrorKind};
use super::summary::RunRecord;

/// A directory of runs.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

/// One run's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDir {
    path: PathBuf,
}

/// A run's lock: gone when dropped, or when the process ends however it ends.
#[derive(Debug)]
pub struct RunLock(#[expect(dead_code, reason = "holds the lock")] File);

impl Store {
    /// The runs below a directory, which need not exist yet.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Makes a run's directory, takes its lock, writes its first manifest and begins its journal.
    ///
    /// # Errors
    /// When the disk refuses, or the run exists already.
    pub fn create(&self, start: &RunStart) -> Result<(RunDir, RunLock, Journal), StoreError> {
        let path = self.root.join(&start.run_id);
        fs::create_dir_all(&self.root).map_err(|error| StoreError::io("create", &self.root, &error))?;
        fs::create_dir(&path).map_err(|error| StoreError::io("create", &path, &error))?;
        let dir = RunDir { path };
        let lock = dir.lock()?;
        dir.write_manifest(&RunRecord::from_events([&Event::RunStart(start.clone())]))?;
        let journal = dir.journal_path();
        let journal = Journal::create(&journal).map_err(|error| StoreError::io("create", &journal, &error))?;
        Ok((dir, lock, journal))
    }

    /// The run with this id, or the only one whose id begins so or holds it; `last` is the newest.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn open(&self, id: &str) -> Result<RunDir, StoreError> {
        if is_run_id(id) && self.root.join(id).join(MANIFEST).is_file() {
            return Ok(RunDir { path: self.root.join(id) });
        }
        let mut fitting: Vec<RunDir> =
            self.list().into_iter().filter(|run| id == "last" || run.id().contains(id)).collect();
        if id == "last" {
            fitting.drain(..fitting.len().saturating_sub(1));
        }
        match (fitting.pop(), fitting.len()) {
            (Some(run), 0) => Ok(run),
            (None, _) if id == "last" => Err(StoreError::new(
                StoreErrorKind::Missing,
                format!("no runs in {}; `monban run` makes one, --runs-dir names another place", self.root.display()),
            )),
            (None, _) => Err(StoreError::new(
                StoreErrorKind::Missing,
                format!("no run `{id}` in {}; `monban runs` lists them", self.root.display()),
            )),
            (Some(_), more) => Err(StoreError::new(
                StoreErrorKind::Ambiguous,
                format!("{} runs fit `{id}`; write more of the id (`monban runs` lists them)", more + 1),
            )),
        }
    }

    /// Whether there is a run of exactly this id.
    #[must_use]
    pub fn exists(&self, id: &str) -> bool {
        self.root.join(id).exists()
    }

    /// All runs, the oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<RunDir> {
        let mut runs: Vec<RunDir> = fs::read_dir(&self.root)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| RunDir { path: entry.path() })
            .filter(|run| is_run_id(&run.id()) && run.path.join(MANIFEST).is_file())
            .collect();
        runs.sort_by(|a, b| by_age(&a.id()).cmp(&by_age(&b.id())));
        runs
    }
}

const MANIFEST: &str = "manifest.json";

impl RunDir {
    /// The run in this directory.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run's id: the directory's name.
    #[must_use]
    pub fn id(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// The journal's path.
    #[must_use]
    pub fn journal_path(&self) -> PathBuf {
        self.path.join("events.jsonl")
    }

    /// Takes the run for writing.
    ///
    /// # Errors
    /// [`StoreErrorKind::Locked`] when another process has it.
    pub fn lock(&self) -> Result<RunLock, StoreError> {
        let path = self.path.join(".lock");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| StoreError::io("open", &path, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(RunLock(file)),
            Err(TryLockError::WouldBlock) => Err(StoreError::new(
                StoreErrorKind::Locked,
                format!("run {} is being written by another process; wait for it or stop it", self.id()),
            )),
            Err(TryLockError::Error(error)) => Err(StoreError::io("lock", &path, &error)),
        }
    }

    /// Writes the manifest, whole or not at all.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write_manifest(&self, record: &RunRecord) -> Result<(), StoreError> {
        let path = self.path.join(MANIFEST);
        write_atomically(&path, record).map_err(|error| StoreError::io("write", &path, &error))
    }

    /// The events of the journal.
    ///
    /// # Errors
    /// When there is no journal.
    pub fn events(&self) -> Result<JournalReader<BufReader<File>>, StoreError> {
        let path = self.journal_path();
        JournalReader::open(&path).map_err(|error| StoreError::io("open", &path, &error))
    }

    /// The record: the manifest of a run that ended, else folded from the journal.
    ///
    /// # Errors
    /// When the files cannot be read as what they are.
    pub fn record(&self) -> Result<RunRecord, StoreError> {
        let manifest = self.manifest()?;
        if manifest.end.is_some() { Ok(manifest) } else { Ok(self.fold()?.record()) }
    }

    /// The journal folded; begun from the manifest where the journal's first line was never written.
    ///
    /// # Errors
    /// When the files cannot be read as what they are.
    pub fn fold(&self) -> Result<Fold, StoreError> {
        let mut fold = Fold::default();
        fold.apply(&Event::RunStart(self.manifest()?.start));
        if self.journal_path().exists() {
            for event in self.events()? {
                fold.apply(&event.map_err(|error| StoreError::corrupt(&self.journal_path(), &error))?);
            }
        }
        Ok(fold)
    }

    /// What was fixed when the run began, from the manifest.
    ///
    /// # Errors
    /// When the manifest cannot be read.
    pub fn start(&self) -> Result<RunStart, StoreError> {
        #[derive(Deserialize)]
        struct Head {
            start: RunStart,
        }
        Ok(self.read_manifest::<Head>()?.start)
    }

    /// The final outcome of every attempt with everything that came over the wire, in the order of the plan.
    ///
    /// # Errors
    /// When there is no journal, or it cannot be read.
    pub fn attempts(&self) -> Result<Attempts, StoreError> {
        Attempts::open(&self.journal_path())
    }

    /// The journal folded, of a run that can go on. The manifest of a run that ended says what its journal must hold.
    ///
    /// # Errors
    /// When outcomes are lost: they would be asked anew, and the run would not be the one it was.
    pub fn fold_to_go_on(&self) -> Result<Fold, StoreError> {
        let (fold, manifest) = (self.fold()?, self.manifest()?);
        let begun = fs::metadata(self.journal_path()).is_ok_and(|journal| journal.len() > 0);
        let (had, have) = (manifest.counts.answered(), fold.done().len());
        match manifest.end {
            Some(end) if !begun || have < had => Err(StoreError::new(
                StoreErrorKind::Corrupt,
                format!(
                    "run {} ended at {} with {had} outcomes, and {} holds {have}: restore it, or begin a new run",
                    self.id(),
                    end.finished,
                    self.journal_path().display()
                ),
            )),
            _ => Ok(fold),
        }
    }

    /// Opens the journal to go on with it.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn reopen(&self) -> Result<Journal, StoreError> {
        let path = self.journal_path();
        Journal::reopen(&path).map_err(|error| StoreError::io("open", &path, &error))
    }

    fn manifest(&self) -> Result<RunRecord, StoreError> {
        self.read_manifest()
    }

    fn read_manifest<T: for<'de> Deserialize<'de>>(&self) -> Result<T, StoreError> {
        let path = self.path.join(MANIFEST);
        let bytes = fs::read(&path).map_err(|error| StoreError::io("read", &path, &error))?;
        let damaged =
            |error| format!("the manifest cannot be read: {error}; the answers stand in events.jsonl beside it");
        serde_json::from_slice(&bytes).map_err(|error| StoreError::corrupt(&path, &damaged(error)))
    }
}

fn write_atomically(path: &Path, record: &RunRecord) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".manifest");
    // A temporary file is 0600 and would stay so.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut file = builder.tempfile_in(dir)?;
    let mut out = io::BufWriter::new(&mut file);
    serde_json::to_writer(&mut out, record)?;
    out.write_all(b"\n")?;
    out.flush()?;
    drop(out);
    file.as_file().sync_data()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RunEnd;

    fn start(run_id: &str) -> RunStart {
        RunStart { run_id: run_id.to_owned(), ..RunStart::default() }
    }

    #[test]
    fn a_run_has_one_writer() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path());
        let (run, lock, _journal) = store.create(&start("20260101-000000_a_b_c_123456")).unwrap();
        assert_eq!(run.lock().unwrap_err().kind, StoreErrorKind::Locked);
        drop(lock);
        run.lock().unwrap();
        assert_eq!(store.create(&start("20260101-000000_a_b_c_123456")).unwrap_err().kind, StoreErrorKind::Io);
    }

    #[test]
    fn the_record_is_the_manifest_of_an_ended_run_else_the_journal() {
        let dir = tempfile::tempdir().unwrap();
        let (run, _lock, mut journal) = Store::new(dir.path()).create(&start("r1")).unwrap();
        assert_eq!(run.record().unwrap().start.run_id, "r1");
        journal.append(&Event::RunStart(start("r1"))).unwrap();
        journal.append(&Event::RunEnd(RunEnd { wall_ms: 7, ..RunEnd::default() })).unwrap();
        assert_eq!(run.record().unwrap().performance.wall_ms, 7);
        run.write_manifest(&run.record().unwrap()).unwrap();
        fs::remove_file(run.journal_path()).unwrap();
        assert_eq!(run.record().unwrap().performance.wall_ms, 7);
        assert_eq!(run.start().unwrap().run_id, "r1");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(run.path().join(MANIFEST)).unwrap().permissions().mode() & 0o777, 0o644);
        }
    }

    #[test]
    fn runs_are_found_by_what_is_enough_of_their_id() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path());
        for id in ["20260101-000000_a", "20260102-000000_b"] {
            store.create(&start(id)).unwrap();
        }
        assert_eq!(store.open("last").unwrap().id(), "20260102-000000_b");
        assert_eq!(store.open("0101").unwrap().id(), "20260101-000000_a");
        assert_eq!(store.open("2026").unwrap_err().kind, StoreErrorKind::Ambiguous);
        for missing in ["nope", "", "../x"] {
            assert_ne!(store.open(missing).map(|run| run.id()).unwrap_err().kind, StoreErrorKind::Io, "{missing}");
        }
        assert_eq!(store.list().len(), 2);
    }
}
