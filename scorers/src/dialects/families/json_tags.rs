//! Calls as JSON objects between tags: `<tool_call>{"name": …, "arguments": …}</tool_call>` and its kin.

use super::super::ToolDialect;
use super::super::read::Part::{Calls, Close, Lit, Skip, Soft, Space};
use super::super::read::{Form, Part, Pattern, Shape};

/// `{"name": …, "arguments": …}`
pub(super) const ARGUMENTS: Shape = Shape { one: r#"{"name": $N, "arguments": $A}"#, list: ["", "\n", ""] };
/// `{"name": …, "parameters": …}`, several after `; `.
pub(super) const PARAMETERS: Shape = Shape { one: r#"{"name": $N, "parameters": $A}"#, list: ["", "; ", ""] };
const ARGS: Shape = Shape { one: r#"{"name": $N, "args": $A}"#, list: ["", "\n", ""] };

/// Calls between an opening and a closing tag.
pub(super) const fn between(
    open: &'static str,
    pad: &'static str,
    calls: &'static Shape,
    close: &'static str,
) -> [Part; 5] {
    [Lit(open), Space(pad), Calls(calls), Space(pad), Close(close)]
}

const HERMES: Pattern = Pattern {
    forms: &[
        Form::own(&between("<tool_call>", "\n", &ARGUMENTS, "</tool_call>")),
        Form::partial(&[Calls(&ARGUMENTS), Space("\n"), Lit("</tool_call>")]),
        Form::weak(&[Calls(&ARGUMENTS)], true),
    ],
    around: ["", "\n", ""],
    glue: &[],
    block: false,
};

/// Qwen2.5, Qwen3, Hermes.
pub(crate) static HERMES_JSON: ToolDialect = ToolDialect {
    family: "hermes_json",
    same_as: &["granite4_json", "ernie45"],
    models: &[],
    looks_like: r#"<tool_call>{"name": …, "arguments": …}</tool_call>"#,
    grammar: &HERMES,
};

/// Granite 4.
pub(crate) static GRANITE4_JSON: ToolDialect = ToolDialect {
    family: "granite4_json",
    same_as: &["hermes_json"],
    models: &["granite-4", "granite4"],
    looks_like: "the same bytes as hermes_json",
    grammar: &HERMES,
};

/// ERNIE 4.5 thinking models.
pub(crate) static ERNIE45: ToolDialect = ToolDialect {
    family: "ernie45",
    same_as: &["hermes_json"],
    models: &["ernie-4.5", "ernie45"],
    looks_like: "hermes_json after the closing think tag",
    grammar: &Pattern { forms: HERMES.forms, around: ["</think>\n\n\n", "\n", "\n"], glue: &[], block: false },
};

/// LongCat.
pub(crate) static LONGCAT: ToolDialect = ToolDialect {
    family: "longcat",
    same_as: &[],
    models: &[],
    looks_like: r#"<longcat_tool_call>{"name": …, "arguments": …}</longcat_tool_call>"#,
    grammar: &Pattern {
        forms: &[Form::own(&between("<longcat_tool_call>", "\n", &ARGUMENTS, "</longcat_tool_call>"))],
        around: ["", "\n", ""],
        glue: &[],
        block: false,
    },
};

/// Qwen2.5-Coder, which answers in the tags its prompt declares tools with (vllm-project/vllm#32926).
pub(crate) static QWEN25_CODER_TOOLS: ToolDialect = ToolDialect {
    family: "qwen25_coder_tools",
    same_as: &[],
    models: &[],
    looks_like: r#"<tools>{"name": …, "arguments": …}</tools>"#,
    grammar: &Pattern {
        forms: &[Form::own(&between("<tools>", "\n", &ARGUMENTS, "</tools>"))],
        around: ["", "\n", ""],
        glue: &[],
        block: false,
    },
};

/// Granite 20B function calling.
pub(crate) static GRANITE_20B_FC: ToolDialect = ToolDialect {
    family: "granite_20b_fc",
    same_as: &[],
    models: &[],
    looks_like: r#"<function_call> {"name": …, "arguments": …}"#,
    grammar: &Pattern {
        forms: &[Form::own(&[Lit("<function_call>"), Space(" "), Calls(&ARGUMENTS)])],
        around: ["", "\n", ""],
        glue: &["</function_call>"],
        block: false,
    },
};

/// MiniMax M1.
pub(crate) static MINIMAX_M1: ToolDialect = ToolDialect {
    family: "minimax_m1",
    same_as: &[],
    models: &[],
    looks_like: r#"<tool_calls>, one {"name": …, "arguments": …} a line, </tool_calls>"#,
    grammar: &Pattern {
        forms: &[Form::own(&between("<tool_calls>", "\n", &ARGUMENTS, "</tool_calls>"))],
        around: [""; 3],
        glue: &[],
        block: true,
    },
};

/// Llama 3.x with its marker visible.
pub(crate) static LLAMA3_JSON_PYTHONTAG: ToolDialect = ToolDialect {
    family: "llama3_json_pythontag",
    same_as: &[],
    models: &[],
    looks_like: r#"<|python_tag|>{"name": …, "parameters": …}"#,
    grammar: &Pattern {
        forms: &[Form::own(&[Lit("<|python_tag|>"), Space(""), Calls(&PARAMETERS)])],
        around: [""; 3],
        glue: &["<|eom_id|>", "<|eot_id|>"],
        block: true,
    },
};

const INTERNLM_FORMS: &[Form] = &[Form::own(&[
    Lit("<|action_start|>"),
    Space(""),
    Lit("<|plugin|>"),
    Space("\n"),
    Calls(&PARAMETERS),
    Space(""),
    Close("<|action_end|>"),
])];

/// InternLM 2 as vLLM's template writes it.
pub(crate) static INTERNLM_PLUGIN: ToolDialect = ToolDialect {
    family: "internlm_plugin",
    same_as: &["internlm_plugin_spaced"],
    models: &[],
    looks_like: r#"<|action_start|><|plugin|>{"name": …, "parameters": …}<|action_end|>"#,
    grammar: &Pattern { forms: INTERNLM_FORMS, around: [""; 3], glue: &[], block: false },
};

/// InternLM as SGLang expects it, with a space between its two markers.
pub(crate) static INTERNLM_PLUGIN_SPACED: ToolDialect = ToolDialect {
    family: "internlm_plugin_spaced",
    same_as: &["internlm_plugin"],
    models: &["intern-s1", "internvl"],
    looks_like: "internlm_plugin with a space between the markers",
    grammar: &Pattern {
        forms: &[Form::own(&[
            Lit("<|action_start|>"),
            Space(" "),
            Lit("<|plugin|>"),
            Space("\n"),
            Calls(&PARAMETERS),
            Space(""),
            Close("<|action_end|>"),
        ])],
        around: ["", "\n", ""],
        glue: &[],
        block: false,
    },
};

/// GigaChat 3.
pub(crate) static GIGACHAT3: ToolDialect = ToolDialect {
    family: "gigachat3",
    same_as: &[],
    models: &[],
    looks_like: r#"function call<|role_sep|>{"name": …, "arguments": …}"#,
    grammar: &Pattern {
        forms: &[
            Form::own(&[Lit("function call"), Lit("<|role_sep|>"), Space("\n"), Calls(&ARGUMENTS)]),
            Form::stripped(&[Lit("function call"), Space("\n"), Calls(&ARGUMENTS)]),
        ],
        around: ["<|message_sep|>\n\n", "<|message_sep|>\n\n", ""],
        glue: &["<|message_sep|>"],
        block: false,
    },
};

/// GigaChat 3.1.
pub(crate) static GIGACHAT31: ToolDialect = ToolDialect {
    family: "gigachat31",
    same_as: &[],
    models: &[],
    looks_like: r#"<|function_call|>{"name": …, "arguments": …}"#,
    grammar: &Pattern {
        forms: &[Form::own(&[Lit("<|function_call|>"), Space(""), Calls(&ARGUMENTS)])],
        around: [""; 3],
        glue: &["<|message_sep|>"],
        block: false,
    },
};

/// Inkling.
pub(crate) static INKLING: ToolDialect = ToolDialect {
    family: "inkling",
    same_as: &[],
    models: &[],
    looks_like: r#"<|message_model|>name<|content_invoke_tool_json|>{"name": …, "args": …}<|end_message|>"#,
    grammar: &Pattern {
        forms: &[
            Form::own(&[
                Lit("<|message_model|>"),
                Part::Name,
                Lit("<|content_invoke_tool_json|>"),
                Calls(&ARGS),
                Close("<|end_message|>"),
            ]),
            Form::partial(&[Lit("<|content_invoke_tool_json|>"), Calls(&ARGS), Soft("<|end_message|>"), Skip(&[])]),
        ],
        around: [""; 3],
        glue: &[],
        block: false,
    },
};
