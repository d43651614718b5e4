//! Calls that arrived, but wrongly: names that are markup, arguments encoded twice, residue in values.

use serde_json::Value;

use super::super::{Call, Hints, Parsed, Recognition, Strength, read_calls};
use super::arguments;
use crate::completion::{Arguments, Completion, Deviation, ToolCall};
use crate::request::Request;

/// Mends the delivered calls in place. The recognition, where their text held another family's markup.
pub(super) fn mend(
    out: &mut Completion,
    request: &Request,
    hints: &Hints<'_>,
    repairs: &mut Vec<Deviation>,
) -> Option<Recognition> {
    let lossy = arguments::may_lack_closers(out, request);
    drop_hollow(out, repairs);
    settle_legacy(out, repairs);
    let mut found = None;
    let mut mended = Vec::with_capacity(out.tool_calls.len());
    for (index, call) in out.tool_calls.drain(..).enumerate() {
        let mut book = |kind: &str, detail: &str| {
            repairs.push(Deviation {
                kind: kind.to_owned(),
                place: format!("tool_calls[{index}]"),
                detail: detail.to_owned(),
            });
        };
        let mut call = call;
        give(&mut call, index, &mut book);
        if !request.tools.is_empty() && request.tool(&call.name).is_none() {
            if let Some(name) = cleaned(&call.name, request) {
                book("markup_in_name", "the function's name carries markup");
                call.name = name;
            } else if let Some((seen, calls)) = reread_text(&call, hints) {
                book("call_misread", &format!("{} markup was read as another's", seen.family));
                found.get_or_insert(seen);
                mended.extend(calls.into_iter().map(|inner| rebuilt(&call, inner)));
                continue;
            }
        }
        if let Some((seen, inner)) = raw_call(&call, request, hints) {
            book("call_misread", &format!("the arguments are the {} markup of the whole call", seen.family));
            found.get_or_insert(seen);
            mended.extend(inner.into_iter().map(|inner| rebuilt(&call, inner)));
            continue;
        }
        arguments::mend(&mut call, request, lossy, hints.untyped, &mut book);
        mended.push(call);
    }
    out.tool_calls = mended;
    found
}

/// Id and type: the model writes neither, they are the server's to give.
fn give(call: &mut ToolCall, index: usize, book: &mut impl FnMut(&str, &str)) {
    if call.id.as_deref().unwrap_or_default().is_empty() {
        book("tool_call_id_missing", "the call has no id");
        call.id = Some(format!("recovered_{index}"));
    }
    if call.kind.is_none() {
        book("tool_call_type_missing", "the call has no type");
        call.kind = Some("function".to_owned());
    }
}

/// Takes empty entries off the list, where something else arrived: no model writes them.
fn drop_hollow(out: &mut Completion, repairs: &mut Vec<Deviation>) {
    let is_hollow: Vec<bool> = ToolCall::hollow_among(&out.tool_calls).collect();
    let hollow = is_hollow.iter().filter(|hollow| **hollow).count();
    if hollow == 0 || hollow == out.tool_calls.len() && out.text().trim().is_empty() {
        return;
    }
    let mut each = is_hollow.into_iter();
    out.tool_calls.retain(|_| !each.next().unwrap_or_default());
    repairs.push(Deviation {
        kind: "hollow_call".to_owned(),
        place: "tool_calls".to_owned(),
        detail: format!("{hollow} entries with neither name nor arguments"),
    });
}

/// A call that came in the contract's older field ends the answer as one in the newer does.
fn settle_legacy(out: &mut Completion, repairs: &mut Vec<Deviation>) {
    if out.finish_reason.as_deref() == Some("function_call") && !out.tool_calls.is_empty() {
        out.finish_reason = Some("tool_calls".to_owned());
        repairs.push(Deviation {
            kind: "legacy_function_call".to_owned(),
            place: "finish_reason".to_owned(),
            detail: "function_call is the older name of tool_calls".to_owned(),
        });
    }
}

/// A declared name with residue around it.
fn cleaned(name: &str, request: &Request) -> Option<String> {
    let short = name.split(['<', '[', '{', '\n']).next().unwrap_or_default().trim();
    let short = short.strip_prefix("functions.").unwrap_or(short);
    let short = short
        .rsplit_once(':')
        .filter(|(_, index)| index.bytes().all(|b| b.is_ascii_digit()))
        .map_or(short, |(name, _)| name);
    // What follows the name must be residue, not the call's own arguments.
    let carries_more = name.contains("<arg_key>") || name.contains("<parameter") || name.contains('{');
    (!carries_more && request.tool(short).is_some()).then(|| short.to_owned())
}

/// The calls whose markup stands where the arguments of a declared tool belong: a forced choice takes the answer for the
/// arguments (vllm#44906, #51804). The first must be of that tool.
fn raw_call(call: &ToolCall, request: &Request, hints: &Hints<'_>) -> Option<(Recognition, Vec<Call>)> {
    let text = match &call.arguments {
        Arguments::Text(text) if serde_json::from_str::<Value>(text).is_err() => text,
        _ => return None,
    };
    request.tool(&call.name)?;
    let (seen, Parsed { calls, .. }) =
        read_calls(text, hints).filter(|(seen, _)| seen.strength != Strength::Weak && seen.damage.is_none())?;
    (calls.first()?.name == call.name).then_some((seen, calls))
}

/// The calls in the texts that a wrong parser made of one.
fn reread_text(call: &ToolCall, hints: &Hints<'_>) -> Option<(Recognition, Vec<Call>)> {
    let arguments = call.arguments.as_text();
    let name = call.name.trim();
    let candidates = [
        name.to_owned(),
        format!("<tool_call>{name}</tool_call>"),
        format!("<｜tool▁call▁begin｜>function<｜tool▁sep｜>{arguments}"),
        format!("<｜tool▁call▁begin｜>function<｜tool▁sep｜>{}", unquoted(&arguments)),
        format!("<function={name}>{arguments}</function>"),
        arguments,
    ];
    candidates.iter().find_map(|text| read_calls(text, hints).map(|(found, parsed)| (found, parsed.calls)))
}

/// A JSON string's inside.
fn unquoted(text: &str) -> String {
    serde_json::from_str::<Value>(text).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn rebuilt(delivered: &ToolCall, call: Call) -> ToolCall {
    ToolCall {
        name: call.name,
        arguments: Arguments::Text(Value::Object(call.arguments).to_string()),
        ..delivered.clone()
    }
}
