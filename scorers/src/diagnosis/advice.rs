//! What to change: flags for this engine and version, from the catalogue, and the sentences around them.

use super::facts::Facts;
use super::rule::Signs;
use crate::catalogue::{self, MatrixOutcome, Recommendation};
use crate::completion::Mode;
use crate::diagnosis::facts::CallState;
use crate::dialects::{Hints, Recognition, Split, Strength, TOOL_DIALECTS};

/// Flags for engines nothing is known of.
const ELSEWHERE: &str = "vllm";

fn recommend(facts: &Facts<'_>, family: Option<&str>) -> Recommendation {
    let engine = facts.server().engine.as_deref().unwrap_or(ELSEWHERE);
    catalogue::recommend(engine, facts.server().version.as_deref(), facts.model().known_as.as_deref(), family)
}

/// What the catalogue adds to a flag, where it is about launching.
fn notes(advice: Recommendation) -> impl Iterator<Item = String> {
    advice.notes.into_iter().filter(|note| note.contains("--") || note.contains("template"))
}

/// The tool parser to use.
pub(super) fn tool_parser(facts: &Facts<'_>, family: Option<&str>) -> Vec<String> {
    let advice = recommend(facts, family);
    let named_after = named_after_model(facts, family).map(|name| format!("--tool-call-parser {name}"));
    let mut fixes: Vec<String> =
        named_after.into_iter().chain(advice.tool.as_ref().map(|tool| tool.text.clone())).collect();
    if advice.tool.as_ref().is_some_and(|tool| tool.flags.is_empty()) {
        fixes.extend(elsewhere(facts, family));
    }
    fixes.extend(alike(facts, family));
    fixes.extend(notes(advice));
    if fixes.is_empty() {
        fixes.push("--tool-call-parser <the parser of the model's family>".to_owned());
    }
    fixes
}

/// Where the model is not known: the parsers of other families whose markup reads the same.
fn alike(facts: &Facts<'_>, family: Option<&str>) -> Option<String> {
    let side = facts.sides.iter().find(|side| side.leak_place() == Some("content"))?;
    if facts.model().rule.is_some() {
        return None;
    }
    let hints = Hints { request: Some(facts.view.request), ..Hints::default() };
    let engine = facts.server().engine.as_deref().unwrap_or(ELSEWHERE);
    let whole = |found: &Recognition| found.strength == Strength::Strong && found.damage.is_none();
    let others = TOOL_DIALECTS.iter().filter(|dialect| {
        Some(dialect.family) != family && dialect.recognise(side.completion.text(), &hints).is_some_and(|it| whole(&it))
    });
    let own = family.map(|family| catalogue::parsers_made_for(engine, family)).unwrap_or_default();
    let named = others.filter_map(|dialect| {
        let parser = catalogue::parsers_made_for(engine, dialect.family).first().copied()?;
        (!own.contains(&parser)).then(|| format!("--tool-call-parser {parser} ({})", dialect.family))
    });
    let mut named: Vec<String> = named.take(4).collect();
    named.dedup();
    (!named.is_empty())
        .then(|| format!("other families write the same; where the model is one of them: {}", named.join(", ")))
}

/// Of several parsers for a family that is not the model's usual one, the parser that carries the model's name: llama4_json
/// for Llama 4 where JSON was seen. For the usual family the model's own rule names it.
fn named_after_model(facts: &Facts<'_>, family: Option<&str>) -> Option<&'static str> {
    if facts.model().tool_family().is_some_and(|own| Some(own) == family) {
        return None;
    }
    let id: String = facts.model().id.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let names = flag_values(facts, family);
    let stem = |name: &&str| name.split('_').next().is_some_and(|stem| stem.len() > 4 && id.contains(stem));
    names.iter().skip(1).find(|name| stem(name)).copied()
}

/// The flag of an engine that has one, for engines that have none.
fn elsewhere(facts: &Facts<'_>, family: Option<&str>) -> Option<String> {
    let advice = catalogue::recommend(ELSEWHERE, None, facts.model().known_as.as_deref(), family).tool?;
    (!advice.flags.is_empty()).then(|| format!("or serve it with vLLM: {}", advice.flags))
}

/// The flags that turn tool calls on.
pub(super) fn enable_tools(facts: &Facts<'_>, family: Option<&str>) -> Vec<String> {
    let named = recommend(facts, family).tool.is_some();
    match (named, facts.server().is("vllm") || facts.server().engine.is_none()) {
        (true, _) => tool_parser(facts, family),
        (false, true) => {
            vec!["--enable-auto-tool-choice --tool-call-parser <the parser of the model's family>".to_owned()]
        }
        (false, false) => {
            let general = "enable tool parsing in the engine, or put a gateway that parses in front".to_owned();
            std::iter::once(general).chain(elsewhere(facts, family)).collect()
        }
    }
}

/// The reasoning parser to use.
pub(super) fn reasoning_parser(facts: &Facts<'_>, split: Option<&Split>) -> Vec<String> {
    let family = split.map(|split| split.family);
    let own = recommend(facts, None).reasoning;
    let seen = || recommend(facts, family).reasoning;
    let mut fixes: Vec<String> = own.or_else(seen).map(|advice| advice.text).into_iter().collect();
    if facts.server().is("llama_cpp") {
        fixes.insert(0, "llama-server --jinja --reasoning-format deepseek (or auto)".to_owned());
    }
    // A name may be that of a variant that thinks: what is known is said, and the other way left open.
    if fixes.is_empty() && split.is_none() && facts.model().rule.is_some_and(|rule| rule.thinks() == "never") {
        fixes.push(format!("drop --reasoning-parser: as far as its name tells, {} does not think", facts.model().id));
    }
    if fixes.is_empty() {
        fixes.push("--reasoning-parser <the parser of the model's family>".to_owned());
    }
    fixes
}

/// The names a flag may take for a family.
pub(super) fn flag_values(facts: &Facts<'_>, family: Option<&str>) -> Vec<&'static str> {
    let engine = facts.server().engine.as_deref().unwrap_or(ELSEWHERE);
    family
        .map(|family| catalogue::parsers_reading(engine, family, facts.server().version.as_deref()))
        .unwrap_or_default()
}

/// The parsers that would have given just this answer, as a clause; empty where that narrows nothing.
pub(super) fn parsers_that_fit(signs: &Signs<'_>) -> String {
    let facts = &signs.facts;
    let Some(trouble) = signs.tool.as_ref().filter(|_| facts.launch.tool_parser.value().is_none()) else {
        return String::new();
    };
    let Some(family) = trouble.family.or(facts.model().tool_family()) else { return String::new() };
    let seen = |mode| {
        let side = facts.sides.iter().find(|side| side.mode == mode)?;
        Some(match side.call_state() {
            CallState::Leak => MatrixOutcome::Leak,
            CallState::Silent => MatrixOutcome::Swallow,
            CallState::Mangled => MatrixOutcome::Wrong,
            CallState::Residue => MatrixOutcome::Residue,
            CallState::Lost => MatrixOutcome::Swallow,
            CallState::Fine | CallState::InReasoning | CallState::None => return None,
        })
    };
    let engine = facts.server().engine.as_deref().unwrap_or_default();
    let names = catalogue::parsers_giving(
        engine,
        facts.server().version.as_deref(),
        family,
        seen(Mode::Plain),
        seen(Mode::Stream),
    );
    match names.len() {
        1..=6 => format!("; parsers that do just this to {family}: {}", names.join(", ")),
        _ => String::new(),
    }
}

/// The template to pass for tools.
pub(super) fn tool_template(facts: &Facts<'_>) -> Vec<String> {
    let own = facts.model().tool_template.map(|file| format!("--chat-template examples/{file}"));
    own.into_iter().chain(notes(recommend(facts, None))).collect()
}

/// A family in words an operator knows.
pub(super) fn in_words(family: &str) -> String {
    let vendor = [("mistral", "Mistral marker"), ("hermes", "Hermes JSON"), ("pythonic", "a Python-like call")];
    let known = vendor.iter().find(|(part, _)| family.contains(part)).map(|(_, words)| (*words).to_owned());
    known.unwrap_or_else(|| family.to_owned())
}

/// Upgrading, by the engine's name.
pub(super) fn upgrade(facts: &Facts<'_>) -> String {
    let engine = facts.server().engine.as_deref().and_then(catalogue::engine_def);
    let name = engine.map_or("the engine", |def| def.title.as_str());
    match facts.server().version.as_deref() {
        Some(version) => format!("upgrade {name} (you run {version})"),
        None => format!("upgrade {name}"),
    }
}

/// Several tokens in one delta are what streaming parsers lose pieces to (vllm#31501, vllm#41691).
pub(super) fn single_tokens(facts: &Facts<'_>) -> Option<String> {
    facts
        .launch
        .stream_interval
        .then(|| "start without --stream-interval (1: each token in a delta of its own)".to_owned())
}

/// How to have schemas enforced.
pub(super) fn structured_output(facts: &Facts<'_>) -> String {
    match facts.server().engine.as_deref() {
        Some("sglang") => "start with --grammar-backend xgrammar".to_owned(),
        Some("llama_cpp") => "send response_format json_schema with a schema the grammar converter knows".to_owned(),
        Some("tensorrt_llm") => "guided_decoding_backend: xgrammar in the extra options".to_owned(),
        _ => "probe with an odd key and an enum: if they are missing, the server ignores response_format".to_owned(),
    }
}

/// Fills a name behind `@` in an entry of the error table.
pub(super) fn fill(fix: &str, signs: &Signs<'_>) -> Vec<String> {
    let facts = &signs.facts;
    match fix {
        "@enable_tools" => enable_tools(facts, None),
        "@tool_parser" => tool_parser(facts, None),
        "@reasoning_parser" if facts.model().reasons == Some(false) => {
            vec!["drop --reasoning-parser for this model".to_owned()]
        }
        "@reasoning_parser" => reasoning_parser(facts, None),
        "@replay" => replay(facts),
        fix => vec![fix.replace("@context", "16384")],
    }
}

/// The parser to use instead of one whose calls cannot be replayed.
fn replay(facts: &Facts<'_>) -> Vec<String> {
    let other = facts.model().tool_family().map(|family| flag_values(facts, Some(family))).unwrap_or_default();
    let current = facts.launch.tool_parser.value();
    let other = other.into_iter().find(|name| Some(*name) != current);
    let flag = other.map(|name| format!("--tool-call-parser {name}"));
    flag.into_iter().chain([upgrade(facts)]).collect()
}
