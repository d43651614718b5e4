//! The tables: what stands in their rows and columns, and the document they make. Main type: [`Table`].

use std::fmt::Write as _;

use monban_scorers::catalogue::catalogue;
use monban_scorers::dialects::tool_dialect;
use rayon::prelude::*;

use super::ask::{Memo, tool_tasks};
use super::cell::{Cell, Place, right};
use super::models::model_of;
use super::{thinking, thought};

/// The engines and versions asked.
pub(crate) const ENGINES: &[(&str, &str)] =
    &[("vllm", "0.33.0"), ("vllm", "0.20.2"), ("vllm", "0.11.2"), ("sglang", "0.5.23"), ("sglang", "0.5.9")];

/// The parsers of the columns, beside none and the right one.
fn parsers(engine: &str) -> &'static [&'static str] {
    match engine {
        "sglang" => &[
            "hermes",
            "qwen",
            "qwen3_coder",
            "glm45",
            "llama3",
            "mistral",
            "deepseekv3",
            "kimi_k2",
            "gemma4",
            "pythonic",
            "minimax-m2",
        ],
        _ => &[
            "hermes",
            "qwen3_coder",
            "glm45",
            "glm47",
            "llama3_json",
            "mistral",
            "deepseek_v3",
            "deepseek_v31",
            "kimi_k2",
            "gemma4",
            "pythonic",
            "minimax_m2",
            "granite",
        ],
    }
}

/// A family's row.
#[derive(Debug)]
pub(crate) struct Row {
    /// The family.
    pub(crate) family: String,
    /// The right parser, where the version has one.
    pub(crate) right: Option<&'static str>,
    /// None, the right one, and every column's.
    pub(crate) cells: Vec<Option<Cell>>,
}

/// One engine's table.
#[derive(Debug)]
pub(crate) struct Table<R = Row> {
    /// The engine.
    pub(crate) engine: &'static str,
    /// Its version.
    pub(crate) version: &'static str,
    /// The columns.
    pub(crate) columns: Vec<&'static str>,
    /// The rows.
    pub(crate) rows: Vec<R>,
}

/// Asks every family behind every parser of an engine's version.
pub(crate) fn table(engine: &'static str, version: &'static str) -> Table {
    use monban_scorers::catalogue::{FamilyKind, parser_names};
    let names = parser_names(engine, FamilyKind::Tool, Some(version));
    let columns: Vec<_> = parsers(engine).iter().copied().filter(|parser| names.contains(parser)).collect();
    let families = catalogue().tools.iter().map(|family| family.name.as_str());
    let families: Vec<&str> = families.filter(|family| tool_dialect(family).is_some()).collect();
    let row = |family: &&'static str| {
        let (tasks, place) = (tool_tasks(), Place { engine, version, family, model: model_of(family) });
        let right = right(engine, version, family);
        let mut memo = Memo::new();
        let mut ask = |parser| Cell::tool(place, parser, &tasks, &mut memo);
        let mut cells = vec![Some(ask(None)), right.map(|name| ask(Some(name)))];
        cells.extend(columns.iter().map(|name| Some(ask(Some(name)))));
        Row { family: (*family).to_owned(), right, cells }
    };
    let rows = families.par_iter().map(row).collect();
    Table { engine, version, columns, rows }
}

const HEAD: &str = "# What monban says: family × parser × engine

Made by `cargo run --example parser_table`, which asks the simulated endpoint. A test makes it anew and holds every cell against
what the catalogue's matrices say of that parser, family and version: the rule, the blame, a right parser in the fix, and the
calls recovered wherever the wire still carries them.

Each cell of the first tables is asked for one call, two calls, a call without arguments and an answer without a call, each plain
and streamed and both judged together. The context holds the engine, its version and the model's id; the parsers are told where
the engine tells them (SGLang's `/model_info`), and not where it does not (vLLM). Each cell of the reasoning tables is asked for an
answer and for a call after thinking, with thinking on / off where the model has a switch.

| word | what monban says |
|---|---|
| ok | every task passed, no finding |
| auto | `auto_tool_choice_missing`: the requests were refused |
| wrong | `wrong_tool_parser`, in the reasoning tables `wrong_reasoning_parser` |
| none | `no_tool_parser`, in the reasoning tables `no_reasoning_parser` |
| stream | `stream_only`: one mode delivers what the other loses |
| unneeded | `unneeded_reasoning_parser`: the model does not think |
| n/m | of m tasks that want calls (in the reasoning tables: all), n had what the model wrote recovered: outcome `server_fault` |
| — | the engine does not start with this parser for this model |
| · | this version has no parser for it |
| ? | nothing on the wire tells: the markers are gone, thought and answer stand in one text |

What the wire cannot tell apart counts as right either way: on vLLM thoughts in the text are the same with no reasoning parser and
with one for other markers; Harmony's calls are lost without a parser as with a wrong one; a parser that works in one mode only is
`stream` or `wrong`. Where a wrong parser delivers the right calls with markup beside them, the tasks pass and the finding stands.
";

/// The whole document.
pub(crate) fn document(tables: &[Table], thinking: &[thinking::Table]) -> String {
    let cells: usize = tables.iter().flat_map(|table| &table.rows).map(|row| row.cells.iter().flatten().count()).sum();
    let asked: usize = thinking.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells).map(Vec::len).sum();
    let mut out = format!("{HEAD}\n{cells} cells of tool parsers, {asked} of reasoning parsers.\n");
    for table in tables {
        let _ = writeln!(out, "\n## {} {}\n", table.engine, table.version);
        let _ = writeln!(out, "| family | none | right | {} |", table.columns.join(" | "));
        let _ = writeln!(out, "|---|---|---|{}", "---|".repeat(table.columns.len()));
        for row in &table.rows {
            let mut cells = row.cells.iter().map(|cell| cell.as_ref().map_or_else(|| "·".to_owned(), word));
            let none = cells.next().unwrap_or_default();
            let right = cells.next().unwrap_or_default();
            let right = row.right.map_or(right.clone(), |name| format!("`{name}`: {right}"));
            let rest: Vec<String> = cells.collect();
            let _ = writeln!(out, "| {} | {none} | {right} | {} |", row.family, rest.join(" | "));
        }
    }
    for table in thinking {
        let _ = writeln!(out, "\n## Reasoning: {} {}\n", table.engine, table.version);
        let _ = writeln!(out, "| family (model) | none | right | {} |", table.columns.join(" | "));
        let _ = writeln!(out, "|---|---|---|{}", "---|".repeat(table.columns.len()));
        for row in &table.rows {
            let both = |cells: &Vec<thinking::Asked>| {
                let words: Vec<String> = cells.iter().map(thinking_word).collect();
                if words.is_empty() { "·".to_owned() } else { words.join(" / ") }
            };
            let mut cells: Vec<String> = row.cells.iter().map(both).collect();
            if let (Some(name), Some(cell)) = (row.right, cells.get_mut(1)) {
                *cell = format!("`{name}`: {cell}");
            }
            let _ = writeln!(out, "| {} ({}) | {} |", row.family, row.model, cells.join(" | "));
        }
    }
    out
}

/// A cell in a word or two.
pub(crate) fn word(cell: &Cell) -> String {
    if cell.options.is_none() {
        return "—".to_owned();
    }
    let words: Vec<&str> = cell.rules().into_iter().map(short).collect();
    let (recovered, of) = cell.recovered();
    match (words.is_empty(), recovered) {
        (true, _) => "ok".to_owned(),
        (false, 0) => words.join("+"),
        _ => format!("{} {recovered}/{of}", words.join("+")),
    }
}

/// The same of a cell about thinking.
fn thinking_word(asked: &thinking::Asked) -> String {
    if thought::is_blurred(asked) { "?".to_owned() } else { word(&asked.cell) }
}

fn short(rule: &str) -> &str {
    match rule {
        "wrong_tool_parser" => "wrong",
        "no_tool_parser" => "none",
        "auto_tool_choice_missing" => "auto",
        "stream_only" => "stream",
        "wrong_reasoning_parser" => "wrong",
        "no_reasoning_parser" => "none",
        "unneeded_reasoning_parser" => "unneeded",
        other => other,
    }
}
