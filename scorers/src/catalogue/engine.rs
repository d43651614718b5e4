//! Engines and gateways by the many names people give them.

use super::data::catalogue;
use super::entries::{EngineDef, Note};
use super::version::Version;

/// What a text says of an endpoint: `litellm over vllm` is the engine vLLM behind the gateway LiteLLM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineName {
    /// The engine that runs the model.
    pub engine: Option<&'static str>,
    /// What stands in front of it.
    pub gateway: Option<&'static str>,
}

/// The engine and the gateway a text names, whatever stands around the names.
#[must_use]
pub fn engine_name(text: &str) -> EngineName {
    if let Some(def) = catalogue().engines.iter().find(|def| def.id == text) {
        let id = Some(def.id.as_str());
        return if def.gateway {
            EngineName { engine: None, gateway: id }
        } else {
            EngineName { engine: id, gateway: None }
        };
    }
    let mut rest = text.to_ascii_lowercase();
    let mut found = EngineName::default();
    if rest.trim().is_empty() {
        return found;
    }
    for (alias, def) in by_length() {
        let Some(at) = word_at(&rest, alias) else { continue };
        let place = if def.gateway { &mut found.gateway } else { &mut found.engine };
        place.get_or_insert(def.id.as_str());
        // What a longer name took is not read again: `vllm-mlx` is not vLLM.
        rest.replace_range(at..at + alias.len(), &" ".repeat(alias.len()));
    }
    found
}

/// The canonical name of the engine in a text, or of the gateway where no engine is named.
#[must_use]
pub fn engine_id(text: &str) -> Option<&'static str> {
    let name = engine_name(text);
    name.engine.or(name.gateway)
}

/// The engine a text names.
#[must_use]
pub fn engine_def(text: &str) -> Option<&'static EngineDef> {
    let engines = &catalogue().engines;
    engines.iter().find(|def| def.id == text).or_else(|| {
        let id = engine_id(text)?;
        engines.iter().find(|def| def.id == id)
    })
}

/// The message keys an engine puts reasoning under, the one to read first; without a version those of the newest.
#[must_use]
pub fn reasoning_fields(engine: &str, version: Option<&str>) -> &'static [String] {
    let Some(def) = engine_def(engine) else { return &[] };
    let version = version.and_then(Version::parse);
    let reached = |since: &Option<String>| {
        let since = since.as_deref().and_then(Version::parse);
        version.is_none_or(|version| since.is_none_or(|since| since <= version))
    };
    def.reasoning_fields.iter().rev().find(|names| reached(&names.since)).map_or(&[], |names| &names.keys)
}

/// What is known of an engine, of one topic or (empty) of all.
pub fn notes<'a>(engine: &'a str, topic: &'a str) -> impl Iterator<Item = &'static Note> + 'a {
    catalogue().notes.iter().filter(move |note| note.engine == engine && (topic.is_empty() || note.topic == topic))
}

/// Every alias with its engine, the longest first.
fn by_length() -> Vec<(&'static str, &'static EngineDef)> {
    let mut aliases: Vec<_> = catalogue()
        .engines
        .iter()
        .flat_map(|def| def.aliases.iter().chain([&def.id]).map(move |alias| (alias.as_str(), def)))
        .collect();
    aliases.sort_by_key(|(alias, _)| std::cmp::Reverse(alias.len()));
    aliases
}

/// Where `word` stands in `text` with no letter or digit beside it.
fn word_at(text: &str, word: &str) -> Option<usize> {
    let beside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|&at| !beside(text[..at].chars().next_back()) && !beside(text[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn case(text: &str, engine: Option<&'static str>, gateway: Option<&'static str>) {
        assert_eq!(engine_name(text), EngineName { engine, gateway }, "{text}");
    }

    #[test]
    fn names_as_people_write_them() {
        case("vllm on DGX Spark (GB10)", Some("vllm"), None);
        case("vllm behind a gateway", Some("vllm"), Some("gateway"));
        case("litellm over vllm", Some("vllm"), Some("litellm"));
        case("litellm 1.100.0 over ollama 0.33.3", Some("ollama"), Some("litellm"));
        case("haproxy in front of ollama", Some("ollama"), Some("haproxy"));
        case("lemonade over llama.cpp", Some("llama_cpp"), Some("lemonade"));
        case("vllm-mlx", Some("vllm_mlx"), None);
        case("TensorRT-LLM", Some("tensorrt_llm"), None);
        case("trtllm", Some("tensorrt_llm"), None);
        case("llamacpp", Some("llama_cpp"), None);
        case("ray serve llm (vllm)", Some("vllm"), None);
        case("vllm via llama-stack", Some("vllm"), Some("llama_stack"));
        case("lm studio", Some("lm_studio"), None);
        case("litellm gateway", None, Some("litellm"));
        case("openai-compatible provider", None, None);
        case("local gemma", None, None);
    }

    #[test]
    fn an_id_is_the_engine_before_the_gateway() {
        assert_eq!(engine_id("litellm over vllm"), Some("vllm"));
        assert_eq!(engine_id("litellm"), Some("litellm"));
        assert_eq!(engine_id("BFCL"), None);
    }

    #[test]
    fn reasoning_moved_in_vllm() {
        assert_eq!(reasoning_fields("vllm", Some("0.11.0")), ["reasoning_content"]);
        assert_eq!(reasoning_fields("vllm", Some("0.15.1")), ["reasoning", "reasoning_content"]);
        assert_eq!(reasoning_fields("vllm", Some("0.16.0")), ["reasoning"]);
        assert_eq!(reasoning_fields("vllm", None), ["reasoning"]);
        assert_eq!(reasoning_fields("llama.cpp", None), ["reasoning_content"]);
    }

    #[test]
    fn notes_are_found_by_topic() {
        assert_eq!(notes("vllm", "reasoning_field").count(), 1);
        assert!(notes("vllm", "").count() > 5);
    }
}
