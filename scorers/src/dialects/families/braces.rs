//! Gemma: `call:name{key:<|"|>value<|"|>}`.

use super::super::ToolDialect;
use super::super::read::Part::{Close, Lit, Marked, Name, Skip, Space, Stripped};
use super::super::read::{Form, Pattern};

/// Gemma 4.
pub(crate) static GEMMA4: ToolDialect = ToolDialect {
    family: "gemma4",
    same_as: &[],
    models: &[],
    looks_like: "<|tool_call>call:name{key:<|\"|>value<|\"|>}<tool_call|>",
    grammar: &Pattern {
        forms: &[
            Form::own(&[
                Lit("<|tool_call>"),
                Space(""),
                Lit("call:"),
                Name,
                Marked("<|\"|>"),
                Space(""),
                Close("<tool_call|>"),
            ]),
            Form { signs: &["<|\"|>"], ..Form::partial(&[Lit("call:"), Name, Marked("<|\"|>")]) },
            Form::stripped(&[Lit("call:"), Name, Skip(&[]), Stripped]),
        ],
        around: [""; 3],
        glue: &["<|tool_call>", "<tool_call|>", "<|tool_response>"],
        block: false,
    },
};

/// `FunctionGemma`.
pub(crate) static FUNCTIONGEMMA: ToolDialect = ToolDialect {
    family: "functiongemma",
    same_as: &[],
    models: &["functiongemma"],
    looks_like: "<start_function_call>call:name{key:<escape>value<escape>}<end_function_call>",
    grammar: &Pattern {
        forms: &[
            Form::own(&[
                Lit("<start_function_call>"),
                Space(""),
                Lit("call:"),
                Name,
                Marked("<escape>"),
                Space(""),
                Close("<end_function_call>"),
            ]),
            Form { signs: &["<escape>"], ..Form::partial(&[Lit("call:"), Name, Marked("<escape>")]) },
            Form::stripped(&[Lit("call:"), Name, Stripped]),
        ],
        around: [""; 3],
        glue: &["<start_function_response>"],
        block: false,
    },
};
