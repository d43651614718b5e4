//! What is wrong with a suite, by JSON pointer: [`Problem`], and their bounded collection.
//!
//! Reading works on JSON values and knows nothing of bytes; [`super::said`] turns pointers into places.

use crate::diagnostic::Severity;

/// More are not collected: a file with so many faults has one cause.
const MOST: usize = 60;

/// One thing that is wrong, and where.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) rule: &'static str,
    pub(super) severity: Severity,
    /// RFC 6901, from the top of the file.
    pub(super) pointer: String,
    /// The key itself is wrong, not what it holds.
    pub(super) at_key: bool,
    pub(super) message: String,
    pub(super) label: String,
    pub(super) fix: Option<String>,
    /// Another place, and what to say of it.
    pub(super) related: Option<(String, &'static str)>,
    /// The dataset row it was met in: file and line.
    pub(super) row: Option<(String, u32)>,
}

impl Problem {
    pub(super) fn error(rule: &'static str, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: Severity::Error,
            pointer: pointer.into(),
            at_key: false,
            message: message.into(),
            label: String::new(),
            fix: None,
            related: None,
            row: None,
        }
    }

    pub(super) fn warning(rule: &'static str, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(rule, pointer, message) }
    }

    pub(super) fn at_key(mut self) -> Self {
        self.at_key = true;
        self
    }

    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub(super) fn fix(mut self, fix: impl Into<Option<String>>) -> Self {
        self.fix = fix.into();
        self
    }

    pub(super) fn related(mut self, pointer: impl Into<String>, label: &'static str) -> Self {
        self.related = Some((pointer.into(), label));
        self
    }
}

/// The problems of one file.
#[derive(Debug, Default)]
pub(super) struct Problems {
    list: Vec<Problem>,
    /// Set while a dataset's row is read.
    row: Option<(String, u32)>,
}

impl Problems {
    pub(super) fn push(&mut self, mut problem: Problem) {
        if self.list.len() >= MOST {
            return;
        }
        problem.row = problem.row.or_else(|| self.row.clone());
        self.list.push(problem);
    }

    /// Whether more are collected. Reading stops then: finding the nearest names costs, and nobody reads on.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= MOST
    }

    /// What follows is about a dataset's row; `None` ends that.
    pub(super) fn in_row(&mut self, row: Option<(String, u32)>) {
        self.row = row;
    }

    /// How many were collected.
    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether the file cannot be used.
    pub(super) fn has_errors(&self) -> bool {
        self.list.iter().any(|problem| problem.severity == Severity::Error)
    }

    pub(super) fn into_list(self) -> Vec<Problem> {
        self.list
    }
}

/// A JSON pointer one step further down (RFC 6901 §3).
pub(super) fn join(at: &str, key: &str) -> String {
    if key.contains(['~', '/']) {
        return format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
    }
    [at, "/", key].concat()
}
