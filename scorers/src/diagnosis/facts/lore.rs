//! The questions diagnosis asks of the catalogue about tool calls; those about reasoning are in `thinking`.

use serde_json::Value;

use super::{Facts, Known, Side};
use crate::catalogue::{self, FamilyKind, MatrixOutcome};
use crate::completion::Mode;
use crate::dialects;

impl Facts<'_> {
    pub(super) fn engine(&self) -> &str {
        self.server().engine.as_deref().unwrap_or_default()
    }

    pub(super) fn version(&self) -> Option<&str> {
        self.server().version.as_deref()
    }

    /// The families a tool parser of this name is made for. Engines whose parsers nobody has read take vLLM's names, and mean
    /// what vLLM means by them (vllm-mlx, Rapid-MLX, llm-d).
    fn families_of(&self, parser: &str) -> &'static [String] {
        let known = !catalogue::parser_names(self.engine(), FamilyKind::Tool, None).is_empty();
        let named_by = if known { self.engine() } else { "vllm" };
        catalogue::parser_families(named_by, FamilyKind::Tool, parser)
    }

    /// The family that the model, else the configured parser, speaks.
    #[must_use]
    pub fn written_family(&self) -> Option<&'static str> {
        let parser = || self.launch.tool_parser.value();
        let of_parser = || self.families_of(parser()?).first().map(|family| family.as_str());
        self.model().tool_family().or_else(of_parser)
    }

    /// The model's calls say of what type their values are; `None` where its format is not known. A forced call is
    /// written as JSON under a grammar, whatever the model's own format.
    #[must_use]
    pub fn writes_types(&self) -> Option<bool> {
        if self.forced() { Some(true) } else { self.written_family().and_then(dialects::writes_types) }
    }

    /// The configured tool parser reads this family's calls. `None` when either is not known.
    #[must_use]
    pub fn tool_parser_reads(&self, family: Option<&str>) -> Option<bool> {
        let (parser, family) = (self.launch.tool_parser.value()?, family?);
        let measured = catalogue::outcome(self.engine(), self.version(), family, parser, Mode::Plain, false);
        let own = self.families_of(parser);
        let made_for = own.iter().any(|own| same_bytes(own, family));
        match measured {
            Some(measured) => Some(measured.outcome == MatrixOutcome::Ok || made_for),
            None if own.is_empty() => None,
            None => Some(made_for),
        }
    }

    /// The configured tool parser was measured to read this family's plain calls in this version, or in the nearest one.
    #[must_use]
    pub fn parser_is_measured_to_read(&self, family: &str) -> bool {
        let seen =
            self.launch.tool_parser.value().and_then(|parser| {
                catalogue::outcome(self.engine(), self.version(), family, parser, Mode::Plain, false)
            });
        seen.is_some_and(|seen| seen.outcome == MatrixOutcome::Ok)
    }

    /// The configured tool parser is made for this family: it does not read it by chance.
    #[must_use]
    pub fn tool_parser_is_made_for(&self, family: &str) -> bool {
        let Some(parser) = self.launch.tool_parser.value() else { return false };
        let own = self.families_of(parser);
        own.iter().any(|own| same_bytes(own, family))
    }

    /// The configured tool parser is one that the catalogue names for the model.
    #[must_use]
    pub fn tool_parser_is_the_models(&self) -> Option<bool> {
        let parser = self.launch.tool_parser.value()?;
        let rule = self.model().rule?;
        let reads = self.families_of(parser);
        Some(
            rule.parsers(self.engine()).0 == Some(parser)
                || rule.tool_families.iter().any(|family| reads.contains(family)),
        )
    }

    /// The launch line's template makes the model write a family that is not its own, while the parser is the model's.
    #[must_use]
    pub fn template_changes_format(&self, family: &str) -> bool {
        self.launch.chat_template.value().is_some()
            && self.tool_parser_is_the_models() == Some(true)
            && !self.model().writes(family)
    }

    /// The model's own parser loses streamed calls in this version.
    #[must_use]
    pub fn parser_loses_streams(&self) -> bool {
        let Some(rule) = self.model().rule else { return false };
        let Some(family) = rule.tool_family() else { return false };
        let Some(parser) = self.launch.tool_parser.value().or(rule.parsers(self.engine()).0) else { return false };
        let seen = |mode| {
            catalogue::outcome(self.engine(), self.version(), family, parser, mode, false).map(|seen| seen.outcome)
        };
        seen(Mode::Plain) == Some(MatrixOutcome::Ok)
            && matches!(seen(Mode::Stream), Some(MatrixOutcome::Swallow | MatrixOutcome::Wrong))
    }

    /// The parser that runs, or where that is not known the model's own, is made for what the model writes and is known to
    /// hurt its calls in this mode alone.
    #[must_use]
    pub fn own_parser_hurts(&self, mode: Mode) -> bool {
        let Some(family) = self.model().tool_family() else { return false };
        let own = catalogue::parsers_made_for(self.engine(), family);
        let named = self.launch.tool_parser.value();
        own.into_iter().filter(|own| named.is_none_or(|named| named == *own)).any(|parser| {
            let reads = |mode, parallel| {
                catalogue::outcome(self.engine(), self.version(), family, parser, mode, parallel)
                    .map(|seen| seen.outcome == MatrixOutcome::Ok)
            };
            let other = if mode == Mode::Stream { Mode::Plain } else { Mode::Stream };
            [false, true].into_iter().any(|two| reads(mode, two) == Some(false) && reads(other, two) == Some(true))
        })
    }

    /// The model's template reads the tool's name from the call's id, and this engine knows to write it so.
    #[must_use]
    pub fn ids_carry_names(&self) -> bool {
        self.model().tool_family() == Some("kimi_k2") && ["vllm", "sglang"].contains(&self.engine())
    }

    /// The model's template takes ids of nine letters and digits alone, and the parser that runs makes such.
    /// Source: vLLM MistralToolCall, 0.8.5-0.33.0; vllm#9019, #47734.
    #[must_use]
    pub fn ids_are_short(&self) -> bool {
        let mistral = self.model().tool_family().is_some_and(|family| family.starts_with("mistral"));
        mistral && self.engine() == "vllm" && self.launch.tool_parser.value() == Some("mistral")
    }

    /// The history's ids are not of the form this model's template carries the name in.
    #[must_use]
    pub fn history_ids_unfit(&self) -> bool {
        self.ids_carry_names() && self.history_ids().any(|id| !(id.starts_with("functions.") && id.contains(':')))
    }

    /// The model writes Harmony.
    #[must_use]
    pub fn is_harmony(&self) -> bool {
        self.model().tool_family() == Some("gptoss_harmony")
    }

    /// The engine takes its parser from the model or its template, and has no flag for another.
    #[must_use]
    pub fn engine_chooses_parser(&self) -> bool {
        ["ollama", "mlx", "lm_studio"].contains(&self.engine())
    }

    /// vLLM's flags on another engine: the format is common, the parser is more often wrong than absent.
    #[must_use]
    pub fn leaks_from_parser(&self) -> bool {
        self.engine() == "vllm_mlx"
            && self.sides.iter().all(|side| side.leak().is_some_and(|(found, _)| found.family != "hermes_json"))
    }

    /// The prompt is shorter than the declared tools alone.
    #[must_use]
    pub fn prompt_too_short_for_tools(&self, side: &Side<'_>) -> bool {
        let Some(prompt) = side.completion.usage.and_then(|usage| usage.prompt_tokens) else { return false };
        let tools = self.view.request.field("tools").map(|tools| tools.to_string().len()).unwrap_or_default();
        prompt > 0 && prompt < (tools / 6) as u64
    }

    /// The model needs a template for tools that its launch line does not name.
    #[must_use]
    pub fn lacks_tool_template(&self) -> bool {
        self.launch.is_launch && self.launch.chat_template == Known::Absent && self.model().tool_template.is_some()
    }

    /// A call of the history whose arguments the server did not make so: they end too early, or hold what no serialiser
    /// writes (bare quotes, line breaks), and the reason. What has too much at its end is a parser's work.
    #[must_use]
    pub fn broken_history_call(&self) -> Option<(String, &'static str)> {
        let calls = self.view.request.replayed_calls();
        let texts: Vec<_> =
            calls.filter_map(|call| call.pointer("/function/arguments").and_then(Value::as_str)).collect();
        let blank = || texts.iter().any(|text| text.trim().is_empty());
        let broken = texts.iter().find_map(|arguments| {
            let error = serde_json::from_str::<Value>(arguments).err().filter(|_| !arguments.trim().is_empty())?;
            let why = match error.is_eof() {
                true => "are unterminated: an earlier turn was cut and stored",
                false if error.to_string().starts_with("trailing characters") => return None,
                false => {
                    "are no JSON: an earlier turn was stored as the model \
                     wrote it, with characters that are not escaped"
                }
            };
            Some(((*arguments).to_owned(), why))
        });
        broken.or_else(|| blank().then(|| (String::new(), "are an empty string, not {}")))
    }

    /// An answer arrived, or the launch line says whether a parser was named.
    #[must_use]
    pub fn sides_or_known(&self) -> bool {
        !self.sides.is_empty() || self.launch.tool_parser.value().is_some()
    }
}

fn same_bytes(one: &str, other: &str) -> bool {
    let measured = |name: &str| {
        catalogue::catalogue()
            .family_of(FamilyKind::Tool, name)
            .map_or(name.to_owned(), |family| family.measured_name().to_owned())
    };
    one == other || measured(one) == measured(other)
}
