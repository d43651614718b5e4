//! Where an endpoint contradicts its profile: [`Discovered`], [`Profile::conflicts`].

use monban_scorers::diagnosis::Finding;

use super::model::Profile;
use super::record::to_finding;
use crate::diagnostic::Diagnostic;

/// What an endpoint says of itself. All optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovered {
    /// The engine's id.
    pub engine: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The context.
    pub max_model_len: Option<u64>,
    /// The names it serves; empty where unknown.
    pub served_names: Vec<String>,
    /// The tool parser (`Some("")`: known to have none).
    pub tool_parser: Option<String>,
    /// The reasoning parser (`Some("")`: known to have none).
    pub reasoning_parser: Option<String>,
}

impl Profile {
    /// Where the endpoint contradicts the profile: it is not what was launched, or was launched otherwise.
    #[must_use]
    pub fn conflicts(&self, seen: &Discovered) -> Vec<Finding> {
        [
            self.context_conflict(seen),
            self.name_conflict(seen),
            self.parser_conflict("tool-call-parser", "the tool parser", seen.tool_parser.as_deref()),
            self.parser_conflict("reasoning-parser", "the reasoning parser", seen.reasoning_parser.as_deref()),
            self.engine_conflict(seen),
            self.version_conflict(seen),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// One contradiction, at the line that says otherwise.
    fn clash(&self, key: &str, what: &str, said: &str, seen: &str) -> Finding {
        let setting = self.any(key).map(|setting| setting.span.clone());
        let span = setting.or_else(|| Some(self.model()?.span)).unwrap_or_default();
        let message = format!("the profile says {what} {said}, the endpoint says {seen}");
        let fix = "restart the server with this profile, or name the profile it was started with";
        let found = Diagnostic::error("profile_conflict", message).at(self.source(), span).fix(fix);
        to_finding(&found, self.source())
    }

    /// llama-server divides its context by its slots, and says what a slot has.
    fn context_conflict(&self, seen: &Discovered) -> Option<Finding> {
        let defaults = self.request_defaults();
        let (said, seen) = (defaults.max_model_len?, seen.max_model_len?);
        let slots = defaults.max_concurrency.filter(|_| self.engine == "llama_cpp").unwrap_or(1);
        (said != seen && said / slots != seen)
            .then(|| self.clash("max-model-len", "a context of", &said.to_string(), &seen.to_string()))
    }

    /// llama-server answers to any name.
    fn name_conflict(&self, seen: &Discovered) -> Option<Finding> {
        let said = self.request_defaults().model?;
        let judged = !seen.served_names.is_empty() && self.engine != "llama_cpp";
        (judged && !seen.served_names.contains(&said))
            .then(|| self.clash("served-model-name", "the name", &said, &seen.served_names.join(", ")))
    }

    fn parser_conflict(&self, key: &str, what: &str, seen: Option<&str>) -> Option<Finding> {
        let said = self.value(key).unwrap_or_default();
        let seen = seen.filter(|seen| *seen != said && said != "auto")?;
        Some(self.clash(key, what, none(said), none(seen)))
    }

    fn engine_conflict(&self, seen: &Discovered) -> Option<Finding> {
        let seen = seen.engine.as_deref().filter(|seen| !self.engine.is_empty() && *seen != self.engine)?;
        Some(self.clash("runtime", "the engine is", &self.engine, seen))
    }

    fn version_conflict(&self, seen: &Discovered) -> Option<Finding> {
        let (said, seen) = (&self.engine_version.as_ref()?.text, seen.version.as_deref()?);
        (release(said)? != release(seen)?).then(|| self.clash("engine-version", "version", said, seen))
    }
}

/// The dotted number of a release: `0.11.2` of `v0.11.2rc1`.
fn release(version: &str) -> Option<&str> {
    let start = version.find(|c: char| c.is_ascii_digit())?;
    let rest = &version[start..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let release = rest[..end].trim_end_matches('.');
    release.contains('.').then_some(release)
}

fn none(name: &str) -> &str {
    if name.is_empty() { "(none)" } else { name }
}
