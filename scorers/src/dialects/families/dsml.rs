//! `DeepSeek`'s and `GigaChat`'s elements: a marker in every tag, and each value says whether it is text.

use super::super::ToolDialect;
use super::super::read::{Form, Params, Part, Pattern, Typing};
use super::elements::{NAMED, invoke};

const DSML: Params =
    Params {
        open: "<｜DSML｜parameter name=\"", close: "</｜DSML｜parameter>", typing: Typing::StringFlag, ..NAMED
    };
const DSML_SPACED: Params = Params { open: "<｜DSML｜ parameter name=\"", close: "</｜DSML｜ parameter>", ..DSML };
const GCML: Params = Params { open: "<｜GCML｜parameter name=\"", close: "</｜GCML｜parameter>", ..DSML };

const DSML_INVOKE: &[Part] = &invoke("<｜DSML｜invoke name=\"", "\n", &DSML, "</｜DSML｜invoke>");

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
    models: &["deepseek-v4"],
    looks_like: "<｜DSML｜tool_calls><｜DSML｜invoke name=\"…\">…",
    grammar: &Pattern {
        forms: &[
            Form::signed(
                DSML_INVOKE,
                &["<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", "<｜DSML｜toolcalls>", "<｜DSML｜tool>"],
            ),
            Form::partial(DSML_INVOKE),
        ],
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
        forms: &[Form::own(&invoke("<｜DSML｜ invoke name=\"", "\n", &DSML_SPACED, "</｜DSML｜ invoke>"))],
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
        forms: &[Form::own(&invoke("<｜GCML｜invoke name=\"", "\n", &GCML, "</｜GCML｜invoke>"))],
        around: ["<｜GCML｜tool_calls>\n", "\n", "\n</｜GCML｜tool_calls>"],
        glue: &[],
        block: false,
    },
};
