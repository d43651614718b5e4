//! What a step may hold against sequences and context: the checks vLLM makes at start, before the start.

use super::subject::Subject;
use super::{ProfileRule, rule};
use crate::diagnostic::Diagnostic;
use crate::profile::setting::Setting;

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule("batched_tokens_below_seqs", "a step cannot hold one token of each sequence: vLLM does not start", below_seqs),
    rule(
        "batched_tokens_below_context",
        "without chunked prefill a step must hold a whole prompt: vLLM does not start",
        below_context,
    ),
    rule("batched_tokens_above_total", "a step can hold more than all sequences together ever have", above_total),
    rule("scheduler_limit_above_context", "a scheduler limit lies beyond what it limits: vLLM does not start", beyond),
];

fn number<'a>(s: &Subject<'a>, key: &str) -> Option<(&'a Setting, f64)> {
    let setting = s.profile.get(key).filter(|_| s.engine == "vllm")?;
    Some((setting, setting.value.parse().ok().filter(|n: &f64| *n > 0.0)?))
}

fn below_seqs(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let (Some((setting, tokens)), Some((_, seqs))) = (number(s, "max-num-batched-tokens"), number(s, "max-num-seqs"))
    else {
        return;
    };
    if tokens < seqs {
        let message = format!(
            "{tokens} tokens a step for {seqs} sequences: max_num_batched_tokens must be at least max_num_seqs"
        );
        out.push(
            s.error("batched_tokens_below_seqs", setting.span.clone(), message).fix("raise it, or lower max_num_seqs"),
        );
    }
}

fn below_context(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let (Some((setting, tokens)), Some((_, context))) =
        (number(s, "max-num-batched-tokens"), number(s, "max-model-len"))
    else {
        return;
    };
    if tokens < context && s.profile.switch("enable-chunked-prefill") == Some(false) {
        let message = format!("chunked prefill is off, so {tokens} tokens a step cannot hold a prompt of {context}");
        out.push(
            s.error("batched_tokens_below_context", setting.span.clone(), message)
                .fix(format!("leave chunked prefill on, or raise it to {context}")),
        );
    }
}

fn above_total(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let (Some((setting, tokens)), Some((_, seqs)), Some((_, context))) =
        (number(s, "max-num-batched-tokens"), number(s, "max-num-seqs"), number(s, "max-model-len"))
    else {
        return;
    };
    if tokens > seqs * context {
        let message = format!("{tokens} tokens a step, but {seqs} sequences of {context} tokens never have as many");
        out.push(
            s.warning("batched_tokens_above_total", setting.span.clone(), message)
                .fix(format!("at most {}", seqs * context)),
        );
    }
}

fn beyond(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let pairs = [("long-prefill-token-threshold", "max-model-len"), ("max-num-active-seqs", "max-num-seqs")];
    for (limit, of) in pairs {
        let (Some((setting, limit_value)), Some((whole, whole_value))) = (number(s, limit), number(s, of)) else {
            continue;
        };
        if limit_value > whole_value {
            let message = format!("{limit_value} is beyond `{}` {whole_value}", whole.name);
            out.push(
                s.error("scheduler_limit_above_context", setting.span.clone(), message)
                    .fix(format!("at most {whole_value}")),
            );
        }
    }
}
