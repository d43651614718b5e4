//! Hostile text made safe for each output. Model output, suites and headers pass through here, always.

/// Text for a terminal or a plain file: control and formatting characters are shown, never sent.
///
/// ```
/// assert_eq!(monban::report::terminal("red\x1b[31m"), "red\\x1b[31m");
/// ```
#[must_use]
pub fn terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            control if control.is_control() => out.push_str(&format!("\\x{:02x}", u32::from(control))),
            hidden if is_hidden(hidden) => out.push_str(&format!("\\u{{{:x}}}", u32::from(hidden))),
            plain => out.push(plain),
        }
    }
    out
}

/// JSON whose strings show control and formatting characters as escapes: the same values, and safe where a terminal prints
/// them. JSON has such characters within strings only.
///
/// ```
/// assert_eq!(monban::report::json_text("[\"\u{9b}31m\"]".to_owned()), r#"["\u009b31m"]"#);
/// ```
#[must_use]
pub fn json_text(json: String) -> String {
    if json.is_ascii() && !json.contains('\u{7f}') {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    let mut units = [0; 2];
    for character in json.chars() {
        if character == '\n' || !(character.is_control() || is_hidden(character)) {
            out.push(character);
        } else {
            for unit in character.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

/// A whole text of our own that holds others' words: as [`terminal`], and its lines stay lines.
pub(super) fn lines(text: &str) -> String {
    text.split('\n').map(terminal).collect::<Vec<_>>().join("\n")
}

/// Bidirectional overrides, zero-width characters and tags: they can make text look like other text. Line separators and
/// noncharacters: the first break a line, the second no XML may hold.
pub(crate) fn is_hidden(character: char) -> bool {
    let code = u32::from(character);
    code & 0xFFFE == 0xFFFE
        || matches!(code, 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x2069 | 0xFEFF | 0xE0000..=0xE007F)
}

/// The first `most` characters of a text, on one line and safe for a terminal.
#[must_use]
pub fn excerpt(text: &str, most: usize) -> String {
    let mut cut: String = text.chars().take(most).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    terminal(&cut)
}

/// Text within a Markdown table cell: nothing in it formats, links or ends the cell.
pub(super) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in terminal(text).chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(character);
            }
            // A mention or an autolink needs no markup of its own.
            '@' => out.push_str("&#64;"),
            ':' => out.push_str("&#58;"),
            plain => out.push(plain),
        }
    }
    out
}

/// A CSV cell: what a spreadsheet would run as a formula is led by an apostrophe (OWASP, "CSV Injection").
pub(super) fn csv(text: &str) -> String {
    let safe = terminal(text);
    if safe.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{safe}") } else { safe }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal() {
        assert_eq!(terminal("a\x1b]0;x\x07b\u{202e}c\u{9b}d\n"), "a\\x1b]0;x\\x07b\\u{202e}c\\x9bd\\n");
        assert_eq!(terminal("東京 ✓"), "東京 ✓");
        assert_eq!(
            terminal("a\u{fffe}\u{ffff}\u{2028}"),
            "a\\u{fffe}\\u{ffff}\\u{2028}",
            "no XML may hold the first two"
        );
        assert_eq!(excerpt("abcdef", 3), "abc…");
    }

    #[test]
    fn json_keeps_its_values_and_sends_nothing() {
        let value = serde_json::json!({ "a\u{7f}": "x\u{9b}31m \u{202e}y\u{e0041} \u{1b}[2J 東京\n" });
        for plain in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let safe = json_text(plain);
            assert!(!safe.chars().any(|one| one != '\n' && (one.is_control() || is_hidden(one))), "{safe:?}");
            assert!(safe.contains("東京"));
            assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
        }
    }

    #[test]
    fn nothing_formats_in_markdown_or_runs_in_a_spreadsheet() {
        assert_eq!(markdown("<b>|x|</b> [a](b)"), "&lt;b&gt;\\|x\\|&lt;/b&gt; \\[a\\](b)");
        assert_eq!(csv("=1+1"), "'=1+1");
        assert_eq!(csv("fine"), "fine");
    }
}
