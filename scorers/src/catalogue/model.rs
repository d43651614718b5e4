//! Which model id wants which parsers. Main type: [`ModelRule`].

use std::sync::OnceLock;

use regex::RegexSet;
use serde::Deserialize;

use super::data::catalogue;
use super::entries::FamilyKind;

/// What models of one id pattern write, and the parsers to serve them with.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ModelRule {
    /// The pattern of the id, without regard to case.
    #[serde(rename = "match")]
    pub pattern: String,
    /// The tool families its models write, the likeliest first.
    pub tool_families: Vec<String>,
    /// The reasoning family its models write; `None` for models that do not think.
    pub reasoning_family: Option<String>,
    /// Where it differs from the reasoning family: `on`, `off`, `never`, `varies`.
    pub(super) thinks: Option<String>,
    /// What else is known.
    pub note: Option<String>,
    /// Where the rule was read.
    pub source: String,
    vllm: EngineParsers,
    sglang: EngineParsers,
    tensorrt_llm: EngineParsers,
    atlas: EngineParsers,
}

/// The parsers of one engine for a model; `None` = pass no such flag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct EngineParsers {
    /// The tool parser.
    pub tool: Option<String>,
    /// The reasoning parser.
    pub reasoning: Option<String>,
    /// Tool parsers for the other families its models are seen to write.
    pub also: Vec<String>,
}

impl ModelRule {
    /// The tool family its models most likely write.
    #[must_use]
    pub fn tool_family(&self) -> Option<&str> {
        self.tool_families.first().map(String::as_str)
    }

    /// Whether its models think: `on` or `off` unless told otherwise, `varies`, or `never`.
    #[must_use]
    pub fn thinks(&self) -> &str {
        self.thinks.as_deref().unwrap_or_else(|| {
            let family = self.reasoning_family.as_deref();
            let family = family.and_then(|name| catalogue().family_of(FamilyKind::Reasoning, name));
            family.map_or("never", |family| family.thinking.as_str())
        })
    }

    /// The tool and the reasoning parser to pass to an engine.
    #[must_use]
    pub fn parsers(&self, engine: &str) -> (Option<&str>, Option<&str>) {
        let parsers = self.on(engine);
        (parsers.and_then(|it| it.tool.as_deref()), parsers.and_then(|it| it.reasoning.as_deref()))
    }

    /// All there is for an engine; `None` for an engine without parser names.
    #[must_use]
    pub fn on(&self, engine: &str) -> Option<&EngineParsers> {
        match engine {
            "vllm" => Some(&self.vllm),
            "sglang" => Some(&self.sglang),
            "tensorrt_llm" => Some(&self.tensorrt_llm),
            "atlas" => Some(&self.atlas),
            _ => None,
        }
    }

    /// The parser of a kind to pass to an engine.
    #[must_use]
    pub fn parser(&self, engine: &str, kind: FamilyKind) -> Option<&str> {
        let (tool, reasoning) = self.parsers(engine);
        if kind == FamilyKind::Tool { tool } else { reasoning }
    }
}

/// The rule for a model id: a repository, a file or directory path, a served name, with whatever quantisation is in it.
///
/// The last path component is asked first, then the whole. `None` for a model nothing is known of.
#[must_use]
pub fn model_rule(model_id: &str) -> Option<&'static ModelRule> {
    // Ids are short; what is not is no id.
    let plain = |c: char| if c == ' ' || c == '_' { '-' } else { c.to_ascii_lowercase() };
    let id: String = model_id.chars().take(500).map(plain).collect();
    let last = id.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or_default();
    let patterns = patterns();
    let first = |text: &str| patterns.matches(text).iter().next();
    let whole = || if last == id { None } else { first(&id) };
    first(last).or_else(whole).and_then(|index| catalogue().models.get(index))
}

fn patterns() -> &'static RegexSet {
    static PATTERNS: OnceLock<RegexSet> = OnceLock::new();
    PATTERNS.get_or_init(|| {
        let patterns = catalogue().models.iter().map(|rule| rule.pattern.as_str());
        // The patterns are in lower case and so is what they meet: folding case would make the set costly to build.
        RegexSet::new(patterns).unwrap_or_else(|_| RegexSet::empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn case(id: &str, tool: Option<&str>, reasoning: Option<&str>, vllm: (Option<&str>, Option<&str>)) {
        let rule = model_rule(id).unwrap();
        let got = (rule.tool_family(), rule.reasoning_family.as_deref(), rule.parsers("vllm"));
        assert_eq!(got, (tool, reasoning, vllm), "{id}");
    }

    #[test]
    fn patterns_are_in_lower_case() {
        for rule in &catalogue().models {
            assert!(!rule.pattern.contains(|c: char| c.is_ascii_uppercase()), "{}", rule.pattern);
        }
    }

    #[test]
    fn ids_of_the_field() {
        case("Qwen/Qwen3-Coder-30B-A3B-Instruct-AWQ", Some("qwen3_coder_xml"), None, (Some("qwen3_coder"), None));
        let hybrid = (Some("hermes"), Some("qwen3"));
        case("Qwen/Qwen3-32B", Some("hermes_json"), Some("think_model_emits_start"), hybrid);
        case("/models/qwen3-8b-fp8/", Some("hermes_json"), Some("think_model_emits_start"), hybrid);
        case("qwen3:0.6b", Some("hermes_json"), Some("think_model_emits_start"), hybrid);
        case(
            "Qwen3.6-27B",
            Some("qwen3_coder_xml"),
            Some("think_start_in_prompt"),
            (Some("qwen3_coder"), Some("qwen3")),
        );
        let thinking = (Some("hermes"), Some("deepseek_r1"));
        case("Qwen/Qwen3-4B-Thinking-2507", Some("hermes_json"), Some("think_start_in_prompt"), thinking);
        case(
            "RedHatAI/gemma-4-31B-it-FP8-block",
            Some("gemma4"),
            Some("gemma4_channel"),
            (Some("gemma4"), Some("gemma4")),
        );
        case("Llama 3.1 8B", Some("llama3_json"), None, (Some("llama3_json"), None));
        case("Granite 4", Some("granite4_json"), None, (Some("granite4"), None));
        case("Kimi K2", Some("kimi_k2"), None, (Some("kimi_k2"), None));
        case(
            "moonshot/kimi-k2.5",
            Some("kimi_k2"),
            Some("think_model_emits_start"),
            (Some("kimi_k2"), Some("kimi_k2")),
        );
        case(
            "openai/gpt-oss-120b",
            Some("gptoss_harmony"),
            Some("gptoss_harmony"),
            (Some("openai"), Some("openai_gptoss")),
        );
        let hub = "/root/.cache/hub/models--zai-org--GLM-4.7/snapshots/0a1b2c";
        case(hub, Some("glm47_argkey"), Some("think_start_in_prompt"), (Some("glm47"), Some("glm47")));
    }

    #[test]
    fn the_more_telling_part_of_an_id_decides() {
        assert_eq!(model_rule("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B").unwrap().tool_family(), Some("deepseek_v3"));
        assert_eq!(model_rule("NousResearch/Hermes-3-Llama-3.1-8B").unwrap().tool_family(), Some("hermes_json"));
        assert_eq!(model_rule("Team-ACE/ToolACE-2-Llama-3.1-8B").unwrap().tool_family(), Some("pythonic"));
        assert_eq!(model_rule("mistralai/Mistral-Small-3.2-24B").unwrap().tool_family(), Some("mistral_callid_args"));
        assert_eq!(model_rule("ibm-granite/granite-3.0-8b-instruct").unwrap().tool_family(), Some("granite3_json"));
    }

    #[test]
    fn who_thinks() {
        for (id, thinks) in [
            ("Qwen/Qwen3-32B", "on"),
            ("google/gemma-4-31B-it", "off"),
            ("deepseek-ai/DeepSeek-V3", "never"),
            ("deepseek-ai/DeepSeek-V3.1", "off"),
            ("Qwen/Qwen2.5-7B-Instruct", "never"),
        ] {
            assert_eq!(model_rule(id).unwrap().thinks(), thinks, "{id}");
        }
    }

    #[test]
    fn an_unknown_model_has_no_rule() {
        for id in ["", "/", "my-model", "HuggingFaceTB/SmolLM2-135M-Instruct", "any"] {
            assert!(model_rule(id).is_none(), "{id}");
        }
    }
}
