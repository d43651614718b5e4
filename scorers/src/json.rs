//! JSON as scorers see it: equality by value, and JSON read out of a text under a stated code-fence policy.
//!
//! Nothing is repaired: a text that is not JSON stays one.

use serde_json::{Number, Value};
use unicode_normalization::UnicodeNormalization as _;

use crate::args::ArgReader;
use crate::scorer::ArgDef;

/// What a Markdown code fence around the JSON means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fence {
    /// One fence around the whole answer does not count (default).
    #[default]
    Allow,
    /// The answer must be JSON and nothing else.
    Forbid,
    /// The answer must stand in a fence, and nothing but it.
    Require,
    /// The first fenced block of the answer is read, whatever stands around it; without one the whole answer.
    Extract,
}

/// The declaration of `fence`.
pub const ARG_FENCE: ArgDef = ArgDef {
    name: "fence",
    schema: r#"{"enum":["allow","forbid","require","extract"]}"#,
    help: "A Markdown code fence around the JSON: `allow` (default), \
           `forbid`, `require`, or `extract` the first one from prose.",
};

/// Why a text gave no JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoJson {
    /// It is not JSON, or the fence is against the policy.
    Wrong(String),
    /// It nests deeper than can be read.
    TooDeep,
}

impl Fence {
    /// Takes `fence`.
    pub fn take(reader: &mut ArgReader) -> Self {
        match reader.word("fence", &["allow", "forbid", "require", "extract"]) {
            "forbid" => Self::Forbid,
            "require" => Self::Require,
            "extract" => Self::Extract,
            _ => Self::Allow,
        }
    }

    /// The JSON in a text under this policy.
    ///
    /// # Errors
    /// Why there is none.
    pub fn read(self, text: &str) -> Result<Value, NoJson> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(NoJson::Wrong("the text is empty".to_owned()));
        }
        let inside = match (self, whole_fence(trimmed)) {
            (Self::Forbid, Some(_)) => {
                return Err(NoJson::Wrong("the JSON stands in a code fence, which `fence` forbids".to_owned()));
            }
            (Self::Require, None) => {
                return Err(NoJson::Wrong("the answer is not one code fence, which `fence` requires".to_owned()));
            }
            (_, Some(inside)) => inside,
            (Self::Extract, None) => first_fence(trimmed).unwrap_or(trimmed),
            (_, None) => trimmed,
        };
        serde_json::from_str(inside).map_err(|error| {
            let message = error.to_string();
            if message.starts_with("recursion limit") {
                return NoJson::TooDeep;
            }
            NoJson::Wrong(format!("the text is not JSON ({message}): {}", crate::text::shown(inside)))
        })
    }
}

/// The inside of a fence that spans the whole text: three or more backticks or tildes, an info word, a line end.
fn whole_fence(text: &str) -> Option<&str> {
    let (mark, rest) = opening(text)?;
    let inside = rest.strip_suffix(mark)?;
    // A second fence inside means that the text is not one block.
    let closes_line = inside.ends_with('\n') || inside.ends_with('\r');
    (closes_line && !inside.lines().any(|line| line.trim_start().starts_with(mark))).then_some(inside)
}

/// The inside of the first fenced block.
fn first_fence(text: &str) -> Option<&str> {
    let start = ["```", "~~~"].iter().filter_map(|mark| text.find(mark)).min()?;
    let (mark, rest) = opening(&text[start..])?;
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim().starts_with(mark) {
            return Some(&rest[..end]);
        }
        end += line.len();
    }
    None
}

/// The fence's marker and what follows its first line.
fn opening(text: &str) -> Option<(&str, &str)> {
    let first = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text.len() - text.trim_start_matches(first).len();
    if length < 3 {
        return None;
    }
    let (mark, rest) = text.split_at(length);
    let line_end = rest.find('\n')?;
    Some((mark, &rest[line_end + 1..]))
}

/// Equality by value: numbers by what they are worth (3 = 3.0), objects without key order, texts in one Unicode form.
#[must_use]
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => same_number(a, b),
        (Value::String(a), Value::String(b)) => same_text(a, b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// Equality of texts in NFC: `é` is `é` however it is written.
#[must_use]
pub fn same_text(a: &str, b: &str) -> bool {
    a == b || (!(a.is_ascii() && b.is_ascii()) && a.nfc().eq(b.nfc()))
}

fn same_number(a: &Number, b: &Number) -> bool {
    let whole = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a == b,
        (Some(whole), None) => b.as_f64().is_some_and(|float| is_whole(float, whole)),
        (None, Some(whole)) => a.as_f64().is_some_and(|float| is_whole(float, whole)),
        (None, None) => a.as_f64() == b.as_f64(),
    }
}

/// Whether a float is exactly this whole number (a comparison as floats would take 2⁵³ + 1 for 2⁵³).
fn is_whole(float: f64, whole: i128) -> bool {
    #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^63·2 fits")]
    let truncated = float as i128;
    float.fract() == 0.0 && float.abs() < 4.0e19 && truncated == whole
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_equal_by_worth() {
        for (a, b, equal) in [
            (json!(3), json!(3.0), true),
            (json!(-0.0), json!(0), true),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0), false),
            (json!(u64::MAX), json!(-1), false),
            (json!(3), json!("3"), false),
            (json!({"a": [1, {"b": 2.0}], "c": null}), json!({"c": null, "a": [1.0, {"b": 2}]}), true),
            (json!({"a": 1}), json!({"a": 1, "b": 2}), false),
            (json!([1, 2]), json!([2, 1]), false),
            (json!("é"), json!("e\u{301}"), true),
        ] {
            assert_eq!(same(&a, &b), equal, "{a} and {b}");
        }
    }

    #[track_caller]
    fn read(policy: Fence, text: &str) -> Option<Value> {
        policy.read(text).ok()
    }

    #[test]
    fn a_fence_counts_as_the_policy_says() {
        let fenced = "```json\n{\"a\": 1}\n```";
        let prose = "Here it is:\n```json\n{\"a\": 1}\n```\nDone.";
        let value = Some(json!({"a": 1}));
        assert_eq!(read(Fence::Allow, fenced), value);
        assert_eq!(read(Fence::Allow, " {\"a\": 1}\n"), value);
        assert_eq!(read(Fence::Allow, prose), None);
        assert_eq!(read(Fence::Forbid, fenced), None);
        assert_eq!(read(Fence::Forbid, "{\"a\": 1}"), value);
        assert_eq!(read(Fence::Require, fenced), value);
        assert_eq!(read(Fence::Require, "{\"a\": 1}"), None);
        assert_eq!(read(Fence::Extract, prose), value);
        assert_eq!(read(Fence::Extract, "{\"a\": 1}"), value);
        assert_eq!(read(Fence::Extract, "~~~\n{\"a\": 1}\n~~~"), value);
    }

    #[test]
    fn fences_that_are_not_whole_are_not_taken_off() {
        for text in ["```", "``````", "```json\n{}", "```\n{}\n```\n```\n{}\n```", "`{}`", "```{}```"] {
            assert_eq!(read(Fence::Allow, text), None, "{text}");
        }
    }

    #[test]
    fn what_is_not_json_stays_so() {
        for text in ["NaN", "{'a': 1}", "{\"a\": 1} and more", "", "{\"a\": 1,}"] {
            assert!(matches!(Fence::Allow.read(text), Err(NoJson::Wrong(_))), "{text}");
        }
        assert_eq!(Fence::Allow.read(&"[".repeat(500)), Err(NoJson::TooDeep));
    }
}
