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
    if let Some(finding) = foreign(facts) {
        return Some(finding);
    }
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

/// Bytes that are no UTF-8, which JSON and event streams must be: another encoding, or characters cut in bytes.
fn foreign(facts: &Facts<'_>) -> Option<Finding> {
    let foreign = |side: &&Side<'_>| side.completion.deviates("invalid_utf8");
    let side = facts.sides.iter().find(|side| !side.at_cap() && foreign(side))?;
    let deviation = side.completion.deviations.iter().find(|found| found.kind == "invalid_utf8")?;
    let mut shown = side.completion.text().to_owned();
    for call in side.completion.tool_calls.iter().take(3) {
        shown.push_str(&call.to_string());
    }
    let message = format!(
        "the answer holds bytes that are no UTF-8, as JSON must be ({}): another encoding, or characters cut apart",
        deviation.place
    );
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::High, message)
            .evidence(facts, "body", &shown)
            .ruled_out("the model: it writes tokens, and the server makes the bytes of them")
            .fix(
                "look at what rewrites answers on the way: a proxy with another charset, a server that cuts \
                  characters",
            )
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
