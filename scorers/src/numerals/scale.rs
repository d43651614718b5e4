//! What stands around a number's digits and changes its worth: powers, fractions, percent.

use super::plain::NARROW;
use super::scanner::Scanner;

impl Scanner<'_> {
    /// `× 10^8` behind a number, or `^8` directly behind it.
    pub(super) fn power_of_ten(&mut self, value: f64) -> Option<f64> {
        let start = self.at;
        let raised = self.raised().map(|exponent| value.powi(exponent));
        if raised.is_some() {
            return raised;
        }
        self.blanks();
        if matches!(self.peek(0), Some('×' | 'x' | '*' | '·')) {
            self.at += 1;
            self.blanks();
            if (self.peek(0), self.peek(1)) == (Some('1'), Some('0')) && !self.is_digit(2) {
                self.at += 2;
                if let Some(exponent) = self.raised() {
                    return Some(value * 10_f64.powi(exponent));
                }
            }
        }
        self.at = start;
        None
    }

    /// `^8`, `^{-3}`, `**8`.
    fn raised(&mut self) -> Option<i32> {
        let start = self.at;
        let marks = match (self.peek(0), self.peek(1)) {
            (Some('^'), _) => 1,
            (Some('*'), Some('*')) => 2,
            _ => return None,
        };
        self.at += marks;
        let brace = self.peek(0) == Some('{');
        self.at += usize::from(brace);
        let mut digits = String::new();
        if self.peek(0) == Some('-') {
            digits.push('-');
            self.at += 1;
        }
        let count = self.digits(&mut digits);
        if !(1..=4).contains(&count) || (brace && self.peek(0) != Some('}')) {
            self.at = start;
            return None;
        }
        self.at += usize::from(brace);
        digits.parse().ok()
    }

    /// `3/4` and `1 1/2` behind a whole number. `None` (and past it) for dates: `1/2/2024`.
    pub(super) fn fraction(&mut self, value: f64) -> Option<f64> {
        if self.peek(0) == Some('/') && self.is_digit(1) {
            return self.over(value);
        }
        let start = self.at;
        if self.peek(0) == Some(' ') && self.is_digit(1) {
            self.at += 1;
            let mut digits = String::new();
            self.digits(&mut digits);
            if self.peek(0) == Some('/') && self.is_digit(1) {
                let above = digits.parse::<f64>().unwrap_or(f64::INFINITY);
                if let Some(part) = self.over(above).filter(|part| *part < 1.0) {
                    return Some(value + part);
                }
            }
            self.at = start;
        }
        Some(value)
    }

    fn over(&mut self, above: f64) -> Option<f64> {
        self.at += 1;
        let mut digits = String::new();
        self.digits(&mut digits);
        if self.peek(0) == Some('/') && self.is_digit(1) {
            while self.is_digit(0) || self.peek(0) == Some('/') {
                self.at += 1;
            }
            return None;
        }
        digits.parse().ok().filter(|below: &f64| *below != 0.0).map(|below: f64| above / below)
    }

    /// `\frac{3}{4}`, `\dfrac{3}{4}`.
    pub(super) fn latex_fraction(&mut self) -> Option<f64> {
        let start = self.at;
        let name = ["\\frac{", "\\dfrac{", "\\tfrac{"].iter().find(|name| self.looking_at(name))?;
        self.at += name.len();
        let parts = self.braced().and_then(|above| {
            (self.peek(0) == Some('{')).then(|| self.at += 1)?;
            self.braced().map(|below| (above, below))
        });
        match parts {
            Some((above, below)) if below != 0.0 => Some(above / below),
            _ => {
                self.at = start;
                None
            }
        }
    }

    /// A number up to a closing brace.
    fn braced(&mut self) -> Option<f64> {
        let negative = self.peek(0) == Some('-');
        self.at += usize::from(negative);
        let value = self.is_digit(0).then(|| self.plain_number()).flatten()?;
        (self.peek(0) == Some('}')).then(|| self.at += 1)?;
        Some(if negative { -value } else { value })
    }

    fn looking_at(&self, word: &str) -> bool {
        word.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c))
    }

    fn blanks(&mut self) {
        while matches!(self.peek(0), Some(' ' | NARROW)) {
            self.at += 1;
        }
    }

    pub(super) fn percent(&mut self, value: f64) -> f64 {
        let start = self.at;
        self.blanks();
        if self.peek(0) == Some('%') {
            self.at += 1;
            return if self.style.fraction { value / 100.0 } else { value };
        }
        self.at = start;
        value
    }
}
