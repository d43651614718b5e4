//! `<arg_key>` and `<arg_value>`: GLM and its kin.

use super::super::ToolDialect;
use super::super::read::Part::{Close, Line, Lit, Name, Params as Args, Soft, Space};
use super::super::read::{Form, Params, Part, Pattern, Typing};
use super::suffixed::Suffixed;

const KEYS: Params = Params {
    open: "<arg_key>",
    key_end: "</arg_key>",
    mid: "<arg_value>",
    close: "</arg_value>",
    close_key: false,
    pads: ["\n", "", "\n"],
    typing: Typing::Schema,
};
const TIGHT: Params = Params { pads: ["", "", ""], ..KEYS };
const LING: Params = Params { pads: ["\n", "", ""], ..KEYS };
const IFM: Params = Params {
    open: "<ifm|arg_key>",
    key_end: "</ifm|arg_key>",
    mid: "<ifm|arg_value>",
    close: "</ifm|arg_value>",
    ..KEYS
};

/// The name, a line break, the arguments.
const fn lines(params: &'static Params) -> [Part; 7] {
    [Lit("<tool_call>"), Space(""), Name, Line, Args(params, "</tool_call>"), Space("\n"), Close("</tool_call>")]
}

/// GLM 4.5 and 4.6: line breaks between the elements.
pub(crate) static GLM45_ARGKEY: ToolDialect = ToolDialect {
    family: "glm45_argkey",
    same_as: &["ling3_argkey"],
    models: &[],
    looks_like: "<tool_call>name, lines of <arg_key>k</arg_key><arg_value>v</arg_value>, </tool_call>",
    grammar: &Pattern { forms: &[Form::own(&lines(&KEYS))], around: ["\n", "\n", ""], glue: &[], block: false },
};

/// GLM 4.7 and later: no line breaks, and calls without arguments.
pub(crate) static GLM47_ARGKEY: ToolDialect = ToolDialect {
    family: "glm47_argkey",
    same_as: &["poolside_v1"],
    models: &[],
    looks_like: "<tool_call>name<arg_key>k</arg_key><arg_value>v</arg_value></tool_call>",
    grammar: &GLM47,
};

const GLM47: Pattern = Pattern {
    forms: &[
        Form::own(&[Lit("<tool_call>"), Name, Args(&TIGHT, "</tool_call>"), Lit("</tool_call>")]),
        Form::signed(
            &[Lit("<tool_call>"), Space(""), Name, Args(&TIGHT, "</tool_call>"), Close("</tool_call>")],
            &["<arg_key>"],
        ),
    ],
    around: [""; 3],
    glue: &[],
    block: false,
};

/// Poolside Laguna.
pub(crate) static POOLSIDE_V1: ToolDialect = ToolDialect {
    family: "poolside_v1",
    same_as: &["glm47_argkey"],
    models: &["laguna", "poolside"],
    looks_like: "the same bytes as glm47_argkey",
    grammar: &GLM47,
};

/// Ling 3.
pub(crate) static LING3_ARGKEY: ToolDialect = ToolDialect {
    family: "ling3_argkey",
    same_as: &["glm45_argkey"],
    models: &["ling-3", "ling3", "ring-3"],
    looks_like: "glm45_argkey without a line break between an argument and the next",
    grammar: &Pattern { forms: &[Form::own(&lines(&LING))], around: ["", "\n", ""], glue: &[], block: false },
};

/// `IQuest` Q1.
pub(crate) static IQUEST_Q1: ToolDialect = ToolDialect {
    family: "iquest_q1",
    same_as: &[],
    models: &[],
    looks_like: "<iquest_tool_call>name<arg_key>k</arg_key><arg_value>v</arg_value></iquest_tool_call>",
    grammar: &Pattern {
        forms: &[Form::own(&[
            Lit("<iquest_tool_call>"),
            Space(""),
            Name,
            Args(&TIGHT, "</iquest_tool_call>"),
            Close("</iquest_tool_call>"),
        ])],
        around: [""; 3],
        glue: &[],
        block: false,
    },
};

const HY: Pattern = Pattern {
    forms: &[
        Form::own(&[
            Lit("<tool_call>"),
            Space(""),
            Name,
            Lit("<tool_sep>"),
            Space("\n"),
            Args(&KEYS, "</tool_call>"),
            Space("\n"),
            Close("</tool_call>"),
        ]),
        Form::signed(
            &[
                Lit("<tool_call>"),
                Space(""),
                Name,
                Soft("<tool_sep>"),
                Space(""),
                Args(&KEYS, "</tool_call>"),
                Close("</tool_call>"),
            ],
            &["<tool_calls>"],
        ),
    ],
    around: ["<tool_calls>\n", "\n", "\n</tool_calls>"],
    glue: &[],
    block: false,
};

/// Hunyuan 3.
pub(crate) static HY_V3: ToolDialect = ToolDialect {
    family: "hy_v3",
    same_as: &[],
    models: &[],
    looks_like: "<tool_calls><tool_call>name<tool_sep>\
                 <arg_key>k</arg_key><arg_value>v</arg_value></tool_call></tool_calls>",
    grammar: &HY,
};

/// Hunyuan 3 as released: every tag carries a suffix.
pub(crate) static HY_V3_OPENSOURCE: ToolDialect = ToolDialect {
    family: "hy_v3_opensource",
    same_as: &[],
    models: &[],
    looks_like: "hy_v3 with a suffix in every tag: <tool_call:opensource>",
    grammar: &Suffixed { inner: HY, suffix: ":opensource" },
};

/// K2 Horizon.
pub(crate) static K2_HORIZON: ToolDialect = ToolDialect {
    family: "k2_horizon",
    same_as: &[],
    models: &[],
    looks_like: "<ifm|tool_call>name, <ifm|arg_key>k</ifm|arg_key><ifm|arg_value>v</ifm|arg_value>, </ifm|tool_call>",
    grammar: &Pattern {
        forms: &[Form::own(&[
            Lit("<ifm|tool_call>"),
            Space(""),
            Name,
            Space("\n"),
            Args(&IFM, "</ifm|tool_call>"),
            Space("\n"),
            Close("</ifm|tool_call>"),
        ])],
        around: ["<ifm|tool_calls>\n", "\n", "\n</ifm|tool_calls>"],
        glue: &[],
        block: false,
    },
};
