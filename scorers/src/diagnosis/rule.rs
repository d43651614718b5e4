//! The shape of a rule: [`Rule`], what it looks at ([`Signs`]), and the pen it writes its finding with ([`Draft`]).
//!
//! A rule names the fault, not the cure. Its `kind` is the name such reports are filed under; it differs from the id
//! where a filing kind gathers several faults.

use super::causes::{self, Misfit, ReasoningTrouble, ToolTrouble};
use super::errors::{self, Around, Explained};
use super::facts::{Facts, Side};
use super::{Blame, Confidence, Evidence, Finding, Severity};
use crate::completion::FaultKind;

/// The longest excerpt kept in evidence, in characters.
const EXCERPT: usize = 300;

/// One rule of diagnosis: one `static` a file, listed in [`super::RULES`].
#[derive(Clone, Copy)]
pub struct Rule {
    /// The id: names the fault, `snake_case`.
    pub id: &'static str,
    /// What reports of it are filed under; `other` where no kind of its own exists.
    pub kind: &'static str,
    /// One line.
    pub summary: &'static str,
    /// What it looks at and what it does not, for `monban explain`.
    pub manual: &'static str,
    /// Rules whose findings this one explains: they are left out beside it.
    pub explains: &'static [&'static str],
    /// What the model would have delivered cannot be told where this holds.
    pub hides_intent: bool,
    /// Looks at an attempt.
    pub check: fn(&Signs<'_>) -> Option<Finding>,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rule").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What the rules look at: the facts, and what was decided from them.
#[derive(Debug)]
pub struct Signs<'a> {
    /// The facts.
    pub facts: Facts<'a>,
    /// What keeps the calls from arriving.
    pub tool: Option<ToolTrouble<'a>>,
    /// What does not fit in a call that arrived.
    pub misfit: Option<Misfit<'a>>,
    /// What keeps reasoning and answer from arriving apart.
    pub reasoning: Option<ReasoningTrouble<'a>>,
    /// What an error text means.
    pub error: Option<ErrorSign>,
}

/// An error text, explained.
#[derive(Debug)]
pub struct ErrorSign {
    /// The meaning.
    pub explained: Explained,
    /// The text, bounded.
    pub text: String,
    /// The HTTP status, where one arrived.
    pub status: Option<u16>,
    /// The error stands inside a stream or behind a good status.
    pub place: &'static str,
}

impl<'a> Signs<'a> {
    /// Decides what is behind the facts.
    #[must_use]
    pub fn read(facts: Facts<'a>) -> Self {
        // An answer that an error ended shows what had come until then, and nothing else.
        let whole = !facts.sides.iter().any(Side::broke_off);
        let tool = whole.then(|| causes::tool(&facts)).flatten();
        let reasoning = whole.then(|| causes::reasoning(&facts)).flatten();
        let misfit = if tool.is_none() { causes::misfit(&facts) } else { None };
        let error = read_error(&facts);
        Self { facts, tool, misfit, reasoning, error }
    }

    /// A finding where the error table files the error under this rule.
    #[must_use]
    pub fn error_finding(&self, rule: &Rule) -> Option<Finding> {
        self.error_finding_as(rule.id, rule)
    }

    /// A finding of `rule` where the error table files the error under `filed`.
    #[must_use]
    pub fn error_finding_as(&self, filed: &str, rule: &Rule) -> Option<Finding> {
        let error = self.error.as_ref().filter(|error| error.explained.entry.rule == filed)?;
        let entry = error.explained.entry;
        let mut message = error.explained.says.clone();
        if error.place != "status" {
            message.push_str(&format!(" ({})", error.place));
        }
        if self.facts.server().gateway.is_some() && !message.contains("gateway") {
            message.push_str("; seen through a gateway");
        }
        let draft = Draft::new(rule, entry.blame, Confidence::High, message).evidence(
            &self.facts,
            "status",
            &match error.status {
                Some(status) => format!("HTTP {status}: {}", error.text),
                None => error.text.clone(),
            },
        );
        Some(draft.fixes(error.explained.fix.iter().flat_map(|fix| super::advice::fill(fix, self))).done())
    }
}

/// The first explained error text: of an exchange without an answer, of a stream that broke, of the server's log.
fn read_error(facts: &Facts<'_>) -> Option<ErrorSign> {
    if facts.faults.is_empty() && facts.sides.iter().all(|side| side.completion.stream_error.is_none()) {
        return None;
    }
    let gateway = facts.server().gateway.as_deref();
    let around = Around { history_calls: facts.history_calls(), log: false, gateway };
    let explain_in = |text: &str, status: Option<u16>, place: &'static str, around| {
        let explained = errors::explain(text, status, around)?;
        Some(ErrorSign { explained, text: excerpt(text), status, place })
    };
    let explain = |text: &str, status: Option<u16>, place: &'static str| explain_in(text, status, place, around);
    let log = Around { log: true, ..around };
    let mut notes = facts.view.context.notes.iter();
    let mut from_notes = || notes.find_map(|note| explain_in(note, None, "from the server's log", log));
    for (exchange, fault) in &facts.faults {
        let words = [fault.error_type.as_deref(), fault.code.as_deref()];
        let words: Vec<&str> =
            words.into_iter().flatten().filter(|word| !word.is_empty() && word.parse::<u16>().is_err()).collect();
        let text = match (words.is_empty(), fault.message.is_empty()) {
            (false, false) => format!("{} ({})", fault.message, words.join(", ")),
            _ => fault.message.clone(),
        };
        let place = super::facts::place_of(exchange, fault);
        let found = explain(&text, fault.status, place).or_else(|| explain(&text, code_of(fault), place));
        // An error behind a good status: its words decide which status it should have had.
        let unsaid = || {
            let mut told = [404, 400].into_iter().filter_map(|status| explain(&text, Some(status), place));
            let told = told.find(|found| !found.explained.entry.is_catch_all());
            told.or_else(|| explain(&text, Some(500), place))
        };
        let found = found.or_else(|| (fault.kind == FaultKind::ErrorBody).then(unsaid).flatten());
        if let Some(found) = from_notes().or(found) {
            return Some(found);
        }
    }
    let stream = facts.sides.iter().filter_map(|side| side.completion.stream_error.as_deref());
    // A stream that broke has failed whatever it says: unknown words are read as those of an HTTP 500.
    let broken = |text: &str, status| explain(text, status, "error inside the stream");
    stream.filter_map(|text| broken(text, None).or_else(|| broken(text, Some(500)))).next()
}

/// A status stated in the error's body, where the status line says otherwise.
fn code_of(fault: &crate::completion::Fault) -> Option<u16> {
    fault.code.as_deref()?.parse().ok()
}

/// The pen: a finding in the making.
#[derive(Debug)]
pub struct Draft(Finding);

impl Draft {
    /// Begins a finding of severity `error`.
    #[must_use]
    pub fn new(rule: &Rule, blame: Blame, confidence: Confidence, message: impl Into<String>) -> Self {
        Self(Finding::new(rule.id, Severity::Error, blame, confidence, message))
    }

    /// How bad.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.0.severity = severity;
        self
    }

    /// One more piece of evidence.
    #[must_use]
    pub fn evidence(mut self, facts: &Facts<'_>, place: &str, text: &str) -> Self {
        let evidence = Evidence { task: facts.view.task.to_owned(), place: place.to_owned(), excerpt: excerpt(text) };
        if !text.is_empty() {
            self.0.evidence.push(evidence);
        }
        self
    }

    /// What else it could have been.
    #[must_use]
    pub fn ruled_out(mut self, text: impl Into<String>) -> Self {
        self.0.ruled_out.push(text.into());
        self
    }

    /// One remedy.
    #[must_use]
    pub fn fix(mut self, text: impl Into<String>) -> Self {
        self.0.fix.push(text.into());
        self
    }

    /// Several remedies.
    #[must_use]
    pub fn fixes(mut self, texts: impl IntoIterator<Item = String>) -> Self {
        self.0.fix.extend(texts);
        self
    }

    /// The family seen, and what the server is configured with.
    #[must_use]
    pub fn families(mut self, observed: Option<&str>, configured: Option<&str>) -> Self {
        self.0.observed_family = observed.map(str::to_owned);
        self.0.configured_family = configured.map(str::to_owned);
        self
    }

    /// Adds a sentence.
    #[must_use]
    pub fn note(mut self, text: &str) -> Self {
        if !text.is_empty() {
            self.0.message.push_str(text);
        }
        self
    }

    /// The finding.
    #[must_use]
    pub fn done(self) -> Finding {
        self.0
    }
}

/// The first characters of a text.
#[must_use]
pub(super) fn excerpt(text: &str) -> String {
    if text.chars().nth(EXCERPT).is_none() {
        return text.to_owned();
    }
    text.chars().take(EXCERPT - 1).chain(['…']).collect()
}
