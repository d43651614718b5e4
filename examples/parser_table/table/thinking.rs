//! The tables of reasoning: how a model thinks × reasoning parser, with thinking on and off. Main function: [`tables`].

use monban::endpoint::harness::{Options, ParserChoice};
use monban_scorers::Mode;
use monban_scorers::catalogue::{self, Delivery, FamilyKind, MatrixOutcome, Part, Setup, Written, model_rule};
use rayon::prelude::*;

use super::ask::{Memo, reasoning_tasks};
use super::cell::{Cell, right, said};
use super::models::{MODELS, THINKERS};

/// The engines and versions asked.
pub(crate) const ENGINES: &[(&str, &str)] =
    &[("vllm", "0.33.0"), ("vllm", "0.20.2"), ("vllm", "0.11.2"), ("sglang", "0.5.23")];

/// The parsers of the columns, beside none and the right one.
fn parsers(engine: &str) -> &'static [&'static str] {
    match engine {
        "sglang" => &[
            "qwen3",
            "qwen3-thinking",
            "deepseek-r1",
            "deepseek-v3",
            "glm45",
            "kimi_k2",
            "minimax",
            "gemma4",
            "mistral",
        ],
        _ => &[
            "qwen3",
            "deepseek_r1",
            "deepseek_v3",
            "glm45",
            "kimi_k2",
            "minimax_m2",
            "gemma4",
            "granite",
            "hunyuan_a13b",
            "mistral",
        ],
    }
}

/// A row: a model, and how it thinks.
#[derive(Debug)]
pub(crate) struct Row {
    /// Its reasoning family; `none` for a model that does not think.
    pub(crate) family: &'static str,
    /// The model.
    pub(crate) model: &'static str,
    /// The parser that reads it, where the version has one.
    pub(crate) right: Option<&'static str>,
    /// None, the right one, and every column's; each with thinking on and, where it can be switched off, off.
    pub(crate) cells: Vec<Vec<Asked>>,
}

/// A cell with one setting of the switch.
#[derive(Debug)]
pub(crate) struct Asked {
    /// What the request says of thinking.
    pub(crate) thinking: bool,
    /// The server and what was said.
    pub(crate) cell: Cell,
}

/// One engine's table.
pub(crate) type Table = super::document::Table<Row>;

/// One model for every way to think, and one that does not.
fn models() -> Vec<(&'static str, &'static str, Option<&'static str>)> {
    let mut seen = Vec::new();
    let mut out = Vec::new();
    for (tool, model) in THINKERS.iter().chain(MODELS) {
        let rule = model_rule(model).filter(|rule| rule.thinks() != "never");
        let thought = rule.and_then(|rule| rule.reasoning_family.as_deref());
        let new = !seen.contains(&thought);
        if new && (thought.is_some() || *model == "Qwen/Qwen2.5-7B-Instruct") {
            seen.push(thought);
            out.push((*tool, *model, thought));
        }
    }
    out
}

/// Asks every model behind every reasoning parser of an engine's version.
pub(crate) fn table(engine: &'static str, version: &'static str) -> Table {
    let names = catalogue::parser_names(engine, FamilyKind::Reasoning, Some(version));
    let columns: Vec<_> = parsers(engine).iter().copied().filter(|parser| names.contains(parser)).collect();
    let row = |(tool, model, thought): (&'static str, &'static str, Option<&'static str>)| {
        let known = thought.and_then(|name| catalogue::catalogue().family_of(FamilyKind::Reasoning, name));
        let switch = known.is_some_and(|known| known.toggle.is_some());
        let right = known.and_then(|known| reader(engine, version, &known.name));
        let mut memo = Memo::new();
        let mut ask = |parser: Option<&str>| -> Vec<Asked> {
            let settings = [Some(true), switch.then_some(false)].into_iter().flatten();
            settings
                .map(|thinking| asked(engine, version, (tool, model, thought), parser, thinking, &mut memo))
                .collect()
        };
        let mut cells = vec![ask(None), right.map(|name| ask(Some(name))).unwrap_or_default()];
        cells.extend(columns.iter().map(|name| ask(Some(name))));
        Row { family: thought.unwrap_or("none"), model, right, cells }
    };
    Table { engine, version, columns: columns.clone(), rows: models().into_par_iter().map(row).collect() }
}

/// A parser that splits the family's thoughts in both modes and leaves an answer without any alone, else the first named for it.
fn reader(engine: &str, version: &str, family: &str) -> Option<&'static str> {
    let names = catalogue::reasoning_parsers_reading(engine, family, Some(version));
    let clean = |parser: &&&str| {
        let setup = Setup { engine, version: Some(version), tool_parser: Some("?"), reasoning_parser: Some(parser) };
        [(Some(family), true), (None, false)].into_iter().all(|(thought, on)| {
            let written = Written {
                offered: false,
                calls: None,
                parallel: false,
                thought,
                thinking: Some(on),
                mode: Mode::Plain,
            };
            matches!(catalogue::deliver(&setup, &written), Delivery::Answer(answer) if answer.content == Part::Answer)
        })
    };
    names.iter().find(clean).or(names.first()).copied()
}

fn asked(
    engine: &str,
    version: &str,
    (tool, model, thought): (&str, &str, Option<&str>),
    parser: Option<&str>,
    thinking: bool,
    memo: &mut Memo,
) -> Asked {
    let named = |name: Option<&str>| name.map_or(ParserChoice::None, |name| ParserChoice::Named(name.to_owned()));
    let engine_at = format!("{engine}@{version}");
    let nothing = Asked { thinking, cell: Cell { options: None, said: Vec::new() } };
    let Ok(mut options) = Options::new(&engine_at, tool, &named(right(engine, version, tool)), &named(None)) else {
        return nothing;
    };
    options.model = model.to_owned();
    options.seed = 7;
    options.reasoning_family = thought.map(str::to_owned);
    options.reasoning_parser = parser.map(str::to_owned);
    if options.starts().is_err() {
        return nothing;
    }
    let mut tasks = reasoning_tasks(thought.map(|_| thinking), thinking && thought.is_some());
    if !reads_calls(&options) {
        tasks.truncate(1);
    }
    Asked { thinking, cell: Cell { said: said(&options, &tasks, memo), options: Some(options) } }
}

/// The tool parser reads the model's calls, so that a lost one is the reasoning parser's doing.
fn reads_calls(options: &Options) -> bool {
    let Some(parser) = options.tool_parser.as_deref() else { return false };
    [Mode::Plain, Mode::Stream].into_iter().all(|mode| {
        let seen = catalogue::outcome(&options.engine, Some(&options.version), &options.family, parser, mode, false);
        seen.is_none_or(|seen| seen.outcome == MatrixOutcome::Ok)
    })
}
