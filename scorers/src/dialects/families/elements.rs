//! Calls as XML-like elements: `<function=name><parameter=key>value</parameter></function>` and `<invoke name="…">`.

use super::super::ToolDialect;
use super::super::read::Part::{Close, Lit, Name, Params as Args, Space};
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
/// `<parameter name="key">value</parameter>`
pub(super) const NAMED: Params = Params { open: "<parameter name=\"", key_end: "\"", mid: ">", ..MIMO };

/// `<function=name>`, the arguments, `</function>`.
const fn function(params: &'static Params) -> [Part; 7] {
    [Lit("<function="), Name, Lit(">"), Space("\n"), Args(params, "</function>"), Space("\n"), Close("</function>")]
}

/// Qwen3-Coder, Qwen3.5, Step 3.5, Nemotron 3. The outer tag is sometimes left out by the model.
pub(crate) static QWEN3_CODER_XML: ToolDialect = ToolDialect {
    family: "qwen3_coder_xml",
    same_as: &["mimo_xml"],
    models: &[],
    looks_like: "<tool_call><function=name><parameter=key>value</parameter></function></tool_call>",
    grammar: &Pattern {
        forms: &[Form::own(&function(&QWEN))],
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
        forms: &[Form::own(&function(&MIMO))],
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

/// An element that names the function in an attribute: `open name">`, the arguments, `close`.
pub(super) const fn invoke(
    open: &'static str,
    pad: &'static str,
    params: &'static Params,
    close: &'static str,
) -> [Part; 7] {
    [Lit(open), Name, Lit("\">"), Space(pad), Args(params, close), Space(pad), Close(close)]
}
const INVOKE: &[Part] = &invoke(
    "<invoke name=\"",
    "
",
    &NAMED,
    "</invoke>",
);

/// `MiniMax` M2.
pub(crate) static MINIMAX_M2: ToolDialect = ToolDialect {
    family: "minimax_m2",
    same_as: &[],
    models: &[],
    looks_like: "<minimax:tool_call><invoke name=\"…\"><parameter \
                 name=\"…\">value</parameter></invoke></minimax:tool_call>",
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
