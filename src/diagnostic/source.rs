//! A file's text with its lines: [`Source`]. It is handed in, never read here.

use std::ops::Range;

/// A text file under the name the user gave it.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    /// The byte each line begins at.
    lines: Vec<usize>,
}

impl Source {
    /// A file's text.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { name: name.into(), text, lines }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// 1-based line and column (in characters) of a byte.
    #[must_use]
    pub fn position(&self, byte: usize) -> (u32, u32) {
        let byte = self.floor(byte);
        let line = self.line_of(byte);
        let column = self.text[self.lines[line]..byte].chars().count() + 1;
        (u32::try_from(line + 1).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }

    /// The bytes of a 1-based line, without its end and the blanks around it.
    #[must_use]
    pub fn line_span(&self, line: u32) -> Option<Range<usize>> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.lines.get(index)?;
        let end = self.lines.get(index + 1).copied().unwrap_or(self.text.len());
        let text = &self.text[start..end];
        let start = start + text.len() - text.trim_start().len();
        Some(start..start + text.trim().len())
    }

    /// A span that lies within the text and on characters' boundaries.
    #[must_use]
    pub fn clamp(&self, span: Range<usize>) -> Range<usize> {
        let start = self.floor(span.start);
        start..self.floor(span.end).max(start)
    }

    /// The bytes of the lines a span touches.
    pub(super) fn lines_around(&self, span: &Range<usize>) -> (usize, Range<usize>) {
        let first = self.line_of(span.start);
        let last = self.line_of(span.end.saturating_sub(1).max(span.start));
        let end = self.lines.get(last + 1).copied().unwrap_or(self.text.len());
        (first + 1, self.lines[first]..end)
    }

    fn line_of(&self, byte: usize) -> usize {
        self.lines.partition_point(|&start| start <= byte).saturating_sub(1)
    }

    fn floor(&self, byte: usize) -> usize {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let source = Source::new("a.toml", "名前 = 1\nb = 2\n");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position("名".len()), (1, 2));
        assert_eq!(source.position(1), (1, 1), "inside a character is its start");
        let second = source.text().find('b').unwrap();
        assert_eq!(source.position(second), (2, 1));
        assert_eq!(source.position(usize::MAX), (3, 1));
        assert_eq!(Source::new("", "").position(9), (1, 1));
    }
}
