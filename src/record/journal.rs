//! The journal: `events.jsonl`, one event a line, append-only.
//!
//! Whole lines are written, newline included, one or several at once. A line without its newline was never finished (the
//! process was killed): [`read`](JournalReader) ignores it, [`Journal::reopen`] cuts it off. Anything else that cannot be
//! read is an error.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use monban_scorers::{Body, Exchange};

use super::event::Event;

/// A journal open for writing.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

impl Journal {
    /// Begins a journal.
    ///
    /// # Errors
    /// When the file exists already or cannot be written.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: OpenOptions::new().append(true).create_new(true).open(path)? })
    }

    /// Opens a journal to go on with it, and cuts off a torn last line.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn reopen(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let whole = whole_lines(&mut file)?;
        file.set_len(whole)?;
        Ok(Self { file })
    }

    /// Appends one event.
    ///
    /// # Errors
    /// When it cannot be written (the disk is full).
    pub fn append(&mut self, event: &Event) -> io::Result<()> {
        self.append_lines(&line(event)?)
    }

    /// Appends events as [`line`](fn@line) made them.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append_lines(&mut self, lines: &[u8]) -> io::Result<()> {
        self.file.write_all(lines)
    }

    /// Waits until the disk has it.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// An event as a line of the journal, newline included.
///
/// # Errors
/// When the event holds what JSON cannot.
pub fn line(event: &Event) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    write_line(event, &mut line)?;
    Ok(line)
}

/// Appends an event's [`line`](fn@line) to others.
///
/// # Errors
/// When the event holds what JSON cannot: then the lines are as they were.
pub fn write_line(event: &Event, lines: &mut Vec<u8>) -> io::Result<()> {
    let before = lines.len();
    lines.reserve(room(event));
    if let Err(error) = serde_json::to_writer(&mut *lines, event) {
        lines.truncate(before);
        return Err(error.into());
    }
    lines.push(b'\n');
    Ok(())
}

/// About how long an event's line gets: growing it step by step would copy the wire again and again.
fn room(event: &Event) -> usize {
    let Event::AttemptDone(done) = event else { return 1024 };
    let wire = |exchange: &Exchange| {
        let pieces = if let Body::Pieces(pieces) = &exchange.body { pieces.len() } else { 0 };
        let body = exchange.body.size() + 64 * pieces;
        768 + exchange.request.get().len() + body + body / 4
    };
    512 + done.exchanges.iter().map(wire).sum::<usize>()
}

/// The length of the file up to and with its last newline, read from the end.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut block = vec![0; 64 << 10];
    while end > 0 {
        let start = end.saturating_sub(block.len() as u64);
        let size = usize::try_from(end - start).unwrap_or(block.len());
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut block[..size])?;
        if let Some(at) = block[..size].iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// The events of a journal, in order.
#[derive(Debug)]
pub struct JournalReader<R> {
    input: R,
    line: u64,
    offset: u64,
    buffer: Vec<u8>,
}

/// A line of a journal that cannot be read.
#[derive(Debug)]
pub struct JournalError {
    /// The line, from 1.
    pub line: u64,
    message: String,
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {} of the journal cannot be read: {}; without that line, the others can",
            self.line, self.message
        )
    }
}

impl std::error::Error for JournalError {}

impl JournalReader<BufReader<File>> {
    /// Opens a journal for reading.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::new(BufReader::with_capacity(128 << 10, File::open(path)?)))
    }
}

impl<R: BufRead> JournalReader<R> {
    /// Reads a journal from anything.
    pub fn new(input: R) -> Self {
        Self { input, line: 0, offset: 0, buffer: Vec::new() }
    }

    /// Where the next line begins, in bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    fn next_event(&mut self) -> Result<Option<Event>, JournalError> {
        self.line += 1;
        self.buffer.clear();
        let size = self.input.read_until(b'\n', &mut self.buffer).map_err(|error| self.error(&error))?;
        if self.buffer.last() != Some(&b'\n') {
            return Ok(None);
        }
        self.offset += size as u64;
        serde_json::from_slice(&self.buffer).map(Some).map_err(|error| self.error(&error))
    }

    fn error(&self, error: &dyn fmt::Display) -> JournalError {
        JournalError { line: self.line, message: error.to_string() }
    }
}

impl<R: BufRead> Iterator for JournalReader<R> {
    type Item = Result<Event, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_event().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RunEnd;

    fn end(n: u64) -> Event {
        Event::RunEnd(RunEnd { wall_ms: n, ..RunEnd::default() })
    }

    #[test]
    fn a_torn_last_line_is_ignored_and_cut_off() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let mut journal = Journal::create(&path).unwrap();
        journal.append(&end(1)).unwrap();
        journal.append(&end(2)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let first = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        for cut in first..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let read: Vec<Event> = JournalReader::open(&path).unwrap().map(Result::unwrap).collect();
            assert_eq!(read, [end(1)], "cut at {cut}");
            Journal::reopen(&path).unwrap().append(&end(3)).unwrap();
            let read: Vec<Event> = JournalReader::open(&path).unwrap().map(Result::unwrap).collect();
            assert_eq!(read, [end(1), end(3)], "cut at {cut}");
        }
    }

    #[test]
    fn a_torn_line_longer_than_a_block_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("events.jsonl");
        let mut bytes = line(&end(1)).unwrap();
        bytes.extend(vec![b'x'; 200_000]);
        std::fs::write(&path, &bytes).unwrap();
        Journal::reopen(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), line(&end(1)).unwrap());
    }

    #[test]
    fn a_broken_line_in_the_middle_is_an_error_with_its_number() {
        let text = [line(&end(1)).unwrap(), b"{]\n".to_vec(), line(&end(2)).unwrap()].concat();
        let read: Vec<_> = JournalReader::new(&text[..]).collect();
        assert_eq!(read[1].as_ref().unwrap_err().line, 2);
        assert!(read[2].is_ok());
    }
}
