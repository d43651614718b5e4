//! The questions diagnosis asks of the catalogue about reasoning.

use super::{Facts, Side};
use crate::catalogue::{self, FamilyKind, Part, SplitOutcome};
use crate::completion::Mode;
use crate::dialects::REASONING_DIALECTS;

/// Versions asked where the running one is not known: parsers changed between them.
const OLDER: &[&str] = &["0.11.2", "0.16.0", "0.20.2"];

impl Facts<'_> {
    /// The configured reasoning parser splits the model's text as it should.
    #[must_use]
    pub fn reasoning_parser_is_the_models(&self) -> Option<bool> {
        let parser = self.launch.reasoning_parser.value()?;
        let rule = self.model().rule?;
        if rule.parsers(self.engine()).1 == Some(parser) {
            return Some(true);
        }
        let family = catalogue::catalogue().family_of(FamilyKind::Reasoning, rule.reasoning_family.as_deref()?)?;
        let shape = family.shape.as_deref()?;
        let (outcome, _) = catalogue::reasoning_outcome(
            self.engine(),
            self.version(),
            shape,
            parser,
            self.view.request.thinking,
            Mode::Plain,
        )?;
        Some(outcome.is_right())
    }

    /// The configured reasoning parser is the one named for this model, by the catalogue or, where that does not know the
    /// parser, by its own name: no other is to be recommended.
    #[must_use]
    pub fn reasoning_parser_is_named_for_model(&self) -> bool {
        let Some(parser) = self.launch.reasoning_parser.value() else { return false };
        if self.model().rule.and_then(|rule| rule.parsers(self.engine()).1) == Some(parser) {
            return true;
        }
        let name = squeeze(parser);
        let unknown = || !catalogue::parser_names(self.engine(), FamilyKind::Reasoning, None).contains(&parser);
        name.len() > 3 && squeeze(&self.model().id).contains(&name) && unknown()
    }

    /// The configured reasoning parser is known to deliver nothing at all of what this model writes.
    #[must_use]
    pub fn reasoning_parser_swallows(&self) -> bool {
        let Some(parser) = self.launch.reasoning_parser.value() else { return false };
        let family = self.model().rule.and_then(|rule| rule.reasoning_family.as_deref());
        let known = family.and_then(|name| catalogue::catalogue().family_of(FamilyKind::Reasoning, name));
        let shapes = match known.and_then(|family| family.shape.as_deref()) {
            Some(shape) => vec![shape],
            None if self.model().reasons == Some(false) => vec!["no_thinking_plain"],
            None => vec!["no_thinking_plain", "think_full"],
        };
        let empty = |part| matches!(part, Part::None | Part::Empty);
        let nothing = |outcome| match outcome {
            SplitOutcome::Split { reasoning, content } => empty(reasoning) && empty(content),
            _ => false,
        };
        let (engine, thinking) = (self.engine(), self.view.request.thinking);
        shapes.into_iter().all(|shape| {
            catalogue::reasoning_outcome(engine, self.version(), shape, parser, thinking, Mode::Plain)
                .is_some_and(|(outcome, _)| nothing(outcome))
        })
    }

    /// The request turns thinking off, and the configured parser is known to take the answer for reasoning then.
    #[must_use]
    pub fn parser_takes_plain_text(&self) -> bool {
        let Some(parser) = self.launch.reasoning_parser.value().filter(|_| self.view.request.thinking == Some(false))
        else {
            return false;
        };
        let (engine, version) = (self.engine(), self.version());
        catalogue::reasoning_outcome(engine, version, "no_thinking_plain", parser, Some(false), Mode::Plain)
            .is_some_and(|(outcome, _)| {
                matches!(outcome, SplitOutcome::Split { content: Part::None | Part::Empty, .. })
            })
    }

    /// No reasoning parser of this engine knows the family.
    #[must_use]
    pub fn no_parser_knows(&self, family: &str) -> bool {
        let known = catalogue::catalogue().family_of(FamilyKind::Reasoning, family);
        ["vllm", "sglang"].contains(&self.engine())
            && known.is_some_and(|known| known.parsers(self.engine()).is_empty())
    }

    /// The model's reasoning parser starts from the request's thinking switch, and the request says nothing.
    #[must_use]
    pub fn thinking_undeclared(&self) -> bool {
        if self.view.request.thinking.is_some() {
            return false;
        }
        let Some(parser) = self.launch.reasoning_parser.value().or_else(|| self.model().rule?.parsers(self.engine()).1)
        else {
            return false;
        };
        self.versions().iter().any(|version| {
            let split = |thinking| {
                catalogue::reasoning_outcome(self.engine(), *version, "think_prefilled", parser, thinking, Mode::Plain)
                    .map(|(outcome, _)| outcome.is_right())
            };
            split(None) == Some(false) && split(Some(true)) == Some(true)
        })
    }

    /// The template writes this model's opening marker into the prompt.
    #[must_use]
    pub fn prompt_opens_thoughts(&self) -> bool {
        let name = self.model().rule.and_then(|rule| rule.reasoning_family.as_deref());
        let family = name.and_then(|name| catalogue::catalogue().family_of(FamilyKind::Reasoning, name));
        family.is_some_and(|family| family.opened_by == "prompt")
    }

    /// The prompt holds this model's opening marker, so one in the text was put back by a parser that keeps thoughts there.
    #[must_use]
    pub fn opening_is_put_back(&self) -> bool {
        let Some(rule) = self.model().rule else { return false };
        let prefilled = self.prompt_opens_thoughts();
        let own = rule.parsers(self.engine()).1.unwrap_or("?");
        let keeper = |name: &&str| name.contains("append") && name.starts_with(own);
        prefilled && catalogue::parser_names(self.engine(), FamilyKind::Reasoning, self.version()).iter().any(keeper)
    }

    /// The parser usually named for this model leaves a text without an opening marker whole, in this version.
    #[must_use]
    pub fn usual_parser_wants_opening(&self) -> bool {
        if !self.server().is("vllm") {
            return false;
        }
        let id = squeeze(&self.model().id);
        let names = catalogue::parser_names(self.engine(), FamilyKind::Reasoning, None);
        let recipe = self.model().rule.and_then(|rule| rule.parsers(self.engine()).1);
        let usual = names.into_iter().filter(|name| Some(*name) == recipe || id.contains(&squeeze(name)));
        let versions = self.versions();
        usual.into_iter().any(|name| {
            versions.iter().any(|version| {
                let outcome = catalogue::reasoning_outcome(
                    self.engine(),
                    *version,
                    "think_prefilled",
                    name,
                    Some(true),
                    Mode::Plain,
                );
                matches!(outcome, Some((SplitOutcome::Split { reasoning: Part::None, content: Part::Raw }, _)))
            })
        })
    }

    /// Models that write this tool family think between `<think>` tags.
    #[must_use]
    pub fn thinks_in_tags(&self, family: &str) -> bool {
        let in_tags = |name: &Option<String>| name.as_deref().is_some_and(|name| name.starts_with("think"));
        match self.model().rule {
            Some(rule) if rule.reasoning_family.is_some() => in_tags(&rule.reasoning_family),
            _ => {
                let mut writers = catalogue::catalogue()
                    .models
                    .iter()
                    .filter(|rule| rule.tool_families.iter().any(|own| own == family));
                self.model().reasons.is_none()
                    && self.model().rule.is_none()
                    && writers.any(|rule| in_tags(&rule.reasoning_family))
            }
        }
    }

    /// The reasoning parsers that split a text without an opening marker in the running version (or an old one, where
    /// it is not known).
    #[must_use]
    pub fn parsers_without_opening(&self) -> Vec<&'static str> {
        let version = self.version().unwrap_or("0.11.2");
        let names = catalogue::parser_names(self.engine(), FamilyKind::Reasoning, Some(version));
        let right = |name: &&str| {
            let outcome =
                catalogue::reasoning_outcome(self.engine(), Some(version), "think_prefilled", name, None, Mode::Plain);
            name.contains("deepseek") && outcome.is_some_and(|(outcome, _)| outcome.is_right())
        };
        names.into_iter().filter(right).collect()
    }

    /// Markers of reasoning stand inside the reasoning field: its parser did not know them.
    #[must_use]
    pub fn foreign_markers(&self, side: &Side<'_>) -> bool {
        let reasoning = side.completion.reasoning();
        REASONING_DIALECTS.iter().any(|dialect| dialect.split(reasoning).is_some_and(|split| !split.stripped))
    }

    /// The running version, or, where it is not known, the newest and some older ones.
    fn versions(&self) -> Vec<Option<&str>> {
        match self.version() {
            Some(version) => vec![Some(version)],
            None => std::iter::once(None).chain(OLDER.iter().map(|version| Some(*version))).collect(),
        }
    }
}

/// Lower case, letters and digits only.
fn squeeze(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
