//! `arguments_misread`: a call's arguments are well-formed, and not what the model wrote.

use crate::completion::{Mode, ToolCall};
use crate::diagnosis::causes::{self, Spoilt};
use crate::diagnosis::facts::{Facts, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};
use crate::dialects::{PADDED, QUOTED};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "arguments_misread",
    kind: "bad_args",
    summary: "The parser misread a call's arguments: markup left in keys or values, parameters lost.",
    manual: "Looks at pieces of a family's markup in keys, or at the ends of values without their counterpart (a \
             file that shows such markup is no fault); at line breaks or quotes around every value; at a key that \
             swallowed its value; at broken characters (U+FFFD) that no text of the request holds; and at arguments \
             that are missing altogether although the tool needs some.",
    explains: &["bad_args", "finish_reason", "model_fault", "server_dropped_output"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let misread = |side: &Side<'_>| side.completion.tool_calls.iter().find_map(|call| misread(facts, side, call));
    facts.sides.iter().find_map(|side| misread(side).or_else(|| padded(signs, side)).or_else(|| broken(facts, side)))
}

/// U+FFFD in a value, and no text of the request holds it: characters were cut where they take several tokens.
fn broken(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    if !facts.call_was_missed() || side.at_cap() {
        return None;
    }
    let holds = |text: &str| text.contains('\u{fffd}') || text.contains("\\ufffd");
    let call = side.completion.tool_calls.iter().find(|call| holds(&call.arguments.as_text()))?;
    if ["user", "system", "tool"].iter().any(|role| holds(&facts.view.request.text_of(role))) {
        return None;
    }
    let message = format!(
        "broken characters (U+FFFD) stand in the arguments of {}: the server decodes token by token, and wide \
         characters take several tokens",
        call.name
    );
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
            .families(None, facts.launch.tool_parser.value())
            .evidence(facts, "arguments", &call.arguments.as_text())
            .ruled_out("the request: its texts hold no such character")
            .fix("compare with the other mode (stream true and false)")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// The line breaks or quotes around each value are the markup's.
fn padded(signs: &Signs<'_>, side: &Side<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let around = [(PADDED, "line breaks"), (QUOTED, "quotes")].into_iter().find(|(kind, _)| side.was_mended(kind));
    let around = around.map(|(_, around)| around)?;
    if signs.tool.is_some() || !facts.call_was_missed() {
        return None;
    }
    let call = side.completion.tool_calls.first()?;
    let message = format!(
        "parser residue in values: what stands in {around} in the \
         model's call format keeps them in the arguments of {}",
        call.name
    );
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
            .families(facts.model().tool_family(), facts.launch.tool_parser.value())
            .evidence(facts, "arguments", &call.arguments.as_text())
            .fix(advice::upgrade(facts))
            .fixes(advice::tool_parser(facts, None))
            .done(),
    )
}

fn misread(facts: &Facts<'_>, side: &Side<'_>, call: &ToolCall) -> Option<Finding> {
    let message = causes::spoilt(side, call).and_then(|found| by_the_parser(side, call, found))?;
    let text = call.arguments.as_text();
    let confidence = if text.trim().len() > 2 { Confidence::High } else { Confidence::Medium };
    Some(
        Draft::new(&RULE, Blame::ServerBug, confidence, message)
            .families(None, facts.launch.tool_parser.value())
            .evidence(facts, "arguments", &text)
            .ruled_out("the parser's family: the call itself was read")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// What a parser did to the arguments. An empty object may be what the model wrote.
fn by_the_parser(side: &Side<'_>, call: &ToolCall, found: Spoilt) -> Option<String> {
    let name = &call.name;
    Some(match found {
        Spoilt::Residue(piece) => {
            format!(
                "parser residue in values: `{piece}` is a piece of the \
                 model's call format, left in the arguments of {name}"
            )
        }
        Spoilt::Key(key) => {
            format!(
                "parser residue in keys: `{key}` holds a declared parameter's \
                 name and its value, misread in the arguments of {name}"
            )
        }
        Spoilt::Nothing(key) if side.mode == Mode::Plain && !side.at_cap() => {
            format!(
                "{name} arrived without any arguments, and it needs `{key}`: \
                 even a model that gives none writes an empty object"
            )
        }
        Spoilt::Nothing(_) | Spoilt::Empty(_) => return None,
    })
}
