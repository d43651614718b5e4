//! What an error text means: the table of `scorers/catalogue/errors.toml`, in the order of the file.
//!
//! [`explain`] finds the first entry that fits. A test compiles every pattern and looks up every rule.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::Blame;

/// One entry of the table.
#[derive(Debug)]
pub struct Entry {
    pattern: Regex,
    status: Vec<u16>,
    /// The rule it is filed under.
    pub rule: String,
    /// Whose fault it is.
    pub blame: Blame,
    /// Only where this holds; see [`Around::is`].
    when: Option<String>,
    says: String,
    fix: Vec<String>,
}

impl Entry {
    /// The entry fits any text of its statuses.
    #[must_use]
    pub fn is_catch_all(&self) -> bool {
        self.pattern.as_str() == ".*"
    }

    /// The entry is only meant for requests that replay tool calls.
    #[must_use]
    pub fn needs_history_calls(&self) -> bool {
        self.when.as_deref() == Some("history_calls")
    }
}

/// An entry that fits a text.
#[derive(Debug)]
pub struct Explained {
    /// The entry.
    pub entry: &'static Entry,
    /// What it means, with the text's own numbers filled in.
    pub says: String,
    /// The remedies, filled in likewise; a name behind `@` is for the advice to fill.
    pub fix: Vec<String>,
}

/// What is known around a text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around<'a> {
    /// The request replays tool calls.
    pub history_calls: bool,
    /// The text is of the server's log, not of an answer.
    pub log: bool,
    /// The gateway that handed it on.
    pub gateway: Option<&'a str>,
}

impl Around<'_> {
    /// Whether the condition of an entry holds: `history_calls`, `log`, `answer` (no log), or a gateway's name.
    fn is(&self, condition: &str) -> bool {
        match condition {
            "history_calls" => self.history_calls,
            "log" => self.log,
            "answer" => !self.log,
            gateway => self.gateway == Some(gateway),
        }
    }
}

#[derive(Deserialize)]
struct Table {
    error: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    pattern: String,
    #[serde(default)]
    status: Vec<u16>,
    rule: String,
    blame: Blame,
    when: Option<String>,
    says: String,
    fix: Vec<String>,
    #[expect(dead_code, reason = "stands beside each fact in the file")]
    source: String,
}

static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let table: Table =
        toml::from_str(include_str!("../../catalogue/errors.toml")).unwrap_or(Table { error: Vec::new() });
    table.error.into_iter().filter_map(Written::compile).collect()
});

impl Written {
    fn compile(self) -> Option<Entry> {
        let Self { pattern, status, rule, blame, when, says, fix, .. } = self;
        Some(Entry { pattern: Regex::new(&pattern).ok()?, status, rule, blame, when, says, fix })
    }
}

/// What a server says to a request; in its log the same words speak of something else.
const OF_REQUESTS: &[&str] = &[
    "wrong_model_name",
    "unauthorised",
    "rate_limited",
    "wrong_path",
    "bad_request",
    "unsupported_parameter",
    "context_overflow",
    "multimodal_limit",
    "model_fault",
];

/// What the text means, given the HTTP status it came with (`None`: no status, as in a start-up log or a broken stream).
#[must_use]
pub(super) fn explain(text: &str, status: Option<u16>, around: Around<'_>) -> Option<Explained> {
    TABLE.iter().find_map(|entry| {
        let status_fits = entry.status.is_empty() || status.is_some_and(|status| entry.status.contains(&status));
        let fits = status_fits && !(around.log && OF_REQUESTS.contains(&entry.rule.as_str()));
        if !fits || entry.when.as_deref().is_some_and(|condition| !around.is(condition)) {
            return None;
        }
        let groups = entry.pattern.captures(text)?;
        let filled = |words: &str| {
            (1..groups.len()).fold(words.to_owned(), |words, at| {
                words.replace(&format!("{{{at}}}"), groups.get(at).map_or("", |group| group.as_str().trim()))
            })
        };
        Some(Explained { entry, says: filled(&entry.says), fix: entry.fix.iter().map(|fix| filled(fix)).collect() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_of_the_file_compiles_and_names_a_rule() {
        let table: Table = toml::from_str(include_str!("../../catalogue/errors.toml")).unwrap();
        let written = table.error.len();
        assert!(written > 30);
        assert_eq!(TABLE.len(), written, "a pattern does not compile");
        for entry in TABLE.iter() {
            assert!(crate::diagnosis::rule(&entry.rule).is_some(), "no rule {}", entry.rule);
            assert!(!entry.says.is_empty() && !entry.fix.is_empty());
        }
    }

    #[track_caller]
    fn case(text: &str, status: u16, rule: &str, says: &str) {
        let found = explain(text, Some(status), Around { history_calls: true, ..Around::default() })
            .unwrap_or_else(|| panic!("nothing fits {text}"));
        assert_eq!(found.entry.rule, rule, "{text}");
        assert!(found.says.contains(says), "{}", found.says);
    }

    #[test]
    fn tells_errors_apart() {
        case(
            "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
            400,
            "auto_tool_choice_missing",
            "",
        );
        case(
            "request (19185 tokens) exceeds the available context size (16384 tokens), try it",
            400,
            "context_overflow",
            "19185 > 16384",
        );
        case("The model `x` does not exist.", 404, "wrong_model_name", "wrong model name");
        let jinja = "While executing FilterExpression at line 120, column 73 in source: … Unknown (built-in) filter 'items' for type String";
        case(jinja, 500, "template", "another shape");
        case("Value is not callable: null at row 49, column 79", 500, "template", "");
        case(
            "Unable to generate parser for this template. Automatic parser generation failed",
            400,
            "template",
            "cannot read",
        );
        case("Failed to parse input at pos 395: <|tool_call_start|>[f(a='b')]<|tool_call_end|>", 500, "template", "");
        case(
            "error parsing tool call: raw='{\"a\":1}]', err=invalid character ']'",
            500,
            "bad_args",
            "gave the whole answer up",
        );
        case("Loading model", 503, "unreachable_or_loading", "loading");
        case("rate limited", 429, "rate_limited", "not scored");
        case("{\"detail\":\"Not Found\"}", 404, "wrong_path", "");
        case("At most 1 image(s) may be provided in one prompt.", 400, "multimodal_limit", "1 image");
        case("Failed to load image or audio file", 400, "multimodal_limit", "");
        case("Unknown part type: video", 500, "multimodal_limit", "");
        case("you have reached your session usage limit", 429, "rate_limited", "quota");
        case("Gaudi doesn't support logprobs. Please remove it", 400, "unsupported_parameter", "");
        case("think value \"medium\" is not supported for this model", 400, "unsupported_parameter", "");
        case("[{'type': 'extra_forbidden', 'loc': ('body', 'n')}]", 400, "bad_request", "");
        case("something odd", 418, "bad_request", "");
    }
    #[test]
    fn reads_the_context_texts_of_many_servers() {
        let lm_studio = "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough";
        let tgi = "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 1512. Given: 1000 `inputs` tokens and 1024 `max_new_tokens`";
        for (text, status, says) in [
            (lm_studio, 400, "111490 > 32768"),
            ("initial prompt is greater than the context length (n_keep: 9315>= n_ctx: 8192)", 400, "9315 > 8192"),
            (tgi, 422, "1000 input + 1024 asked > 1512"),
            ("Input validation error: `inputs` must have less than 1024 tokens. Given: 1872", 422, "1872 > 1024"),
            ("Requested tokens (1612) exceed context window of 512", 500, "1612 > 512"),
            ("max_total_tokens (33802) must be less than or equal to max_seq_len (32768)", 400, "33802 > 32768"),
            ("max_tokens must be at least 1, got -186.", 400, "-186"),
            ("Prompt length (9000) exceeds maximum input length (8192)", 500, "9000 > 8192"),
            ("Token indices sequence length is longer than the specified maximum sequence length", 400, ""),
            ("prompt is too long: 203000 tokens > 200000 maximum", 400, ""),
        ] {
            case(text, status, "context_overflow", says);
        }
        case("max_tokens must be at least 1, got 0.", 400, "bad_request", "");
    }

    #[test]
    fn tells_a_lack_of_memory_from_a_crash() {
        for (text, blame) in [
            ("model requires more system memory (2.7 GiB) than is available (2.3 GiB)", Blame::ServerConfig),
            ("CUDA out of memory. Tried to allocate 2.00 GiB", Blame::ServerConfig),
            ("model runner has unexpectedly stopped", Blame::ServerBug),
            ("EngineCore encountered an issue", Blame::ServerBug),
        ] {
            let found = explain(text, Some(500), Around::default()).unwrap();
            assert_eq!((found.entry.rule.as_str(), found.entry.blame), ("server_error", blame), "{text}");
        }
    }
}
