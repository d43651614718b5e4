//! One form for each thing, so that a number is written in few ways. Changes letters, never what a number is worth.

use unicode_normalization::UnicodeNormalization as _;

/// The text with one form for each thing: NFKC, ASCII digits, `^` before superscripts, no LaTeX spacing.
pub(super) fn plain(text: &str) -> Vec<char> {
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
    without_latex(out).chars().collect()
}

/// LaTeX's ways to write what has a plain form.
fn without_latex(mut text: String) -> String {
    const FORMS: &[(&str, &str)] = &[
        ("{,}", ","),
        ("\\,", "\u{202f}"),
        ("\\ ", "\u{202f}"),
        ("\\!", ""),
        ("\\%", "%"),
        ("\\$", "$"),
        ("\\times", "×"),
        ("\\cdot", "×"),
        ("\u{2044}", "/"),
    ];
    for (latex, plain) in FORMS {
        if text.contains(latex) {
            text = text.replace(latex, plain);
        }
    }
    text
}

/// A blank that parts groups of digits.
pub(super) const NARROW: char = '\u{202f}';

/// The ASCII digit for a decimal digit of another script (Unicode category Nd; the zeros of those in common use).
fn digit(c: char) -> Option<char> {
    const ZEROS: &[u32] = &[0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xe50, 0xff10];
    let code = u32::from(c);
    let zero = ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&code))?;
    char::from_digit(code - zero, 10)
}
