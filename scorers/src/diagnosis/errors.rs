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
    /// Only where this holds of the request; see [`Entry::needs_history_calls`].
    when: Option<String>,
    says: String,
    /// The remedies; a name behind `@` is filled in by the advice.
    pub fix: Vec<String>,
}

impl Entry {
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

/// What the text means, given the HTTP status it came with (`None`: no status, as in a start-up log or a broken stream).
#[must_use]
pub(super) fn explain(text: &str, status: Option<u16>, history_calls: bool) -> Option<Explained> {
    TABLE.iter().find_map(|entry| {
        let status_fits = entry.status.is_empty() || status.is_some_and(|status| entry.status.contains(&status));
        if !status_fits || (entry.needs_history_calls() && !history_calls) {
            return None;
        }
        let groups = entry.pattern.captures(text)?;
        let says = (1..groups.len()).fold(entry.says.clone(), |says, at| {
            says.replace(&format!("{{{at}}}"), groups.get(at).map_or("", |group| group.as_str()))
        });
        Some(Explained { entry, says })
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
        let found = explain(text, Some(status), true).unwrap_or_else(|| panic!("nothing fits {text}"));
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
        case("Loading model", 503, "unreachable_or_loading", "loading");
        case("rate limited", 429, "rate_limited", "not scored");
        case("{\"detail\":\"Not Found\"}", 404, "wrong_path", "");
        case("At most 1 image(s) may be provided in one prompt.", 400, "multimodal_limit", "1 image");
        case("something odd", 418, "bad_request", "");
    }
}
