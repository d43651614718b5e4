//! [`Sink`]: the one place where events go: journal, fold, observers.

use std::fmt;
use std::io;
use std::sync::{Mutex, MutexGuard};

use crate::record::{Event, Fold, Journal, write_line};

/// Sees every event as it is booked. Must be quick: the workers wait for it.
pub trait Observer: Send {
    /// Takes an event.
    fn event(&mut self, event: &Event);
}

/// Where a run's events go.
pub struct Sink {
    journal: Option<Journal>,
    /// Lines that wait for the next write.
    pending: Vec<u8>,
    fold: Fold,
    observers: Vec<Box<dyn Observer>>,
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink").field("journal", &self.journal).finish_non_exhaustive()
    }
}

impl Sink {
    /// A sink that goes on from a fold; without a journal nothing is kept on disk.
    #[must_use]
    pub fn new(journal: Option<Journal>, fold: Fold) -> Self {
        Self { journal, pending: Vec::new(), fold, observers: Vec::new() }
    }

    /// With one more observer.
    #[must_use]
    pub fn observe(mut self, observer: Box<dyn Observer>) -> Self {
        self.observers.push(observer);
        self
    }

    /// What was folded so far.
    #[must_use]
    pub fn fold(&self) -> &Fold {
        &self.fold
    }

    /// Takes an event and writes it.
    ///
    /// # Errors
    /// When the journal cannot be written: what was booked since the last write is not on disk.
    pub fn emit(&mut self, event: &Event) -> io::Result<()> {
        self.take(event)?;
        self.write()
    }

    /// Takes an event. It is on disk after the next [`Sink::write`].
    ///
    /// # Errors
    /// When the event holds what JSON cannot: then nothing was taken.
    pub(super) fn take(&mut self, event: &Event) -> io::Result<()> {
        if self.journal.is_some() {
            write_line(event, &mut self.pending)?;
        }
        self.book(event);
        Ok(())
    }

    /// Takes an event whose line was made outside the lock, as large ones are.
    pub(super) fn take_line(&mut self, event: &Event, line: &[u8]) {
        if self.journal.is_some() {
            self.pending.extend_from_slice(line);
        }
        self.book(event);
    }

    fn book(&mut self, event: &Event) {
        self.fold.apply(event);
        self.observers.iter_mut().for_each(|observer| observer.event(event));
    }

    /// Writes what was taken. What was written already costs nothing: the first of several that wait writes for all.
    pub(super) fn write(&mut self) -> io::Result<()> {
        if let (Some(journal), false) = (&mut self.journal, self.pending.is_empty()) {
            journal.append_lines(&self.pending)?;
            self.pending.clear();
        }
        Ok(())
    }

    /// Waits until the disk has the journal.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.journal.as_mut().map_or(Ok(()), Journal::sync)
    }
}

/// Locks; a panic elsewhere does not take the rest of the run with it.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
