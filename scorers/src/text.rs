//! Text as scorers see it: [`TextOptions`] (which field, case, width, Unicode form, blanks) and bounded excerpts.
//!
//! The same options serve every text scorer, so that `case = "ignore"` means one thing everywhere. Nothing here judges.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

use crate::args::ArgReader;
use crate::completion::Completion;
use crate::scorer::ArgDef;

/// Which text is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Field {
    /// The answer's text (default).
    #[default]
    Text,
    /// What was thought, in the field it was delivered in.
    Reasoning,
    /// Either: it is enough that one of them fits.
    Any,
}

/// How texts are prepared before they are compared. Applied to both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// Which text is looked at.
    pub field: Field,
    /// Letter case does not count.
    pub ignore_case: bool,
    /// Full-width and compatibility forms count as their plain ones (Unicode NFKC); else NFC alone.
    pub compatible: bool,
    /// Runs of white space count as one blank.
    pub collapse: bool,
    /// White space around the text does not count.
    pub trim: bool,
}

/// The schema of a text, or several.
pub(crate) const TEXTS: &str =
    r#"{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"},"minItems":1}]}"#;
/// The declaration of `in`.
pub const ARG_IN: ArgDef = ArgDef {
    name: "in",
    schema: r#"{"enum":["text","reasoning","any"]}"#,
    help: "Which text is looked at: the answer's `text` (default), its `reasoning`, or `any` of both.",
};
/// The declaration of `case`.
pub const ARG_CASE: ArgDef = ArgDef {
    name: "case",
    schema: r#"{"enum":["exact","ignore"]}"#,
    help: "`ignore`: letter case does not count. Default `exact`.",
};
/// The declaration of `width`.
pub const ARG_WIDTH: ArgDef = ArgDef {
    name: "width",
    schema: r#"{"enum":["ignore","exact"]}"#,
    help: "`ignore` (default): full-width and half-width forms are equal \
           (Unicode NFKC). `exact`: only canonically equal texts are (NFC).",
};
/// The declaration of `space`.
pub const ARG_SPACE: ArgDef = ArgDef {
    name: "space",
    schema: r#"{"enum":["exact","collapse"]}"#,
    help: "`collapse`: a run of white space counts as one blank. Default `exact`.",
};
/// The declaration of `trim`.
pub const ARG_TRIM: ArgDef = ArgDef {
    name: "trim",
    schema: r#"{"type":"boolean"}"#,
    help: "White space at both ends does not count. Default true.",
};

impl TextOptions {
    /// Takes `in`, `case`, `width`, `space` and `trim`.
    pub fn take(reader: &mut ArgReader) -> Self {
        Self {
            field: Field::take(reader),
            ignore_case: reader.word("case", &["exact", "ignore"]) == "ignore",
            compatible: reader.word("width", &["ignore", "exact"]) == "ignore",
            collapse: reader.word("space", &["exact", "collapse"]) == "collapse",
            trim: reader.flag("trim", true),
        }
    }

    /// A text prepared for comparing. Linear in its length.
    #[must_use]
    pub fn prepare(&self, text: &str) -> String {
        // ASCII is in every normal form already.
        let mut out: String = match (text.is_ascii(), self.compatible) {
            (true, _) => text.to_owned(),
            (false, true) => text.nfkc().collect(),
            (false, false) => text.nfc().collect(),
        };
        if self.ignore_case {
            out = out.to_lowercase();
            // A final sigma is lower-cased by its place in the word, which differs between needle and hay.
            if out.contains('ς') {
                out = out.replace('ς', "σ");
            }
        }
        if self.collapse {
            out = collapse(&out);
        }
        if self.trim {
            let trimmed = out.trim();
            if trimmed.len() < out.len() {
                out = trimmed.to_owned();
            }
        }
        out
    }
}

impl Field {
    /// Takes `in`.
    pub fn take(reader: &mut ArgReader) -> Self {
        match reader.word("in", &["text", "reasoning", "any"]) {
            "reasoning" => Self::Reasoning,
            "any" => Self::Any,
            _ => Self::Text,
        }
    }

    /// The texts to look at, in order. A field that did not arrive is looked at as an empty text.
    pub fn texts(self, completion: &Completion) -> impl Iterator<Item = &str> {
        let text = matches!(self, Self::Text | Self::Any).then(|| completion.text());
        let reasoning = matches!(self, Self::Reasoning | Self::Any).then(|| completion.reasoning());
        text.into_iter().chain(reasoning)
    }

    /// The field's name in a reason: `text`, `reasoning`, `text or reasoning`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Reasoning => "reasoning",
            Self::Any => "text or reasoning",
        }
    }
}

/// A regular expression with bounded size, so that a suite cannot make the plan slow or large.
///
/// # Errors
/// The last line of the parser's message, which says what is wrong.
pub fn pattern(said: &str, ignore_case: bool, whole: bool) -> Result<regex::Regex, String> {
    const MAX_PATTERN: usize = 4096;
    if said.len() > MAX_PATTERN {
        return Err(format!("the pattern is longer than {MAX_PATTERN} bytes"));
    }
    // Checked on its own first, so that a stray `)` cannot close the group put around it.
    let build = |pattern: &str| {
        regex::RegexBuilder::new(pattern)
            .case_insensitive(ignore_case)
            .size_limit(1 << 20)
            .dfa_size_limit(1 << 20)
            .nest_limit(64)
            .build()
            .map_err(|error| {
                let message = error.to_string();
                let last = message.lines().last().unwrap_or_default().trim().trim_start_matches("error: ").to_owned();
                format!("not a valid pattern: {}", excerpt(&last, 160))
            })
    };
    let pattern = build(said)?;
    if whole { build(&format!("\\A(?:{said})\\z")) } else { Ok(pattern) }
}

/// Every run of white space as one blank.
#[must_use]
pub fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars() {
        if c.is_whitespace() {
            blank = true;
        } else {
            if blank {
                out.push(' ');
                blank = false;
            }
            out.push(c);
        }
    }
    if blank {
        out.push(' ');
    }
    out
}

/// At most `max` characters of a text, on one line; an ellipsis marks the cut.
#[must_use]
pub fn excerpt(text: &str, max: usize) -> String {
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == max {
            out.push('…');
            break;
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

/// A text in quotes for a reason, at most 80 characters of it.
#[must_use]
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", excerpt(text, 80))
}

/// The beginning of an answer for a reason; says so when there is none.
#[must_use]
pub fn shown(text: &str) -> Cow<'static, str> {
    if text.trim().is_empty() { Cow::Borrowed("nothing") } else { Cow::Owned(quoted(text.trim())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loose() -> TextOptions {
        TextOptions { ignore_case: true, compatible: true, collapse: true, trim: true, field: Field::Text }
    }

    #[test]
    fn prepared_texts_are_equal_whatever_their_form() {
        for (a, b) in [
            ("ＡＢＣ　１２３", "abc 123"),
            ("Cafe\u{301}", "café"),
            ("  a \n b ", "a b"),
            ("ΟΔΟΣ", "οδος"),
            ("ﾄｳｷｮｳ", "トウキョウ"),
        ] {
            assert_eq!(loose().prepare(a), loose().prepare(b), "{a} and {b}");
        }
    }

    #[test]
    fn exact_width_keeps_full_width_forms_apart() {
        let exact = TextOptions { compatible: false, ..loose() };
        assert_ne!(exact.prepare("１"), exact.prepare("1"));
        assert_eq!(exact.prepare("e\u{301}"), exact.prepare("é"));
    }

    #[test]
    fn excerpts_are_cut_and_hold_no_control() {
        assert_eq!(excerpt("abc\u{1b}[31m", 5), "abc […");
        assert_eq!(excerpt("日本語", 3), "日本語");
    }
}
