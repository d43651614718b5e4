//! The judged probes: `probes.toml`, a suite like any other, planned for one model and one pace.

use monban_scorers::{Mode, Registry};
use serde_json::json;

use super::seen::{Probe, To};
use crate::plan::{Options, Plan, Planned};
use crate::suite;

/// Below so many tokens a second an endpoint is slow: less is asked, with smaller budgets.
const SLOW: f64 = 90.0;
/// The budget on slow endpoints, tokens.
const SMALL: u64 = 48;

/// The ids, as the readings know them. A test holds them against the file.
pub(super) const PLAIN: &str = "plain";
pub(super) const TOOLS_AUTO: &str = "tools-auto";
pub(super) const TOOLS_REQUIRED: &str = "tools-required";
pub(super) const TOOLS_HISTORY: &str = "tools-history";
pub(super) const THINKING_ON: &str = "thinking-on";
pub(super) const TOOLS_UNTHINKING: &str = "tools-unthinking";
pub(super) const THINKING_OFF: &str = "thinking-off";

/// What is judged.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) tasks: Vec<Planned>,
    slow: bool,
}

impl Judged {
    /// The tasks for a model.
    ///
    /// # Errors
    /// The file does not read; a test says that it does.
    pub(super) fn new(model: &str) -> Result<Self, String> {
        let suite = suite::check_text("doctor", include_str!("probes.toml"), &Registry::builtin()).into_suite(false)?;
        let plan = Plan::new(vec![suite], &Options { model: model.to_owned(), ..Options::default() })
            .map_err(|error| error.to_string())?;
        Ok(Self { tasks: plan.tasks, slow: false })
    }

    /// Takes the endpoint's pace into account, tokens a second.
    pub(super) fn pace(&mut self, tokens_per_second: Option<f64>) {
        self.slow = tokens_per_second.is_some_and(|pace| pace < SLOW);
        if self.slow {
            self.tasks.iter_mut().for_each(|task| set(task, |body| body["max_tokens"] = json!(SMALL)));
        }
    }

    /// The endpoint is slow: what is cheap goes first.
    pub(super) fn is_slow(&self) -> bool {
        self.slow
    }

    /// The second turn replays the endpoint's own call id: templates read names and forms out of it.
    pub(super) fn replay(&mut self, id: &str) {
        if let Some(task) = self.tasks.iter_mut().find(|task| task.id == TOOLS_HISTORY) {
            set(task, |body| {
                body["messages"][1]["tool_calls"][0]["id"] = json!(id);
                body["messages"][2]["tool_call_id"] = json!(id);
            });
        }
    }

    /// The requests of the tasks a filter takes: the modes of each in turn.
    pub(super) fn probes(&self, takes: impl Fn(&str) -> bool) -> Vec<Probe> {
        let mut probes = Vec::new();
        for task in self.tasks.iter().filter(|task| takes(&task.id)) {
            let both = !self.slow || task.tags.iter().any(|tag| tag == "both");
            for mode in [Mode::Plain, Mode::Stream].into_iter().take(if both { 2 } else { 1 }) {
                probes.push(Probe { id: known(&task.id), mode, to: To::Chat, body: task.body(mode).value() });
            }
        }
        if self.slow {
            // Every question once before any twice.
            probes.sort_by_key(|probe| probe.mode);
        }
        probes
    }

    /// One task.
    pub(super) fn task(&self, id: &str) -> Option<&Planned> {
        self.tasks.iter().find(|task| task.id == id)
    }
}

fn set(task: &mut Planned, change: impl FnOnce(&mut serde_json::Value)) {
    let mut body = task.request().body().clone();
    change(&mut body);
    task.set_body(body);
}

/// The rows of the matrix that come of judged tasks: id and name.
pub(super) const ROWS: &[(&str, &str)] = &[
    (PLAIN, "plain and streamed answer"),
    (TOOLS_AUTO, "tools: auto"),
    (TOOLS_REQUIRED, "tools: required"),
    ("tools-named", "tools: named"),
    ("tools-none", "tools: none"),
    ("tools-unused", "tools: offered, not needed"),
    ("tools-parallel", "tools: two calls at once"),
    ("tools-zero", "tools: no arguments"),
    ("tools-nested", "tools: arrays and objects"),
    (TOOLS_HISTORY, "tools: second turn"),
    (TOOLS_UNTHINKING, "tools: thinking off"),
    (THINKING_ON, "thinking: on"),
    (THINKING_OFF, "thinking: off"),
    ("schema", "JSON schema"),
    ("schema-thinking", "JSON schema while thinking"),
];

fn known(id: &str) -> &'static str {
    ROWS.iter().find(|(known, _)| *known == id).map_or("", |(known, _)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_reads_and_every_task_has_its_row() {
        let judged = Judged::new("m").unwrap();
        let mut ids: Vec<&str> = judged.tasks.iter().map(|task| task.id.as_str()).collect();
        let mut rows: Vec<&str> = ROWS.iter().map(|(id, _)| *id).collect();
        ids.sort_unstable();
        rows.sort_unstable();
        assert_eq!(ids, rows);
        assert_eq!(judged.probes(|_| true).len(), 30);
    }

    #[test]
    fn slow_endpoints_are_asked_less() {
        let mut judged = Judged::new("m").unwrap();
        judged.pace(Some(30.0));
        let probes = judged.probes(|_| true);
        assert!(probes.len() < 24 && probes.iter().all(|probe| probe.body["max_tokens"] == SMALL));
    }

    #[test]
    fn the_replayed_id_is_the_endpoints_own() {
        let mut judged = Judged::new("m").unwrap();
        let id = |judged: &Judged| {
            let body = judged.task(TOOLS_HISTORY).unwrap().request().body();
            (body["messages"][1]["tool_calls"][0]["id"].clone(), body["messages"][2]["tool_call_id"].clone())
        };
        assert_eq!(id(&judged), (json!("callid001"), json!("callid001")));
        judged.replay("functions.get_weather:0");
        assert_eq!(id(&judged), (json!("functions.get_weather:0"), json!("functions.get_weather:0")));
    }
}
