//! The suite's longest prompt and largest budget against the context. What else a suite needs is asked where the flag
//! is judged.

use super::subject::Subject;
use super::{ProfileRule, rule};
use crate::diagnostic::{Diagnostic, Severity};

/// This file's rules.
pub(super) const RULES: &[ProfileRule] =
    &[rule("context_below_needs", "the suite's longest prompt and budget do not fit the context", context)];

/// Characters a token holds at most and usually, in prose. English is near 4, code near 3, Japanese near 1.
const CHARS_AT_MOST: f64 = 6.0;
const CHARS_USUALLY: f64 = 3.0;

fn context(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let (Some(needs), Some(setting)) = (&s.known.needs, s.profile.get("max-model-len")) else { return };
    let Some(total) = setting.value.parse().ok().filter(|n: &f64| *n > 0.0) else { return };
    let slots = if s.engine == "llama_cpp" {
        s.profile.number("max-num-seqs").filter(|n| *n > 1.0).unwrap_or(1.0)
    } else {
        1.0
    };
    let have = (total / slots).floor();
    let count = |n: u64| u32::try_from(n).map_or(f64::from(u32::MAX), f64::from);
    let (chars, budget) = (count(needs.longest_prompt_chars as u64), count(needs.max_tokens));
    let least = (chars / CHARS_AT_MOST).ceil() + budget;
    let likely = (chars / CHARS_USUALLY).ceil() + budget;
    let (severity, need) = if least > have {
        (Severity::Error, least)
    } else if likely > have {
        (Severity::Warning, likely)
    } else {
        return;
    };
    let message = format!(
        "the suite needs about {need} tokens ({chars} characters \
         of prompt and {budget} of answer), a request gets {have}"
    );
    out.push(
        s.found(severity, "context_below_needs", setting.span.clone(), message)
            .fix("raise the context, or lower --max-tokens"),
    );
}
