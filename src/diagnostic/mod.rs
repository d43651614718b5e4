//! What is wrong with a file a person wrote (a suite, a profile), and where: [`Diagnostic`], [`Source`].
//!
//! Checks collect several at once. [`render`] draws them for people, [`to_json`] is the contract of
//! `… check --format json`. What comes from files is hostile: it is escaped on the way out. Nothing here reads files.

mod nearest;
mod render;
mod source;

pub use nearest::{did_you_mean, nearest};
pub use render::{escape, render, to_json};
pub use source::Source;

use std::ops::Range;

pub use monban_scorers::Severity;

/// One thing that is wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The rule, which names the fault: `unknown_key`.
    pub rule: String,
    /// How bad.
    pub severity: Severity,
    /// What is wrong: a lower-case fragment.
    pub message: String,
    /// The file, as the user named it; empty where there is none.
    pub file: String,
    /// 1-based; `None` where it is about the whole file.
    pub line: Option<u32>,
    /// 1-based, in characters; `None` where it is about the whole line or file.
    pub column: Option<u32>,
    /// Bytes of the file; `None` where the place is not known that closely.
    pub span: Option<Range<usize>>,
    /// What stands beside the caret; may be empty.
    pub label: String,
    /// A second place that explains the first: where the id was first used.
    pub related: Option<(Range<usize>, String)>,
    /// The remedy, where one is known.
    pub fix: Option<String>,
}

impl Diagnostic {
    /// Of any severity, about no place yet.
    #[must_use]
    pub fn new(severity: Severity, rule: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            rule: rule.into(),
            severity,
            message: message.into(),
            file: String::new(),
            line: None,
            column: None,
            span: None,
            label: String::new(),
            related: None,
            fix: None,
        }
    }

    /// An error: the file cannot be used, or does not mean what it seems to.
    #[must_use]
    pub fn error(rule: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, rule, message)
    }

    /// A warning: it works, but not as meant.
    #[must_use]
    pub fn warning(rule: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, rule, message)
    }

    /// Worth knowing.
    #[must_use]
    pub fn info(rule: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Info, rule, message)
    }

    /// At bytes of a file. Line and column follow.
    #[must_use]
    pub fn at(mut self, source: &Source, span: Range<usize>) -> Self {
        let span = source.clamp(span);
        let (line, column) = source.position(span.start);
        source.name().clone_into(&mut self.file);
        (self.line, self.column, self.span) = (Some(line), Some(column), Some(span));
        self
    }

    /// About a whole file, or about a line of one whose text is not kept.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>, line: Option<u32>) -> Self {
        (self.file, self.line) = (file.into(), line);
        self
    }

    /// What stands beside the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// A second place in the same file.
    #[must_use]
    pub fn related(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.related = Some((span, label.into()));
        self
    }

    /// The remedy.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// The remedy, where there is one.
    #[must_use]
    pub fn maybe_fix(mut self, fix: Option<String>) -> Self {
        self.fix = fix.or(self.fix);
        self
    }
}
