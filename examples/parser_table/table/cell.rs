//! One cell of the tables: [`Cell`], a server set up one way and all that was said of it.

use monban::endpoint::harness::{Options, ParserChoice, Simulated};
use monban_scorers::catalogue::{self, Delivery, FamilyKind, Part, Setup, Written, model_rule};
use monban_scorers::diagnosis::Context;
use monban_scorers::{Mode, Outcome, Severity};

use super::ask::{Asked, Memo, Said, ask, taught};

/// A server with one parser, and what was said of it.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// How the simulated server is set up; `None` where the configuration does not start.
    pub(crate) options: Option<Options>,
    /// What was said of each task.
    pub(crate) said: Vec<Said>,
}

/// What a cell stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The engine.
    pub(crate) engine: &'a str,
    /// Its version.
    pub(crate) version: &'a str,
    /// The tool family.
    pub(crate) family: &'a str,
    /// The model that writes it.
    pub(crate) model: &'a str,
}

impl Cell {
    /// Sets up a server for a tool parser and asks it. Its model thinks where a parser of the engine splits its thoughts.
    pub(crate) fn tool(place: Place<'_>, parser: Option<&str>, tasks: &[Asked], memo: &mut Memo) -> Self {
        let tool = parser.map_or(ParserChoice::None, |name| ParserChoice::Named(name.to_owned()));
        let engine = format!("{}@{}", place.engine, place.version);
        let Ok(mut options) = Options::new(&engine, place.family, &tool, &ParserChoice::None) else {
            return Self { options: None, said: Vec::new() };
        };
        options.model = place.model.to_owned();
        (options.reasoning_family, options.reasoning_parser) = thought(place);
        options.seed = 7;
        Self { said: said(&options, tasks, memo), options: Some(options) }
    }

    /// The rules of its tasks' first findings that are more than remarks, each once.
    pub(crate) fn rules(&self) -> Vec<&str> {
        let mut rules = Vec::new();
        for rule in self.said.iter().filter_map(Said::rule) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        rules
    }

    /// How many of the tasks that want calls had them recovered, and how many there are.
    pub(crate) fn recovered(&self) -> (usize, usize) {
        let calling = || self.said.iter().filter(|said| said.calls > 0);
        (calling().filter(|said| said.outcome == Outcome::ServerFault && said.intent).count(), calling().count())
    }
}

impl Said {
    /// The rule of the first finding that is more than a remark.
    pub(crate) fn rule(&self) -> Option<&str> {
        self.findings.iter().find(|found| found.severity != Severity::Info).map(|found| found.rule.as_str())
    }
}

/// The reasoning family of a model and a parser that splits it in both modes; neither where no parser does.
fn thought(place: Place<'_>) -> (Option<String>, Option<String>) {
    let rule = model_rule(place.model).filter(|rule| rule.thinks() != "never");
    let Some(family) = rule.and_then(|rule| rule.reasoning_family.as_deref()) else { return (None, None) };
    let known = catalogue::catalogue().family_of(FamilyKind::Reasoning, family);
    let unasked = known.is_some_and(|known| known.thinking != "off");
    let version = Some(place.version);
    let clean = |parser: &&str| {
        let setup = Setup { engine: place.engine, version, tool_parser: Some("?"), reasoning_parser: Some(parser) };
        [Mode::Plain, Mode::Stream].into_iter().all(|mode| {
            let thought = unasked.then_some(family);
            let written = Written { offered: true, calls: None, parallel: false, thought, thinking: None, mode };
            matches!(catalogue::deliver(&setup, &written), Delivery::Answer(answer) if answer.content == Part::Answer
                && (answer.reasoning == Part::Thought) == unasked)
        })
    };
    let readers = catalogue::reasoning_parsers_reading(place.engine, family, version);
    match readers.iter().find(|parser| clean(parser)) {
        Some(parser) => (Some(family.to_owned()), Some((*parser).to_owned())),
        None => (None, None),
    }
}

/// Asks every task. vLLM names no parsers on the wire; SGLang's `/model_info` does.
pub(crate) fn said(options: &Options, tasks: &[Asked], memo: &mut Memo) -> Vec<Said> {
    let told = |parser: &Option<String>| (options.engine == "sglang").then(|| parser.clone().unwrap_or_default());
    let context = Context {
        engine: Some(options.engine.clone()),
        engine_version: Some(options.version.clone()),
        model: Some(options.model.clone()),
        tool_parser: told(&options.tool_parser),
        reasoning_parser: told(&options.reasoning_parser),
        ..Context::default()
    };
    let server = Simulated::new(options.clone(), taught(tasks));
    tasks.iter().map(|task| ask(&server, &options.model, task, &context, memo)).collect()
}

/// The parser of a family that stands in the column of right parsers.
pub(crate) fn right(engine: &str, version: &str, family: &str) -> Option<&'static str> {
    let first = catalogue::parsers_reading(engine, family, Some(version)).first().copied();
    let own = || {
        let known = catalogue::catalogue().family_of(FamilyKind::Tool, family)?;
        let names = catalogue::parser_names(engine, FamilyKind::Tool, Some(version));
        known.parsers(engine).iter().find_map(|own| names.iter().find(|name| *name == own)).copied()
    };
    first.or_else(own)
}
