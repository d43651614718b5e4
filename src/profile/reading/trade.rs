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
    let mut trade = Trade { words, gives: Vec::new(), costs: Vec::new() };
    trade.context(profile);
    trade.concurrency(profile);
    trade.memory(profile);
    trade.layers(profile);
    trade.said()
}

struct Trade {
    words: &'static Words,
    gives: Vec<String>,
    costs: Vec<String>,
}

impl Trade {
    fn gives(&mut self, key: &str, value: &str) {
        self.gives.push(word(self.words, key).replace("{}", value));
    }

    fn costs(&mut self, key: &str, value: &str) {
        self.costs.push(word(self.words, key).replace("{}", value));
    }

    fn context(&mut self, profile: &Profile) {
        let Some(context) = profile.number("max-model-len").filter(|n| *n > 0.0) else { return };
        if context >= LONG {
            self.gives("gives_context", &context.to_string());
        } else if context < SHORT {
            self.costs("costs_context", &context.to_string());
        }
    }

    fn concurrency(&mut self, profile: &Profile) {
        let Some(seqs) = profile.number("max-num-seqs").filter(|n| *n > 0.0) else { return };
        if seqs <= FEW {
            self.gives("gives_few", &seqs.to_string());
            self.costs("costs_few", &seqs.to_string());
        } else if seqs >= MANY {
            self.gives("gives_many", &seqs.to_string());
            self.costs("costs_many", "");
        }
    }

    fn memory(&mut self, profile: &Profile) {
        let Some(share) = profile.number("gpu-memory-utilization") else { return };
        let text = format!("{:.0} %", share * 100.0);
        if share <= ROOM {
            self.gives("gives_share", &text);
        } else if share >= FULL {
            self.costs("costs_share", &text);
        }
    }

    fn layers(&mut self, profile: &Profile) {
        if let Some(kv) = profile.value("kv-cache-dtype").filter(|kv| narrow(kv)) {
            self.gives("gives_kv", kv);
            self.costs("costs_kv", kv);
        }
        let weights = profile.model().and_then(|model| weights_of(&model.text)).filter(|weights| *weights != "gguf");
        if let Some(weights) = weights {
            self.costs("costs_weights", weights);
            if self.gives.is_empty() {
                self.gives("gives_weights", weights);
            }
        }
    }

    fn said(mut self) -> String {
        if self.gives.is_empty() && self.costs.is_empty() {
            return word(self.words, "nothing").to_owned();
        }
        if self.gives.is_empty() {
            self.gives("gives_cache", "");
        }
        if self.costs.is_empty() {
            self.costs("costs_many", "");
        }
        let and = word(self.words, "and");
        let bought = word(self.words, "bought");
        bought.replace("{gives}", &listed(&self.gives, and)).replace("{costs}", &listed(&self.costs, and))
    }
}

/// `a, b and c`, `a、bとc`.
fn listed(parts: &[String], and: &str) -> String {
    let comma = if and.starts_with(' ') { ", " } else { "、" };
    match parts {
        [first @ .., last] if !first.is_empty() => format!("{}{and}{last}", first.join(comma)),
        _ => parts.concat(),
    }
}

/// Whether a KV cache type has fewer than 16 bits.
fn narrow(kv: &str) -> bool {
    !matches!(kv, "auto" | "float16" | "bfloat16" | "f16" | "bf16" | "f32" | "float32" | "")
}
