//! Which engine answered, and what stands in front of it: [`Server`], from what is stated and from the answers themselves.

use crate::catalogue;
use crate::completion::{Completion, Exchange};
use crate::diagnosis::Context;

/// The engine and what stands before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// The engine's catalogue id (`vllm`, `sglang`, `tensorrt_llm`, `llama_cpp`, `atlas`, `ollama`), or its own name
    /// where it is none of these.
    pub engine: Option<String>,
    /// The engine's version, where it is one (`0.11.2`), not a remark.
    pub version: Option<String>,
    /// The gateway or wrapper in front: `litellm`, or its own name.
    pub gateway: Option<String>,
}

impl Server {
    /// Reads what is stated, then what the answers show.
    #[must_use]
    pub fn read(context: &Context, exchanges: &[Exchange], completions: &[&Completion]) -> Self {
        let stated = context.engine.as_deref().unwrap_or_default();
        let name = catalogue::engine_name(stated);
        let own_name = || Some(stated.to_lowercase()).filter(|text| !text.is_empty() && name.gateway.is_none());
        let mut server = Self {
            engine: name.engine.map(str::to_owned).or_else(own_name),
            version: context.engine_version.as_deref().and_then(version_in),
            gateway: name.gateway.map(str::to_owned),
        };
        if let Some(route) = context.route.as_deref().and_then(|route| route.strip_prefix("gateway:")) {
            server.gateway = Some(route.to_owned());
        }
        for exchange in exchanges {
            server.see_headers(exchange);
        }
        for completion in completions {
            server.see_answer(completion);
        }
        server
    }

    /// The engine is this one, whatever stands in front of it.
    #[must_use]
    pub fn is(&self, engine: &str) -> bool {
        self.engine.as_deref() == Some(engine)
    }

    /// The version is known and older than `(major, minor)`.
    #[must_use]
    pub fn older_than(&self, major: u32, minor: u32) -> Option<bool> {
        let mut parts = self.version.as_deref()?.split('.').map(|part| part.parse::<u32>().unwrap_or_default());
        Some((parts.next()?, parts.next().unwrap_or_default()) < (major, minor))
    }

    fn see_headers(&mut self, exchange: &Exchange) {
        if self.gateway.is_none() && exchange.headers.iter().any(|(name, _)| name.starts_with("x-litellm-")) {
            self.gateway = Some("litellm".to_owned());
        }
        if self.engine.is_none()
            && exchange.header("server").is_some_and(|value| value.eq_ignore_ascii_case("llama.cpp"))
        {
            self.engine = Some("llama_cpp".to_owned());
        }
    }

    /// vLLM's fingerprint (`vllm-0.32.0-bd50f2d5`) and LiteLLM's own message key tell themselves.
    fn see_answer(&mut self, completion: &Completion) {
        if let Some(rest) = completion.system_fingerprint.as_deref().and_then(|print| print.strip_prefix("vllm-")) {
            self.engine.get_or_insert_with(|| "vllm".to_owned());
            if self.version.is_none() {
                self.version = version_in(rest);
            }
        }
        if self.gateway.is_none() && completion.message_keys.iter().any(|key| key == "provider_specific_fields") {
            self.gateway = Some("litellm".to_owned());
        }
    }
}

/// A version in `0.11.2`, `v0.11.2`, `0.27.2rc1.dev113`, `1.11.0.post1`, `before 0.9`: only what starts with a number.
fn version_in(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches('v');
    let version: String = text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '.').collect();
    let mut parts = version.split('.');
    let first = parts.next()?;
    (first.parse::<u16>().is_ok_and(|major| major < 1000) && parts.next().is_some()).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn case(engine: &str, expect: (Option<&str>, Option<&str>)) {
        let context = Context { engine: Some(engine.to_owned()), ..Context::default() };
        let server = Server::read(&context, &[], &[]);
        assert_eq!((server.engine.as_deref(), server.gateway.as_deref()), expect, "{engine}");
    }

    #[test]
    fn tells_engines_and_gateways_apart() {
        case("vllm", (Some("vllm"), None));
        case("litellm over vllm", (Some("vllm"), Some("litellm")));
        case("vllm behind a gateway", (Some("vllm"), Some("gateway")));
        case("ollama via litellm", (Some("ollama"), Some("litellm")));
        case("litellm gateway", (None, Some("litellm")));
        case("tensorrt-llm", (Some("tensorrt_llm"), None));
        case("vllm-mlx", (Some("vllm_mlx"), None));
        case("some engine", (Some("some engine"), None));
    }

    #[test]
    fn a_remark_is_no_version() {
        assert_eq!(version_in("0.20.1 (maintainer check)").as_deref(), Some("0.20.1"));
        assert_eq!(version_in("v0.9.0.1").as_deref(), Some("0.9.0.1"));
        assert_eq!(version_in("not reported (2025-04)"), None);
        assert_eq!(version_in("2026-08"), None);
        assert_eq!(version_in("main 2025-07"), None);
    }

    #[test]
    fn the_fingerprint_tells_engine_and_version() {
        let completion =
            Completion { system_fingerprint: Some("vllm-0.32.0-bd50f2d5".to_owned()), ..Completion::default() };
        let server = Server::read(&Context::default(), &[], &[&completion]);
        assert_eq!((server.engine.as_deref(), server.version.as_deref()), (Some("vllm"), Some("0.32.0")));
        assert_eq!(server.older_than(0, 17), Some(false));
    }
}
