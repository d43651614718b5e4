//! What is known of how the server was launched: [`Launch`], from the context and from the profile's text.
//!
//! The text may be a command, YAML, Compose, Kubernetes or JSON: only `key value` pairs are looked for, in any of these
//! spellings. It must not judge; a profile's own checks live elsewhere.

use std::sync::LazyLock;

use regex::Regex;

use crate::diagnosis::Context;

/// A setting as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Known {
    /// Nothing is known.
    #[default]
    Unknown,
    /// Known to be absent.
    Absent,
    /// Known to be this.
    Is(String),
}

impl Known {
    /// The value, where one is known.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Is(value) => Some(value),
            Self::Unknown | Self::Absent => None,
        }
    }

    fn from_context(value: Option<&str>) -> Option<Self> {
        value.map(|value| if value.is_empty() { Self::Absent } else { Self::Is(value.to_owned()) })
    }
}

/// The launch line as far as diagnosis needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// `--tool-call-parser`.
    pub tool_parser: Known,
    /// The server is known to run without a tool parser: not read from a text that may be an excerpt.
    pub surely_no_tool_parser: bool,
    /// The model's own template is at work, and brings the parser with it (llama-server --jinja).
    pub template_parses: bool,
    /// `--reasoning-parser`.
    pub reasoning_parser: Known,
    /// `--enable-auto-tool-choice`: `None` when nothing is known.
    pub auto_tool_choice: Option<bool>,
    /// `--chat-template`.
    pub chat_template: Known,
    /// `--tokenizer-mode`.
    pub tokenizer_mode: Known,
    /// The model named in the launch line.
    pub model: Option<String>,
    /// A context limit is set by hand.
    pub context_limit: bool,
    /// Two layers are told to split the reasoning.
    pub double_reasoning: bool,
    /// A guided-decoding backend is named.
    pub guided_backend: bool,
    /// `--stream-interval` above one: several tokens come in one delta.
    pub stream_interval: bool,
    /// The text is a launch line (not a gateway's or client's configuration, not empty).
    pub is_launch: bool,
}

impl Launch {
    /// Reads what the context knows: stated parsers first, then the profile's text.
    #[must_use]
    pub fn read(context: &Context) -> Self {
        let mut launch = context.profile.as_deref().map(Self::from_text).unwrap_or_default();
        if let Some(parser) = Known::from_context(context.tool_parser.as_deref()) {
            launch.surely_no_tool_parser = parser == Known::Absent;
            launch.tool_parser = parser;
        }
        if let Some(parser) = Known::from_context(context.reasoning_parser.as_deref()) {
            launch.reasoning_parser = parser;
        }
        launch
    }

    fn from_text(text: &str) -> Self {
        let is_launch = LAUNCH.is_match(text);
        let known = |pattern: &Regex| match first(pattern, text) {
            Some(value) => Known::Is(value),
            None if is_launch => Known::Absent,
            None => Known::Unknown,
        };
        Self {
            tool_parser: known(&TOOL_PARSER),
            surely_no_tool_parser: false,
            template_parses: text.contains("llama-server")
                && text.contains("--jinja")
                && first(&ANY_TEMPLATE, text).is_none(),
            reasoning_parser: known(&REASONING_PARSER),
            auto_tool_choice: is_launch.then(|| AUTO.is_match(text)),
            chat_template: known(&CHAT_TEMPLATE),
            tokenizer_mode: known(&TOKENIZER_MODE),
            model: first(&MODEL, text).or_else(|| first(&SERVED_POSITIONAL, text)),
            context_limit: CONTEXT_LIMIT.is_match(text),
            double_reasoning: WRAPPER_REASONING.is_match(text) && REASONING_PARSER.is_match(text),
            guided_backend: text.contains("guided_decoding_backend") || text.contains("grammar-backend"),
            stream_interval: first(&STREAM_INTERVAL, text).is_some_and(|every| every != "1"),
            is_launch,
        }
    }
}

/// A flag in any spelling: `--a-b c`, `--a-b=c`, `a_b: c`, `"a-b":"c"`, `'--a-b', 'c'`.
#[expect(clippy::expect_used, reason = "patterns are constants; a test compiles them all")]
fn flag(name: &str) -> Regex {
    let name = name.replace('-', "[-_]");
    Regex::new(&format!(r#"(?i)(?:^|[\s"'\[,{{]|--){name}["']?\s*[\s=:,]\s*["']?([^\s"',\]}}\\]+)"#))
        .expect("a constant pattern")
}

#[expect(clippy::expect_used, reason = "patterns are constants; a test compiles them all")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

fn first(pattern: &Regex, text: &str) -> Option<String> {
    pattern.captures(text).and_then(|found| found.get(1)).map(|value| value.as_str().to_owned())
}

static TOOL_PARSER: LazyLock<Regex> = LazyLock::new(|| flag("(?:dyn-)?tool-(?:call-)?parser"));
static REASONING_PARSER: LazyLock<Regex> = LazyLock::new(|| flag("(?:dyn-)?reasoning-parser"));
static CHAT_TEMPLATE: LazyLock<Regex> = LazyLock::new(|| flag("chat-template"));
static ANY_TEMPLATE: LazyLock<Regex> = LazyLock::new(|| flag("chat-template(?:-file)?"));
static TOKENIZER_MODE: LazyLock<Regex> = LazyLock::new(|| flag("tokenizer-mode"));
static MODEL: LazyLock<Regex> = LazyLock::new(|| flag("model(?:-path|-tag)?"));
static SERVED_POSITIONAL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:vllm serve|trtllm-serve(?: serve)?)\s+([^\s-]\S*)"));
static STREAM_INTERVAL: LazyLock<Regex> = LazyLock::new(|| flag("stream(?:ing)?-interval"));
static AUTO: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)enable[-_]auto[-_]tool[-_]choice"));
static CONTEXT_LIMIT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)max[-_]model[-_]len|context[-_]length|ctx[-_]size|(?:^|\s)-c\s+\d"));
static WRAPPER_REASONING: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)--?reasoning[-_]content[\s=]+true"));
static LAUNCH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)vllm serve|vllm\.entrypoints|vllm[-/]openai|sglang[._]launch|launch_server|sglang serve|llama-server|trtllm-serve|trtllm_llmapi|dynamo\.(?:vllm|sglang|trtllm)|dynamo serve|--model[-=\s]|--tool-call-parser|--reasoning-parser|tool_call_parser|--model-path|-m\s+\S+\.gguf|atlas serve",
    )
});

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(text: &str) -> Launch {
        Launch::read(&Context { profile: Some(text.to_owned()), ..Context::default() })
    }

    #[test]
    fn reads_flags_in_every_spelling() {
        for text in [
            "vllm serve org/m --tool-call-parser hermes --reasoning-parser=qwen3",
            "model: org/m\ntool_call_parser: hermes\nreasoning_parser: qwen3",
            "args: [--model, org/m, --tool-call-parser, hermes, --reasoning-parser, qwen3]",
            "command: ['--model=org/m','--tool-call-parser=hermes','--reasoning-parser=qwen3']",
            "{\"model\":\"org/m\",\"tool-call-parser\":\"hermes\",\"reasoning-parser\":\"qwen3\"}",
        ] {
            let launch = launch(text);
            assert_eq!(launch.tool_parser, Known::Is("hermes".to_owned()), "{text}");
            assert_eq!(launch.reasoning_parser, Known::Is("qwen3".to_owned()), "{text}");
            assert_eq!(launch.model.as_deref(), Some("org/m"), "{text}");
        }
    }

    #[test]
    fn tells_absent_from_unknown() {
        assert_eq!(launch("vllm serve org/m --port 1").tool_parser, Known::Absent);
        assert_eq!(launch("model_list:\n - model_name: x").tool_parser, Known::Unknown);
        assert_eq!(launch("vllm serve org/m --port 1").auto_tool_choice, Some(false));
        assert_eq!(Launch::read(&Context::default()), Launch::default());
    }

    #[test]
    fn what_the_context_states_wins() {
        let context = Context {
            tool_parser: Some(String::new()),
            profile: Some("vllm serve m --tool-call-parser hermes".to_owned()),
            ..Context::default()
        };
        assert_eq!(Launch::read(&context).tool_parser, Known::Absent);
    }
}
