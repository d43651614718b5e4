//! One reading of one text: [`Cx`] holds the position memory and the budget that keep every scan linear.
//!
//! Searches for a needle remember their last answer, and what failed attempts consumed is paid from a budget that
//! grows with the text's length: text built to be re-read from every marker runs out of it.

use memchr::memmem;
use serde_json::Value;

use super::super::Hints;
use crate::completion::Deviation;
use crate::request::Tool;

/// Failed attempts may re-read the text this many times over before a scan gives up …
const REREADS: usize = 8;
/// … and of a long text this much beside reading all of it once.
const MOST_REREAD: usize = 1 << 19;
/// Names and keys longer than this are none.
const LONGEST_NAME: usize = 128;

/// Why a pattern does not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    /// It is not this markup at all.
    Not,
    /// It is, but damaged (`unfinished` when the text ends within it).
    Broken {
        /// Where reading stopped.
        at: usize,
        /// What is wrong.
        why: String,
        /// The text ends within the markup.
        unfinished: bool,
    },
}

/// A reading in progress.
pub(crate) struct Cx<'t> {
    /// The text.
    pub(crate) text: &'t str,
    /// What was declared.
    pub(crate) hints: &'t Hints<'t>,
    /// What was mended so far.
    pub(crate) notes: Vec<Deviation>,
    /// Only the form's own keys and a declared tool are good enough.
    pub(crate) strict: bool,
    /// How far the attempt under way has read.
    pub(crate) reached: usize,
    found: Vec<(&'static str, usize, Option<usize>)>,
    fuel: usize,
    end: usize,
}

impl<'t> Cx<'t> {
    pub(crate) fn new(text: &'t str, hints: &'t Hints<'t>) -> Self {
        let fuel = text.len() + text.len().saturating_mul(REREADS - 1).min(MOST_REREAD) + 4096;
        Self {
            text,
            hints,
            notes: Vec::new(),
            strict: false,
            reached: 0,
            found: Vec::new(),
            fuel,
            end: text.trim_end().len(),
        }
    }

    /// The text from a position on; empty where the position is none.
    pub(crate) fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    /// The next position of a needle, remembering the last answer.
    pub(crate) fn find(&mut self, needle: &'static str, from: usize) -> Option<usize> {
        let search = |text: &str| memmem::find(text.get(from..)?.as_bytes(), needle.as_bytes()).map(|at| at + from);
        if let Some(slot) = self.found.iter_mut().find(|slot| slot.0 == needle) {
            let current = slot.1 <= from && slot.2.is_none_or(|at| at >= from);
            if !current {
                *slot = (needle, from, search(self.text));
            }
            return slot.2;
        }
        let at = search(self.text);
        self.found.push((needle, from, at));
        at
    }

    /// The text from a position on, without the white space that ends it.
    pub(crate) fn left(&self, at: usize) -> &'t str {
        self.text.get(at..self.end.max(at)).unwrap_or_default()
    }

    /// Pays for bytes read in vain.
    pub(crate) fn spend(&mut self, bytes: usize) {
        self.fuel = self.fuel.saturating_sub(bytes.saturating_add(1));
    }

    /// The budget for reading in vain is used up.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.fuel == 0
    }

    /// The position after any white space.
    pub(crate) fn skip_space(&self, at: usize) -> usize {
        self.text.len() - self.rest(at).trim_start().len()
    }

    /// The position after a literal.
    pub(crate) fn literal(&self, at: usize, literal: &str) -> Option<usize> {
        self.rest(at).starts_with(literal).then(|| at + literal.len())
    }

    /// A function's or argument's name at a position, and where it ends.
    pub(crate) fn name(&self, at: usize) -> Option<(&'t str, usize)> {
        let rest = self.rest(at);
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/');
        let len = rest.char_indices().take(LONGEST_NAME + 1).find(|(_, c)| !fits(*c)).map_or(rest.len(), |(i, _)| i);
        (len > 0 && len <= LONGEST_NAME * 4).then(|| (&rest[..len], at + len))
    }

    /// The text up to an end that must come soon.
    pub(crate) fn up_to(&self, at: usize, end: &str) -> Option<(&'t str, usize)> {
        let rest = self.rest(at);
        // Four bytes a character at the most.
        let near = rest.as_bytes().get(..LONGEST_NAME * 8 + end.len()).unwrap_or(rest.as_bytes());
        let len = memmem::find(near, end.as_bytes())?;
        let between = rest.get(..len).filter(|between| between.chars().count() <= LONGEST_NAME * 2)?;
        Some((between, at + len + end.len()))
    }

    /// The declared tool called `name`.
    pub(crate) fn tool(&self, name: &str) -> Option<&'t Tool> {
        self.hints.request.and_then(|request| request.tool(name))
    }

    /// The declared schema of an argument, and the document its references live in.
    pub(crate) fn schema(&self, name: &str, key: &str) -> Option<(&'t Value, &'t Value)> {
        let tool = self.tool(name)?;
        tool.property(key).map(|schema| (schema, &tool.parameters))
    }

    /// Books a repair.
    pub(crate) fn note(&mut self, kind: &str, detail: impl Into<String>) {
        self.notes.push(Deviation { kind: kind.to_owned(), place: "text".to_owned(), detail: detail.into() });
    }

    /// The markup is damaged here.
    pub(crate) fn broken(&mut self, from: usize, at: usize, why: impl Into<String>) -> Miss {
        self.spend(at.saturating_sub(from));
        Miss::Broken { at, why: why.into(), unfinished: at >= self.end }
    }
}
