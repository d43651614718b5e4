//! The rules a profile is checked by: [`RULES`], [`check`], [`check_together`].
//!
//! A rule names the fault it finds, and is silent on what is right. Rules of one theme share a file; each file lists its
//! own. They look at a [`Subject`] and never at files, the network or a clock.

mod batching;
mod container;
mod entrypoint;
mod flags;
mod gateway;
mod known;
mod known_bad;
mod launcher;
mod layers;
mod needs;
mod network;
mod own;
mod parsers;
mod purpose;
mod reasoning;
mod spelling;
mod subject;
mod templates;
mod together;
mod tools;

use crate::diagnostic::Diagnostic;

use super::model::Profile;
pub use known::Known;
pub(super) use layers::weights_of;
pub(super) use network::is_secret;
use subject::Subject;
pub use together::check_together;

/// A rule: the fault's name, what it is, and how it is found.
#[derive(Clone, Copy)]
pub struct ProfileRule {
    /// The fault, `snake_case`.
    pub name: &'static str,
    /// What is wrong where it is found, in a sentence.
    pub about: &'static str,
    check: fn(&Subject<'_>, &mut Vec<Diagnostic>),
}

impl std::fmt::Debug for ProfileRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A rule as the files list it.
const fn rule(name: &'static str, about: &'static str, check: fn(&Subject<'_>, &mut Vec<Diagnostic>)) -> ProfileRule {
    ProfileRule { name, about, check }
}

/// All rules about one profile, by theme.
pub static RULES: &[&[ProfileRule]] = &[
    spelling::RULES,
    flags::RULES,
    parsers::RULES,
    known_bad::RULES,
    reasoning::RULES,
    tools::RULES,
    templates::RULES,
    layers::RULES,
    batching::RULES,
    purpose::RULES,
    network::RULES,
    container::RULES,
    entrypoint::RULES,
    gateway::RULES,
    launcher::RULES,
    own::RULES,
    needs::RULES,
];

/// Every rule, also those about several profiles together.
pub fn profile_rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    RULES
        .iter()
        .flat_map(|rules| rules.iter())
        .map(|rule| (rule.name, rule.about))
        .chain(together::ABOUT.iter().copied())
}

/// What is wrong with one profile, in the order of the file.
#[must_use]
pub fn check(profile: &Profile, known: &Known) -> Vec<Diagnostic> {
    let subject = Subject::new(profile, known);
    let mut found = Vec::new();
    for rule in RULES.iter().flat_map(|rules| rules.iter()) {
        (rule.check)(&subject, &mut found);
    }
    found.sort_by_key(|diagnostic| diagnostic.span.as_ref().map_or(0, |span| span.start));
    found
}
