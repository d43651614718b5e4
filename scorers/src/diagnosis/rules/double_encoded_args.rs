//! `double_encoded_args`: the arguments are JSON inside a JSON string.

use serde_json::Value;

use crate::completion::ToolCall;
use crate::diagnosis::causes::ToolKind;
use crate::diagnosis::facts::Side;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::schema::declared_type;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "double_encoded_args",
    kind: "double_encoded_args",
    summary: "A call's arguments, or one of them, are JSON inside a JSON string.",
    manual: "Looks at arguments that decode to a string which decodes to an object, at an argument whose schema says \
             object or array (references followed, nested ones too) and whose value is a string of JSON or a Python \
             literal, and at the same inside leaked markup.",
    explains: &["bad_args", "arguments_misread", "wrong_tool_parser", "no_tool_parser", "finish_reason", "model_fault"],
    hides_intent: false,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    in_markup(signs).or_else(|| {
        signs.facts.sides.iter().find_map(|side| {
            let calls = &side.completion.tool_calls;
            calls
                .iter()
                .find_map(|call| whole(signs, call).or_else(|| nested(signs, side, call)))
                .or_else(|| deep(signs, side))
        })
    })
}

/// What only the rereading unfolds: deep inside an argument, or a literal of Python's.
fn deep(signs: &Signs<'_>, side: &Side<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if !facts.call_was_missed() || side.at_cap() {
        return None;
    }
    let repair = side.reread?.repairs.iter().find(|repair| repair.kind == "double_encoded_arguments")?;
    let at = repair.place.strip_prefix("tool_calls[")?.strip_suffix(']')?.parse::<usize>().ok()?;
    let call = side.completion.tool_calls.get(at)?;
    let message = format!("the arguments of {}: {}", call.name, repair.detail);
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
            .families(None, facts.launch.tool_parser.value())
            .evidence(facts, "arguments", &call.arguments.as_text())
            .fix("state the type of every argument in the tool's schema, nested ones too")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

fn in_markup(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.tool.as_ref().filter(|found| found.kind == ToolKind::Doubled)?;
    let fits = facts.tool_parser_reads(trouble.family) == Some(true);
    let finish =
        if trouble.side.finish() == "tool_calls" { ", finish_reason tool_calls with empty tool_calls" } else { "" };
    let message = format!(
        "{}argument is a JSON string where an object is due: the call is left in the text{finish}",
        if fits { "parser matches the family; " } else { "" },
    );
    Some(
        Draft::new(&RULE, Blame::ServerBug, trouble.confidence, message)
            .families(trouble.family, facts.launch.tool_parser.value())
            .evidence(facts, "content", trouble.side.leaked_text())
            .ruled_out("the parser's family: the markers are its own")
            .fix(format!(
                "{} and the model's chat template (a history whose arguments are rendered as strings invites this)",
                advice::upgrade(facts)
            ))
            .done(),
    )
}

fn whole(signs: &Signs<'_>, call: &ToolCall) -> Option<Finding> {
    let facts = &signs.facts;
    if !matches!(call.arguments.value(), Ok(Value::String(_))) {
        return None;
    }
    Side::object_of(call)?;
    let message = format!("the arguments of {} are encoded twice: decoded twice gives the right object", call.name);
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::High, message)
            .families(None, facts.launch.tool_parser.value())
            .evidence(facts, "arguments", &call.arguments.as_text())
            .fixes(advice::tool_parser(facts, None))
            .fix(format!("{}; decode twice only to diagnose", advice::upgrade(facts)))
            .done(),
    )
}

fn nested(signs: &Signs<'_>, side: &Side<'_>, call: &ToolCall) -> Option<Finding> {
    let facts = &signs.facts;
    let Ok(Value::Object(arguments)) = call.arguments.value() else { return None };
    let schema = &side.request.tool(&call.name)?.parameters;
    let (key, by_reference) = arguments.iter().find_map(|(key, value)| {
        let text = value.as_str()?;
        let declared = declared_type(schema, key)?;
        let decoded: Value = serde_json::from_str(text).ok()?;
        let holds =
            matches!(declared.name, "object") && decoded.is_object() || declared.name == "array" && decoded.is_array();
        holds.then_some((key, declared.by_reference))
    })?;
    let why = if by_reference {
        " ($ref: the schema of this argument is a reference, which the parser does not follow)"
    } else {
        ""
    };
    let message = format!("argument `{key}` of {} is a JSON string where the schema says otherwise{why}", call.name);
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::High, message)
            .families(None, facts.launch.tool_parser.value())
            .evidence(facts, "arguments", &call.arguments.as_text())
            .fix(if by_reference {
                "inline $ref in the tool schemas sent to this engine"
            } else {
                "state the type of every argument in the tool's schema"
            })
            .fix(advice::upgrade(facts))
            .done(),
    )
}
