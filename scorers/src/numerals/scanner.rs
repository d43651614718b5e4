//! Where a number starts, its digits, groups, decimals and exponent: [`Scanner`].

use super::Style;
use super::plain::NARROW;

/// Reads numbers out of plain characters, one position after the other.
pub(super) struct Scanner<'a> {
    pub(super) chars: &'a [char],
    pub(super) at: usize,
    pub(super) style: Style,
}

impl Scanner<'_> {
    pub(super) fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn is_digit(&self, ahead: usize) -> bool {
        self.peek(ahead).is_some_and(|c| c.is_ascii_digit())
    }

    /// Reads a number that starts here; else stays, or passes over what only looks like one.
    pub(super) fn numeral(&mut self) -> Option<f64> {
        if let Some(value) = self.latex_fraction() {
            return Some(value);
        }
        let mark = self.mark();
        let starts = self.is_digit(0) || (self.peek(0) == Some(mark) && self.is_digit(1) && !self.after_digit());
        if !starts {
            return None;
        }
        if self.glued() {
            self.skip_digits();
            return None;
        }
        let start = self.at;
        let mut value = self.plain_number()?;
        let whole = self.chars[start..self.at].iter().all(char::is_ascii_digit);
        if let Some(scaled) = self.power_of_ten(value) {
            value = scaled;
        } else if whole {
            value = self.fraction(value)?;
        }
        Some(self.percent(value))
    }

    fn mark(&self) -> char {
        if self.style.comma { ',' } else { '.' }
    }

    fn after_digit(&self) -> bool {
        self.at.checked_sub(1).is_some_and(|before| self.chars[before].is_ascii_digit())
    }

    /// Directly behind a Latin letter or a power mark: a part of a word or a unit (`H2O`, `x2`, `m^2`), no number.
    fn glued(&self) -> bool {
        let before = |back: usize| self.at.checked_sub(back).and_then(|at| self.chars.get(at)).copied();
        match before(1) {
            Some(c) if c.is_ascii_alphabetic() || matches!(c, '_' | '^') => true,
            Some('{' | '-') => before(2) == Some('^'),
            _ => false,
        }
    }

    fn skip_digits(&mut self) {
        while self.is_digit(0) || (matches!(self.peek(0), Some('.' | ',')) && self.is_digit(1)) {
            self.at += 1;
        }
    }

    pub(super) fn digits(&mut self, into: &mut String) -> usize {
        let start = self.at;
        while let Some(c) = self.peek(0).filter(char::is_ascii_digit) {
            into.push(c);
            self.at += 1;
        }
        self.at - start
    }

    /// `1,234.50`, `42`, `.5`, `1e3`; `None` (and past it) for `1.2.3`.
    pub(super) fn plain_number(&mut self) -> Option<f64> {
        let mark = self.mark();
        let mut number = String::new();
        let whole = self.digits(&mut number);
        if (1..=3).contains(&whole) {
            self.groups(&mut number);
        }
        if self.peek(0) == Some(mark) && self.is_digit(1) {
            self.at += 1;
            number.push('.');
            self.digits(&mut number);
            if self.peek(0) == Some(mark) && self.is_digit(1) {
                self.skip_digits();
                return None;
            }
        }
        self.exponent(&mut number);
        number.parse().ok()
    }

    /// Groups of digits behind a mark: two or three each (as in India), the last of three.
    fn groups(&mut self, number: &mut String) {
        let Some(mark) = self.peek(0).filter(|c| match c {
            ',' => !self.style.comma,
            '.' => self.style.comma,
            '\'' | '’' | '_' => true,
            c => *c == NARROW,
        }) else {
            return;
        };
        let start = self.at;
        let mut digits = String::new();
        let mut last = 0;
        while self.peek(0) == Some(mark) && self.is_digit(1) {
            self.at += 1;
            last = self.digits(&mut digits);
            if !(2..=3).contains(&last) {
                break;
            }
        }
        if last == 3 { number.push_str(&digits) } else { self.at = start }
    }

    fn exponent(&mut self, number: &mut String) {
        let signed = usize::from(matches!(self.peek(1), Some('+' | '-')));
        if !matches!(self.peek(0), Some('e' | 'E')) || !self.is_digit(1 + signed) {
            return;
        }
        let mut digits = String::from("e");
        let start = self.at;
        self.at += 1;
        if signed == 1 {
            digits.extend(self.peek(0));
            self.at += 1;
        }
        let count = self.digits(&mut digits);
        if count > 4 || self.peek(0).is_some_and(|c| c.is_ascii_alphabetic()) {
            self.at = start;
        } else {
            number.push_str(&digits);
        }
    }
}
