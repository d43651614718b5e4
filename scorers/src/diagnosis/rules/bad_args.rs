//! `bad_args`: a call's arguments are spoilt on the way.

use crate::args;
use crate::completion::{Arguments, Mode, ToolCall};
use crate::diagnosis::causes::{Departure, Maker, ToolKind};
use crate::diagnosis::facts::{Facts, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "bad_args",
    kind: "bad_args",
    summary: "A call's arguments are spoilt: no JSON, markup left in the values, types lost, an object where a string is due, or a broken call in the history.",
    manual: "Looks at arguments that are no JSON in a complete answer, at pieces of a family's markup inside values, at \
             arguments sent as an object, at values of another type than declared where the model's format writes no types, at a call the parser saw and could not deliver, and at errors about the arguments of \
             replayed calls. An empty string for a tool without parameters is right.",
    explains: &["finish_reason", "model_fault", "server_dropped_output"],
    hides_intent: false,
    check,
};

/// Pieces of markup that no argument holds by intent.
const RESIDUE: &[&str] = &["<|\"|", "<|\\\"|", "<arg_value>", "</arg_value>", "<arg_key>", "</parameter>", "<parameter=", "<|tool_call", "</tool_call>", "[TOOL_CALLS]", "[ARGS]", "<｜tool▁", "<|tool_calls_section", "</function>"];

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    signs
        .error_finding(&RULE)
        .map(|finding| replayed(signs, finding))
        .or_else(|| lost(signs))
        .or_else(|| facts.sides.iter().find_map(|side| side.completion.tool_calls.iter().find_map(|call| spoilt(facts, side, call))))
        .or_else(|| unfit(signs))
}

/// The error is about the history: whose call is broken?
fn replayed(signs: &Signs<'_>, mut finding: Finding) -> Finding {
    match signs.facts.cut_history_call() {
        Some(arguments) => {
            finding.blame = Blame::Request;
            finding.message = "the history holds a call whose arguments are unterminated: an earlier turn was cut and stored, and the server refuses to replay it. It is not the current generation".to_owned();
            finding.evidence.push(crate::diagnosis::Evidence { task: signs.facts.task.to_owned(), place: "request".to_owned(), excerpt: crate::diagnosis::rule::excerpt(&arguments) });
            finding.fix = vec!["drop or repair the truncated call before replaying the history".to_owned(), "raise max_tokens on the earlier turn".to_owned()];
        }
        None => {
            finding.message = "the 400 comes from replayed arguments this server produced: the history's calls were delivered by its own tool parser".to_owned();
            finding.configured_family = signs.facts.launch.tool_parser.value().map(str::to_owned);
        }
    }
    finding
}

fn lost(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.tool.as_ref().filter(|found| found.kind == ToolKind::LostInParser)?;
    Some(
        Draft::new(&RULE, Blame::ServerBug, trouble.confidence, format!("{}: the parser saw the call and lost it while reading its arguments", trouble.seen))
            .families(trouble.family, facts.launch.tool_parser.value())
            .evidence(facts, "finish_reason", trouble.side.finish())
            .ruled_out("the model not calling: the server says it did")
            .fix(advice::upgrade(facts))
            .fix("flat arguments (no arrays or objects) until then")
            .done(),
    )
}

/// What the parser is to take from the schema, and what went missing between the model and the client.
fn unfit(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let misfit = signs.misfit.as_ref()?;
    let name = &misfit.call.name;
    let draft = |message: String| {
        Draft::new(&RULE, Blame::ServerBug, misfit.confidence, message)
            .families(misfit.family, facts.launch.tool_parser.value())
            .evidence(facts, "arguments", &misfit.call.arguments.as_text())
    };
    match (misfit.maker, &misfit.departure) {
        (Maker::Mistyped, Departure::Type { key, wants, by_reference, value }) => {
            let message = format!(
                "argument `{key}` of {name} arrives as {} where the schema says {wants}: the model's format writes no types, and the parser is to take them from the schema",
                args::kind(value),
            );
            let plain = if *by_reference { "inline the $ref" } else { "state one plain type, without anyOf," };
            Some(draft(message).ruled_out("the model: what it wrote reads as the declared type").fix(format!("{plain} for `{key}` in the tool's schema")).fix(advice::upgrade(facts)).done())
        }
        (Maker::Lost, departure) => {
            let message = format!("{}, and far more tokens were generated than arrived: what is missing may have been lost in the parser", departure.in_words(name));
            Some(draft(message).severity(Severity::Warning).fix("compare with the raw text (skip_special_tokens: false, or the engine's log)").fix(advice::upgrade(facts)).done())
        }
        _ => None,
    }
}

fn spoilt(facts: &Facts<'_>, side: &Side<'_>, call: &ToolCall) -> Option<Finding> {
    let text = call.arguments.as_text();
    let draft = |blame, confidence, message: String| {
        Draft::new(&RULE, blame, confidence, message).families(None, facts.launch.tool_parser.value()).evidence(facts, "arguments", &text)
    };
    if let Some(piece) = RESIDUE.iter().find(|piece| text.contains(**piece)) {
        let message = format!("parser residue in values: `{}` is a piece of the model's call format, left in the arguments of {}", piece.replace('\\', ""), call.name);
        return Some(draft(Blame::ServerBug, Confidence::High, message).ruled_out("the parser's family: the call itself was read").fix(advice::upgrade(facts)).done());
    }
    if matches!(call.arguments, Arguments::Json(_)) {
        let message = format!("the arguments of {} are sent as an object where the contract wants a JSON string: strict clients break on it", call.name);
        let blame = if facts.server().gateway.is_some() { Blame::Gateway } else { Blame::ServerBug };
        return Some(draft(blame, Confidence::High, message).severity(Severity::Warning).fix(advice::upgrade(facts)).done());
    }
    if side.mode == Mode::Stream || side.at_cap() || call.arguments.value().is_ok() {
        return None;
    }
    let message = format!("the arguments of {} are no JSON although the answer is complete (finish_reason {})", call.name, side.finish());
    Some(draft(Blame::ServerBug, Confidence::Medium, message).ruled_out("the budget: finish_reason is not length").fix(advice::upgrade(facts)).fixes(advice::tool_parser(facts, None)).done())
}
