//! Diagnostics for people and for programs. Pure; everything that came from a file is escaped.

use std::borrow::Cow;
use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use serde_json::{Value, json};

use super::{Diagnostic, Severity, Source};

/// Longer excerpts are not drawn, only named: nobody reads them and drawing them costs.
const LONGEST_EXCERPT: usize = 4096;

/// Draws diagnostics with the source lines they are about. `sources` holds the files that are known; a diagnostic about
/// another one is drawn without its line.
#[must_use]
pub fn render(diagnostics: &[Diagnostic], sources: &[&Source], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for diagnostic in diagnostics {
        let source = sources.iter().find(|source| source.name() == diagnostic.file);
        let texts = Texts::of(diagnostic);
        let group = draw(diagnostic, source.copied(), &texts);
        out.push_str(&renderer.render(&[group]));
        out.push_str("\n\n");
    }
    out
}

/// `{file, findings[{rule, severity, message, line, column, fix}]}`.
///
/// A finding about another file than `file` (a dataset's row) names it in its own `file`.
#[must_use]
pub fn to_json(file: &str, diagnostics: &[Diagnostic]) -> Value {
    let findings: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| {
            let mut finding = json!({
                "rule": diagnostic.rule,
                "severity": diagnostic.severity,
                "message": message(diagnostic),
                "line": diagnostic.line,
                "column": diagnostic.column,
                "fix": diagnostic.fix,
            });
            if !diagnostic.file.is_empty() && diagnostic.file != file {
                finding["file"] = json!(diagnostic.file);
            }
            finding
        })
        .collect();
    json!({"file": file, "findings": findings})
}

/// Text that cannot steer a terminal: control and bidirectional characters as `\u{1b}`, line breaks as `\n`.
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if steers(c) => drop(write!(out, "\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// C0, C1 and DEL, and what the reports hide too.
fn steers(c: char) -> bool {
    c.is_control() || crate::report::is_hidden(c)
}

fn message(diagnostic: &Diagnostic) -> String {
    match (&diagnostic.label, diagnostic.label.is_empty()) {
        (_, true) => diagnostic.message.clone(),
        (label, false) => format!("{}: {label}", diagnostic.message),
    }
}

/// The diagnostic's words, escaped.
struct Texts<'a> {
    rule: Cow<'a, str>,
    message: Cow<'a, str>,
    label: Cow<'a, str>,
    related: Cow<'a, str>,
    fix: Option<Cow<'a, str>>,
    file: Cow<'a, str>,
}

impl<'a> Texts<'a> {
    fn of(diagnostic: &'a Diagnostic) -> Self {
        Self {
            rule: escape(&diagnostic.rule),
            message: escape(&diagnostic.message),
            label: escape(&diagnostic.label),
            related: diagnostic.related.as_ref().map(|(_, label)| escape(label)).unwrap_or_default(),
            fix: diagnostic.fix.as_deref().map(escape),
            file: escape(&diagnostic.file),
        }
    }
}

fn draw<'a>(diagnostic: &'a Diagnostic, source: Option<&'a Source>, texts: &'a Texts<'a>) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let mut group = Group::with_title(level.primary_title(texts.message.as_ref()).id(texts.rule.as_ref()));
    match source.and_then(|source| snippet(diagnostic, source, texts)) {
        Some(snippet) => group = group.element(snippet),
        None if !texts.file.is_empty() => group = group.element(origin(diagnostic, texts)),
        None => {}
    }
    if let Some(fix) = &texts.fix {
        group = group.element(Element::from(Level::HELP.message(fix.as_ref())));
    }
    group
}

fn origin<'a>(diagnostic: &Diagnostic, texts: &'a Texts<'a>) -> Origin<'a> {
    let mut origin = Origin::path(texts.file.as_ref());
    if let Some(line) = diagnostic.line {
        origin = origin.line(line as usize);
        if let Some(column) = diagnostic.column {
            origin = origin.char_column(column as usize);
        }
    }
    origin
}

/// The lines of the places, and no others: a large file is not walked for each diagnostic.
fn snippet<'a>(
    diagnostic: &'a Diagnostic,
    source: &'a Source,
    texts: &'a Texts<'a>,
) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let span = source.clamp(diagnostic.span.clone()?);
    let mut window = source.lines_around(&span);
    let related = diagnostic.related.as_ref().map(|(span, _)| source.clamp(span.clone())).and_then(|other| {
        let (line, bytes) = source.lines_around(&other);
        let joined = (line.min(window.0), bytes.start.min(window.1.start)..bytes.end.max(window.1.end));
        (joined.1.len() <= 4 * LONGEST_EXCERPT).then(|| {
            window = joined;
            other
        })
    });
    let (line, bytes) = window;
    if bytes.len() > 4 * LONGEST_EXCERPT
        || source.text()[bytes.clone()].lines().any(|line| line.len() > LONGEST_EXCERPT)
    {
        return None;
    }
    let within = |span: std::ops::Range<usize>| span.start - bytes.start..span.end - bytes.start;
    let primary = AnnotationKind::Primary.span(within(span)).label(some(&texts.label));
    Some(
        Snippet::source(&source.text()[bytes.clone()])
            .line_start(line)
            .path(texts.file.as_ref())
            .annotation(primary)
            .annotations(related.map(|other| AnnotationKind::Context.span(within(other)).label(some(&texts.related)))),
    )
}

fn some<'a>(text: &'a Cow<'a, str>) -> Option<&'a str> {
    (!text.is_empty()).then_some(text.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_the_line_and_aligns_under_japanese() {
        let source = Source::new("s.toml", "a = 1\nid = \"東京\" # x\nb = 2\nid = \"東京\"\n");
        let first = source.text().find("\"東京\"").unwrap();
        let second = source.text().rfind("\"東京\"").unwrap();
        let found = Diagnostic::error("duplicate_id", "two tasks are called `東京`")
            .at(&source, second..second + 8)
            .label("again here")
            .related(first..first + 8, "first here")
            .fix("results are compared by id: give each its own");
        insta::assert_snapshot!(render(std::slice::from_ref(&found), &[&source], false));
        insta::assert_snapshot!(to_json("s.toml", &[found]));
    }

    #[test]
    fn cannot_be_steered() {
        let source = Source::new("s\u{1b}[31m.toml", "k = \"\u{1b}]0;x\u{7}\"\n");
        let found = Diagnostic::warning("r", "bad \u{1b}[2J\u{202e}").at(&source, 4..9).label("l\u{9b}");
        let drawn = render(&[found], &[&source], false);
        assert!(!drawn.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{drawn:?}");
    }

    #[test]
    fn draws_without_the_line_where_it_is_too_long() {
        let source = Source::new("s.toml", format!("k = \"{}\"\n", "x".repeat(1_000_000)));
        let found = Diagnostic::error("r", "long").at(&source, 4..1_000_000);
        let drawn = render(&[found], &[&source], false);
        assert!(drawn.len() < 200 && drawn.contains("s.toml:1:5"), "{drawn}");
    }
}
