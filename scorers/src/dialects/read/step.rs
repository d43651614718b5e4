//! One pattern at one position: [`read`].

use serde_json::{Map, Value};

use super::super::Call;
use super::cx::{Cx, Miss};
use super::part::Part;
use super::{braces, json, python, shape};

#[derive(Default)]
struct Draft {
    name: String,
    id: Option<String>,
    arguments: Map<String, Value>,
    calls: Vec<Call>,
}

/// Reads a pattern at a position: the calls, and where they end.
pub(super) fn read(cx: &mut Cx<'_>, parts: &[Part], at: usize) -> Result<(Vec<Call>, usize), Miss> {
    let mut draft = Draft::default();
    let mut end = at;
    cx.reached = at;
    for part in parts {
        end = step(cx, part, end, &mut draft)?;
        cx.reached = end;
    }
    if draft.calls.is_empty() {
        draft.calls.push(Call { name: draft.name, arguments: draft.arguments, id: draft.id });
    }
    Ok((draft.calls, end))
}

fn step(cx: &mut Cx<'_>, part: &Part, at: usize, draft: &mut Draft) -> Result<usize, Miss> {
    match part {
        Part::Lit(literal) => literal_at(cx, at, literal),
        Part::Soft(literal) => Ok(cx.literal(at, literal).unwrap_or(at)),
        Part::Close(literal) => Ok(close_at(cx, at, literal)),
        Part::Skip(tokens) => Ok(skip(cx, at, tokens)),
        Part::Space(_) => Ok(cx.skip_space(at)),
        Part::Line => {
            let end = cx.skip_space(at);
            if cx.text[at..end].contains('\n') { Ok(end) } else { Err(unfinished_or_not(cx, at)) }
        }
        Part::Name => {
            let (name, end) = cx.name(at).ok_or_else(|| unfinished_or_not(cx, at))?;
            draft.name = declared_name(cx, name);
            Ok(end)
        }
        Part::Index => index(cx, at, draft),
        Part::Id => {
            let len = cx.rest(at).bytes().take(64).take_while(u8::is_ascii_alphanumeric).count();
            draft.id = Some(cx.text[at..at + len].to_owned());
            Ok(at + len)
        }
        Part::Attributes(end) => match cx.up_to(at, end) {
            Some((_, end)) => Ok(end),
            None => Err(unfinished_or_not(cx, at)),
        },
        Part::Json => json_at(cx, at, draft),
        Part::Calls(shape) => keep(draft, shape.read(cx, at)?),
        Part::Python { brackets, .. } => keep(draft, python::calls(cx, at, *brackets)?),
        Part::Params(params, stop) => arguments(params.read(cx, at, &draft.name, stop)?, draft),
        Part::Marked(mark) => arguments(braces::marked(cx, at, mark, &draft.name)?, draft),
        Part::Stripped => arguments(braces::stripped(cx, at, &draft.name)?, draft),
    }
}

fn literal_at(cx: &mut Cx<'_>, at: usize, literal: &str) -> Result<usize, Miss> {
    match cx.literal(at, literal) {
        Some(end) => Ok(end),
        None if literal.starts_with(cx.left(at)) => Err(unfinished_or_not(cx, at)),
        None => Err(Miss::Not),
    }
}

/// At the end of the text the markup is unfinished, elsewhere it is another's.
fn unfinished_or_not(cx: &mut Cx<'_>, at: usize) -> Miss {
    if at > 0 && cx.left(at).is_empty() {
        Miss::Broken { at: cx.text.len(), why: "the text ends within the markup".to_owned(), unfinished: true }
    } else {
        Miss::Not
    }
}

fn close_at(cx: &mut Cx<'_>, at: usize, literal: &str) -> usize {
    let ahead = cx.skip_space(at);
    if let Some(end) = cx.literal(ahead, literal) {
        return end;
    }
    let left = cx.left(ahead);
    let cut = !left.is_empty() && literal.starts_with(left);
    cx.note("unclosed_markup", format!("`{literal}` is missing"));
    if cut { cx.text.len() } else { at }
}

fn skip(cx: &Cx<'_>, at: usize, tokens: &[&str]) -> usize {
    let mut end = cx.skip_space(at);
    while let Some(next) = tokens.iter().find_map(|token| cx.literal(end, token)) {
        end = cx.skip_space(next);
    }
    end
}

/// The name without a prefix that only the markup carries.
fn declared_name(cx: &Cx<'_>, name: &str) -> String {
    match name.strip_prefix("functions.") {
        Some(short) if cx.tool(name).is_none() => short.to_owned(),
        _ => name.to_owned(),
    }
}

fn index(cx: &mut Cx<'_>, at: usize, draft: &mut Draft) -> Result<usize, Miss> {
    let digits = cx.literal(at, ":").map(|start| {
        let len = cx.rest(start).bytes().take(8).take_while(u8::is_ascii_digit).count();
        (start, start + len)
    });
    match digits {
        Some((start, end)) if end > start => {
            draft.id = Some(format!("functions.{}:{}", draft.name, &cx.text[start..end]));
            Ok(end)
        }
        _ => Err(unfinished_or_not(cx, at)),
    }
}

fn json_at(cx: &mut Cx<'_>, at: usize, draft: &mut Draft) -> Result<usize, Miss> {
    let first = cx.rest(at).as_bytes().first().copied();
    if cx.strict && first != Some(b'{') {
        return Err(Miss::Not);
    }
    // Prose about the format goes on with a word or ends its clause.
    if first.is_some_and(|first| first.is_ascii_alphabetic() || b".,;:!?)`".contains(&first)) {
        return Err(Miss::Not);
    }
    let (value, end) = json::value(cx, at)?;
    match shape::arguments_of(cx, Some(&value)) {
        Some(map) => {
            draft.arguments = unwrapped(cx, map, draft);
            Ok(end)
        }
        None => Err(cx.broken(at, end, "the arguments are no object")),
    }
}

/// `{"name": "f", "args": {…}}` where arguments are wanted: some families name the function twice.
fn unwrapped(cx: &mut Cx<'_>, map: Map<String, Value>, draft: &Draft) -> Map<String, Value> {
    let twice = map.len() == 2 && map.get("name").and_then(Value::as_str) == Some(draft.name.as_str());
    match shape::call_of(cx, &map) {
        Some(call) if twice => call.arguments,
        _ => map,
    }
}

fn keep(draft: &mut Draft, (calls, end): (Vec<Call>, usize)) -> Result<usize, Miss> {
    draft.calls = calls;
    Ok(end)
}

fn arguments((map, end): (Map<String, Value>, usize), draft: &mut Draft) -> Result<usize, Miss> {
    draft.arguments = map;
    Ok(end)
}
