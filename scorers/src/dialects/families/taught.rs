//! Tags that clients and prompts teach around calls, which no model was trained on alone.

use super::super::ToolDialect;
use super::super::read::Part::{Calls, Close, Json, Lit, Name, Space};
use super::super::read::{Form, Part, Pattern};
use super::json_tags::ARGUMENTS;

/// Name and arguments in elements of their own (VibeThinker: Rapid-MLX#746).
const NAMED_IN_FUNCTION: &[Part] = &[
    Lit("<function>"),
    Space(""),
    Lit("<name>"),
    Name,
    Lit("</name>"),
    Space(""),
    Lit("<arguments>"),
    Space(""),
    Json,
    Space(""),
    Close("</arguments>"),
    Space(""),
    Close("</function>"),
];
const NAMED_IN_CALL: &[Part] = &[
    Lit("<tool_call>"),
    Space(""),
    Lit("<name>"),
    Name,
    Lit("</name>"),
    Space(""),
    Lit("<arguments>"),
    Space(""),
    Json,
    Space(""),
    Close("</arguments>"),
    Space(""),
    Close("</tool_call>"),
];

/// Tags that prompts and templates of no one family teach: LM Studio's default prompt, Modelfiles of Gemma 3 (ollama#9680).
pub(crate) static TAUGHT_TAGS: ToolDialect = ToolDialect {
    family: "taught_tags",
    same_as: &[],
    models: &[],
    looks_like: r#"[TOOL_REQUEST]{"name": …, "arguments": …}[END_TOOL_REQUEST], <tool>{…}</tool>"#,
    grammar: &Pattern {
        forms: &[
            Form::partial(&[
                Lit("[TOOL_REQUEST]"),
                Space("\n"),
                Calls(&ARGUMENTS),
                Space("\n"),
                Close("[END_TOOL_REQUEST]"),
            ]),
            Form::partial(&[Lit("<tool>"), Space("\n"), Calls(&ARGUMENTS), Space("\n"), Close("</tool>")]),
            Form::partial(&[Lit("<tool_use>"), Space("\n"), Calls(&ARGUMENTS), Space("\n"), Close("</tool_use>")]),
            Form::partial(&[Lit("<toolcall>"), Space("\n"), Calls(&ARGUMENTS), Space("\n"), Close("</toolcall>")]),
            Form::partial(&[Lit("<function>"), Space("\n"), Calls(&ARGUMENTS), Space("\n"), Close("</function>")]),
            Form::partial(NAMED_IN_FUNCTION),
            Form::partial(NAMED_IN_CALL),
            Form::partial(&[Lit("<action>"), Space("\n"), Calls(&ARGUMENTS), Space("\n"), Close("</action>")]),
        ],
        around: ["", "\n", ""],
        glue: &[],
        block: false,
    },
};
