//! `tool_call`: the calls are the wanted ones, and well-formed.
//!
//! Here stand manual, declaration and verdict; [`wanted`] reads the arguments, [`shape`] checks what every delivered call
//! must meet, [`compare`] holds one call against one wanted, [`assign`] pairs them optimally.

mod assign;
mod compare;
mod shape;
mod wanted;

use crate::args::ArgReader;
use crate::completion::Completion;
use crate::dialects::{Hints, Strength, recognise};
use crate::schema::Cache;
use crate::scorer::{ArgError, Args, Scorer, ScorerDef, Subject, Verdict};
use crate::text::{excerpt, shown};

use compare::Delivered;
use wanted::{Calls, Wanted};

/// The declaration.
///
/// ```
/// use monban_scorers::{Completion, Expectation, Registry, Request, Subject};
///
/// let table = serde_json::from_str(r#"{"scorer": "tool_call", "name": "add", "arguments": {"a": 1}}"#).unwrap();
/// let expectation = Expectation::parse(&table, &Registry::builtin()).unwrap();
/// let completion = Completion { text: Some("<tool_call>…".to_owned()), ..Completion::default() };
/// let subject = Subject { request: &Request::default(), completion: &completion, other: None };
/// assert!(expectation.evaluate(&subject).reason().starts_with("no call arrived, expected `add`"));
/// ```
pub static TOOL_CALL: ScorerDef = ScorerDef {
    name: "tool_call",
    summary: "The tool calls are the wanted ones, and well-formed.",
    manual: r##"## What it checks
Which functions the answer calls, with which arguments; and always the **shape** of every call delivered: `arguments` is
one JSON string holding an object, valid against the declared parameters; the tool was declared; `id` is present and
unique; `type` is `function`; `finish_reason` is `tool_calls` (or `stop` where `tool_choice` forced the call).

## Passes when
- the calls are the wanted ones, no more and no fewer, in any order. They are paired optimally: when some pairing fits,
  it is found.
- with `none = true`: no call was made, no call's markup stands in the text, and the answer is not empty.

## Fails when
- a call is missing, unexpected, or an argument differs; the reason names each argument, expected and got.
- the shape is wrong; the reason begins with `shape:`.

Under `not = true` it fails when the wanted calls are among those made, and says nothing of the others.

Not scored when a declared schema cannot be checked, or a pattern of it gives up.

## Arguments
- `name`: the function; `arguments`: a table of the right arguments. Numbers compare by value (3 = 3.0), objects without
  key order, lists in order, texts in one Unicode form. `arguments` left out: any that the declared parameters allow.
- `calls`: instead, a list of `{ name, arguments, match, accept, optional }`.
- `none`: true: no call may be made.
- `match`: `"exact"` (default with `arguments`: those listed and no others but `optional`), `"subset"` (those listed, at
  every level), or `"schema"` (those listed are not compared; what was declared decides).
- `accept`: `{ city = ["Tokyo", "東京"] }`: further right values of an argument. A key that begins with `/` is a JSON
  pointer to a nested one: `"/address/city"`.
- `optional`: names (or pointers) of arguments that may be left out or have any value; if listed in `arguments` too, they
  must have that value when they are there.
- `order`: `"any"` (default) or `"strict"`: the calls must come in the order listed.

## Example
```toml
{ scorer = "tool_call", name = "get_weather", arguments = { city = "Tokyo" }, accept = { city = ["東京"] }, optional = ["unit"] }
```
"##,
    arguments: wanted::ARGUMENTS,
    parse,
};

/// More delivered calls than this are not looked at one by one.
const MAX_DELIVERED: usize = 256;

#[derive(Debug)]
struct ToolCallScorer {
    calls: Calls,
    schemas: Cache,
}

fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let reader = ArgReader::new(args, wanted::ARGUMENTS);
    let calls = wanted::read(reader)?;
    Ok(Box::new(ToolCallScorer { calls, schemas: Cache::default() }))
}

impl Scorer for ToolCallScorer {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        if subject.completion.tool_calls.len() > MAX_DELIVERED {
            return Verdict::Fail(format!(
                "{} calls arrived, more than are looked at",
                subject.completion.tool_calls.len()
            ));
        }
        let shape = shape::check(subject, &self.schemas);
        let mut faults: Vec<String> = shape.faults.iter().map(|fault| format!("shape: {fault}")).collect();
        faults.extend(match &self.calls {
            Calls::None => none(subject),
            Calls::Wanted { wanted, strict } => differences(wanted, *strict, subject),
        });
        match (faults.is_empty(), shape.unknown) {
            (false, _) => Verdict::Fail(excerpt(&faults.join("; "), 600)),
            (true, Some(unknown)) => Verdict::NotScored(unknown),
            (true, None) => Verdict::Pass,
        }
    }

    fn score_not(&self, subject: &Subject<'_>) -> Verdict {
        let completion = subject.completion;
        match &self.calls {
            Calls::None if completion.tool_calls.is_empty() => Verdict::Fail("no call was made".to_owned()),
            Calls::None => Verdict::Pass,
            Calls::Wanted { wanted, strict } => {
                let delivered = delivered(completion);
                let pairs = pair(wanted, *strict, &delivered, subject);
                let made = pairs.iter().all(|pair| pair.is_some_and(|(_, cost)| cost == 0));
                if made { Verdict::Fail(format!("{}, and must not", self.claim())) } else { Verdict::Pass }
            }
        }
    }

    fn claim(&self) -> String {
        match &self.calls {
            Calls::None => "no call was made".to_owned(),
            Calls::Wanted { wanted, .. } => {
                format!("{} was called", wanted.iter().map(Wanted::shown).collect::<Vec<_>>().join(" and "))
            }
        }
    }

    fn is_negative(&self) -> bool {
        matches!(self.calls, Calls::None)
    }
}

fn none(subject: &Subject<'_>) -> Vec<String> {
    let completion = subject.completion;
    if !completion.tool_calls.is_empty() {
        let made: Vec<String> = delivered(completion).iter().take(4).map(Delivered::shown).collect();
        return vec![format!("expected no call, got {}", made.join(", "))];
    }
    if completion.is_empty_answer() {
        return vec!["no call was made, but nothing was answered either".to_owned()];
    }
    let hints = Hints { request: Some(subject.request), ..Hints::default() };
    recognise(completion.text(), &hints)
        .filter(|found| found.strength >= Strength::Partial)
        .map(|found| format!("expected no call, but the text holds one as markup ({})", found.family))
        .into_iter()
        .collect()
}

/// What differs between the wanted and the delivered calls, a line each.
fn differences(wanted: &[Wanted], strict: bool, subject: &Subject<'_>) -> Vec<String> {
    let delivered = delivered(subject.completion);
    if delivered.is_empty() {
        let names: Vec<_> = wanted.iter().map(|wanted| format!("`{}`", excerpt(&wanted.name, 60))).collect();
        let text = subject.completion.text();
        return vec![format!("no call arrived, expected {}; the text is {}", names.join(", "), shown(text))];
    }
    let pairs = pair(wanted, strict, &delivered, subject);
    let mut faults = Vec::new();
    let mut used = vec![false; delivered.len()];
    for (wanted, pair) in wanted.iter().zip(&pairs) {
        match pair.and_then(|(at, _)| delivered.get(at).map(|call| (at, call))) {
            // Another function's call is no wrong call of this one: it is missing, and the other is unexpected.
            Some((at, call)) if call.name == wanted.name => {
                used[at] = true;
                let place = if delivered.len() > 1 { format!("call {} ", at + 1) } else { String::new() };
                let reasons = compare::arguments(wanted, call, subject.request.tool(call.name));
                faults.extend(reasons.into_iter().map(|reason| format!("{place}`{}`: {reason}", wanted.name)));
            }
            _ => faults.push(format!("missing: {}", wanted.shown())),
        }
    }
    for (call, _) in delivered.iter().zip(used).filter(|(_, used)| !used) {
        faults.push(format!("unexpected: {}", call.shown()));
    }
    faults
}

fn delivered(completion: &Completion) -> Vec<Delivered<'_>> {
    completion.tool_calls.iter().map(Delivered::of).collect()
}

/// For each wanted call the delivered one it is paired with, and how much differs between them.
fn pair(
    wanted: &[Wanted],
    strict: bool,
    delivered: &[Delivered<'_>],
    subject: &Subject<'_>,
) -> Vec<Option<(usize, u64)>> {
    let costs: Vec<Vec<u64>> = wanted
        .iter()
        .map(|wanted| {
            delivered.iter().map(|call| compare::cost(wanted, call, subject.request.tool(call.name))).collect()
        })
        .collect();
    let pairs =
        if strict { assign::in_order(&costs, delivered.len()) } else { assign::optimal(&costs, delivered.len()) };
    pairs.into_iter().zip(&costs).map(|(at, costs)| at.and_then(|at| costs.get(at).map(|cost| (at, *cost)))).collect()
}
