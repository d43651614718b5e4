//! Calls to text, by the same patterns that read them.

use super::super::Call;
use super::part::Part;
use super::pattern::Pattern;
use super::{braces, json, python_write};

/// What a model writes for these calls.
pub(super) fn write(pattern: &Pattern, calls: &[Call]) -> String {
    let parts = pattern.forms.first().map(|form| form.parts).unwrap_or_default();
    let [head, joint, tail] = pattern.around;
    if pattern.block {
        return format!("{head}{}{tail}", write_parts(parts, calls, 0));
    }
    let each: Vec<String> =
        calls.iter().enumerate().map(|(index, call)| write_parts(parts, std::slice::from_ref(call), index)).collect();
    format!("{head}{}{tail}", each.join(joint))
}

fn write_parts(parts: &[Part], calls: &[Call], index: usize) -> String {
    let empty = Call::default();
    let call = calls.first().unwrap_or(&empty);
    parts.iter().map(|part| write_part(part, calls, call, index)).collect()
}

fn write_part(part: &Part, calls: &[Call], call: &Call, index: usize) -> String {
    match part {
        Part::Lit(text) | Part::Soft(text) | Part::Close(text) | Part::Space(text) => (*text).to_owned(),
        Part::Skip(_) => String::new(),
        Part::Line => "\n".to_owned(),
        Part::Name => call.name.clone(),
        Part::Index => format!(":{index}"),
        Part::Attributes(end) => format!(" index=\"{}\"{end}", index + 1),
        Part::Id => call.id.clone().unwrap_or_else(|| format!("call{index:05}")),
        Part::Json => json::spaced(&call.arguments),
        Part::Calls(shape) => shape.write(calls),
        Part::Params(params, _) => params.write(&call.arguments),
        Part::Python { brackets, quote } => {
            let each: Vec<String> = calls.iter().map(|call| python_write::write_call(call, *quote)).collect();
            if *brackets { format!("[{}]", each.join(", ")) } else { each.join("\n") }
        }
        Part::Marked(mark) => braces::write(&call.arguments, mark),
        Part::Stripped => braces::write(&call.arguments, ""),
    }
}
