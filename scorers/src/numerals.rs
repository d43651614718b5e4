//! Numbers as people and models write them: [`read`] finds them in a text, in order.
//!
//! ```text
//! text ─▶ marked result? ─▶ plain (one form for each thing) ─▶ Scanner (digits, groups) + scale (powers, fractions, percent)
//! ```
//!
//! One pass over the characters, no backtracking beyond a number's own length. What a number is, not whether it is right.

mod plain;
mod scale;
mod scanner;

use plain::plain;
use scanner::Scanner;

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
