//! Numbers as people and models write them: [`read`] finds them in a text, in order.
//!
//! One pass over the characters, no backtracking beyond a number's own length. What a number is, not whether it is right.

use unicode_normalization::UnicodeNormalization as _;

/// How numbers are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// The decimal mark is a comma, and groups are parted by points.
    pub comma: bool,
    /// `50%` is 0.5.
    pub fraction: bool,
}

/// A number found.
#[derive(Clone, Debug, PartialEq)]
pub struct Numeral {
    /// What it is worth.
    pub value: f64,
    /// As it stands in the (normalised) text.
    pub said: String,
}

/// The numbers of a text, in order; where the text marks its result (`\boxed{…}`, `####`), those of the result alone.
#[must_use]
pub fn read(text: &str, style: Style) -> Vec<Numeral> {
    for part in [boxed(text), text.rfind("####").map(|at| &text[at + 4..])].into_iter().flatten() {
        let found = scan(part, style);
        if !found.is_empty() {
            return found;
        }
    }
    scan(text, style)
}

/// The inside of the last `\boxed{…}`, braces balanced.
fn boxed(text: &str) -> Option<&str> {
    const OPEN: &str = "\\boxed{";
    let inside = &text[text.rfind(OPEN)? + OPEN.len()..];
    let mut depth = 1_usize;
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&inside[..at]);
        }
    }
    Some(inside)
}

fn scan(text: &str, style: Style) -> Vec<Numeral> {
    let chars = plain(text);
    let mut scanner = Scanner { chars: &chars, at: 0, style };
    let mut found = Vec::new();
    while scanner.at < chars.len() {
        let start = scanner.at;
        if let Some(value) = scanner.numeral().filter(|value| value.is_finite()) {
            let (sign, from) = sign(&chars, start);
            let said: String = chars[from..scanner.at].iter().collect();
            found.push(Numeral { value: sign * value, said: said.trim().to_owned() });
        } else if scanner.at == start {
            scanner.at += 1;
        }
    }
    found
}

/// The text with one form for each thing: NFKC, ASCII digits, `^` before superscripts, no LaTeX spacing.
fn plain(text: &str) -> Vec<char> {
    let mut out = String::with_capacity(text.len());
    let mut raised = false;
    for c in text.chars() {
        if c.is_ascii() {
            raised = false;
            out.push(c);
            continue;
        }
        let power = matches!(c, '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' | '⁻');
        if power && !raised {
            out.push('^');
        }
        raised = power;
        match c {
            // `2½` is two and a half, and must not become 21/2.
            '¼'..='¾' | '⅐'..='⅞' => {
                out.push(' ');
                out.extend(std::iter::once(c).nfkc());
            }
            '\u{2212}' | '⁻' => out.push('-'),
            // Kept apart from the plain blank, which is no group mark.
            '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}' => out.push(NARROW),
            c => match digit(c) {
                Some(digit) => out.push(digit),
                None => out.extend(std::iter::once(c).nfkc()),
            },
        }
    }
    for (latex, plain) in [
        ("{,}", ","),
        ("\\,", "\u{202f}"),
        ("\\!", ""),
        ("\\ ", "\u{202f}"),
        ("\\%", "%"),
        ("\\$", "$"),
        ("\\times", "×"),
        ("\\cdot", "×"),
        ("\u{2044}", "/"),
    ] {
        if out.contains(latex) {
            out = out.replace(latex, plain);
        }
    }
    out.chars().collect()
}

const NARROW: char = '\u{202f}';

/// The ASCII digit for a decimal digit of another script (Unicode category Nd; the zeros of those in common use).
fn digit(c: char) -> Option<char> {
    const ZEROS: &[u32] = &[0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xe50, 0xff10];
    let code = u32::from(c);
    let zero = ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&code))?;
    char::from_digit(code - zero, 10)
}

/// The sign before a number that starts at `start`, and where it stands: `-5`, `-$5`; not `a-5`, `3-5` or `- 5`.
fn sign(chars: &[char], start: usize) -> (f64, usize) {
    let mut from = start;
    while from > 0 && matches!(chars[from - 1], '$' | '€' | '£' | '¥' | '₹' | '₩') {
        from -= 1;
    }
    let before = |at: usize| at.checked_sub(1).and_then(|at| chars.get(at)).copied();
    let bound = before(from.saturating_sub(1)).is_none_or(|c| !c.is_alphanumeric() && !matches!(c, ')' | ']' | '_'));
    match before(from) {
        Some('-' | '–') if bound => (-1.0, from - 1),
        _ => (1.0, from),
    }
}

struct Scanner<'a> {
    chars: &'a [char],
    at: usize,
    style: Style,
}

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn is_digit(&self, ahead: usize) -> bool {
        self.peek(ahead).is_some_and(|c| c.is_ascii_digit())
    }

    /// Reads a number that starts here; else stays, or passes over what only looks like one.
    fn numeral(&mut self) -> Option<f64> {
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

    fn digits(&mut self, into: &mut String) -> usize {
        let start = self.at;
        while let Some(c) = self.peek(0).filter(char::is_ascii_digit) {
            into.push(c);
            self.at += 1;
        }
        self.at - start
    }

    /// `1,234.50`, `42`, `.5`, `1e3`; `None` (and past it) for `1.2.3`.
    fn plain_number(&mut self) -> Option<f64> {
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

    /// `× 10^8` behind a number, or `^8` directly behind it.
    fn power_of_ten(&mut self, value: f64) -> Option<f64> {
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
    fn fraction(&mut self, value: f64) -> Option<f64> {
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
    fn latex_fraction(&mut self) -> Option<f64> {
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

    fn percent(&mut self, value: f64) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<f64> {
        read(text, Style::default()).into_iter().map(|numeral| numeral.value).collect()
    }

    #[track_caller]
    fn case(text: &str, wanted: &[f64]) {
        assert_eq!(values(text), wanted, "{text}");
    }

    #[test]
    fn numbers_in_every_dress() {
        case("1,234.50", &[1234.5]);
        case("$1,234,567", &[1_234_567.0]);
        case("12,34,567 rupees", &[1_234_567.0]);
        case("**42**", &[42.0]);
        case("`42`", &[42.0]);
        case("The answer is 42.", &[42.0]);
        case("４２", &[42.0]);
        case("１，２３４．５", &[1234.5]);
        case("答えは42です", &[42.0]);
        case("٤٢", &[42.0]);
        case("1e3 and 1.5E-2", &[1000.0, 0.015]);
        case(".5", &[0.5]);
        case("1\u{202f}234\u{a0}567", &[1_234_567.0]);
        case("1'234'567", &[1_234_567.0]);
        case("1_000", &[1000.0]);
        case("12 km and 3kg", &[12.0, 3.0]);
        case("50%", &[50.0]);
        case("007", &[7.0]);
    }

    #[test]
    fn latex_is_read() {
        case(r"\boxed{42}", &[42.0]);
        case(r"so \boxed{x = \frac{3}{4}} as shown in 2 ways", &[0.75]);
        case(r"\boxed{\text{none}} but 5", &[5.0]);
        case(r"$1{,}234$", &[1234.0]);
        case(r"1\,234", &[1234.0]);
        case(r"3 \times 10^{8}", &[3e8]);
        case(r"\boxed{1} then \boxed{2}", &[2.0]);
        case(r"\boxed{7", &[7.0]);
        case(r"50\%", &[50.0]);
        case(r"-\frac{1}{2}", &[-0.5]);
    }

    #[test]
    fn powers_and_fractions_are_read() {
        case("3 × 10^8", &[3e8]);
        case("3 × 10⁸ m/s", &[3e8]);
        case("1.5 x 10^-3", &[1.5e-3]);
        case("2^10", &[1024.0]);
        case("3/4", &[0.75]);
        case("1 1/2", &[1.5]);
        case("2½", &[2.5]);
        case("½", &[0.5]);
        case("3 * 4", &[3.0, 4.0]);
        case("3 × 10", &[3.0, 10.0]);
        case("4/0", &[]);
    }

    #[test]
    fn signs_belong_to_the_number_they_touch() {
        case("-42", &[-42.0]);
        case("−42", &[-42.0]);
        case("-$5", &[-5.0]);
        case("x=-3", &[-3.0]);
        case("**-3**", &[-3.0]);
        case("10 - 3 = 7", &[10.0, 3.0, 7.0]);
        case("5-3", &[5.0, 3.0]);
        case("5–10", &[5.0, 10.0]);
        case("GPT-4", &[4.0]);
        case("- 42", &[42.0]);
    }

    #[test]
    fn what_only_looks_like_a_number_is_none() {
        case("H2O", &[]);
        case("x2 and v1.2", &[]);
        case("5 m² or 5 m^2 or 5 s^{2}", &[5.0, 5.0, 5.0]);
        case("1.2.3", &[]);
        case("192.168.0.1", &[]);
        case("1/2/2024", &[]);
        case("1,2345", &[1.0, 2345.0]);
        case("1, 2, 3", &[1.0, 2.0, 3.0]);
        case("no digits", &[]);
        case("1e999", &[]);
    }

    #[test]
    fn the_result_is_where_the_text_marks_it() {
        case("3 + 4 = 7\n#### 7", &[7.0]);
        case("#### none, but 5", &[5.0]);
    }

    #[test]
    fn the_decimal_mark_may_be_a_comma() {
        let style = Style { comma: true, fraction: false };
        assert_eq!(read("1.234,50", style)[0].value, 1234.5);
        assert_eq!(read("3,5", style)[0].value, 3.5);
    }
}
