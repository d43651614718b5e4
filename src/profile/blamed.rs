//! Which line of a launch profile a finding is about: [`Lines::point_at`]. Must not judge: the finding did.

use std::collections::BTreeMap;

use monban_scorers::{Blame, Evidence, Finding};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Profile;
use super::to_finding;
use crate::diagnostic::Diagnostic;

/// The key under which a profile's record holds its [`Lines`].
pub(super) const RECORDED: &str = "lines";

/// Findings about a flag, and the flag's meaning in the words all engines share.
const ABOUT: &[(&str, &str)] = &[
    ("wrong_tool_parser", "tool-call-parser"),
    ("no_tool_parser", "tool-call-parser"),
    ("auto_tool_choice_missing", "tool-call-parser"),
    ("wrong_reasoning_parser", "reasoning-parser"),
    ("no_reasoning_parser", "reasoning-parser"),
    ("unneeded_reasoning_parser", "reasoning-parser"),
];

/// Where a profile sets what findings blame. Kept in a run's record: the file may be another by the time of the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lines {
    file: String,
    /// `enable-auto-tool-choice` is on.
    calls_on: bool,
    /// By meaning.
    set: BTreeMap<String, Line>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Line {
    line: u32,
    name: String,
    value: String,
    evidence: Vec<Evidence>,
}

impl Profile {
    /// The lines that a finding may be about.
    #[must_use]
    pub fn lines(&self) -> Lines {
        let line = |key: &str| {
            let setting = self.any(key)?;
            let found = Diagnostic::error(key, "").at(self.source(), setting.span.clone());
            Some(Line {
                line: found.line.unwrap_or_default(),
                name: setting.name.clone(),
                value: setting.value.clone(),
                evidence: to_finding(&found, self.source()).evidence,
            })
        };
        let set = ABOUT.iter().filter_map(|(_, key)| Some(((*key).to_owned(), line(key)?))).collect();
        let calls_on = self.switch("enable-auto-tool-choice") == Some(true);
        Lines { file: self.file().to_owned(), calls_on, set }
    }
}

impl Lines {
    /// Those of a profile as a run records it; none without a profile.
    #[must_use]
    pub fn recorded(profile: &Value) -> Option<Self> {
        Self::deserialize(profile.get(RECORDED)?).ok()
    }

    /// Adds the line to change, or says that there is none, to a finding that blames the server's flags.
    pub fn point_at(&self, finding: &mut Finding) {
        let about = ABOUT.iter().find(|(rule, _)| *rule == finding.rule && finding.blame == Blame::ServerConfig);
        let Some((rule, key)) = about else { return };
        let file = &self.file;
        let Some(Line { line, name, value, evidence }) = self.set.get(*key) else {
            finding.fix.push(format!("{file} sets no {key}: add it there"));
            return;
        };
        finding.evidence.splice(..0, evidence.iter().cloned());
        let advised = finding.fix.first().is_some_and(|fix| words(fix).any(|word| word == value));
        finding.fix.push(match *rule {
            "unneeded_reasoning_parser" => format!("the line to drop: {file}:{line}, `{name}`"),
            "auto_tool_choice_missing" if !self.calls_on => {
                format!(
                    "{file}:{line} names a parser, and nothing switches it on: add enable-auto-tool-choice beside it"
                )
            }
            _ if advised => format!(
                "{file}:{line} says {value} already: restart the server with \
                 this profile, or name the profile it was started with"
            ),
            _ => format!("the line to change: {file}:{line}, `{name}` is {value}"),
        });
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))
}

#[cfg(test)]
mod tests {
    use monban_scorers::{Confidence, Severity};

    use super::*;
    use crate::diagnostic::Source;
    use crate::profile::read;

    const YAML: &str = "model: Qwen/Qwen3-8B\nmax-model-len: 32768\ntool-call-parser: llama3_json\n";

    #[track_caller]
    fn told(file: &str, text: &str, rule: &str, fix: &str) -> (Vec<String>, Vec<String>) {
        let profiles = read(&Source::new(file, text)).unwrap();
        let mut finding = Finding::new(rule, Severity::Error, Blame::ServerConfig, Confidence::High, "seen");
        finding.fix.push(fix.to_owned());
        profiles[0].lines().point_at(&mut finding);
        let excerpts = finding.evidence.into_iter().map(|evidence| evidence.excerpt).collect();
        (finding.fix, excerpts)
    }

    #[test]
    fn the_line_to_change_is_named() {
        let (fix, evidence) = told("p.yaml", YAML, "wrong_tool_parser", "--tool-call-parser hermes");
        assert_eq!(
            fix,
            ["--tool-call-parser hermes", "the line to change: p.yaml:3, `tool-call-parser` is llama3_json"]
        );
        assert_eq!(evidence, ["p.yaml:3: tool-call-parser: llama3_json"]);
        let script = "vllm serve Qwen/Qwen3-8B \\\n  --enable-auto-tool-choice \\\n  --tool-call-parser llama3_json\n";
        let (fix, _) = told("up.sh", script, "wrong_tool_parser", "--tool-call-parser hermes");
        assert_eq!(fix[1], "the line to change: up.sh:3, `--tool-call-parser` is llama3_json");
    }

    #[test]
    fn what_is_missing_or_right_already_is_said() {
        let (fix, evidence) = told("p.yaml", YAML, "no_reasoning_parser", "--reasoning-parser qwen3");
        assert_eq!((fix[1].as_str(), evidence.len()), ("p.yaml sets no reasoning-parser: add it there", 0));
        let (fix, _) = told("p.yaml", YAML, "auto_tool_choice_missing", "--tool-call-parser llama3_json");
        assert!(fix[1].contains("p.yaml:3") && fix[1].contains("enable-auto-tool-choice"), "{fix:?}");
        let (fix, _) = told("p.yaml", YAML, "wrong_tool_parser", "`--tool-call-parser llama3_json`, in vLLM");
        assert!(fix[1].contains("says llama3_json already"), "{fix:?}");
    }

    #[test]
    fn a_bug_is_not_the_profiles() {
        let profiles = read(&Source::new("p.yaml", YAML)).unwrap();
        let bug = Finding::new("wrong_tool_parser", Severity::Error, Blame::ServerBug, Confidence::High, "seen");
        let mut same = bug.clone();
        profiles[0].lines().point_at(&mut same);
        assert_eq!(same, bug);
    }
}
