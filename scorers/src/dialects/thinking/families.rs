//! The reasoning families as data. Formats from the engines' parsers and the models' chat templates.

use super::super::ReasoningDialect;
use super::gemma::Channel;
use super::harmony::Channels;
use super::tags::{Needs, Tags};

const THINK: Tags =
    Tags { open: &["<think>"], close: &["</think>"], answer: &[], needs: Needs::Either, pads: ["\n", "\n", "\n\n"] };
const TIGHT: Tags = Tags { pads: ["", "", ""], ..THINK };

/// R1, `QwQ`, Qwen3.5 and later, GLM 4.7, `MiniMax` M2, Nemotron 3, Step 3.5.
pub(crate) static THINK_START_IN_PROMPT: ReasoningDialect = ReasoningDialect {
    family: "think_start_in_prompt",
    same_as: &["deepseek_v3_switch", "step3_end_only", "minimax_append_think", "olmo3_think", "other_think_users"],
    looks_like: "reasoning</think>answer: the opening tag stands in the prompt",
    grammar: &Tags { needs: Needs::CloseOnly, pads: ["", "\n", "\n\n"], ..THINK },
};

/// Qwen3, GLM 4.5, Kimi K2 Thinking.
pub(crate) static THINK_MODEL_EMITS_START: ReasoningDialect = ReasoningDialect {
    family: "think_model_emits_start",
    same_as: &["other_think_users", "minimax_append_think"],
    looks_like: "<think>reasoning</think>answer",
    grammar: &Tags { needs: Needs::Open, ..THINK },
};

/// `DeepSeek` V3.1 and later with thinking switched on in the request.
pub(crate) static DEEPSEEK_V3_SWITCH: ReasoningDialect = ReasoningDialect {
    family: "deepseek_v3_switch",
    same_as: &["think_start_in_prompt"],
    looks_like: "the same bytes as think_start_in_prompt",
    grammar: &THINK,
};

/// Step 3.
pub(crate) static STEP3_END_ONLY: ReasoningDialect = ReasoningDialect {
    family: "step3_end_only",
    same_as: &["think_start_in_prompt"],
    looks_like: "the same bytes as think_start_in_prompt",
    grammar: &THINK,
};

/// `MiniMax` with the parser that leaves the reasoning in the content on purpose.
pub(crate) static MINIMAX_APPEND_THINK: ReasoningDialect = ReasoningDialect {
    family: "minimax_append_think",
    same_as: &["think_start_in_prompt", "think_model_emits_start"],
    looks_like: "the same bytes as think_start_in_prompt",
    grammar: &THINK,
};

/// `OLMo` 3 Think.
pub(crate) static OLMO3_THINK: ReasoningDialect = ReasoningDialect {
    family: "olmo3_think",
    same_as: &["think_start_in_prompt"],
    looks_like: "the same bytes as think_start_in_prompt",
    grammar: &THINK,
};

/// Others that use the plain think tags.
pub(crate) static OTHER_THINK_USERS: ReasoningDialect = ReasoningDialect {
    family: "other_think_users",
    same_as: &["think_model_emits_start", "think_start_in_prompt"],
    looks_like: "the same bytes as think_model_emits_start",
    grammar: &THINK,
};

/// Hunyuan A13B.
pub(crate) static HUNYUAN_A13B_THINK_ANSWER: ReasoningDialect = ReasoningDialect {
    family: "hunyuan_a13b_think_answer",
    same_as: &[],
    looks_like: "<think>reasoning</think><answer>answer</answer>",
    grammar: &Tags { answer: &[("<answer>\n", "\n</answer>")], pads: ["\n", "\n", "\n"], ..THINK },
};

/// ERNIE 4.5 thinking.
pub(crate) static ERNIE45_RESPONSE: ReasoningDialect = ReasoningDialect {
    family: "ernie45_response",
    same_as: &[],
    looks_like: "reasoning</think><response>answer</response>",
    grammar: &Tags { answer: &[("<response>\n", "\n</response>\n")], pads: ["\n", "\n", "\n\n\n"], ..THINK },
};

/// Gemma 4.
pub(crate) static GEMMA4_CHANNEL: ReasoningDialect = ReasoningDialect {
    family: "gemma4_channel",
    same_as: &[],
    looks_like: "<|channel>thought, reasoning, <channel|>answer",
    grammar: &Channel,
};

/// gpt-oss.
pub(crate) static GPTOSS_HARMONY_THINKING: ReasoningDialect = ReasoningDialect {
    family: "gptoss_harmony",
    same_as: &["muse"],
    looks_like: "<|channel|>analysis<|message|>reasoning<|end|>, then the final channel",
    grammar: &Channels { end: "<|end|>", answer: "<|start|>assistant<|channel|>final<|message|>" },
};

/// Muse. Its exact tokens are not known; the channel layout is taken from its tool markup.
pub(crate) static MUSE: ReasoningDialect = ReasoningDialect {
    family: "muse",
    same_as: &["gptoss_harmony"],
    looks_like: "messages in channels, each ended by <|eom|>",
    grammar: &Channels { end: "<|eom|>", answer: "<|start|>assistant<|channel|>final<|message|>" },
};

/// Magistral. Streams have been seen to lose the last byte of both markers (SGLang 0.5.23).
pub(crate) static MISTRAL_THINK: ReasoningDialect = ReasoningDialect {
    family: "mistral_think",
    same_as: &[],
    looks_like: "[THINK]reasoning[/THINK]answer",
    grammar: &Tags { open: &["[THINK]", "[THINK"], close: &["[/THINK]", "[/THINK"], ..TIGHT },
};

/// Seed-OSS.
pub(crate) static SEED_OSS_THINK: ReasoningDialect = ReasoningDialect {
    family: "seed_oss_think",
    same_as: &[],
    looks_like: "<seed:think>reasoning</seed:think>answer",
    grammar: &Tags { open: &["<seed:think>"], close: &["</seed:think>"], ..TIGHT },
};

/// Granite 3.2 and later.
pub(crate) static GRANITE_PHRASES: ReasoningDialect = ReasoningDialect {
    family: "granite_phrases",
    same_as: &[],
    looks_like: "Here is my thought process: … Here is my response: …",
    grammar: &Tags {
        open: &["Here is my thought process:", "Here's my thought process:"],
        close: &["Here is my response:", "Here's my response:"],
        needs: Needs::Open,
        pads: [" ", " ", " "],
        ..TIGHT
    },
};

/// `MiniMax` M3.
pub(crate) static MINIMAX_M3_MMTHINK: ReasoningDialect = ReasoningDialect {
    family: "minimax_m3_mmthink",
    same_as: &[],
    looks_like: "<mm:think>reasoning</mm:think>answer",
    grammar: &Tags { open: &["<mm:think>"], close: &["</mm:think>"], ..TIGHT },
};

/// Kimi K3.
pub(crate) static KIMI_K3_OPEN_THINK: ReasoningDialect = ReasoningDialect {
    family: "kimi_k3_open_think",
    same_as: &[],
    looks_like: "<|open|>think<|sep|>reasoning<|close|>think<|sep|>answer",
    grammar: &Tags { open: &["<|open|>think<|sep|>"], close: &["<|close|>think<|sep|>"], ..TIGHT },
};

/// Kimi VL and K1.5.
pub(crate) static KIMI_OLD_TRIANGLES: ReasoningDialect = ReasoningDialect {
    family: "kimi_old_triangles",
    same_as: &[],
    looks_like: "◁think▷reasoning◁/think▷answer",
    grammar: &Tags { open: &["◁think▷"], close: &["◁/think▷"], ..TIGHT },
};

/// Command A Reasoning.
pub(crate) static COHERE_THINKING: ReasoningDialect = ReasoningDialect {
    family: "cohere_thinking",
    same_as: &[],
    looks_like: "<|START_THINKING|>reasoning<|END_THINKING|><|START_RESPONSE|>answer<|END_RESPONSE|>",
    grammar: &Tags {
        open: &["<|START_THINKING|>"],
        close: &["<|END_THINKING|>"],
        answer: &[
            ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
            ("<|START_TEXT|>", "<|END_TEXT|>"),
            ("<|START_ACTION|>", ""),
        ],
        ..TIGHT
    },
};

/// Hunyuan 3 as released: the tags carry a suffix.
pub(crate) static HY_THINK_OPENSOURCE: ReasoningDialect = ReasoningDialect {
    family: "hy_think_opensource",
    same_as: &[],
    looks_like: "<think:opensource>reasoning</think:opensource>answer",
    grammar: &Tags { open: &["<think:opensource>"], close: &["</think:opensource>"], ..TIGHT },
};

/// Apertus.
pub(crate) static APERTUS_INNER: ReasoningDialect = ReasoningDialect {
    family: "apertus_inner",
    same_as: &[],
    looks_like: "<|inner_prefix|>reasoning<|inner_suffix|>answer",
    grammar: &Tags { open: &["<|inner_prefix|>"], close: &["<|inner_suffix|>"], ..TIGHT },
};

/// K2 Horizon.
pub(crate) static K2_HORIZON_THINK: ReasoningDialect = ReasoningDialect {
    family: "k2_horizon_think",
    same_as: &[],
    looks_like: "<ifm|think>reasoning</ifm|think>answer",
    grammar: &Tags { open: &["<ifm|think>"], close: &["</ifm|think>"], ..TIGHT },
};

/// Inkling.
pub(crate) static INKLING_THINKING: ReasoningDialect = ReasoningDialect {
    family: "inkling_thinking",
    same_as: &[],
    looks_like: "<|content_thinking|>reasoning<|end_message|>answer",
    grammar: &Tags {
        open: &["<|message_model|><|content_thinking|>", "<|content_thinking|>"],
        close: &["<|end_message|>"],
        needs: Needs::Open,
        ..TIGHT
    },
};

/// `PLaMo` 3.
pub(crate) static PLAMO3_THINK: ReasoningDialect = ReasoningDialect {
    family: "plamo3_think",
    same_as: &[],
    looks_like: "<|plamo:begin_think:plamo|>reasoning<|plamo:end_think:plamo|>answer",
    grammar: &Tags { open: &["<|plamo:begin_think:plamo|>"], close: &["<|plamo:end_think:plamo|>"], ..TIGHT },
};
