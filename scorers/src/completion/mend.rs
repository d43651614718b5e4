//! Reads what serde_json refuses but a stock Python server writes: [`read`]. Every departure is booked.
//!
//! Lenient in `NaN`, `Infinity`, numbers out of range, lone surrogates, raw control characters and nesting.
//! What is cut or has another syntax stays unreadable: nothing is guessed.

use std::borrow::Cow;

use serde_json::Number;

use super::deviation::Notes;
use super::json::Json;

/// Deeper values are skipped: as serde_json's own bound, so that nothing here can exhaust the stack.
const DEPTH: usize = 120;

/// The whole text as one value; `None` where that cannot be.
pub(super) fn read<'a>(text: &'a str, notes: &mut Notes) -> Option<Json<'a>> {
    let mut reader = Reader { text, at: 0, notes };
    let json = reader.value(0)?;
    reader.space();
    (reader.at == text.len()).then_some(json)
}

struct Reader<'a, 'n> {
    text: &'a str,
    at: usize,
    notes: &'n mut Notes,
}

impl<'a> Reader<'a, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.space();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn book(&mut self, kind: &'static str, detail: &str) {
        self.notes.add(kind, format_args!("byte {}", self.at), detail);
    }

    fn value(&mut self, depth: usize) -> Option<Json<'a>> {
        self.space();
        match self.peek()? {
            b'{' | b'[' if depth >= DEPTH => self.skip(),
            b'{' => self.map(depth),
            b'[' => self.list(depth),
            b'"' => self.string().map(Json::Text),
            _ => self.word(),
        }
    }

    fn map(&mut self, depth: usize) -> Option<Json<'a>> {
        self.at += 1;
        let mut members = Vec::new();
        if self.take(b'}').is_some() {
            return Some(Json::Map(members));
        }
        loop {
            self.space();
            let key = self.string()?;
            self.take(b':')?;
            members.push((key, self.value(depth + 1)?));
            if self.take(b',').is_none() {
                self.take(b'}')?;
                return Some(Json::Map(members));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Json<'a>> {
        self.at += 1;
        let mut items = Vec::new();
        if self.take(b']').is_some() {
            return Some(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.take(b',').is_none() {
                self.take(b']')?;
                return Some(Json::List(items));
            }
        }
    }

    /// Passes over a value that is nested too deeply, by its brackets.
    fn skip(&mut self) -> Option<Json<'a>> {
        self.book("deep_nesting", "deeper values are left unread");
        let mut open = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => open += 1,
                b'}' | b']' => open -= 1,
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                return Some(Json::Null);
            }
        }
    }

    /// `true`, a number, `NaN`, …
    fn word(&mut self) -> Option<Json<'a>> {
        let rest = self.text.get(self.at..)?;
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'))).unwrap_or(rest.len());
        let word = rest.get(..end)?;
        let json = match word {
            "null" => Json::Null,
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            "NaN" | "nan" | "Infinity" | "-Infinity" | "inf" | "-inf" => {
                self.book("non_finite_number", word);
                Json::Null
            }
            _ => self.number(word)?,
        };
        self.at += end;
        Some(json)
    }

    fn number(&mut self, word: &str) -> Option<Json<'a>> {
        if let Ok(number) = serde_json::from_str::<Number>(word) {
            return Some(Json::Number(number));
        }
        let plausible = word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        let huge = plausible && word.parse::<f64>().is_ok_and(f64::is_infinite);
        huge.then(|| {
            self.book("number_out_of_range", word);
            Json::Null
        })
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        if self.peek()? != b'"' {
            return None;
        }
        self.at += 1;
        let start = self.at;
        let rest = self.text.get(start..)?;
        let plain = rest.find(['"', '\\'])?;
        self.at += plain;
        if self.peek()? == b'"' {
            self.at += 1;
            let text = rest.get(..plain)?;
            self.control(start);
            return Some(Cow::Borrowed(text));
        }
        let mut out = rest.get(..plain)?.to_owned();
        self.escaped(&mut out)?;
        self.control(start);
        Some(Cow::Owned(out))
    }

    /// Books raw control characters between `start` and here.
    fn control(&mut self, start: usize) {
        let raw = self.text.as_bytes().get(start..self.at).unwrap_or_default();
        if raw.iter().any(|byte| *byte < 0x20) {
            self.book("control_character", "a raw control character in a string");
        }
    }

    /// The rest of a string that holds escapes, up to its closing quote.
    fn escaped(&mut self, out: &mut String) -> Option<()> {
        loop {
            let rest = self.text.get(self.at..)?;
            let plain = rest.find(['"', '\\'])?;
            out.push_str(rest.get(..plain)?);
            self.at += plain + 1;
            if rest.as_bytes().get(plain) == Some(&b'"') {
                return Some(());
            }
            let escape = self.peek()?;
            self.at += 1;
            match escape {
                b'u' => self.unicode(out)?,
                b'n' => out.push('\n'),
                b't' => out.push('\t'),
                b'r' => out.push('\r'),
                b'b' => out.push('\u{8}'),
                b'f' => out.push('\u{c}'),
                b'"' | b'\\' | b'/' => out.push(char::from(escape)),
                _ => return None,
            }
        }
    }

    fn unicode(&mut self, out: &mut String) -> Option<()> {
        let high = self.hex()?;
        if (0xd800..0xdc00).contains(&high) && self.text.get(self.at..)?.starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            let low = self.hex()?;
            if (0xdc00..0xe000).contains(&low) {
                out.push(char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))?);
                return Some(());
            }
            self.at = before;
        }
        out.push(char::from_u32(high).unwrap_or_else(|| {
            self.book("lone_surrogate", "half of a surrogate pair, read as U+FFFD");
            char::REPLACEMENT_CHARACTER
        }));
        Some(())
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}
