//! Why a run cannot be had: [`StoreError`].

use std::fmt;
use std::io;
use std::path::Path;

/// Why a run cannot be had.
#[derive(Debug)]
pub struct StoreError {
    /// The kind, for exit codes and remedies.
    pub kind: StoreErrorKind,
    message: String,
}

/// The kinds of [`StoreError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// No such run.
    Missing,
    /// More than one run fits.
    Ambiguous,
    /// Another process writes it.
    Locked,
    /// The disk refused.
    Io,
    /// Its files are not what they should be.
    Corrupt,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StoreError {}

impl StoreError {
    pub(super) fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(super) fn io(what: &str, path: &Path, error: &io::Error) -> Self {
        Self::new(StoreErrorKind::Io, format!("cannot {what} {}: {error}", path.display()))
    }

    pub(super) fn corrupt(path: &Path, error: &dyn fmt::Display) -> Self {
        Self::new(StoreErrorKind::Corrupt, format!("{}: {error}", path.display()))
    }
}
