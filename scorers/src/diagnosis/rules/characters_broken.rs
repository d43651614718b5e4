//! `characters_broken`: a stream that was cut into pieces in the middle of characters.

use crate::completion::Mode;
use crate::diagnosis::facts::{Facts, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "characters_broken",
    kind: "stream_only",
    summary: "The stream was cut into pieces in the middle of characters: \
              U+FFFD stands where emoji or other wide characters were.",
    manual: "Looks at streams that hold U+FFFD (the replacement character) where the plain answer holds none, or more \
             than once where only the stream was seen: the server decodes token by token, and a wide character takes \
             several tokens. Neither the budget's cut nor a text that speaks of the character counts.",
    explains: &["model_fault", "degenerate_text", "structured_output_ignored"],
    hides_intent: true,
    check,
};

const BROKEN: char = '\u{fffd}';

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.iter().find(|side| side.mode == Mode::Stream && !side.at_cap() && count(side) > 0)?;
    let plain = facts.sides.iter().find(|side| side.mode == Mode::Plain && !side.is_silent());
    let borne_out = match plain {
        Some(plain) => count(plain) == 0,
        None => count(side) > 1,
    };
    if !borne_out || is_meant(facts, side) {
        return None;
    }
    let (confidence, beside) = match plain {
        Some(_) => (Confidence::High, ", and the plain answer holds none"),
        None => (Confidence::Medium, ""),
    };
    let message = format!(
        "{} broken characters (U+FFFD) stand in the streamed text{beside}: the server decodes token by token, and \
         emoji and many scripts take several tokens a character",
        count(side)
    );
    Some(
        Draft::new(&RULE, Blame::ServerBug, confidence, message)
            .severity(if plain.is_some() { Severity::Error } else { Severity::Warning })
            .evidence(facts, "stream", side.completion.text())
            .ruled_out("the model: the bytes were whole before they were cut into deltas")
            .fix("use stream: false")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

fn count(side: &Side<'_>) -> usize {
    side.completion.text().matches(BROKEN).count()
}

fn is_meant(facts: &Facts<'_>, side: &Side<'_>) -> bool {
    let said =
        |text: &str| text.contains("FFFD") || text.contains("fffd") || text.to_lowercase().contains("replacement char");
    let asked = ["user", "system", "tool"].iter().any(|role| facts.view.request.text_of(role).contains(BROKEN));
    asked || said(side.completion.text()) || said(&facts.view.request.text_of("user"))
}
