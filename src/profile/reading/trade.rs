//! What a profile trades for what, in one sentence: [`sentence`].

use super::{Words, word};
use crate::profile::model::Profile;
use crate::profile::rules::weights_of;

/// At how few requests at once throughput is given up, and from how many on it is what is bought.
const FEW: f64 = 8.0;
const MANY: f64 = 64.0;
/// From which context on prompts are long, and below which they are short.
const LONG: f64 = 65_536.0;
const SHORT: f64 = 16_384.0;
/// Shares that leave room, and that leave none.
const ROOM: f64 = 0.6;
const FULL: f64 = 0.93;

/// The sentence.
pub(super) fn sentence(profile: &Profile, words: &'static Words) -> String {
    let (mut gives, mut costs) = (Vec::new(), Vec::new());
    let fill = |key: &str, value: &str| word(words, key).replace("{}", value);
    if let Some(context) = profile.number("max-model-len").filter(|n| *n > 0.0) {
        let text = format!("{context}");
        if context >= LONG {
            gives.push(fill("gives_context", &text));
        } else if context < SHORT {
            costs.push(fill("costs_context", &text));
        }
    }
    if let Some(seqs) = profile.number("max-num-seqs").filter(|n| *n > 0.0) {
        let text = format!("{seqs}");
        if seqs <= FEW {
            gives.push(fill("gives_few", &text));
            costs.push(fill("costs_few", &text));
        } else if seqs >= MANY {
            gives.push(fill("gives_many", &text));
            costs.push(fill("costs_many", ""));
        }
    }
    if let Some(share) = profile.number("gpu-memory-utilization") {
        let text = format!("{:.0} %", share * 100.0);
        if share <= ROOM {
            gives.push(fill("gives_share", &text));
        } else if share >= FULL {
            costs.push(fill("costs_share", &text));
        }
    }
    if let Some(kv) = profile.value("kv-cache-dtype").filter(|kv| narrow(kv)) {
        gives.push(fill("gives_kv", kv));
        costs.push(fill("costs_kv", kv));
    }
    if let Some(weights) =
        profile.model().and_then(|model| weights_of(&model.text)).filter(|weights| *weights != "gguf")
    {
        costs.push(fill("costs_weights", weights));
        if gives.is_empty() {
            gives.push(fill("gives_weights", weights));
        }
    }
    if gives.is_empty() && costs.is_empty() {
        return word(words, "nothing").to_owned();
    }
    if gives.is_empty() {
        gives.push(fill("gives_cache", ""));
    }
    if costs.is_empty() {
        costs.push(word(words, "costs_many").to_owned());
    }
    let and = word(words, "and");
    let join = |parts: Vec<String>| {
        let comma = if and.starts_with(' ') { ", " } else { "、" };
        match parts.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{}{and}{last}", first.join(comma)),
            _ => parts.concat(),
        }
    };
    word(words, "bought").replace("{gives}", &join(gives)).replace("{costs}", &join(costs))
}

/// Whether a KV cache type has fewer than 16 bits.
fn narrow(kv: &str) -> bool {
    !matches!(kv, "auto" | "float16" | "bfloat16" | "f16" | "bf16" | "f32" | "float32" | "")
}
