//! The axes a profile decides on, and which settings belong to which: [`Axis`].

use serde::Serialize;

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

    pub(super) fn of(key: &str) -> Self {
        KEYS.iter().find(|(_, keys)| keys.contains(&key)).map_or(Self::Other, |(axis, _)| *axis)
    }
}
