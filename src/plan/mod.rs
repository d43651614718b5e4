//! Suites × options → what will be asked: [`Plan`]. Everything is parsed before the first request; attempts are
//! enumerated lazily, so a thousand repeats cost nothing until they are asked. Nothing here contacts anything.

use std::borrow::Cow;
use std::sync::Arc;

use globset::{Glob, GlobSet, GlobSetBuilder};
use monban_scorers::{Expectation, Mode, RawJson, Request};
use serde_json::{Value, json};

use crate::diagnostic::did_you_mean;
use crate::record::{SuiteRef, TaskRef};
use crate::suite::{StreamMode, Suite, Task};

mod needs;

pub use needs::Needs;

/// What the command line says about a run's tasks. `None` and empty mean: as the suites say.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The model name sent.
    pub model: String,
    /// Only tasks with one of these tags.
    pub tags: Vec<String>,
    /// Only tasks whose id matches one of these globs.
    pub tasks: Vec<String>,
    /// Attempts of every task.
    pub repeat: Option<u32>,
    /// The mode of every task.
    pub stream: Option<StreamMode>,
    /// The token budget of every task.
    pub max_tokens: Option<u64>,
}

/// What will be asked.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The suites, in order.
    pub suites: Vec<SuiteRef>,
    /// The tasks that are left after the filters, in order.
    pub tasks: Vec<Planned>,
}

/// One task of a plan, ready to ask and to judge.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Planned {
    /// Index into [`Plan::suites`].
    pub suite: usize,
    /// The task's id.
    pub id: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// How many attempts it gets.
    pub repeat: u32,
    /// Streamed, plain or both.
    pub stream: StreamMode,
    /// What must hold.
    pub expectations: Arc<[Expectation]>,
    request: Request,
    /// The body as sent plain: written once, asked often.
    plain: RawJson,
}

/// One attempt of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttemptId {
    /// Index into [`Plan::tasks`].
    pub task: usize,
    /// 0-based.
    pub attempt: u32,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(String);

impl std::fmt::Display for PlanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

impl Plan {
    /// Plans suites under options.
    ///
    /// # Errors
    /// A bad glob, two suites of one name, or filters that leave nothing to ask.
    ///
    /// ```
    /// use monban::{plan::{Options, Plan}, suite};
    /// use monban_scorers::Registry;
    ///
    /// let smoke = suite::load("smoke", &Registry::builtin()).into_suite(false).unwrap();
    /// let plan = Plan::new(vec![smoke], &Options { model: "m".into(), repeat: Some(3), ..Options::default() }).unwrap();
    /// assert_eq!(plan.attempts().count(), 3 * plan.tasks.len());
    /// ```
    pub fn new(suites: Vec<Suite>, options: &Options) -> Result<Self, PlanError> {
        let filter = Filter::new(options)?;
        let mut plan = Self { suites: Vec::with_capacity(suites.len()), tasks: Vec::new() };
        let mut known = Known::default();
        for suite in suites {
            if plan.suites.iter().any(|other| other.name == suite.name) {
                return Err(PlanError(format!("two suites are called `{}`: run them one after the other", suite.name)));
            }
            let index = plan.suites.len();
            let stream = options.stream.unwrap_or(suite.stream);
            for task in suite.tasks {
                if filter.takes(&task) {
                    plan.tasks.push(planned(index, task, stream, options));
                } else {
                    known.add(task);
                }
            }
            plan.suites.push(SuiteRef {
                name: suite.name,
                version: suite.version,
                digest: suite.digest,
                source: suite.source,
            });
        }
        if plan.tasks.is_empty() { Err(known.nothing_left(options)) } else { Ok(plan) }
    }

    /// Every attempt, lazily: each task once before any task twice, so that what is known early is broad.
    pub fn attempts(&self) -> impl Iterator<Item = AttemptId> + '_ {
        let rounds = self.tasks.iter().map(|task| task.repeat).max().unwrap_or(0);
        (0..rounds).flat_map(move |attempt| {
            let left = self.tasks.iter().enumerate().filter(move |(_, task)| attempt < task.repeat);
            left.map(move |(task, _)| AttemptId { task, attempt })
        })
    }

    /// How many attempts that is.
    #[must_use]
    pub fn attempt_count(&self) -> u64 {
        self.tasks.iter().map(|task| u64::from(task.repeat)).sum()
    }

    /// The tasks as a record keeps them.
    #[must_use]
    pub fn task_refs(&self) -> Vec<TaskRef> {
        let refs = self.tasks.iter().map(|task| TaskRef {
            suite: task.suite,
            id: task.id.clone(),
            tags: task.tags.clone(),
            repeat: task.repeat,
        });
        refs.collect()
    }

    /// What the plan needs of an endpoint, for checking a launch profile against it.
    #[must_use]
    pub fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        self.tasks.iter().for_each(|task| needs.add(task));
        needs
    }
}

impl Planned {
    /// What is asked, in typed form. Its body is the one without `stream`.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Asks something else.
    pub fn set_body(&mut self, body: Value) {
        self.plain = RawJson::of(&body);
        self.request = body.into();
    }

    /// The request body in a mode, as sent. A streamed answer is asked to state its token counts.
    #[must_use]
    pub fn body(&self, mode: Mode) -> Cow<'_, RawJson> {
        if mode == Mode::Plain {
            return Cow::Borrowed(&self.plain);
        }
        let mut body = self.request.body().clone();
        if let Value::Object(map) = &mut body {
            map.insert("stream".into(), json!(true));
            map.insert("stream_options".into(), json!({"include_usage": true}));
        }
        Cow::Owned(RawJson::of(&body))
    }
}

fn planned(suite: usize, task: Task, stream: StreamMode, options: &Options) -> Planned {
    let Task { id, tags, repeat, mut request, expectations, .. } = task;
    request.insert("model".into(), json!(options.model));
    if let Some(budget) = options.max_tokens {
        // Under the name the task uses: an endpoint may know only one of the two.
        let key = if request.contains_key("max_completion_tokens") { "max_completion_tokens" } else { "max_tokens" };
        request.insert(key.into(), json!(budget));
    }
    let body = Value::Object(request);
    let plain = RawJson::of(&body);
    let request = Request::from(body);
    Planned { suite, id, tags, repeat: options.repeat.unwrap_or(repeat), stream, expectations, request, plain }
}

/// `--tag` and `--task`.
struct Filter<'a> {
    tags: &'a [String],
    globs: Option<GlobSet>,
}

impl<'a> Filter<'a> {
    fn new(options: &'a Options) -> Result<Self, PlanError> {
        if options.tasks.is_empty() {
            return Ok(Self { tags: &options.tags, globs: None });
        }
        let mut globs = GlobSetBuilder::new();
        for text in &options.tasks {
            globs.add(Glob::new(text).map_err(|error| PlanError(format!("`{text}` is no glob: {}", error.kind())))?);
        }
        let globs = globs.build().map_err(|error| PlanError(format!("the globs cannot be used: {}", error.kind())))?;
        Ok(Self { tags: &options.tags, globs: Some(globs) })
    }

    fn takes(&self, task: &Task) -> bool {
        (self.tags.is_empty() || task.tags.iter().any(|tag| self.tags.contains(tag)))
            && self.globs.as_ref().is_none_or(|globs| globs.is_match(&task.id))
    }
}

/// The tasks that were filtered away, for saying what could have been meant.
#[derive(Default)]
struct Known {
    ids: Vec<String>,
    tags: Vec<String>,
}

impl Known {
    fn add(&mut self, task: Task) {
        self.ids.push(task.id);
        for tag in task.tags {
            if !self.tags.contains(&tag) {
                self.tags.push(tag);
            }
        }
    }

    fn nothing_left(&self, options: &Options) -> PlanError {
        let missing = options.tags.iter().find(|tag| !self.tags.contains(tag));
        let meant = match (missing, options.tasks.first()) {
            (Some(tag), _) => {
                let known = || self.tags.iter().map(String::as_str);
                let hint = did_you_mean(tag, known())
                    .unwrap_or_else(|| format!("tags are: {}", known().take(20).collect::<Vec<_>>().join(", ")));
                format!("no task has the tag `{tag}`; {hint}")
            }
            (None, Some(glob)) => {
                let hint = did_you_mean(glob, self.ids.iter().map(String::as_str));
                let hint = hint.unwrap_or_else(|| "`*` matches any part of an id".to_owned());
                format!("no task matches `{glob}`; {hint}")
            }
            (None, None) => "the filters leave no task".to_owned(),
        };
        PlanError(meant)
    }
}
