//! The flags to serve a model with, on this engine and in this version. Main type: [`Recommendation`].

use super::data::catalogue;
use super::engine::engine_def;
use super::entries::{EngineDef, FamilyKind, ParserKind};
use super::matrix::{Outcome, outcome, parsers_reading};
use super::model::{ModelRule, model_rule};
use super::parser::{ParserStatus, entry, exists_since, older_spelling, parser_status};
use super::reasoning::reasoning_parsers_reading;
use super::version::Version;
use crate::completion::Mode;

/// What to start a server with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recommendation {
    /// For tool calls; `None` where neither family nor model says what is needed.
    pub tool: Option<Advice>,
    /// For reasoning; `None` where the model does not think or nothing is known.
    pub reasoning: Option<Advice>,
    /// What else to know: chat templates, switches.
    pub notes: Vec<String>,
}

/// One flag to set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Advice {
    /// The parser; `None` where the engine takes no name or has no parser for the family.
    pub parser: Option<&'static str>,
    /// The flags, ready to paste; empty without a parser.
    pub flags: String,
    /// The first checked version that has the parser.
    pub since: Option<&'static str>,
    /// Whether the running version has it, as far as its version is known.
    pub available: bool,
    /// Where it has not: the running version's parser that reads the family all the same.
    pub nearest: Option<&'static str>,
    /// All of it in a sentence.
    pub text: String,
}

/// The flags for a family seen or a model known; the family, where given, is believed over the model.
///
/// ```
/// # use monban_scorers::catalogue::recommend;
/// let advice = recommend("vllm", Some("0.11.2"), None, Some("gemma4")).tool.expect("known");
/// assert_eq!(advice.flags, "--enable-auto-tool-choice --tool-call-parser gemma4");
/// assert_eq!((advice.since, advice.available), (Some("0.19.1"), false));
/// ```
#[must_use]
pub fn recommend(engine: &str, version: Option<&str>, model: Option<&str>, family: Option<&str>) -> Recommendation {
    let def = engine_def(engine);
    let version = version.map(str::trim).filter(|version| Version::parse(version).is_some());
    let rule = model.and_then(model_rule);
    let given = |kind| family.and_then(|name| catalogue().family_of(kind, name)).map(|family| family.name.as_str());
    let advise = |kind, expected: Option<&'static str>| {
        let family = given(kind).or(expected)?;
        Some(match def {
            Some(def) if !def.gateway => advice(&Asked { def, version, kind, family }, rule),
            _ => elsewhere(def, kind, family, rule),
        })
    };
    // What begins with vLLM's name is of no use elsewhere.
    let concerns = |note: &String| def.is_none_or(|def| def.id == "vllm") || !note.starts_with("vLLM");
    // A parser for thoughts a model never has would only take its answers.
    let thought = rule.filter(|rule| rule.thinks() != "never").and_then(|rule| rule.reasoning_family.as_deref());
    Recommendation {
        tool: advise(FamilyKind::Tool, rule.and_then(ModelRule::tool_family)),
        reasoning: advise(FamilyKind::Reasoning, thought),
        notes: rule.and_then(|rule| rule.note.clone()).filter(concerns).into_iter().collect(),
    }
}

/// For a gateway, or where the engine is not known: the flags of the engines that take any.
fn elsewhere(
    gateway: Option<&EngineDef>,
    kind: ParserKind,
    family: &'static str,
    rule: Option<&'static ModelRule>,
) -> Advice {
    let engines = ["vllm", "sglang", "tensorrt_llm"].into_iter().filter_map(engine_def);
    let flags = engines.filter_map(|def| {
        let advice = advice(&Asked { def, version: None, kind, family }, rule);
        advice.parser.is_some().then(|| format!("{} `{}`", def.title, advice.flags))
    });
    let flags = flags.collect::<Vec<_>>().join(", ");
    let place = gateway.map(|def| format!("on the engine behind {}: ", def.title)).unwrap_or_default();
    let none = format!("no parser that reads {family} is known");
    Advice { text: if flags.is_empty() { none } else { place + &flags }, ..Advice::default() }
}

struct Asked<'a> {
    def: &'static EngineDef,
    version: Option<&'a str>,
    kind: ParserKind,
    family: &'static str,
}

impl Asked<'_> {
    fn engine(&self) -> &'static str {
        &self.def.id
    }

    fn is_tool(&self) -> bool {
        self.kind == FamilyKind::Tool
    }

    /// The running version's parsers that read the family, the best first.
    fn readers(&self) -> Vec<&'static str> {
        let readers = if self.is_tool() { parsers_reading } else { reasoning_parsers_reading };
        readers(self.engine(), self.family, self.version)
    }

    fn status(&self, parser: &str) -> ParserStatus {
        parser_status(self.engine(), self.kind, parser, self.version)
    }

    fn flags(&self, parser: &str) -> String {
        let template = if self.is_tool() { &self.def.tool_flags } else { &self.def.reasoning_flags };
        template.as_deref().unwrap_or_default().replace("{}", parser)
    }
}

fn advice(asked: &Asked<'_>, rule: Option<&'static ModelRule>) -> Advice {
    let flag = if asked.is_tool() { &asked.def.tool_flags } else { &asked.def.reasoning_flags };
    if flag.is_none() {
        let text = if asked.is_tool() { &asked.def.tool_advice } else { &asked.def.reasoning_advice };
        let text = text.clone().unwrap_or_else(|| format!("no parser flag of {} is known", asked.def.title));
        return Advice { available: true, text, ..Advice::default() };
    }
    let readers = asked.readers();
    let Some(parser) = choose(asked, rule, &readers) else {
        let text = format!("{} has no parser that reads {}", asked.def.title, asked.family);
        return Advice { text, ..Advice::default() };
    };
    let available = asked.status(parser) == ParserStatus::Known;
    let advice = Advice {
        parser: Some(parser),
        flags: asked.flags(parser),
        since: exists_since(asked.engine(), asked.kind, parser),
        available,
        nearest: readers.first().copied().filter(|_| !available),
        text: String::new(),
    };
    let own = wanted(asked, rule).filter(|own| *own != parser);
    let passed = own.map(|own| format!("; the model's own, `{}`, misreads it in this version", asked.flags(own)));
    Advice { text: sentence(asked, &advice) + &passed.unwrap_or_default(), ..advice }
}

/// The recipe's parser for the model, else the family's own.
fn wanted(asked: &Asked<'_>, rule: Option<&'static ModelRule>) -> Option<&'static str> {
    let writes = |rule: &ModelRule| match asked.kind {
        FamilyKind::Tool => rule.tool_families.iter().any(|family| family == asked.family),
        FamilyKind::Reasoning => rule.reasoning_family.as_deref() == Some(asked.family),
    };
    let recipe = rule.filter(|rule| writes(rule)).and_then(|rule| rule.parser(asked.engine(), asked.kind));
    let family = catalogue().family_of(asked.kind, asked.family);
    let own = family.and_then(|family| family.parsers(asked.engine()).first()).map(String::as_str);
    recipe.or(own).and_then(|name| entry(asked.engine(), asked.kind, name)).map(|(name, _)| name)
}

/// The recipe's parser for the model, else the family's own, else any that reads it. One that the running version is known
/// to misread the family with gives way to one that reads it.
fn choose(asked: &Asked<'_>, rule: Option<&'static ModelRule>, readers: &[&'static str]) -> Option<&'static str> {
    let also = rule.and_then(|rule| rule.on(asked.engine())).map_or(&[][..], |parsers| &parsers.also);
    let other = readers.iter().find(|name| also.iter().any(|also| also == *name)).copied();
    match wanted(asked, rule) {
        Some(name) if readers.contains(&name) || asked.status(name) != ParserStatus::Known => Some(name),
        wanted => other.or(readers.first().copied()).or(wanted),
    }
}

fn sentence(asked: &Asked<'_>, advice: &Advice) -> String {
    let title = &asked.def.title;
    let mut text = format!("`{}`", advice.flags);
    let older = advice.parser.and_then(|parser| older_spelling(asked.engine(), asked.kind, parser));
    text += &older.map(|name| format!(" (spelt `{}` before)", asked.flags(name))).unwrap_or_default();
    if let Some(since) = advice.since {
        text += &format!(", in {title} since {since}");
        // Between the last version checked without it and the first with it nobody looked.
        let earlier = asked.version.and_then(Version::parse) < Version::parse(since) && asked.version.is_some();
        text += if earlier && advice.available { " at the latest" } else { "" };
    }
    let parser = advice.parser.unwrap_or_default();
    if let ParserStatus::Removed { version, replacement } = asked.status(parser) {
        text += &format!(", gone by {version}");
        text += &replacement.map(|name| format!(" (now `{name}`)")).unwrap_or_default();
    }
    if let (false, Some(running)) = (advice.available, asked.version) {
        text += &match advice.nearest {
            Some(nearest) => format!("; you run {running}, whose nearest is `{}`", asked.flags(nearest)),
            None => format!("; you run {running}, which has no parser that reads {}", asked.family),
        };
    }
    if misreads(asked, parser) {
        text += &format!(", for want of a better one: {title} has no parser that reads {}", asked.family);
    }
    if loses_streamed_calls(asked, parser) {
        text += "; it reads plain answers only, streamed calls are lost or broken";
    }
    text
}

/// Measured, and it reads the family in no mode.
fn misreads(asked: &Asked<'_>, parser: &str) -> bool {
    let read = |mode| {
        outcome(asked.engine(), asked.version, asked.family, parser, mode, false)
            .is_none_or(|seen| matches!(seen.outcome, Outcome::Ok | Outcome::Residue))
    };
    asked.is_tool() && asked.status(parser) == ParserStatus::Known && !read(Mode::Plain) && !read(Mode::Stream)
}

fn loses_streamed_calls(asked: &Asked<'_>, parser: &str) -> bool {
    let seen =
        |mode| outcome(asked.engine(), asked.version, asked.family, parser, mode, false).map(|seen| seen.outcome);
    asked.is_tool()
        && seen(Mode::Plain) == Some(Outcome::Ok)
        && seen(Mode::Stream).is_some_and(|stream| stream != Outcome::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn tool(engine: &str, version: &str, model: &str, family: &str) -> Advice {
        let given = |text: &'static str| Some(text).filter(|text| !text.is_empty());
        let model = Some(model).filter(|model| !model.is_empty());
        let family = given(catalogue().family(family).map_or("", |family| &family.name));
        recommend(engine, Some(version), model, family).tool.unwrap()
    }

    #[test]
    fn a_recipe_for_a_model() {
        let advice = tool("vllm", "0.33.0", "Qwen/Qwen3-Coder-30B-A3B-Instruct", "");
        assert_eq!(advice.text, "`--enable-auto-tool-choice --tool-call-parser qwen3_coder`, in vLLM since 0.10.0");
        let both = recommend("sglang", Some("0.5.23"), Some("zai-org/GLM-4.7"), None);
        assert_eq!(both.tool.unwrap().flags, "--tool-call-parser glm47");
        assert_eq!(both.reasoning.unwrap().parser, Some("glm45"));
    }

    #[test]
    fn a_version_that_lacks_the_parser() {
        let advice = tool("vllm", "0.11.2", "ibm-granite/granite-4.0-h-small", "");
        assert_eq!(
            advice.text,
            "`--enable-auto-tool-choice --tool-call-parser granite4`, in vLLM since 0.18.1; \
             you run 0.11.2, whose nearest is `--enable-auto-tool-choice --tool-call-parser hermes`"
        );
        let none = tool("vllm", "0.11.2", "google/gemma-4-31B-it", "");
        assert!(none.text.ends_with("you run 0.11.2, which has no parser that reads gemma4"), "{}", none.text);
        assert_eq!((none.since, none.nearest, none.available), (Some("0.19.1"), None, false));
    }

    #[test]
    fn what_was_seen_is_believed_over_the_model() {
        let advice = tool("vllm", "0.33.0", "meta-llama/Llama-3.1-8B-Instruct", "hermes_json");
        assert_eq!(advice.parser, Some("hermes"));
    }

    #[test]
    fn a_recipe_that_misreads_gives_way() {
        let advice = tool("sglang", "0.5.23", "arcee-ai/Trinity-Large-Thinking", "");
        assert_eq!(advice.parser, Some("qwen3_coder"));
        let reasoning = recommend("vllm", Some("0.11.2"), Some("Qwen/Qwen3.6-27B"), None).reasoning.unwrap();
        assert_eq!(reasoning.parser, Some("deepseek_r1"));
    }

    #[test]
    fn other_engines() {
        assert_eq!(tool("tensorrt-llm", "1.3.0rc23", "Qwen/Qwen3.5-27B", "").flags, "--tool_parser qwen3_coder");
        assert!(tool("llama.cpp", "", "Qwen/Qwen3-8B", "").text.contains("--jinja"));
        assert_eq!(tool("atlas", "", "MiniMaxAI/MiniMax-M2.5", "").flags, "--tool-call-parser minimax_xml");
        assert!(
            recommend("mindie", None, Some("Qwen/Qwen3-8B"), None).tool.is_some_and(|advice| advice.parser.is_none())
        );
    }

    #[test]
    fn behind_a_gateway_or_on_an_unknown_engine() {
        let text = |engine| recommend(engine, None, Some("moonshotai/Kimi-K2.5"), None).tool.unwrap().text;
        let flags = "vLLM `--enable-auto-tool-choice --tool-call-parser kimi_k2`, \
                     SGLang `--tool-call-parser kimi_k2`, TensorRT-LLM `--tool_parser kimi_k2`";
        assert_eq!(text("no such engine"), flags);
        assert_eq!(text("litellm"), format!("on the engine behind LiteLLM: {flags}"));
        assert_eq!(recommend("", None, Some("no such model"), None), Recommendation::default());
    }

    #[test]
    fn a_model_with_two_formats() {
        assert_eq!(tool("vllm", "0.23.0", "meta-llama/Llama-4-Scout", "llama3_json").parser, Some("llama4_json"));
        assert_eq!(tool("vllm", "0.23.0", "meta-llama/Llama-4-Scout", "").parser, Some("llama4_pythonic"));
    }

    #[test]
    fn a_model_that_does_not_think_gets_no_reasoning_parser() {
        assert_eq!(recommend("vllm", None, Some("deepseek-ai/DeepSeek-V3-0324"), None).reasoning, None);
        assert_eq!(recommend("vllm", None, Some("Qwen/Qwen3-Coder-30B"), None).reasoning, None);
    }

    #[test]
    fn a_version_nobody_checked() {
        let advice = recommend("vllm", Some("0.9.0.1"), Some("Qwen/Qwen3-32B"), None).reasoning.unwrap();
        assert_eq!(advice.text, "`--reasoning-parser qwen3`, in vLLM since 0.9.2 at the latest");
    }

    #[test]
    fn removed_and_stream_only() {
        let removed = tool("vllm", "0.33.0", "MiniMaxAI/MiniMax-M1-80k", "");
        assert!(removed.text.contains("gone by 0.24.0"), "{}", removed.text);
        let phi = tool("vllm", "0.33.0", "microsoft/Phi-4-mini-instruct", "");
        assert!(phi.text.contains("plain answers only"), "{}", phi.text);
    }
}
