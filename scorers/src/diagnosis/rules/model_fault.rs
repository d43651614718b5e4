//! `model_fault`: what the model wrote is wrong, and there is evidence for it.

use serde_json::Value;

use crate::diagnosis::causes::{Departure, Maker, ToolKind};
use crate::diagnosis::facts::{Facts, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs};

mod wrong_call;

use wrong_call::{again, another, undeclared, unwanted};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "model_fault",
    kind: "model_fault",
    summary: "What the model wrote is wrong: shown, not left over.",
    manual: "Needs positive evidence: whole markup around text that is no JSON in an answer that was not cut; a \
             well-formed call to a tool that was not declared; a call where the task wanted none, or of another tool \
             than it wanted; arguments that do not fit the declared parameters, in every mode alike, where no parser \
             is known to make them so; the beginnings of a call where none was wanted; a format of the client's own, \
             taught in a prompt without tools, that the model does not keep; the call whose result was just given, \
             over again; the endpoint's own word for it; a phrase that repeats up to the token cap. Prose where a \
             call was wanted is no evidence.",
    explains: &[],
    hides_intent: false,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    signs.error_finding(&RULE).or_else(|| broken(signs)).or_else(|| untaught(signs)).or_else(|| {
        facts.sides.iter().find_map(|side| {
            undeclared(facts, side)
                .or_else(|| unwanted(facts, side))
                .or_else(|| another(facts, side))
                .or_else(|| again(facts, side))
                .or_else(|| unfit(signs))
                .or_else(|| attempt(facts, side))
                .or_else(|| taught(facts, side))
                .or_else(|| loops(facts, side))
        })
    })
}

/// A phrase that comes again and again to the end of the budget.
fn loops(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    let past =
        facts.view.request.max_tokens.is_some_and(|max| side.billed() > Some(max)) && !side.completion.is_truncated();
    if !side.at_cap() || past || !side.completion.tool_calls.is_empty() {
        return None;
    }
    let (place, text) = [("content", side.completion.text()), ("reasoning", side.completion.reasoning())]
        .into_iter()
        .find(|(_, text)| !text.trim().is_empty())?;
    let phrase = repeated(text)?;
    let message = format!("the model goes round in a circle until the budget ends: {:?}", phrase.trim());
    Some(
        draft(Confidence::Medium, message)
            .evidence(facts, place, text)
            .ruled_out("the budget: more tokens would repeat the same")
            .fix("the sampling the model's card names (temperature, repetition or presence penalty)")
            .fix("a larger model or a finer quantisation")
            .done(),
    )
}

/// How often a phrase must come on end, and how long it may be, in bytes.
const ROUNDS: usize = 8;
const PHRASE: usize = 240;

/// The phrase the text ends with, where it comes [`ROUNDS`] times on end and fills more than half of the text.
fn repeated(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    (4..=PHRASE.min(bytes.len() / ROUNDS)).find_map(|period| {
        let run = bytes.iter().rev().zip(bytes.iter().rev().skip(period)).take_while(|(a, b)| a == b).count() + period;
        let phrase =
            (run >= ROUNDS * period && run * 2 > bytes.len()).then(|| text.get(bytes.len() - period..)).flatten()?;
        phrase.chars().any(char::is_alphanumeric).then_some(phrase)
    })
}

fn draft(confidence: Confidence, message: impl Into<String>) -> Draft {
    Draft::new(&RULE, Blame::Model, confidence, message)
}

fn broken(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.tool.as_ref().filter(|found| found.kind == ToolKind::BrokenCall)?;
    let text = trouble.side.leaked_text();
    let says = if trouble.side.is_hollow() {
        "model wrote the tags of a call and nothing between them".to_owned()
    } else {
        let why = if raw_breaks(text) { ": unescaped characters in a string" } else { "" };
        format!("model wrote invalid JSON inside whole markup{why}; no server could read it")
    };
    Some(
        draft(trouble.confidence, says)
            .families(trouble.family, facts.launch.tool_parser.value())
            .evidence(facts, "content", text)
            .ruled_out("the budget: the closing marker is there")
            .fix("constrained tool calling (tool_choice required, or strict tools), or retry")
            .done(),
    )
}

/// A line break or a bare quote inside a JSON string.
fn raw_breaks(text: &str) -> bool {
    let Some(body) = text.find('{').and_then(|at| text.get(at..=text.rfind('}')?)) else { return false };
    let error = serde_json::from_str::<Value>(body).err().map(|error| error.to_string()).unwrap_or_default();
    let balanced = body.matches('{').count() == body.matches('}').count();
    error.contains("control character") || balanced && error.contains("expected `,`")
}

/// A call where nothing was declared: the model's habit, or the client's own format.
fn untaught(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.tool.as_ref().filter(|found| found.kind == ToolKind::Untaught)?;
    if !facts.view.scored.is_empty() && !facts.something_failed() {
        return None;
    }
    let message =
        "request carried no tools: the model writes a call out of habit, and there is nothing for a server to read";
    Some(
        draft(trouble.confidence, message)
            .families(trouble.family, None)
            .evidence(facts, "content", trouble.side.leaked_text())
            .fix("use the client's native tool mode (send tools), or a model trained on the client's format")
            .done(),
    )
}

/// A call whose arguments do not fit what was declared, as the model wrote them.
fn unfit(signs: &Signs<'_>) -> Option<Finding> {
    let misfit = signs.misfit.as_ref().filter(|misfit| misfit.maker == Maker::Model)?;
    let doubt = misfit.confidence == Confidence::Low;
    let note = match (&misfit.departure, doubt) {
        (_, false) => "; the call is well formed, so nothing was lost on the way",
        (Departure::Missing(_), true) => "; only a stream was seen, and a streaming parser may have lost it",
        (_, true) => {
            "; which format the model writes is not known, and in one without types the parser would be to blame"
        }
    };
    Some(
        draft(misfit.confidence, format!("{}{note}", misfit.departure.in_words(&misfit.call.name)))
            .severity(if doubt { Severity::Warning } else { Severity::Error })
            .families(misfit.family, None)
            .evidence(&signs.facts, "tool_calls", &misfit.call.to_string())
            .fixes(doubt.then(|| "compare with stream: false, and name the model and its launch line".to_owned()))
            .fix(
                "say in the tool's schema what each argument is and which are required, or have the schema enforced \
                 (strict tools, tool_choice required)",
            )
            .done(),
    )
}

/// The beginnings of a call in the text, where none was wanted.
fn attempt(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    if side.at_cap() || !side.completion.tool_calls.is_empty() || side.leak().is_some() {
        return None;
    }
    let text = side.completion.text().trim();
    let begun = facts.view.request.tools.iter().find(|tool| {
        text.strip_prefix(tool.name.as_str())
            .is_some_and(|rest| rest.starts_with('(') && rest.matches('(').count() > rest.matches(')').count())
    })?;
    let message = format!(
        "a broken call attempt: the text begins a call of {} and stops in the middle, with finish_reason {}",
        begun.name,
        side.finish()
    );
    Some(
        draft(Confidence::Medium, message)
            .evidence(facts, "content", text)
            .ruled_out("the budget: finish_reason is not length")
            .fix("tell abstained, attempted and garbage apart in the score")
            .done(),
    )
}

/// The prompt teaches tags of its own, and the answer uses them wrongly.
fn taught(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    if !facts.view.request.tools.is_empty() || !facts.something_failed() || side.at_cap() {
        return None;
    }
    let prompt = facts.view.request.text_of("system");
    let text = side.completion.text();
    let tag = prompt.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag).find(|tag| {
        tag.len() > 2
            && tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && text.contains(&format!("<{tag}>"))
    })?;
    let message = format!(
        "request carried no tools: the client teaches a format of its own (<{tag}>), and the model does not keep to it"
    );
    Some(
        draft(Confidence::Medium, message)
            .evidence(facts, "content", text)
            .fix("use the client's native tool mode (send tools), or a model trained on the client's format")
            .done(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_told_from_a_table() {
        assert_eq!(repeated(&"I am fine. ".repeat(30)), Some("I am fine. "));
        assert_eq!(repeated(&format!("Well. {}", "好的，".repeat(30))).map(str::len), Some("好的，".len()));
        assert_eq!(repeated(&"| --- ".repeat(6)), None);
        assert_eq!(repeated("one two three four five six seven eight nine ten eleven twelve"), None);
        assert_eq!(repeated("words that differ from here to there, and a little echo: ok ok ok ok "), None);
    }
}
