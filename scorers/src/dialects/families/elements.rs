//! Calls as XML-like elements: `<function=name><parameter=key>value</parameter></function>` and `<invoke name="…">`.

use super::super::ToolDialect;
use super::super::read::Part::{Close, Lit, Name, Params as Args, Skip, Space};
use super::super::read::{Form, Params, Part, Pattern, Typing};

const QWEN: Params = Params {
    open: "<parameter=",
    key_end: ">",
    mid: "",
    close: "</parameter>",
    close_key: false,
    pads: ["", "\n", "\n"],
    typing: Typing::Schema,
};
const MIMO: Params = Params { pads: ["", "", "\n"], ..QWEN };
const NAMED: Params = Params { open: "<parameter name=\"", key_end: "\"", mid: ">", ..MIMO };
const CPM: Params = Params { open: "<param name=\"", close: "</param>", pads: ["", "", ""], ..NAMED };
const STEP: Params =
    Params { open: "<steptml:parameter name=\"", close: "</steptml:parameter>", pads: ["", "", ""], ..NAMED };
const ATEM: Params = Params { open: "<atem:parameter name=\"", close: "</atem:parameter>", ..NAMED };
const DSML: Params =
    Params {
        open: "<｜DSML｜parameter name=\"", close: "</｜DSML｜parameter>", typing: Typing::StringFlag, ..NAMED
    };
const DSML_SPACED: Params = Params { open: "<｜DSML｜ parameter name=\"", close: "</｜DSML｜ parameter>", ..DSML };
const GCML: Params = Params { open: "<｜GCML｜parameter name=\"", close: "</｜GCML｜parameter>", ..DSML };
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

const FUNCTION: &[Part] =
    &[Lit("<function="), Name, Lit(">"), Space("\n"), Args(&QWEN, "</function>"), Space("\n"), Close("</function>")];

/// Qwen3-Coder, Qwen3.5, Step 3.5, Nemotron 3. The outer tag is sometimes left out by the model.
pub(crate) static QWEN3_CODER_XML: ToolDialect = ToolDialect {
    family: "qwen3_coder_xml",
    same_as: &["mimo_xml"],
    models: &[],
    looks_like: "<tool_call><function=name><parameter=key>value</parameter></function></tool_call>",
    grammar: &Pattern {
        forms: &[Form::own(FUNCTION)],
        around: ["<tool_call>\n", "\n</tool_call>\n<tool_call>\n", "\n</tool_call>"],
        glue: &["<tool_call>", "</tool_call>"],
        block: false,
    },
};

/// `MiMo`: values on the tags' own line.
pub(crate) static MIMO_XML: ToolDialect = ToolDialect {
    family: "mimo_xml",
    same_as: &["qwen3_coder_xml"],
    models: &["mimo"],
    looks_like: "qwen3_coder_xml with each value on its tag's line",
    grammar: &Pattern {
        forms: &[Form::own(&[
            Lit("<function="),
            Name,
            Lit(">"),
            Space("\n"),
            Args(&MIMO, "</function>"),
            Space("\n"),
            Close("</function>"),
        ])],
        around: ["<tool_call>\n", "\n</tool_call>\n<tool_call>\n", "\n</tool_call>"],
        glue: &["<tool_call>", "</tool_call>"],
        block: false,
    },
};

/// Seed-OSS.
pub(crate) static SEED_OSS_XML: ToolDialect = ToolDialect {
    family: "seed_oss_xml",
    same_as: &[],
    models: &[],
    looks_like: "<seed:tool_call><function=name><parameter=key>value</parameter></function></seed:tool_call>",
    grammar: &Pattern {
        forms: &[Form::own(&[
            Lit("<seed:tool_call>"),
            Space("\n"),
            Lit("<function="),
            Name,
            Lit(">"),
            Space("\n"),
            Args(&MIMO, "</function>"),
            Space("\n"),
            Close("</function>"),
            Space("\n"),
            Close("</seed:tool_call>"),
        ])],
        around: ["", "\n", ""],
        glue: &[],
        block: false,
    },
};

const INVOKE: &[Part] = &[
    Lit("<invoke name=\""),
    Name,
    Lit("\">"),
    Space("\n"),
    Args(&NAMED, "</invoke>"),
    Space("\n"),
    Close("</invoke>"),
];

/// `MiniMax` M2.
pub(crate) static MINIMAX_M2: ToolDialect = ToolDialect {
    family: "minimax_m2",
    same_as: &[],
    models: &[],
    looks_like: "<minimax:tool_call><invoke name=\"…\"><parameter name=\"…\">value</parameter></invoke></minimax:tool_call>",
    grammar: &Pattern {
        forms: &[Form::signed(INVOKE, &["<minimax:tool_call>", "</minimax:tool_call>"]), Form::partial(INVOKE)],
        around: ["\n<minimax:tool_call>\n", "\n", "\n</minimax:tool_call>"],
        glue: &[],
        block: false,
    },
};

/// dots.
pub(crate) static DOTS: ToolDialect = ToolDialect {
    family: "dots",
    same_as: &[],
    models: &[],
    looks_like: "<dots_function_call><invoke name=\"…\">…</invoke></dots_function_call>",
    grammar: &Pattern {
        forms: &[Form::signed(INVOKE, &["<dots_function_call>", "</dots_function_call>"])],
        around: ["<dots_function_call>\n", "\n", "\n</dots_function_call>"],
        glue: &[],
        block: false,
    },
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

const DSML_INVOKE: &[Part] = &[
    Lit("<｜DSML｜invoke name=\""),
    Name,
    Lit("\">"),
    Space("\n"),
    Args(&DSML, "</｜DSML｜invoke>"),
    Space("\n"),
    Close("</｜DSML｜invoke>"),
];

/// `DeepSeek` V3.2.
pub(crate) static DEEPSEEK_V32_DSML: ToolDialect = ToolDialect {
    family: "deepseek_v32_dsml",
    same_as: &[],
    models: &[],
    looks_like: "<｜DSML｜function_calls><｜DSML｜invoke name=\"…\">…",
    grammar: &Pattern {
        forms: &[
            Form::signed(DSML_INVOKE, &["<｜DSML｜function_calls>", "</｜DSML｜function_calls>"]),
            Form::partial(DSML_INVOKE),
        ],
        around: ["\n\n<｜DSML｜function_calls>\n", "\n", "\n</｜DSML｜function_calls>"],
        glue: &[],
        block: false,
    },
};

/// `DeepSeek` V4. The misspelt wrappers have been seen in production (vLLM's parser names them).
pub(crate) static DEEPSEEK_V4_DSML: ToolDialect = ToolDialect {
    family: "deepseek_v4_dsml",
    same_as: &[],
    models: &[],
    looks_like: "<｜DSML｜tool_calls><｜DSML｜invoke name=\"…\">…",
    grammar: &Pattern {
        forms: &[Form::signed(
            DSML_INVOKE,
            &["<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", "<｜DSML｜toolcalls>", "<｜DSML｜tool>"],
        )],
        around: ["\n\n<｜DSML｜tool_calls>\n", "\n", "\n</｜DSML｜tool_calls>"],
        glue: &["<｜DSML｜toolcalls>", "</｜DSML｜toolcalls>", "<｜DSML｜tool>", "</｜DSML｜tool>"],
        block: false,
    },
};

/// `DeepSeek` V4.1: a space after the marker of every tag.
pub(crate) static DEEPSEEK_V41_DSML: ToolDialect = ToolDialect {
    family: "deepseek_v41_dsml",
    same_as: &[],
    models: &[],
    looks_like: "<｜DSML｜ calls><｜DSML｜ invoke name=\"…\">…",
    grammar: &Pattern {
        forms: &[Form::own(&[
            Lit("<｜DSML｜ invoke name=\""),
            Name,
            Lit("\">"),
            Space("\n"),
            Args(&DSML_SPACED, "</｜DSML｜ invoke>"),
            Space("\n"),
            Close("</｜DSML｜ invoke>"),
        ])],
        around: ["\n\n<｜DSML｜ calls>\n", "\n", "\n</｜DSML｜ calls>"],
        glue: &[],
        block: false,
    },
};

/// `GigaChat` 3.5.
pub(crate) static GIGACHAT35_GCML: ToolDialect = ToolDialect {
    family: "gigachat35_gcml",
    same_as: &[],
    models: &[],
    looks_like: "<｜GCML｜tool_calls><｜GCML｜invoke name=\"…\">…",
    grammar: &Pattern {
        forms: &[Form::own(&[
            Lit("<｜GCML｜invoke name=\""),
            Name,
            Lit("\">"),
            Space("\n"),
            Args(&GCML, "</｜GCML｜invoke>"),
            Space("\n"),
            Close("</｜GCML｜invoke>"),
        ])],
        around: ["<｜GCML｜tool_calls>\n", "\n", "\n</｜GCML｜tool_calls>"],
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
        forms: &[Form::own(&[
            Lit("<steptml:invoke name=\""),
            Name,
            Lit("\">"),
            Space(""),
            Args(&STEP, "</steptml:invoke>"),
            Space(""),
            Close("</steptml:invoke>"),
        ])],
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
        forms: &[Form::own(&[
            Lit("<function name=\""),
            Name,
            Lit("\">"),
            Space(""),
            Args(&CPM, "</function>"),
            Space(""),
            Close("</function>"),
        ])],
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
            Part::Attributes("<|sep|>"),
            Args(&KIMI, "<|close|>call<|sep|>"),
            Space(""),
            Close("<|close|>call<|sep|>"),
        ])],
        around: ["<|open|>tools<|sep|>", "", "<|close|>tools<|sep|>"],
        glue: &[],
        block: false,
    },
};
