//! Calls as one JSON array after a marker: `[TOOL_CALLS] [{…}, {…}]` and its kin.

use super::super::ToolDialect;
use super::super::read::Part::{Calls, Lit, Space};
use super::super::read::{Form, Pattern, Shape};
use super::json_tags::between;

/// `[{"name": …, "arguments": …}, …]`
pub(super) const LIST: Shape = Shape { one: r#"{"name": $N, "arguments": $A}"#, list: ["[", ", ", "]"] };
const WITH_ID: Shape = Shape { one: r#"{"name": $N, "arguments": $A, "id": $I}"#, list: ["[", ", ", "]"] };
const BY_NAME: Shape = Shape { one: "{$N: $A}", list: ["[", ", ", "]"] };
const COHERE: Shape =
    Shape { one: r#"{"tool_call_id": $X, "tool_name": $N, "parameters": $A}"#, list: ["[\n    ", ",\n    ", "\n]"] };

/// Granite 3.0.
pub(crate) static GRANITE3_JSON: ToolDialect = ToolDialect {
    family: "granite3_json",
    same_as: &[],
    models: &[],
    looks_like: r#"<|tool_call|>[{"name": …, "arguments": …}]"#,
    grammar: &Pattern {
        forms: &[Form::own(&[Lit("<|tool_call|>"), Space(""), Calls(&LIST)])],
        around: [""; 3],
        glue: &["<|end_of_text|>"],
        block: true,
    },
};

/// Granite 3.1 and later 3.x.
pub(crate) static GRANITE31_JSON: ToolDialect = ToolDialect {
    family: "granite31_json",
    same_as: &[],
    models: &[],
    looks_like: r#"<tool_call>[{"name": …, "arguments": …}]"#,
    grammar: &Pattern {
        forms: &[Form::own(&[Lit("<tool_call>"), Space(""), Calls(&LIST)])],
        around: [""; 3],
        glue: &["</tool_call>", "<|end_of_text|>"],
        block: true,
    },
};

const TOOL_CALLS: Pattern = Pattern {
    forms: &[Form::own(&between("<tool_calls>", "", &LIST, "</tool_calls>"))],
    around: [""; 3],
    glue: &[],
    block: true,
};

/// Jamba.
pub(crate) static JAMBA_JSON: ToolDialect = ToolDialect {
    family: "jamba_json",
    same_as: &["hunyuan_a13b", "apriel_json"],
    models: &[],
    looks_like: r#"<tool_calls>[{"name": …, "arguments": …}]</tool_calls>"#,
    grammar: &TOOL_CALLS,
};

/// Hunyuan A13B.
pub(crate) static HUNYUAN_A13B: ToolDialect = ToolDialect {
    family: "hunyuan_a13b",
    same_as: &["jamba_json", "apriel_json"],
    models: &["hunyuan"],
    looks_like: "the same bytes as jamba_json",
    grammar: &TOOL_CALLS,
};

/// Apriel.
pub(crate) static APRIEL_JSON: ToolDialect = ToolDialect {
    family: "apriel_json",
    same_as: &["jamba_json", "hunyuan_a13b"],
    models: &["apriel"],
    looks_like: "the same bytes as jamba_json",
    grammar: &TOOL_CALLS,
};

/// Nemotron.
pub(crate) static NEMOTRON_TOOLCALL: ToolDialect = ToolDialect {
    family: "nemotron_toolcall",
    same_as: &[],
    models: &[],
    looks_like: r#"<TOOLCALL>[{"name": …, "arguments": …}]</TOOLCALL>"#,
    grammar: &Pattern {
        forms: &[Form::own(&between("<TOOLCALL>", "", &LIST, "</TOOLCALL>"))],
        around: [""; 3],
        glue: &[],
        block: true,
    },
};

/// Phi-4 mini.
pub(crate) static PHI4_MINI_FUNCTOOLS: ToolDialect = ToolDialect {
    family: "phi4_mini_functools",
    same_as: &[],
    models: &[],
    looks_like: r#"functools[{"name": …, "arguments": …}]"#,
    grammar: &Pattern {
        forms: &[Form::own(&[Lit("functools"), Space(""), Calls(&LIST)])],
        around: [""; 3],
        glue: &[],
        block: true,
    },
};

/// Mistral up to tokenizer v7.
pub(crate) static MISTRAL_JSON: ToolDialect = ToolDialect {
    family: "mistral_json",
    same_as: &[],
    models: &["mistral", "mixtral"],
    looks_like: r#"[TOOL_CALLS] [{"name": …, "arguments": …, "id": …}]"#,
    grammar: &Pattern {
        forms: &[Form::own(&[Lit("[TOOL_CALLS]"), Space(" "), Calls(&WITH_ID)]), Form::weak(&[Calls(&WITH_ID)], true)],
        around: [""; 3],
        glue: &["</s>"],
        block: true,
    },
};

/// Command R and A.
pub(crate) static COHERE_ACTION: ToolDialect = ToolDialect {
    family: "cohere_action",
    same_as: &[],
    models: &[],
    looks_like: r#"<|START_ACTION|>[{"tool_call_id": …, "tool_name": …, "parameters": …}]<|END_ACTION|>"#,
    grammar: &Pattern {
        forms: &[
            Form::own(&between("<|START_ACTION|>", "", &COHERE, "<|END_ACTION|>")),
            Form::weak(&[Calls(&COHERE)], true),
        ],
        around: [""; 3],
        glue: &[],
        block: true,
    },
};

/// Apertus.
pub(crate) static APERTUS: ToolDialect = ToolDialect {
    family: "apertus",
    same_as: &[],
    models: &[],
    looks_like: r#"<|tools_prefix|>[{"name": {…}}]<|tools_suffix|>"#,
    grammar: &Pattern {
        forms: &[
            Form::own(&between("<|tools_prefix|>", "", &BY_NAME, "<|tools_suffix|>")),
            Form::weak(&[Calls(&BY_NAME)], true),
        ],
        around: [""; 3],
        glue: &[],
        block: true,
    },
};
