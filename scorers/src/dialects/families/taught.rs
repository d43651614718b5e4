//! Tags that clients and prompts teach around calls, which no model was trained on alone.

use super::super::ToolDialect;
use super::super::read::Part::{Close, Json, Lit, Name, Space};
use super::super::read::{Form, Part, Pattern};
use super::json_tags::{ARGUMENTS, between};

/// Name and arguments in elements of their own (VibeThinker: Rapid-MLX#746).
const fn named_in(open: &'static str, close: &'static str) -> [Part; 13] {
    [
        Lit(open),
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
        Close(close),
    ]
}

/// Tags that prompts and templates of no one family teach: LM Studio's default prompt, Modelfiles of Gemma 3 (ollama#9680).
pub(crate) static TAUGHT_TAGS: ToolDialect = ToolDialect {
    family: "taught_tags",
    same_as: &[],
    models: &[],
    looks_like: r#"[TOOL_REQUEST]{"name": …, "arguments": …}[END_TOOL_REQUEST], <tool>{…}</tool>"#,
    grammar: &Pattern {
        forms: &[
            Form::partial(&between("[TOOL_REQUEST]", "\n", &ARGUMENTS, "[END_TOOL_REQUEST]")),
            Form::partial(&between("<tool>", "\n", &ARGUMENTS, "</tool>")),
            Form::partial(&between("<tool_use>", "\n", &ARGUMENTS, "</tool_use>")),
            Form::partial(&between("<toolcall>", "\n", &ARGUMENTS, "</toolcall>")),
            Form::partial(&between("<function>", "\n", &ARGUMENTS, "</function>")),
            Form::partial(&named_in("<function>", "</function>")),
            Form::partial(&named_in("<tool_call>", "</tool_call>")),
            Form::partial(&between("<action>", "\n", &ARGUMENTS, "</action>")),
        ],
        around: ["", "\n", ""],
        glue: &[],
        block: false,
    },
};
