//! `bad_args`: a call's arguments are spoilt on the way.

use serde_json::Value;

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
    summary: "A call's arguments are spoilt: no JSON, types lost, an object \
              where a string is due, or a broken call in the history.",
    manual: "Looks at arguments that are no JSON in a complete answer, at arguments sent as an object, at values of \
             another type than declared where the model's format writes no types, at a call the parser saw and could \
             not deliver, and at errors about the arguments of replayed calls. An empty string for a tool without \
             parameters is right. Markup and lost parameters are arguments_misread's.",
    explains: &["finish_reason", "model_fault", "server_dropped_output"],
    hides_intent: false,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    signs
        .error_finding(&RULE)
        .map(|finding| {
            if signs.error.as_ref().is_some_and(|error| error.explained.entry.needs_history_calls()) {
                replayed(signs, finding)
            } else {
                finding
            }
        })
        .or_else(|| lost(signs))
        .or_else(|| {
            facts
                .sides
                .iter()
                .find_map(|side| side.completion.tool_calls.iter().find_map(|call| spoilt(facts, side, call)))
        })
        .or_else(|| budget_mark(facts))
        .or_else(|| unfit(signs))
}

/// Requests limit the thoughts by these. Source: vLLM >= 0.18, vllm-mlx, SGLang, llama.cpp, Qwen's API.
const THOUGHT_BUDGETS: &[&str] =
    &["thinking_token_budget", "thinking_budget", "reasoning_budget", "thinking_budget_tokens", "custom_params"];

/// The mark that ends the thoughts stands in a value: the budget of the thoughts ran out while the call was written, and
/// the server wrote its mark into it (vllm#44676).
fn budget_mark(facts: &Facts<'_>) -> Option<Finding> {
    let limited = |field: &&&str| facts.view.request.field(field).is_some();
    let budget = THOUGHT_BUDGETS.iter().find(limited)?;
    let calls = facts.sides.iter().flat_map(|side| &side.completion.tool_calls);
    let call = calls.into_iter().find(|call| call.arguments.as_text().contains("</think>"))?;
    let message = format!(
        "the mark that ends the thoughts stands inside the arguments of {}: their budget ({budget}) ran out while the \
         call was written, and the server wrote the mark into it",
        call.name
    );
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
            .evidence(facts, "arguments", &call.arguments.as_text())
            .ruled_out("the model: the mark was forced on it")
            .fix(format!("raise {budget} or drop it where tools are offered"))
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// The error is about the history: whose call is broken?
fn replayed(signs: &Signs<'_>, mut finding: Finding) -> Finding {
    match signs.facts.broken_history_call() {
        Some((arguments, why)) => {
            finding.blame = Blame::Request;
            finding.message = format!(
                "the history holds a call whose arguments {why}, and the \
                 server refuses to replay it. It is not the current generation"
            );
            finding.evidence.push(crate::diagnosis::Evidence {
                task: signs.facts.view.task.to_owned(),
                place: "request".to_owned(),
                excerpt: crate::diagnosis::rule::excerpt(&arguments),
            });
            finding.fix = vec![
                "drop or repair the broken call before replaying the history".to_owned(),
                "raise max_tokens on the earlier turn where it was truncated".to_owned(),
            ];
        }
        None => {
            finding.message = "the 400 comes from replayed arguments this server produced: \
                               the history's calls were delivered by its own tool parser"
                .to_owned();
            finding.configured_family = signs.facts.launch.tool_parser.value().map(str::to_owned);
        }
    }
    finding
}

fn lost(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.tool.as_ref().filter(|found| found.kind == ToolKind::LostInParser)?;
    let message = format!("{}: the parser saw the call and lost it while reading its arguments", trouble.seen);
    Some(
        Draft::new(&RULE, Blame::ServerBug, trouble.confidence, message)
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
    let draft = |message: String| {
        Draft::new(&RULE, Blame::ServerBug, misfit.confidence, message)
            .families(misfit.family, facts.launch.tool_parser.value())
            .evidence(facts, "arguments", &misfit.call.arguments.as_text())
    };
    let upgrade = advice::upgrade(facts);
    let name = &misfit.call.name;
    match (misfit.maker, &misfit.departure) {
        (Maker::Mistyped, Departure::Type { key, wants, by_reference, value, .. }) => {
            let plain = if *by_reference { "inline the $ref" } else { "state one plain type, without anyOf," };
            Some(
                draft(mistyped(name, key, wants, value))
                    .ruled_out("the model: what it wrote reads as the declared type")
                    .fix(format!("{plain} for `{key}` in the tool's schema"))
                    .fix(upgrade)
                    .done(),
            )
        }
        (Maker::Mistyped, Departure::Boxed(key)) => Some(
            draft(boxed(name, key))
                .ruled_out("the values: without the wrapper they fit the tool")
                .fix(upgrade)
                .fix(format!("unwrap `{key}` in the client until then"))
                .done(),
        ),
        (Maker::Lost, departure) => Some(
            draft(lost_on_the_way(&departure.in_words(name)))
                .severity(Severity::Warning)
                .fix("compare with the raw text (skip_special_tokens: false, or the engine's log)")
                .fix(upgrade)
                .done(),
        ),
        _ => None,
    }
}

fn mistyped(name: &str, key: &str, wants: &str, value: &Value) -> String {
    format!(
        "argument `{key}` of {name} arrives as {} where the schema says {wants}: the model's format writes \
         values as bare text, and the parser is to type them by the schema",
        args::kind(value),
    )
}

fn boxed(name: &str, key: &str) -> String {
    format!(
        "the arguments of {name} arrive one level too deep, in `{key}`, which is no parameter of it: the parser \
         took the model's wrapper for a parameter"
    )
}

fn lost_on_the_way(departs: &str) -> String {
    format!(
        "{departs}, and far more tokens were generated than arrived: what is missing may have been lost in the \
             parser"
    )
}

fn spoilt(facts: &Facts<'_>, side: &Side<'_>, call: &ToolCall) -> Option<Finding> {
    let text = call.arguments.as_text();
    let draft = |blame, confidence, message: String| {
        let draft = Draft::new(&RULE, blame, confidence, message);
        draft.families(None, facts.launch.tool_parser.value()).evidence(facts, "arguments", &text)
    };
    if matches!(call.arguments, Arguments::Json(_)) {
        let message = format!(
            "the arguments of {} are sent as an object where the \
             contract wants a JSON string: strict clients break on it",
            call.name
        );
        let blame = if facts.server().gateway.is_some() { Blame::Gateway } else { Blame::ServerBug };
        return Some(
            draft(blame, Confidence::High, message).severity(Severity::Warning).fix(advice::upgrade(facts)).done(),
        );
    }
    if let Some(kind) = no_object(call).filter(|_| !side.at_cap()) {
        let message = format!("the arguments of {} hold {kind} where an object is due", call.name);
        return Some(draft(Blame::ServerBug, Confidence::Medium, message).fix(advice::upgrade(facts)).done());
    }
    if side.mode == Mode::Stream || side.at_cap() || call.arguments.value().is_ok() || text.trim().is_empty() {
        return None;
    }
    let raw = facts.forced() && side.holds_raw_answer();
    Some(
        draft(Blame::ServerBug, Confidence::Medium, no_json(call, side, raw))
            .ruled_out("the budget: finish_reason is not length")
            .fixes(raw.then(|| "tool_choice auto, which the parser reads".to_owned()))
            .fix(advice::upgrade(facts))
            .fixes(advice::tool_parser(facts, None))
            .done(),
    )
}

/// What JSON the arguments hold that is no object, and no text that may hold one.
fn no_object(call: &ToolCall) -> Option<&'static str> {
    let value = call.arguments.value().ok()?;
    (!matches!(value, Value::Object(_) | Value::String(_))).then(|| args::kind(&value))
}

fn no_json(call: &ToolCall, side: &Side<'_>, raw: bool) -> String {
    let why = if raw {
        ": the answer to a forced tool_choice is handed on as the arguments, in the model's own markup, and the \
         parser did not look at it"
    } else {
        ""
    };
    format!(
        "the arguments of {} are no JSON although the answer is complete (finish_reason {}){why}",
        call.name,
        side.finish()
    )
}
