//! `usage` → [`Usage`]: whatever the server states, and a deviation where it is no count.

use super::Usage;
use super::deviation::Notes;
use super::json::{Json, Members, get_some};

/// The most tokens that one answer can have taken: ten times the longest context there is (Llama 4 Scout, 10 million).
const MOST: f64 = 1e8;

/// Reads `usage`.
pub(super) fn read(json: &Json<'_>, notes: &mut Notes) -> Option<Usage> {
    let Some(members) = json.as_map() else {
        if !matches!(json, Json::Null) {
            notes.add("usage_not_object", "usage", json.type_name());
        }
        return None;
    };
    let usage = Usage {
        prompt_tokens: count(members, "prompt_tokens", notes),
        completion_tokens: count(members, "completion_tokens", notes),
        reasoning_tokens: detail(members, "completion_tokens_details", "reasoning_tokens", notes)
            .or_else(|| count(members, "reasoning_tokens", notes)),
        cached_tokens: detail(members, "prompt_tokens_details", "cached_tokens", notes),
    };
    if usage.prompt_tokens.is_none() || usage.completion_tokens.is_none() {
        notes.add("usage_partial", "usage", "prompt_tokens or completion_tokens cannot be read");
    }
    Some(usage)
}

fn detail(members: &Members<'_>, group: &str, key: &str, notes: &mut Notes) -> Option<u64> {
    count(get_some(members, group)?.as_map()?, key, notes)
}

/// A token count: an integer, or what can be read as one without guessing.
fn count(members: &Members<'_>, key: &str, notes: &mut Notes) -> Option<u64> {
    let json = get_some(members, key)?;
    let number = match json {
        Json::Number(number) => number.as_f64()?,
        Json::Text(text) => match text.trim().parse::<f64>() {
            Ok(number) => number,
            Err(_) => {
                notes.add("usage_not_integer", format_args!("usage.{key}"), text);
                return None;
            }
        },
        other => {
            notes.add("usage_not_integer", format_args!("usage.{key}"), other.type_name());
            return None;
        }
    };
    if number < 0.0 {
        notes.add("usage_negative", format_args!("usage.{key}"), number);
        return None;
    }
    if number.is_nan() || number > MOST {
        notes.add("number_out_of_range", format_args!("usage.{key}"), number);
        return None;
    }
    if !matches!(json, Json::Number(number) if number.is_u64()) {
        notes.add("usage_not_integer", format_args!("usage.{key}"), number);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1e8, checked above")]
    (number.fract() == 0.0).then_some(number as u64)
}
