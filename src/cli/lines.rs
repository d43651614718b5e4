//! JSONL as commands take it: [`Lines`], bounded whatever arrives. What a line means is the command's.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, BufRead, Read as _};

use monban_scorers::completion::mended;
use serde::de::{DeserializeOwned, IgnoredAny};

/// The longest line that is read, bytes.
const LONGEST: u64 = 64 << 20;
/// What some editors put before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of an input that are not blank.
pub(super) struct Lines<R> {
    input: R,
    number: u64,
}

/// One line.
pub(super) struct Line {
    /// Counted from 1, blank lines too.
    pub(super) number: u64,
    bytes: Vec<u8>,
    /// It was longer than is read.
    cut: bool,
}

/// Why a line cannot be read.
#[derive(Debug)]
pub(super) struct Unread {
    pub(super) why: String,
    /// Where the JSON breaks, counted from 1.
    pub(super) column: Option<usize>,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.column.map(|column| format!(", column {column}")).unwrap_or_default();
        write!(f, "{}{place}", self.why)
    }
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, number: 0 }
    }

    fn line(&mut self) -> io::Result<Option<Line>> {
        loop {
            let mut bytes = Vec::new();
            if self.input.by_ref().take(LONGEST).read_until(b'\n', &mut bytes)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            let cut = bytes.len() as u64 == LONGEST && !bytes.ends_with(b"\n");
            if cut {
                self.input.skip_until(b'\n')?;
            }
            let rest = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
            if !rest.trim_ascii().is_empty() {
                return Ok(Some(Line { number: self.number, bytes, cut }));
            }
        }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        self.line().transpose()
    }
}

impl Line {
    /// The line's object, and what was mended to read it: Python writes some that serde_json does not read.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<(T, BTreeSet<String>), Unread> {
        let unread = |why: &str, column| Err(Unread { why: why.to_owned(), column });
        if self.cut {
            return unread(&format!("longer than {} MiB, which is the longest that is read", LONGEST >> 20), None);
        }
        let bytes = self.bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.bytes).trim_ascii_end();
        let object = bytes.trim_ascii_start().starts_with(b"{");
        let error = match serde_json::from_slice::<T>(bytes) {
            Ok(read) if object => return Ok((read, BTreeSet::new())),
            Ok(_) => None,
            Err(error) => Some(error),
        };
        let kinds = match mended(bytes).filter(|_| object) {
            Some((value, departures)) => match serde_json::from_value(value) {
                Ok(read) => return Ok((read, departures.into_iter().map(|one| one.kind).collect())),
                Err(_) => true,
            },
            None => serde_json::from_slice::<IgnoredAny>(bytes).is_ok(),
        };
        match error {
            Some(error) if object || !kinds => {
                let said = error.to_string();
                // The place within the slice is said beside it, as the place within the file.
                let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said);
                let hint = if error.is_eof() { " (each object on one line; `jq -c .` makes them so)" } else { "" };
                let lead = if error.is_data() { "" } else { "not JSON: " };
                unread(&format!("{lead}{said}{hint}"), Some(error.column()))
            }
            _ => unread("a line holds one JSON object, this is JSON of another kind", None),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn lines_are_counted_with_the_blank_ones_and_read_for_what_they_are() {
        let text = "\u{feff}{\"a\":1}\n\n \r\n{\"a\":NaN}\n[1]\nNaN\n\"x\"\n{\"a\":}\n{\n\u{feff}\n";
        let read: Vec<(u64, Result<bool, String>)> = Lines::new(text.as_bytes())
            .map(Result::unwrap)
            .map(|line| {
                let read = line.read::<Value>();
                (line.number, read.map(|(_, mended)| mended.is_empty()).map_err(|unread| unread.to_string()))
            })
            .collect();
        let kind = || Err("a line holds one JSON object, this is JSON of another kind".to_owned());
        let eof = "not JSON: EOF while parsing an object (each object on one line; `jq -c .` makes them so), column 1";
        let expected = [
            (1, Ok(true)),
            (4, Ok(false)),
            (5, kind()),
            (6, Err("not JSON: expected value, column 1".to_owned())),
            (7, kind()),
            (8, Err("not JSON: expected value, column 6".to_owned())),
            (9, Err(eof.to_owned())),
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn a_line_longer_than_is_read_is_passed_over_whole() {
        let long = [vec![b'x'; LONGEST as usize + 10], b"\n{}".to_vec()].concat();
        let lines: Vec<Line> = Lines::new(&long[..]).map(Result::unwrap).collect();
        assert!(lines[0].read::<Value>().unwrap_err().why.starts_with("longer than 64 MiB"));
        assert_eq!((lines.len(), lines[1].number), (2, 2));
        assert!(lines[1].read::<Value>().is_ok());
    }
}
