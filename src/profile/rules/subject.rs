//! What a rule looks at: [`Subject`], a profile with what is known of its engine, version, model and use.

use std::ops::Range;

use monban_scorers::Mode;
use monban_scorers::catalogue::{
    ModelRule, ParserKind, ParserStatus, Version, engine_def, model_rule, parser_status, recommend,
};

use super::known::Known;
use crate::diagnostic::{Diagnostic, Severity};
use crate::profile::flags::{FlagTable, flag_table};
use crate::profile::model::Profile;
use crate::profile::setting::{Placed, Setting};

/// Whether something is wanted of the endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Yes,
    No,
    Unknown,
}

/// A profile under the rules.
pub(super) struct Subject<'a> {
    pub(super) profile: &'a Profile,
    /// The engine's id.
    pub(super) engine: &'a str,
    /// The version's text, where it can be ordered.
    pub(super) version_text: Option<String>,
    pub(super) version: Option<Version>,
    /// The model's id that says most: the first name with a rule, else the first name.
    pub(super) model: String,
    /// What is known of the model.
    pub(super) rule: Option<&'static ModelRule>,
    pub(super) known: &'a Known,
}

impl<'a> Subject<'a> {
    pub(super) fn new(profile: &'a Profile, known: &'a Known) -> Self {
        let stated = profile.engine_version.as_ref().map(|placed| placed.text.clone());
        let version_text =
            stated.or_else(|| known.engine_version.clone()).filter(|text| Version::parse(text).is_some());
        let mut names = profile.model_names();
        names.extend(known.model.clone());
        let model = names.iter().find(|name| model_rule(name).is_some()).or(names.first()).cloned().unwrap_or_default();
        Self {
            engine: &profile.engine,
            version: version_text.as_deref().and_then(Version::parse),
            version_text,
            rule: model_rule(&model),
            model,
            known,
            profile,
        }
    }

    /// The engine as it spells itself, with the version where known.
    pub(super) fn engine_title(&self) -> String {
        let title = engine_def(self.engine).map_or(self.engine, |def| &def.title);
        self.version_text.as_ref().map_or_else(|| title.to_owned(), |version| format!("{title} {version}"))
    }

    pub(super) fn table(&self) -> Option<&'static FlagTable> {
        flag_table(self.engine)
    }

    /// Whether the version is before another; `None` where it is not known.
    pub(super) fn before(&self, version: &str) -> Option<bool> {
        Some(self.version? < Version::parse(version)?)
    }

    /// A parser's name as configured; `None` for none, `none` and `auto`.
    pub(super) fn parser(&self, kind: ParserKind) -> Option<&'a Setting> {
        let key = if kind == ParserKind::Tool { "tool-call-parser" } else { "reasoning-parser" };
        self.profile.get(key).filter(|setting| !matches!(setting.value.as_str(), "" | "none" | "auto" | "None"))
    }

    /// Whether a configured name can be judged: known to the catalogue, in some version.
    pub(super) fn judged(&self, kind: ParserKind) -> Option<&'a Setting> {
        let setting = self.parser(kind)?;
        let status = parser_status(self.engine, kind, &setting.value, None);
        matches!(status, ParserStatus::Known | ParserStatus::Removed { .. }).then_some(setting)
    }

    /// The flags to pass instead.
    pub(super) fn advice(&self, kind: ParserKind) -> Option<String> {
        let advice = recommend(self.engine, self.version_text.as_deref(), Some(&self.model), None);
        let advice = if kind == ParserKind::Tool { advice.tool } else { advice.reasoning }?;
        (!advice.flags.is_empty()).then(|| {
            let since =
                advice.since.filter(|_| !advice.available).map(|since| format!(" (from {since})")).unwrap_or_default();
            format!("{}{since}", advice.flags)
        })
    }

    /// Whether calls are to be parsed from what the model writes.
    pub(super) fn tools(&self) -> Wanted {
        if let Some(needs) = &self.known.needs {
            return if needs.tools > 0 { Wanted::Yes } else { Wanted::No };
        }
        match self.purpose().as_deref() {
            Some(purpose)
                if has_word(purpose, &["agent", "agents", "agentic", "coding", "tool", "tools", "function", "mcp"]) =>
            {
                Wanted::Yes
            }
            _ => Wanted::Unknown,
        }
    }

    /// Whether answers must fit a schema.
    pub(super) fn schema(&self) -> Wanted {
        match &self.known.needs {
            Some(needs) if needs.structured_output > 0 => Wanted::Yes,
            Some(_) => Wanted::No,
            None => match self.purpose().as_deref() {
                Some(purpose) if has_word(purpose, &["extraction", "structured", "json", "schema"]) => Wanted::Yes,
                _ => Wanted::Unknown,
            },
        }
    }

    /// vLLM hands tool calls to a parser only under this switch.
    pub(super) fn auto(&self) -> bool {
        self.profile.switch("enable-auto-tool-choice") == Some(true)
    }

    /// The purpose, lower case.
    pub(super) fn purpose(&self) -> Option<String> {
        self.profile.purpose.as_ref().map(|purpose| purpose.text.to_lowercase())
    }

    /// Whether the server is told not to let the model think.
    pub(super) fn thinking_off(&self) -> bool {
        let kwargs = self.profile.json("default-chat-template-kwargs");
        let said = |name: &str| kwargs.as_ref().and_then(|kwargs| kwargs.get(name)?.as_bool());
        said("enable_thinking") == Some(false) || said("thinking") == Some(false)
    }

    /// Whether the model speaks harmony, which vLLM reads without flags.
    pub(super) fn harmony(&self) -> bool {
        self.rule.is_some_and(|rule| rule.tool_families.iter().any(|family| family.contains("harmony")))
    }

    /// Where to point when a flag is absent: the model, else the profile's first line.
    pub(super) fn absent(&self) -> Range<usize> {
        self.profile.model().map_or_else(
            || {
                let start = self.profile.span.start;
                start..start + self.profile.source().text()[start..].lines().next().map_or(0, str::len)
            },
            |model| model.span,
        )
    }

    /// A finding at bytes of the file.
    pub(super) fn found(
        &self,
        severity: Severity,
        rule: &str,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(severity, rule, message).at(self.profile.source(), span)
    }

    pub(super) fn error(&self, rule: &str, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        self.found(Severity::Error, rule, span, message)
    }

    pub(super) fn warning(&self, rule: &str, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        self.found(Severity::Warning, rule, span, message)
    }

    pub(super) fn info(&self, rule: &str, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        self.found(Severity::Info, rule, span, message)
    }

    /// The port the engine listens on: as told, else its default.
    pub(super) fn port(&self) -> Option<u16> {
        self.profile.port()
    }

    /// The key clients must send, where one is set, by flag or environment.
    pub(super) fn api_key(&self) -> Option<Placed> {
        let flag = self.profile.get("api-key").map(|s| Placed::new(s.value.clone(), s.value_span.clone()));
        let variable = match self.engine {
            "vllm" => "VLLM_API_KEY",
            "llama_cpp" => "LLAMA_API_KEY",
            _ => return flag,
        };
        flag.or_else(|| self.profile.env_value(variable).cloned()).filter(|key| !key.text.is_empty())
    }
}

/// Whether a text has one of the words, between anything but letters and digits.
pub(super) fn has_word(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|part| words.contains(&part))
}

/// Billions of parameters, from a model's name: 27 of `Qwen3.6-27B`. The total, not the active ones.
pub(super) fn billions(model: &str) -> Option<f64> {
    let name = model.trim_end_matches('/').rsplit('/').next()?.to_lowercase();
    name.split(['-', '_', ' ']).find_map(|part| part.strip_suffix('b')?.parse().ok().filter(|n: &f64| *n > 0.0))
}

/// Plain and streamed.
pub(super) const MODES: [Mode; 2] = [Mode::Plain, Mode::Stream];

impl Profile {
    /// The port the engine listens on: as told, else its default.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        let table = flag_table(&self.engine)?;
        self.value("port").map_or_else(|| table.default_of("port").parse().ok(), |value| value.parse().ok())
    }
}
