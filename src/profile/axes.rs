//! What a profile decides, axis by axis: [`Axis`], [`Profile::axes`].
//!
//! A setting at the engine's default is as good as absent. Two profiles are comparable when one axis differs.

use std::collections::BTreeMap;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::container::Route;
use super::flags::flag_table;
use super::model::Profile;
use super::rules::weights_of;

/// One thing a profile decides. The order is the reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Axis {
    /// The engine.
    Engine,
    /// Its version.
    EngineVersion,
    /// The model.
    Model,
    /// How its weights are quantised.
    Weights,
    /// The type computed in.
    ComputeDtype,
    /// The type of the KV cache.
    KvDtype,
    /// The share of the GPU's memory.
    MemoryShare,
    /// The context.
    Context,
    /// Sequences at once.
    Concurrency,
    /// Tokens a step.
    Batching,
    /// Prefix caching.
    Caching,
    /// Chunked prefill.
    ChunkedPrefill,
    /// The tool parser and its switch.
    ToolParser,
    /// The reasoning parser and the thinking switch.
    ReasoningParser,
    /// The chat template and tokenizer mode.
    ChatTemplate,
    /// Limits on images and video.
    Multimodal,
    /// GPUs and how the model is laid over them.
    Parallelism,
    /// Speculative decoding.
    Speculation,
    /// Sampling defaults of the server.
    Sampling,
    /// Guided decoding.
    StructuredOutput,
    /// Backends behind a gateway.
    Routes,
    /// Names, addresses, ports, keys: nothing of it changes an answer.
    Network,
    /// Everything else.
    Other,
}

/// Which meanings belong to which axis.
const KEYS: &[(Axis, &[&str])] = &[
    (Axis::Model, &["model", "revision", "tokenizer", "tokenizer-revision", "hf-overrides", "hf-file"]),
    (Axis::Weights, &["quantization", "load-format", "quantization-config"]),
    (Axis::ComputeDtype, &["dtype"]),
    (Axis::KvDtype, &["kv-cache-dtype", "cache-type-v", "kv-high-precision-layers", "kv-cache-dtype-skip-layers"]),
    (
        Axis::MemoryShare,
        &[
            "gpu-memory-utilization",
            "kv-cache-memory-bytes",
            "cpu-offload-gb",
            "swap-space",
            "n-gpu-layers",
            "oom-guard-mb",
        ],
    ),
    (Axis::Context, &["max-model-len"]),
    (Axis::Concurrency, &["max-num-seqs", "max-num-active-seqs", "max-batch-size", "kv-unified"]),
    (
        Axis::Batching,
        &[
            "max-num-batched-tokens",
            "chunked-prefill-size",
            "long-prefill-token-threshold",
            "ubatch-size",
            "block-size",
        ],
    ),
    (Axis::Caching, &["enable-prefix-caching", "cache-reuse", "cache-ram"]),
    (Axis::ChunkedPrefill, &["enable-chunked-prefill"]),
    (
        Axis::ToolParser,
        &[
            "tool-call-parser",
            "enable-auto-tool-choice",
            "tool-parser-plugin",
            "disable-tool-grammar",
            "skip-chat-parsing",
        ],
    ),
    (
        Axis::ReasoningParser,
        &[
            "reasoning-parser",
            "reasoning-parser-plugin",
            "default-chat-template-kwargs",
            "disable-thinking",
            "max-thinking-budget",
            "reasoning-format",
            "reasoning",
            "reasoning-budget",
        ],
    ),
    (
        Axis::ChatTemplate,
        &[
            "chat-template",
            "chat-template-file",
            "chat-template-content-format",
            "jinja",
            "tokenizer-mode",
            "config-format",
        ],
    ),
    (Axis::Multimodal, &["limit-mm-per-prompt", "language-model-only", "mmproj", "mm-processor-kwargs", "mmproj-url"]),
    (
        Axis::Parallelism,
        &[
            "tensor-parallel-size",
            "pipeline-parallel-size",
            "data-parallel-size",
            "ep-size",
            "enable-expert-parallel",
            "nnodes",
            "world-size",
            "tensor-split",
        ],
    ),
    (
        Axis::Speculation,
        &[
            "speculative-config",
            "speculative",
            "num-drafts",
            "dflash",
            "model-draft",
            "speculative-algorithm",
            "speculative-num-steps",
            "spec-method",
            "spec-model",
            "spec-tokens",
        ],
    ),
    (
        Axis::Sampling,
        &[
            "generation-config",
            "override-generation-config",
            "sampling-defaults",
            "default-min-p",
            "default-top-n-sigma",
            "seed",
            "temp",
            "top-k",
            "top-p",
            "min-p",
        ],
    ),
    (Axis::StructuredOutput, &["structured-outputs-config", "guided-decoding-backend", "grammar-backend"]),
    (
        Axis::Network,
        &[
            "host",
            "port",
            "bind",
            "api-key",
            "served-model-name",
            "require-auth",
            "auth-tokens-file",
            "uds",
            "root-path",
        ],
    ),
];

impl Axis {
    /// The name in records: `kv_dtype`.
    #[must_use]
    pub fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    }

    fn of(key: &str) -> Self {
        KEYS.iter().find(|(_, keys)| keys.contains(&key)).map_or(Self::Other, |(axis, _)| *axis)
    }
}

impl Profile {
    /// What is decided, by axis; axes left to the engine are absent. Keys and passwords are never in it.
    #[must_use]
    pub fn axes(&self) -> BTreeMap<Axis, String> {
        let mut parts: BTreeMap<Axis, Vec<(String, String)>> = BTreeMap::new();
        let mut add =
            |axis: Axis, key: &str, value: String| parts.entry(axis).or_default().push((key.to_owned(), value));
        for (key, value) in self.meaning() {
            if self.is_default(&key, &value) {
                continue;
            }
            let value = if matches!(key.as_str(), "api-key" | "auth-token" | "admin-api-key" | "hf-token")
                || key.ends_with("master_key")
            {
                "set".to_owned()
            } else {
                value
            };
            add(Axis::of(&key), &key, value);
        }
        add(Axis::Engine, "", self.engine.clone());
        if let Some(version) = &self.engine_version {
            add(Axis::EngineVersion, "", version.text.clone());
        }
        if self.get("model").is_none()
            && let Some(model) = self.model()
        {
            add(Axis::Model, "model", model.text);
        }
        if let Some(weights) = self.model().and_then(|model| weights_of(&model.text)) {
            add(Axis::Weights, "", weights.to_owned());
        }
        for route in &self.routes {
            add(Axis::Routes, &route.model_name.text, shown(route));
        }
        parts.into_iter().map(|(axis, values)| (axis, joined(values))).collect()
    }

    fn is_default(&self, key: &str, value: &str) -> bool {
        let Some(table) = flag_table(&self.engine) else { return false };
        let Some(name) = table.name_of(key) else { return false };
        let default = table.default_of(name);
        let canonical = table.of(name).canonical(default).unwrap_or_default();
        !default.is_empty() && canonical == value
    }

    /// `sha256:…` of what the profile means, not of its bytes: formatting, order and defaults change nothing.
    #[must_use]
    pub fn digest(&self) -> String {
        let axes: BTreeMap<String, String> =
            self.axes().into_iter().map(|(axis, value)| (axis.name(), value)).collect();
        let text = serde_json::to_string(&axes).unwrap_or_default();
        let bytes = Sha256::digest(text.as_bytes());
        bytes.iter().fold("sha256:".to_owned(), |mut hex, byte| {
            use std::fmt::Write as _;
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

fn shown(route: &Route) -> String {
    let params =
        route.params.iter().filter(|(key, _)| *key != "api_key").map(|(key, value)| format!("{key}={}", value.text));
    params.collect::<Vec<_>>().join(" ")
}

/// One value stands alone, several with their keys.
fn joined(mut values: Vec<(String, String)>) -> String {
    values.sort();
    if let [(_, value)] = values.as_slice() {
        return value.clone();
    }
    let parts = values.into_iter().map(|(key, value)| if key.is_empty() { value } else { format!("{key}={value}") });
    parts.collect::<Vec<_>>().join(" ")
}
