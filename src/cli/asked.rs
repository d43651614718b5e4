//! What a run was asked to do: [`Asked`], kept in the manifest so that `--resume` and `compare` know.

use monban_scorers::Registry;
use serde::{Deserialize, Serialize};

use crate::plan::{self, Plan};
use crate::runner::RunOptions;
use crate::suite::{self, StreamMode, Suite};

/// What a run was asked to do beyond its suites and its endpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    /// How to ask.
    #[serde(flatten)]
    pub(super) run: RunOptions,
    /// The mode of every task; `None` as the suites say.
    pub(super) stream: Option<StreamMode>,
    /// Attempts of every task; `None` as the suites say.
    pub(super) repeat: Option<u32>,
    /// The token budget of every task; `None` as the suites say.
    pub(super) max_tokens: Option<u64>,
    /// Only tasks with one of these tags.
    pub(super) tags: Vec<String>,
    /// Only tasks that match one of these globs.
    pub(super) tasks: Vec<String>,
    /// The least rate that passes.
    pub(super) fail_under: Option<f64>,
    /// The variable that holds the key: its name, never its value.
    pub(super) api_key_env: Option<String>,
}

impl Asked {
    /// Loads suites and plans them.
    ///
    /// # Errors
    /// The diagnostics of the suites, drawn; or why there is no plan.
    pub(super) fn plan(&self, suites: &[String], model: &str, color: bool) -> anyhow::Result<Result<Plan, String>> {
        match load(suites, color) {
            Ok(loaded) => Ok(Ok(self.plan_of(loaded, model)?)),
            Err(drawn) => Ok(Err(drawn)),
        }
    }

    /// Plans suites that are loaded.
    ///
    /// # Errors
    /// Why there is no plan.
    pub(super) fn plan_of(&self, suites: Vec<Suite>, model: &str) -> anyhow::Result<Plan> {
        let options = plan::Options {
            model: model.to_owned(),
            tags: self.tags.clone(),
            tasks: self.tasks.clone(),
            repeat: self.repeat,
            stream: self.stream,
            max_tokens: self.max_tokens,
        };
        Ok(Plan::new(suites, &options)?)
    }
}

/// Loads suites by name or path.
///
/// # Errors
/// The diagnostics of the first that cannot be used, drawn.
pub(super) fn load(suites: &[String], color: bool) -> Result<Vec<Suite>, String> {
    suites.iter().map(|name| suite::load(name, &Registry::builtin()).into_suite(color)).collect()
}
