//! The name, then the arguments as one JSON object: Mistral, `DeepSeek`, Kimi K2, gpt-oss and others.

use super::super::ToolDialect;
use super::super::read::Part::{Close, Id, Index, Json, Line, Lit, Name, Skip, Soft, Space};
use super::super::read::{Form, Part, Pattern};

/// Mistral from tokenizer v11 on. Early v11 checkpoints leave `[ARGS]` out.
pub(crate) static MISTRAL_ARGS: ToolDialect = ToolDialect {
    family: "mistral_args",
    same_as: &[],
    models: &["mistral", "magistral", "devstral"],
    looks_like: "[TOOL_CALLS]name[ARGS]{…}",
    grammar: &Pattern {
        forms: &[
            Form::own(&[Lit("[TOOL_CALLS]"), Name, Soft("[ARGS]"), Space(""), Json]),
            Form::partial(&[Lit("TOOL_CALLS"), Skip(&["]"]), Name, Skip(&["[ARGS]", "[ARGS", "ARGS]"]), Json]),
            Form::weak(&[Name, Soft("[ARGS]"), Json], true),
        ],
        around: [""; 3],
        glue: &["</s>", "[TOOL_CALLS]"],
        block: false,
    },
};

/// Mistral Small 3.2's template.
pub(crate) static MISTRAL_CALLID_ARGS: ToolDialect = ToolDialect {
    family: "mistral_callid_args",
    same_as: &[],
    models: &[],
    looks_like: "[TOOL_CALLS]name[CALL_ID]id[ARGS]{…}",
    grammar: &Pattern {
        forms: &[Form::signed(
            &[Lit("[TOOL_CALLS]"), Name, Lit("[CALL_ID]"), Id, Lit("[ARGS]"), Space(""), Json],
            &["[CALL_ID]"],
        )],
        around: [""; 3],
        glue: &["</s>"],
        block: false,
    },
};

const V3_CALL: &[Part] = &[
    Lit("<｜tool▁call▁begin｜>"),
    Lit("function"),
    Lit("<｜tool▁sep｜>"),
    Name,
    Space("\n"),
    Soft("```json"),
    Space("\n"),
    Json,
    Space("\n"),
    Soft("```"),
    Space(""),
    Close("<｜tool▁call▁end｜>"),
];

/// `DeepSeek` V3 and R1.
pub(crate) static DEEPSEEK_V3: ToolDialect = ToolDialect {
    family: "deepseek_v3",
    same_as: &[],
    models: &[],
    looks_like: "<｜tool▁call▁begin｜>function<｜tool▁sep｜>name, a ```json fence, <｜tool▁call▁end｜>",
    grammar: &Pattern {
        forms: &[
            Form::own(V3_CALL),
            // A template holds the first marker, or a server took it.
            Form::partial_signed(V3_CALL.split_at(1).1, &["<｜tool▁sep｜>"]),
        ],
        around: ["<｜tool▁calls▁begin｜>", "\n", "<｜tool▁calls▁end｜>"],
        glue: &["<｜end▁of▁sentence｜>"],
        block: false,
    },
};

/// `DeepSeek` V3.1.
pub(crate) static DEEPSEEK_V31: ToolDialect = ToolDialect {
    family: "deepseek_v31",
    same_as: &[],
    models: &[],
    looks_like: "<｜tool▁call▁begin｜>name<｜tool▁sep｜>{…}<｜tool▁call▁end｜>",
    grammar: &Pattern {
        forms: &[Form::own(&[
            Lit("<｜tool▁call▁begin｜>"),
            Space(""),
            Name,
            Lit("<｜tool▁sep｜>"),
            Space(""),
            Json,
            Space(""),
            Close("<｜tool▁call▁end｜>"),
        ])],
        around: ["<｜tool▁calls▁begin｜>", "", "<｜tool▁calls▁end｜>"],
        glue: &["<｜end▁of▁sentence｜>"],
        block: false,
    },
};

/// Kimi K2.
pub(crate) static KIMI_K2: ToolDialect = ToolDialect {
    family: "kimi_k2",
    same_as: &[],
    models: &[],
    looks_like: "<|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{…}<|tool_call_end|>",
    grammar: &Pattern {
        forms: &[
            Form::own(&[
                Lit("<|tool_call_begin|>"),
                Space(""),
                Soft("functions."),
                Name,
                Index,
                Space(""),
                Soft("<|tool_call_argument_begin|>"),
                Space(""),
                Json,
                Space(""),
                Close("<|tool_call_end|>"),
            ]),
            Form::stripped(&[
                Lit("functions."),
                Name,
                Index,
                Skip(&["<|tool_call_argument_begin|>"]),
                Json,
                Skip(&["<|tool_call_end|>"]),
            ]),
        ],
        around: ["<|tool_calls_section_begin|>", "", "<|tool_calls_section_end|>"],
        glue: &["<|tool_call_section_begin|>", "<|tool_call_section_end|>", "<|tool_call_begin|>"],
        block: false,
    },
};

/// Functionary v3.1.
pub(crate) static FUNCTIONARY_V31: ToolDialect = ToolDialect {
    family: "functionary_v31",
    same_as: &[],
    models: &[],
    looks_like: "<function=name>{…}</function>",
    grammar: &Pattern {
        forms: &[Form::own(&[Lit("<function="), Name, Lit(">"), Space(""), Json, Space(""), Close("</function>")])],
        around: [""; 3],
        glue: &["<|eom_id|>"],
        block: false,
    },
};

/// Functionary v3.2, whose prompt ends with `>>>`.
pub(crate) static FUNCTIONARY_V32: ToolDialect = ToolDialect {
    family: "functionary_v32",
    same_as: &[],
    models: &["functionary"],
    looks_like: "name, a line break, {…}; several with >>> between",
    grammar: &Pattern {
        forms: &[Form::weak(&[Skip(&[">>>"]), Name, Line, Json], false)],
        around: ["", ">>>", ""],
        glue: &[],
        block: false,
    },
};

/// Solar Open.
pub(crate) static SOLAR_OPEN: ToolDialect = ToolDialect {
    family: "solar_open",
    same_as: &[],
    models: &[],
    looks_like: "<|tool_call:begin|>id<|tool_call:name|>name<|tool_call:args|>{…}<|tool_call:end|>",
    grammar: &Pattern {
        forms: &[Form::own(&[
            Lit("<|tool_call:begin|>"),
            Id,
            Lit("<|tool_call:name|>"),
            Name,
            Lit("<|tool_call:args|>"),
            Json,
            Close("<|tool_call:end|>"),
        ])],
        around: ["<|tool_calls|>", "", "<|calls|>"],
        glue: &[],
        block: false,
    },
};

/// `PLaMo` 3.
pub(crate) static PLAMO3: ToolDialect = ToolDialect {
    family: "plamo3",
    same_as: &[],
    models: &[],
    looks_like: "<|plamo:begin_tool_name:plamo|>name<|plamo:end_tool_name:plamo|> and its arguments alike",
    grammar: &Pattern {
        forms: &[Form::own(&[
            Lit("<|plamo:begin_tool_request:plamo|>"),
            Lit("<|plamo:begin_tool_name:plamo|>"),
            Name,
            Lit("<|plamo:end_tool_name:plamo|>"),
            Lit("<|plamo:begin_tool_arguments:plamo|>"),
            Soft("<|plamo:constrain|>json<|plamo:msg|>"),
            Json,
            Close("<|plamo:end_tool_arguments:plamo|>"),
            Close("<|plamo:end_tool_request:plamo|>"),
        ])],
        around: ["<|plamo:begin_tool_requests:plamo|>", "", "<|plamo:end_tool_requests:plamo|>"],
        glue: &[],
        block: false,
    },
};

const HARMONY_BETWEEN: &[&str] =
    &["<|channel|>", "<|constrain|>", "<|message|>", "commentary", "analysis", "json", "code"];

/// gpt-oss. The recipient stands before or after the channel.
pub(crate) static GPTOSS_HARMONY: ToolDialect = ToolDialect {
    family: "gptoss_harmony",
    same_as: &[],
    models: &[],
    looks_like: "<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>",
    grammar: &Pattern {
        forms: &[
            Form::signed(
                &[
                    Lit("to=functions."),
                    Name,
                    Skip(HARMONY_BETWEEN),
                    Soft(" <|constrain|>json<|message|>"),
                    Json,
                    Soft("<|call|>"),
                ],
                &["<|message|>", "<|channel|>", "<|call|>"],
            ),
            Form::stripped(&[Lit("to=functions."), Name, Skip(HARMONY_BETWEEN), Json]),
        ],
        around: ["<|channel|>commentary ", "<|start|>assistant<|channel|>commentary ", ""],
        glue: &[
            "<|channel|>commentary",
            "<|channel|>analysis",
            "<|start|>assistant",
            "<|start|>",
            "<|call|>",
            "<|end|>",
            "<|return|>",
            "assistantcommentary",
            "commentary",
        ],
        block: false,
    },
};
