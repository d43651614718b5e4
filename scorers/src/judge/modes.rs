//! All expectations on all completions of an attempt: [`score`].
//!
//! An expectation must hold in both modes. What one mode delivered is evidence of what the model meant in the other,
//! but only where the other **lost** it ([`super::loss`]): two different answers are two answers.

use super::Scored;
use super::emptiness::{is_undemanding, refuse};
use super::loss::lost;
use crate::completion::{Answer, Completion, Deviation, Mode};
use crate::dialects::{PADDED, QUOTED, Reread, Strength};
use crate::request::Request;
use crate::scorer::{Expectation, Subject, Verdict};

/// Bytes of text around markup that are more than white space and a word.
const PROSE: usize = 12;

/// One completion as delivered and as meant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    pub(super) delivered: &'a Completion,
    pub(super) reread: Option<&'a Reread>,
}

impl<'a> Side<'a> {
    pub(super) fn of(answer: &'a Answer, reread: &'a Option<Reread>) -> Option<Self> {
        Some(Self { delivered: answer.completion()?, reread: reread.as_ref() })
    }

    /// The call that was found in the text is bare, and stands in a code fence.
    fn shows_code(&self) -> bool {
        self.reread.and_then(|reread| reread.tool.as_ref()).is_some_and(|(found, place)| {
            let before = self.delivered.text().get(..found.span.start).unwrap_or_default();
            let inside = self.delivered.text().get(found.span.clone()).unwrap_or_default();
            let fenced = before.matches("```").count() % 2 == 1 || inside.trim_start().starts_with("```");
            *place == "content" && found.strength == Strength::Weak && fenced
        })
    }

    /// A call was found in the text, and prose stands around it.
    fn shows_markup(&self) -> bool {
        let found = self.reread.and_then(|reread| reread.tool.as_ref()).filter(|(_, place)| *place == "content");
        found.is_some_and(|(found, _)| self.delivered.text().trim().len() > found.span.len() + PROSE)
    }

    /// Nothing was mended but what stands around values.
    fn is_at_most_unwrapped(&self) -> bool {
        let around = |repair: &Deviation| [PADDED, QUOTED].contains(&repair.kind.as_str());
        self.reread.is_none_or(|reread| reread.tool.is_none() && reread.repairs.iter().all(around))
    }

    /// The completion as the model meant it.
    pub(super) fn meant(&self) -> &'a Completion {
        self.reread.map_or(self.delivered, |reread| &reread.completion)
    }
}

/// Each expectation's two verdicts.
pub(super) fn score(expectations: &[Expectation], request: &Request, sides: &[Side<'_>]) -> Vec<Scored> {
    let mut scored: Vec<Scored> = expectations.iter().map(|expectation| one(expectation, request, sides)).collect();
    refuse(expectations, request, sides, &mut scored);
    scored
}

fn one(expectation: &Expectation, request: &Request, sides: &[Side<'_>]) -> Scored {
    let delivered: Vec<&Completion> = sides.iter().map(|side| side.delivered).collect();
    let mut delivered = told(on_all(expectation, request, sides, &delivered), sides);
    let mut intent = intent(expectation, request, sides, &delivered);
    if delivered == Verdict::Pass && sides.iter().all(Side::is_at_most_unwrapped) {
        // The line breaks and quotes around the values are the values' own.
        intent = intent.filter(|intent| !matches!(intent, Verdict::Fail(_)));
    }
    let shown = sides.iter().find(|side| side.shows_code());
    if delivered == Verdict::Pass
        && intent != Some(Verdict::Pass)
        && shown.is_some_and(|side| is_undemanding(expectation, request, side.delivered))
    {
        // No call is wanted: a bare one in a code fence is there to be read.
        intent = None;
    }
    if delivered == Verdict::Pass
        && let Some(Verdict::Fail(reason)) = &intent
        && let Some(side) = sides.iter().find(|side| side.reread.is_some_and(|reread| reread.tool.is_some()))
        && is_undemanding(expectation, request, side.delivered)
    {
        // The prohibition was kept only because the server did not recognise the call that the model wrote.
        delivered = Verdict::Fail(format!("{reason} (the call stands in the answer as raw markup)"));
    }
    Scored { scorer: expectation.label(), delivered, intent }
}

/// What the task wants of the text is the markup itself, shown within prose: it holds as delivered, and not without it.
/// Then nothing in the text is a call.
pub(super) fn markup_is_wanted(
    expectations: &[Expectation],
    request: &Request,
    scored: &[Scored],
    sides: &[Side<'_>],
) -> bool {
    let shown = sides.iter().find(|side| side.shows_markup() || side.shows_code());
    let wanted = |(expectation, scored): (&Expectation, &Scored)| {
        scored.delivered == Verdict::Pass
            && matches!(scored.intent, Some(Verdict::Fail(_)))
            && shown.is_some_and(|side| !is_undemanding(expectation, request, side.delivered))
    };
    let missed = |scored: &Scored| scored.scorer == "tool_call" && matches!(scored.delivered, Verdict::Fail(_));
    shown.is_some() && !scored.iter().any(missed) && expectations.iter().zip(scored).any(wanted)
}

/// The verdict on what was meant, where that is not what was delivered.
fn intent(expectation: &Expectation, request: &Request, sides: &[Side<'_>], delivered: &Verdict) -> Option<Verdict> {
    let meant: Vec<&Completion> = sides.iter().map(Side::meant).collect();
    let own = sides
        .iter()
        .any(|side| side.reread.is_some())
        .then(|| all(on_all(expectation, request, sides, &meant).into_iter()));
    if own == Some(Verdict::Pass) || *delivered == Verdict::Pass || meant.len() < 2 {
        return own;
    }
    let borne_out = sides.iter().any(|other| {
        let whole = other.meant();
        let poor =
            |side: &Side<'_>| lost(side.meant(), whole) || lost(side.delivered, whole) || is_fragment(side, other);
        let instead: Vec<&Completion> =
            sides.iter().map(|side| if poor(side) { whole } else { side.meant() }).collect();
        let differs = instead.iter().zip(&meant).any(|(one, other)| !std::ptr::eq(*one, *other));
        differs && all(on_all(expectation, request, sides, &instead).into_iter()) == Verdict::Pass
    });
    if borne_out { Some(Verdict::Pass) } else { own }
}

/// The text is a piece of the markup that the other mode left whole: the same call, cut up by a parser.
fn is_fragment(side: &Side<'_>, other: &Side<'_>) -> bool {
    let piece = side.delivered.text().trim();
    let whole = other.reread.and_then(|reread| reread.tool.as_ref()).map(|_| other.delivered.text().trim());
    !piece.is_empty()
        && side.delivered.tool_calls.is_empty()
        && whole.is_some_and(|whole| whole.len() > piece.len() && whole.contains(piece))
}

/// The verdict on the completion of each side, the first one of a side of another mode beside it.
fn on_all(
    expectation: &Expectation,
    request: &Request,
    sides: &[Side<'_>],
    completions: &[&Completion],
) -> Vec<Verdict> {
    let judged = sides.iter().zip(completions).map(|(side, completion)| {
        let other = sides.iter().position(|other| other.delivered.mode != side.delivered.mode);
        expectation.evaluate(&Subject { request, completion, other: other.map(|other| completions[other]) })
    });
    judged.collect()
}

/// The first fail, else the first that was not scored, else a pass.
fn all(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    let mut combined = Verdict::Pass;
    for verdict in verdicts {
        match verdict {
            Verdict::Pass => {}
            Verdict::Fail(_) => return verdict,
            Verdict::NotScored(_) if combined == Verdict::Pass => combined = verdict,
            Verdict::NotScored(_) => {}
        }
    }
    combined
}

/// One verdict of several sides; a reason says which mode it is about where they differ.
fn told(verdicts: Vec<Verdict>, sides: &[Side<'_>]) -> Verdict {
    let differ = verdicts.windows(2).any(|pair| pair[0].word() != pair[1].word());
    all(verdicts.into_iter().zip(sides).map(|(verdict, side)| match verdict {
        Verdict::Fail(reason) if differ => Verdict::Fail(format!("{}: {reason}", mode(side.delivered))),
        other => other,
    }))
}

fn mode(completion: &Completion) -> &'static str {
    match completion.mode {
        Some(Mode::Stream) => "streamed",
        _ => "plain",
    }
}
