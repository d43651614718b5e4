//! The scorer interface: [`Scorer`], [`ScorerDef`], [`Registry`], [`Expectation`].
//!
//! A definition parses its arguments **once**, at plan time, into a value that judges many times. It must not do I/O.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::completion::Completion;
use crate::request::Request;

/// What a scorer looks at.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// What was asked.
    pub request: &'a Request,
    /// The completion to judge.
    pub completion: &'a Completion,
    /// The same task's completion in the other mode (streamed / plain), where both were asked.
    pub other: Option<&'a Completion>,
}

/// A scorer's judgement. Closed on purpose: "not scored" is a variant, never a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The expectation holds.
    Pass,
    /// The expectation does not hold; why, in one line.
    Fail(String),
    /// It could not be judged (nothing to compare with, a limit was hit); why, in one line.
    NotScored(String),
}

impl Verdict {
    /// `pass`, `fail` or `not_scored`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail(_) => "fail",
            Self::NotScored(_) => "not_scored",
        }
    }

    /// The reason; empty for a pass.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Pass => "",
            Self::Fail(reason) | Self::NotScored(reason) => reason,
        }
    }
}

/// Looks at one completion and returns a verdict with a reason. Pure and synchronous.
pub trait Scorer: fmt::Debug + Send + Sync {
    /// Judges the subject.
    fn score(&self, subject: &Subject<'_>) -> Verdict;

    /// Judges the subject under `not = true`. The answer is not empty. What was not scored must stay so.
    fn score_not(&self, subject: &Subject<'_>) -> Verdict {
        match self.score(subject) {
            Verdict::Pass => Verdict::Fail(match self.claim() {
                claim if claim.is_empty() => "it holds and must not".to_owned(),
                claim => format!("{claim}, and must not"),
            }),
            Verdict::Fail(_) => Verdict::Pass,
            not_scored @ Verdict::NotScored(_) => not_scored,
        }
    }

    /// What holds when it passes, as a clause for reasons: `the text contains "Tokyo"`. May be empty.
    fn claim(&self) -> String {
        String::new()
    }

    /// Whether an answer that is not there would meet it (a ban, an upper bound).
    fn is_negative(&self) -> bool {
        false
    }
}

/// Reads the arguments into a scorer, or reports every error.
pub type Parse = fn(&mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>>;

/// A scorer's declaration: one `static` a file, listed in [`crate::scorers::BUILTIN`].
#[derive(Clone, Copy)]
pub struct ScorerDef {
    /// The name in a suite: what is looked at, `snake_case`.
    pub name: &'static str,
    /// One line for `monban scorers`.
    pub summary: &'static str,
    /// The manual, Markdown: *What it checks · Passes when · Fails when · Arguments · Example*.
    pub manual: &'static str,
    /// The arguments' names, for did-you-mean and the schema.
    pub arguments: &'static [ArgDef],
    /// Parses the arguments into a scorer. Reports every error it finds.
    pub parse: Parse,
}

impl fmt::Debug for ScorerDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScorerDef").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An argument's declaration.
#[derive(Clone, Copy, Debug)]
pub struct ArgDef {
    /// The key.
    pub name: &'static str,
    /// A JSON-schema fragment of its type, as JSON text: `{"type":"string"}`.
    pub schema: &'static str,
    /// One line on what it means.
    pub help: &'static str,
}

/// The arguments of one expectation: the table without `scorer` and `not`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Args(pub Map<String, Value>);

/// What is wrong with an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgError {
    /// A JSON pointer (RFC 6901) into the table: `/pattern`, `/calls/0/name`; empty for the table itself.
    pub pointer: String,
    /// What is wrong, a lower-case fragment.
    pub message: String,
    /// What was expected, or the nearest right name.
    pub help: Option<String>,
}

impl ArgError {
    /// An error at a pointer.
    pub fn at(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into(), help: None }
    }

    /// With a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The known scorers: the built-in ones, and those a harness adds.
#[derive(Clone, Debug)]
pub struct Registry {
    defs: Vec<&'static ScorerDef>,
}

impl Registry {
    /// The scorers that come with this crate.
    #[must_use]
    pub fn builtin() -> Self {
        Self { defs: crate::scorers::BUILTIN.to_vec() }
    }

    /// With one more; of two with one name the later is taken.
    #[must_use]
    pub fn with(mut self, def: &'static ScorerDef) -> Self {
        self.defs.retain(|known| known.name != def.name);
        self.defs.push(def);
        self
    }

    /// The definition called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'static ScorerDef> {
        self.defs.iter().find(|def| def.name == name).copied()
    }

    /// All definitions, in order.
    pub fn iter(&self) -> impl Iterator<Item = &'static ScorerDef> + '_ {
        self.defs.iter().copied()
    }
}

/// One line of a task's `expect`: a scorer with its arguments parsed, or a combination.
#[derive(Debug)]
#[non_exhaustive]
pub enum Expectation {
    /// A scorer.
    One {
        /// The scorer's name.
        name: String,
        /// The scorer, ready to judge.
        scorer: Box<dyn Scorer>,
    },
    /// `not = true`: passes when the inner one fails. What was not scored stays so.
    Not(Box<Expectation>),
    /// `{ any = [ … ] }`: one must hold.
    Any(Vec<Expectation>),
    /// `{ all = [ … ] }`: each must hold.
    All(Vec<Expectation>),
}
