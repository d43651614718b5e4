//! A call whose first opening marker a parser ate: [`reopen`] puts the marker back.
//!
//! It must not read prose: what stands before the tool's name has to be what the family writes there, and the text has to
//! end with the family's last marker.

use super::super::{Call, Hints, Parsed, Recognition, TOOL_DIALECTS, ToolDialect, read_calls};
use crate::request::Request;

/// What stands between an opening marker and the name of the tool is short: `{"name": "`.
const LONGEST_LEAD: usize = 48;

/// The calls of a text without its first opening marker, where that reads more calls than the text as it is.
pub(super) fn reopen(text: &str, request: &Request, hints: &Hints<'_>) -> Option<(Recognition, Parsed)> {
    let body = text.trim();
    let lead_end = request
        .tools
        .iter()
        .filter(|tool| !tool.name.is_empty())
        .filter_map(|tool| Some(body.find(tool.name.as_str())? + tool.name.len()))
        .min()?;
    let lead = body.get(..lead_end)?;
    if lead_end > LONGEST_LEAD + request.tools.iter().map(|tool| tool.name.len()).max()? {
        return None;
    }
    let name = request.tools.iter().map(|tool| tool.name.as_str()).find(|name| lead.ends_with(name))?;
    let call = Call { name: name.to_owned(), ..Call::default() };
    let mut best: Option<(Recognition, Parsed)> = None;
    for dialect in TOOL_DIALECTS {
        let Some((found, parsed)) = with_opening(dialect, &call, lead, body, hints) else { continue };
        if best.as_ref().is_none_or(|(_, best)| parsed.calls.len() > best.calls.len()) {
            best = Some((found, parsed));
        }
    }
    let (found, parsed) = best?;
    let now = read_calls(text, hints).map_or(0, |(_, now)| now.calls.len());
    (parsed.calls.len() > now).then_some((found, parsed))
}

fn with_opening(
    dialect: &ToolDialect,
    call: &Call,
    lead: &str,
    body: &str,
    hints: &Hints<'_>,
) -> Option<(Recognition, Parsed)> {
    let whole = dialect.render(std::slice::from_ref(call));
    let opening = whole.get(..whole.find(lead)?).filter(|opening| !opening.trim().is_empty())?;
    let closing = whole.trim_end().rfind('<').and_then(|at| whole.get(at..)).map(str::trim)?;
    if !body.ends_with(closing) {
        return None;
    }
    let text = format!("{opening}{body}");
    let (mut found, parsed) = dialect.read(&text, hints)?;
    found.span = 0..body.len();
    found.damage = Some("its first opening marker is gone".to_owned());
    Some((found, parsed))
}
