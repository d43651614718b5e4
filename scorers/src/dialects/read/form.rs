//! One way in which a family's markup arrives: [`Form`].

use super::super::Strength;
use super::part::Part;

/// One way in which a family's markup arrives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// What is read, in order.
    pub(crate) parts: &'static [Part],
    /// One of these must stand somewhere in the text.
    pub(crate) signs: &'static [&'static str],
    /// How sure.
    pub(crate) strength: Strength,
    /// The special tokens are gone.
    pub(crate) stripped: bool,
    /// The markup must be the whole text.
    pub(crate) whole: bool,
}

impl Form {
    /// The family's own markers.
    pub(crate) const fn own(parts: &'static [Part]) -> Self {
        Self { parts, signs: &[], strength: Strength::Strong, stripped: false, whole: false }
    }

    /// The family's own markers, with one of these in the text.
    pub(crate) const fn signed(parts: &'static [Part], signs: &'static [&'static str]) -> Self {
        Self { parts, signs, strength: Strength::Strong, stripped: false, whole: false }
    }

    /// Part of the markers is missing.
    pub(crate) const fn partial(parts: &'static [Part]) -> Self {
        Self { parts, signs: &[], strength: Strength::Partial, stripped: false, whole: false }
    }

    /// Part of the markers is missing, and one of these is in the text.
    pub(crate) const fn partial_signed(parts: &'static [Part], signs: &'static [&'static str]) -> Self {
        Self { parts, signs, strength: Strength::Partial, stripped: false, whole: false }
    }

    /// The special tokens were stripped, and what is left is still telling.
    pub(crate) const fn stripped(parts: &'static [Part]) -> Self {
        Self { parts, signs: &[], strength: Strength::Partial, stripped: true, whole: false }
    }

    /// Nothing but a declared name and its keys tells.
    pub(crate) const fn weak(parts: &'static [Part], stripped: bool) -> Self {
        Self { parts, signs: &[], strength: Strength::Weak, stripped, whole: false }
    }

    /// The literal that the form begins with.
    pub(super) fn anchor(&self) -> Option<&'static str> {
        match self.parts.first() {
            Some(Part::Lit(literal)) => Some(literal),
            _ => None,
        }
    }
}
