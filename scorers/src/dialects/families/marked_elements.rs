//! Elements whose tags carry markers or prefixes of their own: Step, Muse, MiniCPM, Kimi K3, `MiniMax` M3.

use super::super::ToolDialect;
use super::super::read::Part::{Attributes, Close, Lit, Name, Params as Args, Skip, Space};
use super::super::read::{Form, Params, Pattern, Typing};
use super::elements::{NAMED, invoke};

const CPM: Params = Params { open: "<param name=\"", close: "</param>", pads: ["", "", ""], ..NAMED };
const STEP: Params =
    Params { open: "<steptml:parameter name=\"", close: "</steptml:parameter>", pads: ["", "", ""], ..NAMED };
const ATEM: Params = Params { open: "<atem:parameter name=\"", close: "</atem:parameter>", ..NAMED };
const KIMI: Params = Params {
    open: "<|open|>argument key=\"",
    key_end: "\"",
    mid: "<|sep|>",
    close: "<|close|>argument<|sep|>",
    close_key: false,
    pads: ["", "", ""],
    typing: Typing::TypeName,
};
const M3: Params = Params {
    open: "]<]minimax[>[<",
    key_end: ">",
    mid: "",
    close: "]<]minimax[>[</",
    close_key: true,
    pads: ["", "", ""],
    typing: Typing::Schema,
};

/// `MiniMax` M3: one element an argument, a marker before every tag.
pub(crate) static MINIMAX_M3: ToolDialect = ToolDialect {
    family: "minimax_m3",
    same_as: &[],
    models: &[],
    looks_like: "]<]minimax[>[<invoke name=\"…\">]<]minimax[>[<key>value]<]minimax[>[</key>…",
    grammar: &Pattern {
        forms: &[Form::own(&[
            Lit("]<]minimax[>[<invoke name=\""),
            Name,
            Lit("\">"),
            Args(&M3, "]<]minimax[>[</invoke>"),
            Space(""),
            Close("]<]minimax[>[</invoke>"),
        ])],
        around: ["]<]minimax[>[<tool_call>\n", "\n", "\n]<]minimax[>[</tool_call>"],
        glue: &[],
        block: false,
    },
};

/// Step 3.
pub(crate) static STEP3: ToolDialect = ToolDialect {
    family: "step3",
    same_as: &[],
    models: &[],
    looks_like: "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"…\">…",
    grammar: &Pattern {
        forms: &[Form::own(&invoke("<steptml:invoke name=\"", "", &STEP, "</steptml:invoke>"))],
        around: [
            "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>",
            "<｜tool_call_end｜><｜tool_call_begin｜>function<｜tool_sep｜>",
            "<｜tool_call_end｜><｜tool_calls_end｜>",
        ],
        glue: &[
            "<｜tool_calls_begin｜>",
            "<｜tool_call_begin｜>function<｜tool_sep｜>",
            "<｜tool_call_end｜>",
            "<｜tool_calls_end｜>",
        ],
        block: false,
    },
};

/// MiniCPM 5.
pub(crate) static MINICPM5_XML: ToolDialect = ToolDialect {
    family: "minicpm5_xml",
    same_as: &[],
    models: &[],
    looks_like: "<function name=\"…\"><param name=\"…\">value</param></function>",
    grammar: &Pattern {
        forms: &[Form::own(&invoke("<function name=\"", "", &CPM, "</function>"))],
        around: ["", "\n", ""],
        glue: &[],
        block: false,
    },
};

/// Muse.
pub(crate) static MUSE_ATEM: ToolDialect = ToolDialect {
    family: "muse_atem",
    same_as: &[],
    models: &[],
    looks_like: " to=name<|message|><atem:function_calls><atem:invoke name=\"…\">…",
    grammar: &Pattern {
        forms: &[
            Form::own(&[
                Lit(" to="),
                Name,
                Lit("<|message|>"),
                Lit("<atem:function_calls>"),
                Space("\n"),
                Lit("<atem:invoke name=\""),
                Name,
                Lit("\">"),
                Space("\n"),
                Args(&ATEM, "</atem:invoke>"),
                Space("\n"),
                Close("</atem:invoke>"),
                Space("\n"),
                Close("</atem:function_calls>"),
            ]),
            Form::partial(&[
                Lit("<atem:invoke name=\""),
                Name,
                Lit("\">"),
                Space("\n"),
                Args(&ATEM, "</atem:invoke>"),
                Space("\n"),
                Close("</atem:invoke>"),
                Skip(&["<|eom|>"]),
            ]),
        ],
        around: ["", "<|eom|><|start|>assistant", ""],
        glue: &["<atem:function_calls>", "</atem:function_calls>", "<|eom|>", "<|eot|>"],
        block: false,
    },
};

/// Kimi K3: elements of marker tokens, with types.
pub(crate) static KIMI_K3: ToolDialect = ToolDialect {
    family: "kimi_k3",
    same_as: &[],
    models: &[],
    looks_like: "<|open|>call tool=\"…\" index=\"1\"<|sep|><|open|>argument key=\"…\" type=\"…\"<|sep|>…",
    grammar: &Pattern {
        forms: &[Form::own(&[
            Lit("<|open|>call tool=\""),
            Name,
            Lit("\""),
            Attributes("<|sep|>"),
            Args(&KIMI, "<|close|>call<|sep|>"),
            Space(""),
            Close("<|close|>call<|sep|>"),
        ])],
        around: ["<|open|>tools<|sep|>", "", "<|close|>tools<|sep|>"],
        glue: &[],
        block: false,
    },
};
