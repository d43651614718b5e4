//! Calls as Python: `[get_weather(city='Tokyo')]`.

use super::super::ToolDialect;
use super::super::read::Part::{Calls, Close, Lit, Python, Space};
use super::super::read::{Form, Part, Pattern, Quote};
use super::json_tags::PARAMETERS;

const SINGLE: Part = Python { brackets: true, quote: Quote::Single };
const DOUBLE: Part = Python { brackets: true, quote: Quote::Double };
const LINES: Part = Python { brackets: false, quote: Quote::Double };

/// Llama 3.2 and others that write a list of Python calls.
pub(crate) static PYTHONIC: ToolDialect = ToolDialect {
    family: "pythonic",
    same_as: &[],
    models: &[],
    looks_like: "[name(key='value')]",
    grammar: &Pattern {
        forms: &[Form::weak(&[SINGLE], false), Form { whole: true, ..Form::weak(&[LINES], false) }],
        around: [""; 3],
        glue: &[],
        block: true,
    },
};

/// Llama 4. It sometimes writes JSON between the same markers (vllm-project/vllm#46863).
pub(crate) static LLAMA4_PYTHONIC: ToolDialect = ToolDialect {
    family: "llama4_pythonic",
    same_as: &[],
    models: &["llama-4", "llama4"],
    looks_like: "<|python_start|>[name(key=\"value\")]<|python_end|>",
    grammar: &Pattern {
        forms: &[
            Form::own(&[Lit("<|python_start|>"), Space(""), DOUBLE, Space(""), Close("<|python_end|>")]),
            Form::own(&[Lit("<|python_start|>"), Space(""), Calls(&PARAMETERS), Space(""), Close("<|python_end|>")]),
            Form::weak(&[DOUBLE], true),
        ],
        around: [""; 3],
        glue: &["<|eom|>", "<|eot|>"],
        block: true,
    },
};

/// LFM2.
pub(crate) static LFM2_PYTHONIC: ToolDialect = ToolDialect {
    family: "lfm2_pythonic",
    same_as: &[],
    models: &["lfm2"],
    looks_like: "<|tool_call_start|>[name(key='value')]<|tool_call_end|>",
    grammar: &Pattern {
        forms: &[
            Form::own(&[Lit("<|tool_call_start|>"), Space(""), SINGLE, Space(""), Close("<|tool_call_end|>")]),
            Form::weak(&[SINGLE], true),
        ],
        around: [""; 3],
        glue: &[],
        block: true,
    },
};

/// `OLMo` 3.
pub(crate) static OLMO3_PYTHONIC: ToolDialect = ToolDialect {
    family: "olmo3_pythonic",
    same_as: &[],
    models: &[],
    looks_like: "<function_calls>, one name(key=\"value\") a line, </function_calls>",
    grammar: &Pattern {
        forms: &[Form::own(&[Lit("<function_calls>"), Space("\n"), LINES, Space("\n"), Close("</function_calls>")])],
        around: [""; 3],
        glue: &[],
        block: true,
    },
};
