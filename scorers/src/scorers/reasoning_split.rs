//! `reasoning_split`: reasoning arrived in its own field, and the answer in its.

use crate::args::ArgReader;
use crate::completion::Completion;
use crate::dialects::{Hints, REASONING_DIALECTS, Strength, recognise};
use crate::request::Request;
use crate::scorer::{ArgDef, ArgError, Args, Scorer, ScorerDef, Subject, Verdict};
use crate::text::quoted;

/// The declaration.
///
/// ```
/// use monban_scorers::{Completion, Expectation, Registry, Request, Subject, Verdict};
///
/// let table = serde_json::from_str(r#"{"scorer": "reasoning_split"}"#).unwrap();
/// let expectation = Expectation::parse(&table, &Registry::builtin()).unwrap();
/// let completion = Completion { text: Some("<think>2 + 2</think>4".to_owned()), ..Completion::default() };
/// let subject = Subject { request: &Request::default(), completion: &completion, other: None };
/// assert!(matches!(expectation.evaluate(&subject), Verdict::Fail(_)));
/// ```
pub static REASONING_SPLIT: ScorerDef = ScorerDef {
    name: "reasoning_split",
    summary: "Reasoning and answer arrived in their own fields.",
    manual: r#"## What it checks
Whether the server parted what the model thought from what it answered: the reasoning in `reasoning` (or
`reasoning_content`), the answer in `content` or in tool calls, and no raw markup of any dialect in the text.

## Passes when
- reasoning arrived in its own field, an answer beside it, and the text holds no markup.

## Fails when
- nothing arrived in the reasoning field (unless `required = false`);
- there is no answer, or it is only in the reasoning;
- the text holds reasoning or tool-call markup: `<think>`, `</think>`, `<|channel|>`, `<tool_call>` and the like.

## Arguments
- `required`: false: a model that did not think is right too. Default true.

## Example
```toml
{ scorer = "reasoning_split", required = false }
```
"#,
    arguments: &[ArgDef {
        name: "required",
        schema: r#"{"type":"boolean"}"#,
        help: "Whether reasoning must have arrived. Default true.",
    }],
    parse,
};

#[derive(Debug)]
struct ReasoningSplit {
    required: bool,
}

fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let mut reader = ArgReader::new(args, REASONING_SPLIT.arguments);
    let required = reader.flag("required", true);
    reader.finish(|| Box::new(ReasoningSplit { required }) as Box<dyn Scorer>)
}

impl Scorer for ReasoningSplit {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        let completion = subject.completion;
        let thought = !completion.reasoning().trim().is_empty();
        let mut faults = Vec::new();
        if let Some(markup) = markup(completion, subject.request) {
            faults.push(markup);
        }
        match (completion.is_empty_answer(), thought) {
            (true, true) => faults.push("the answer is empty: everything is in the reasoning".to_owned()),
            (true, false) => faults.push("nothing was answered".to_owned()),
            (false, false) if self.required => faults.push("no reasoning arrived in a field of its own".to_owned()),
            (false, _) => {}
        }
        if faults.is_empty() { Verdict::Pass } else { Verdict::Fail(faults.join("; ")) }
    }

    fn claim(&self) -> String {
        "reasoning and answer arrived in their own fields".to_owned()
    }
}

/// Raw markup of any dialect in the text, in words.
fn markup(completion: &Completion, request: &Request) -> Option<String> {
    let text = completion.text();
    if text.is_empty() {
        return None;
    }
    if let Some(split) = REASONING_DIALECTS.iter().find_map(|dialect| dialect.split(text)) {
        return Some(format!("the text holds reasoning markup ({})", split.family));
    }
    let hints = Hints {
        request: Some(request),
        model: Some(&request.model).filter(|model| !model.is_empty()).map(String::as_str),
        ..Hints::default()
    };
    // Bare JSON may be an answer: only a family's own markers tell.
    let found = recognise(text, &hints).filter(|found| found.strength >= Strength::Partial)?;
    let excerpt = text.get(found.span.clone()).unwrap_or(text);
    Some(format!("the text holds tool-call markup ({}): {}", found.family, quoted(excerpt)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answered, call, judge, parsed};
    use crate::{Completion, Verdict};

    #[track_caller]
    fn case(expectation: &str, completion: &Completion, reason: &str) {
        assert_eq!(judge(&parsed(expectation), completion).reason(), reason);
    }

    fn thinking(reasoning: &str, text: &str) -> Completion {
        Completion { reasoning: Some(reasoning.to_owned()), ..answered(text) }
    }

    const SPLIT: &str = r#"{"scorer":"reasoning_split"}"#;

    #[test]
    fn thought_and_answer_in_their_fields() {
        case(SPLIT, &thinking("hm", "4"), "");
        case(SPLIT, &Completion { tool_calls: vec![call("f", "{}")], ..thinking("hm", "") }, "");
        case(SPLIT, &answered("4"), "no reasoning arrived in a field of its own");
        case(r#"{"scorer":"reasoning_split","required":false}"#, &answered("4"), "");
        case(SPLIT, &thinking("hm, 4", " "), "the answer is empty: everything is in the reasoning");
        case(r#"{"scorer":"reasoning_split","required":false}"#, &answered(""), "nothing was answered");
    }

    #[test]
    fn markup_in_the_text_fails_even_beside_reasoning() {
        for text in ["<think>hm</think>4", "hm\n</think>\n\n4", "<think>hm, and no end"] {
            let verdict = judge(&parsed(SPLIT), &thinking("hm", text));
            assert!(verdict.reason().starts_with("the text holds reasoning markup ("), "{text}: {verdict:?}");
        }
        let call = "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>";
        let verdict = judge(&parsed(SPLIT), &thinking("hm", call));
        assert!(verdict.reason().starts_with("the text holds tool-call markup ("), "{verdict:?}");
        for text in ["I think 4 < 5.", "{\"name\": \"Ada\"}", "a < b and b > c", "# Thinking\n\nIt is 4."] {
            case(SPLIT, &thinking("hm", text), "");
        }
    }

    #[test]
    fn an_answer_that_is_not_there_never_passes() {
        assert_ne!(judge(&parsed(SPLIT), &Completion::default()), Verdict::Pass);
    }
}
