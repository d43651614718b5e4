//! Calls as JSON and nothing else. Only a declared name and its keys tell them from an answer in JSON.

use super::super::ToolDialect;
use super::super::read::Part::Calls;
use super::super::read::{Form, Pattern, Shape};
use super::json_list::LIST;
use super::json_tags::PARAMETERS;

const PARAMETERS_LIST: Shape = Shape { one: r#"{"name": $N, "parameters": $A}"#, list: ["[", ", ", "]"] };

/// Llama 3.x. The list form is what vLLM's guided decoding makes of `tool_choice: "required"`.
pub(crate) static LLAMA3_JSON: ToolDialect = ToolDialect {
    family: "llama3_json",
    same_as: &[],
    models: &["llama"],
    looks_like: r#"{"name": …, "parameters": …}"#,
    grammar: &Pattern {
        forms: &[Form::weak(&[Calls(&PARAMETERS)], false), Form::weak(&[Calls(&PARAMETERS_LIST)], false)],
        around: [""; 3],
        glue: &["<|python_tag|>", "<|eom_id|>", "<|eot_id|>"],
        block: true,
    },
};

/// xLAM.
pub(crate) static XLAM_ARRAY: ToolDialect = ToolDialect {
    family: "xlam_array",
    same_as: &[],
    models: &["xlam"],
    looks_like: r#"[{"name": …, "arguments": …}]"#,
    grammar: &Pattern { forms: &[Form::weak(&[Calls(&LIST)], false)], around: [""; 3], glue: &[], block: true },
};
