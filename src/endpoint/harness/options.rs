//! What a harness stands for: [`Options`], with the defaults of a rightly launched server.

use std::time::Duration;

use monban_scorers::Mode;
use monban_scorers::catalogue::{self, Delivery, FamilyKind, ParserStatus, Part, Setup, Written};

use super::fault::Fault;

/// What the simulated endpoint is, and how fast.
#[derive(Clone, Debug)]
pub struct Options {
    /// The engine's id in the catalogue.
    pub engine: String,
    /// The engine's version.
    pub version: String,
    /// The family whose tool markup the model writes.
    pub family: String,
    /// The family whose reasoning markup the model writes; `None` for a model that does not think.
    pub reasoning_family: Option<String>,
    /// The tool parser it was started with.
    pub tool_parser: Option<String>,
    /// The reasoning parser it was started with.
    pub reasoning_parser: Option<String>,
    /// The model's name.
    pub model: String,
    /// Its context length in tokens.
    pub max_model_len: u64,
    /// The key it wants.
    pub api_key: Option<String>,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// Time to the first token.
    pub ttft: Duration,
    /// Tokens a second after it.
    pub tokens_per_second: f64,
    /// Where the ids of calls begin.
    pub seed: u64,
}

/// What a parser flag says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ParserChoice {
    /// The one that reads the family.
    #[default]
    Right,
    /// None at all.
    None,
    /// This one.
    Named(String),
}

impl ParserChoice {
    /// Reads a flag's value: absent is the right one, `none` is none.
    #[must_use]
    pub fn read(flag: Option<&str>) -> Self {
        match flag {
            None | Some("right") => Self::Right,
            Some("none" | "") => Self::None,
            Some(name) => Self::Named(name.to_owned()),
        }
    }
}

impl Options {
    /// A server of `engine` (`vllm`, or `vllm@0.33.0`) for models of `family`, with the parsers chosen.
    ///
    /// # Errors
    /// What is not known, with the nearest name; and a configuration that the engine refuses to start with.
    pub fn new(engine: &str, family: &str, tool: &ParserChoice, reasoning: &ParserChoice) -> Result<Self, String> {
        let (name, version) = engine.split_once('@').unwrap_or((engine, ""));
        let engine = catalogue::engine_id(name).ok_or_else(|| {
            format!("no engine is called `{name}`; known: vllm, sglang, tensorrt_llm, llama_cpp, atlas")
        })?;
        let version = if version.is_empty() { newest(engine) } else { version.to_owned() };
        let (family, reasoning_family) = families(family)?;
        let mut options = Self {
            engine: engine.to_owned(),
            version,
            tool_parser: None,
            reasoning_parser: None,
            model: model_name(&family, reasoning_family.is_some()),
            family,
            reasoning_family,
            max_model_len: 32_768,
            api_key: None,
            faults: Vec::new(),
            ttft: Duration::from_millis(5),
            tokens_per_second: 2_000.0,
            seed: fastrand::u64(..) >> 16,
        };
        options.tool_parser = options.parser(FamilyKind::Tool, tool)?;
        options.reasoning_parser = options.parser(FamilyKind::Reasoning, reasoning)?;
        options.starts()?;
        Ok(options)
    }

    fn parser(&self, kind: FamilyKind, choice: &ParserChoice) -> Result<Option<String>, String> {
        let version = Some(self.version.as_str());
        match choice {
            ParserChoice::None => Ok(None),
            ParserChoice::Right => Ok(match (kind, &self.reasoning_family) {
                // Where none reads both modes, the one that is advised.
                (FamilyKind::Tool, _) => catalogue::parsers_reading(&self.engine, &self.family, version)
                    .first()
                    .map(|name| (*name).to_owned())
                    .or_else(|| self.advised())
                    .or_else(|| self.by_template()),
                (_, Some(family)) => self.reasoning_reader(family).or_else(|| self.by_template()),
                _ => None,
            }),
            ParserChoice::Named(name) => match catalogue::parser_status(&self.engine, kind, name, version) {
                ParserStatus::Known => Ok(Some(name.clone())),
                status => Err(format!("{} {} has no parser `{name}`{}", self.engine, self.version, instead(&status))),
            },
        }
    }

    fn advised(&self) -> Option<String> {
        let advice = catalogue::recommend(&self.engine, Some(&self.version), None, Some(&self.family));
        let name = advice.tool.and_then(|advice| advice.parser)?;
        let known = catalogue::parser_status(&self.engine, FamilyKind::Tool, name, Some(&self.version));
        (known == ParserStatus::Known).then(|| name.to_owned())
    }

    /// llama.cpp takes the format from the chat template: there is no name to give.
    fn by_template(&self) -> Option<String> {
        (self.engine == "llama_cpp").then(|| catalogue::BY_TEMPLATE.to_owned())
    }

    /// The parser that splits a family's thought and leaves an answer alone that comes without one: unasked, with thinking
    /// on, and with thinking off where there is such a parser.
    fn reasoning_reader(&self, family: &str) -> Option<String> {
        let readers = catalogue::reasoning_parsers_reading(&self.engine, family, Some(&self.version));
        let answers = |name: &str, thinks: bool, thinking: Option<bool>| {
            let setup = Setup { reasoning_parser: Some(name), ..self.setup() };
            [Mode::Plain, Mode::Stream].into_iter().all(|mode| {
                let thought = Some(family).filter(|_| thinks);
                let written = Written { offered: false, calls: None, parallel: false, thought, thinking, mode };
                matches!(catalogue::deliver(&setup, &written), Delivery::Answer(told) if told.content == Part::Answer)
            })
        };
        let splits = |name: &str| answers(name, self.thinks_unasked(), None) && answers(name, true, Some(true));
        let heeds = |name: &str| splits(name) && answers(name, false, Some(false));
        let found = readers.iter().find(|name| heeds(name)).or_else(|| readers.iter().find(|name| splits(name)));
        found.or(readers.first()).map(|name| (*name).to_owned())
    }

    /// Whether a server with these parsers comes up at all.
    ///
    /// # Errors
    /// The parser that refuses the model.
    pub fn starts(&self) -> Result<(), String> {
        let written = |thinking| Written {
            offered: true,
            calls: Some(&self.family),
            parallel: false,
            thought: self.reasoning_family.as_deref(),
            thinking,
            mode: monban_scorers::Mode::Plain,
        };
        // Some parsers look for their markers only when a request asks for thinking.
        let refused = [None, Some(true)].into_iter().find_map(|thinking| {
            match catalogue::deliver(&self.setup(), &written(thinking)) {
                Delivery::NoStart(kind) => Some(kind),
                Delivery::Rejected | Delivery::Answer(_) => None,
            }
        });
        let Some(kind) = refused else { return Ok(()) };
        let parser = if kind == FamilyKind::Tool { &self.tool_parser } else { &self.reasoning_parser };
        let parser = parser.as_deref().unwrap_or_default();
        Err(format!(
            "{} {} does not start: parser `{parser}` refuses this model's tokenizer",
            self.engine, self.version
        ))
    }

    /// The server as the catalogue knows it.
    #[must_use]
    pub fn setup(&self) -> Setup<'_> {
        Setup {
            engine: &self.engine,
            version: Some(&self.version),
            tool_parser: self.tool_parser.as_deref(),
            reasoning_parser: self.reasoning_parser.as_deref(),
        }
    }

    /// The shape of the reasoning matrix that the model writes when it thinks.
    #[must_use]
    pub fn shape(&self) -> &'static str {
        self.reasoning_family.as_deref().and_then(catalogue::shape_of).unwrap_or("no_thinking_plain")
    }

    /// Whether the model thinks where the request says nothing of it.
    #[must_use]
    pub fn thinks_unasked(&self) -> bool {
        let family = self.reasoning_family.as_deref();
        let family = family.and_then(|name| catalogue::catalogue().family_of(FamilyKind::Reasoning, name));
        family.is_some_and(|family| family.thinking != "off")
    }

    /// Whether the opening marker of reasoning stands in the prompt.
    #[must_use]
    pub fn opening_in_prompt(&self) -> bool {
        self.shape().contains("prefilled")
    }

    /// The time of one token.
    #[must_use]
    pub fn per_token(&self) -> Duration {
        if self.tokens_per_second > 0.0 {
            Duration::from_secs_f64(1.0 / self.tokens_per_second)
        } else {
            Duration::ZERO
        }
    }
}

/// The model's name; one that says nothing where the family's would deny that it thinks.
fn model_name(family: &str, thinks: bool) -> String {
    let name = format!("simulated-{}", family.replace('_', "-"));
    let denied = thinks && catalogue::model_rule(&name).is_some_and(|rule| rule.thinks() == "never");
    if denied { "simulated-model".to_owned() } else { name }
}

/// The newest version of an engine that the catalogue knows.
fn newest(engine: &str) -> String {
    match engine {
        "vllm" => "0.33.0",
        "sglang" => "0.5.23",
        "tensorrt_llm" => "1.2.0",
        _ => "",
    }
    .to_owned()
}

/// What to write instead of a parser name that the version does not have.
fn instead(status: &ParserStatus) -> String {
    match status {
        ParserStatus::NotYet { since } => format!(": it came with {since}"),
        ParserStatus::Removed { version, replacement: Some(name) } => format!(": gone since {version}; use `{name}`"),
        ParserStatus::Removed { version, .. } => format!(": gone since {version}"),
        ParserStatus::Unknown { nearest: Some(name) } => format!("; did you mean `{name}`?"),
        ParserStatus::NoNames => ": its parsers have no names".to_owned(),
        _ => String::new(),
    }
}

/// A tool family and the reasoning family of the models that write it; by the name of a family, a parser or a model.
fn families(name: &str) -> Result<(String, Option<String>), String> {
    let known = catalogue::catalogue();
    let reads = |engine: &&str| catalogue::parser_families(engine, FamilyKind::Tool, name).first();
    let by_parser = || ["vllm", "sglang", "atlas", "tensorrt_llm"].iter().find_map(reads).map(String::as_str);
    let family = known.family_of(FamilyKind::Tool, name).map(|family| family.name.as_str()).or_else(by_parser);
    if let Some(family) = family {
        let rule =
            known.models.iter().find(|rule| rule.tool_family() == Some(family) && rule.reasoning_family.is_some());
        return Ok((family.to_owned(), rule.and_then(|rule| rule.reasoning_family.clone())));
    }
    let rule = catalogue::model_rule(name);
    if let Some((family, rule)) = rule.and_then(|rule| Some((rule.tool_family()?, rule))) {
        return Ok((family.to_owned(), rule.reasoning_family.clone()));
    }
    let nearness = |known: &&str| (strsim::jaro_winkler(known, name) * 1e6) as u32;
    let nearest = known.tools.iter().map(|family| family.name.as_str()).max_by_key(nearness);
    Err(format!(
        "no family, parser or model is called `{name}`; the nearest family is `{}`",
        nearest.unwrap_or_default()
    ))
}
