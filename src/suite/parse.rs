//! A suite file → [`Suite`]: [`parse`] reads everything and reports everything that is wrong at once.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use monban_scorers::Registry;
use serde_json::{Map, Value};

use super::dataset::{self, ReadFile};
use super::fields::{self, quoted};
use super::model::{StreamMode, Suite, Task};
use super::problem::{Problem, Problems};
use super::reader::Reader;
use super::said::Said;
use super::task::{self, Scope};
use super::{digest, tool};
use crate::diagnostic::{Diagnostic, Source};

const TOP_KEYS: [&str; 5] = ["suite", "defaults", "tool", "task", "dataset"];
/// The lists that make tasks, in the order of the tasks.
const LISTS: [&str; 2] = ["task", "dataset"];
/// The keys of `[suite]`.
pub(super) const HEAD_KEYS: [&str; 4] = ["name", "version", "description", "stream"];
/// The most tasks of one suite, datasets included.
const MOST_TASKS: usize = 50_000;
/// What defaults, tools and datasets may add to the tasks, bytes.
const LARGEST_TASKS: usize = 128 << 20;

/// A file as read: what it means, where it means something, and what is wrong with it.
#[derive(Debug)]
pub struct Parsed {
    /// The suite; `None` where there are errors.
    pub suite: Option<Suite>,
    /// Everything found, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it is TOML at all.
    pub readable: bool,
}

/// Reads a suite file's text.
pub(super) fn parse(source: &Source, registry: &Registry, read_file: ReadFile<'_>) -> Parsed {
    let mut problems = Problems::default();
    let said = match Said::read(source) {
        Ok(said) => said,
        Err(diagnostics) => return Parsed { suite: None, diagnostics, readable: false },
    };
    let suite = Document { said, registry, read_file }.read(source, &mut problems);
    Parsed { suite, diagnostics: place(problems, source), readable: true }
}

/// Problems with their places in the file, in its order. The file is read again for them: reading takes the tree apart.
fn place(problems: Problems, source: &Source) -> Vec<Diagnostic> {
    let cut = problems.is_full();
    let problems = problems.into_list();
    if problems.is_empty() {
        return Vec::new();
    }
    let said = match Said::read(source) {
        Ok(said) => said,
        Err(diagnostics) => return diagnostics,
    };
    let mut diagnostics: Vec<Diagnostic> = problems
        .into_iter()
        .map(|problem| {
            let message = match &problem.row {
                Some((file, line)) => format!("{} (row at {file}:{line})", problem.message),
                None => problem.message,
            };
            let mut found = Diagnostic::new(problem.severity, problem.rule, message)
                .at(source, said.span(&problem.pointer, problem.at_key))
                .label(problem.label)
                .maybe_fix(problem.fix);
            if let Some((pointer, label)) = problem.related {
                found = found.related(said.span(&pointer, false), label);
            }
            found
        })
        .collect();
    diagnostics.sort_by_key(|found| (found.line, found.column));
    if cut {
        let message = "the rest of the file was not looked at: mend these first";
        diagnostics.push(Diagnostic::info("more", message).in_file(source.name(), None));
    }
    diagnostics
}

/// A file being read.
struct Document<'a, 's> {
    said: Said<'s>,
    registry: &'a Registry,
    read_file: ReadFile<'a>,
}

impl Document<'_, '_> {
    fn read(mut self, source: &Source, problems: &mut Problems) -> Option<Suite> {
        let value = self.said.value(&LISTS, problems);
        let mut top = Reader { map: &value, at: "", problems };
        top.known("a suite file", TOP_KEYS.into_iter());
        let head = self.head(&mut top);
        let defaults = top.table("defaults").map(|map| defaults(map, top.problems)).unwrap_or_default();
        let tools = top.list("tool", "tables: `[[tool]]`").unwrap_or_default();
        let tools = tool::read_all(tools, top.problems);
        let defaults_size = Value::Object(defaults.clone()).to_string().len();
        let left = Cell::new(LARGEST_TASKS);
        let scope = Scope { tools: &tools, defaults: &defaults, registry: self.registry, defaults_size, left };
        let Collected { tasks, offered, .. } = self.tasks(&mut top, &scope, source);
        unused(&tools, &offered, problems);
        let (name, version, description, stream) = head?;
        if problems.has_errors() {
            return None;
        }
        let digest = digest::of(stream, &tasks);
        Some(Suite { name, version, description, stream, source: source.name().to_owned(), digest, tools, tasks })
    }

    fn head(&self, top: &mut Reader<'_, '_>) -> Option<(String, String, String, StreamMode)> {
        if !top.map.contains_key("suite") {
            let problem = Problem::error("missing_key", "", "the file has no `[suite]`");
            top.problems.push(problem.fix("begin with `[suite]`, `name`, `version` and `description`".to_owned()));
        }
        let mut head = Reader { map: top.table("suite")?, at: "/suite", problems: top.problems };
        head.known("`[suite]`", HEAD_KEYS.into_iter());
        let name = head.required_text("name", "the suite");
        if let Some(name) = name.filter(|name| !is_kebab(name)) {
            let problem = Problem::error("bad_name", "/suite/name", format!("{} is not kebab-case", quoted(name)));
            head.problems.push(
                problem.fix("small letters and digits joined by single `-`, at most 64: `tool-calling`".to_owned()),
            );
        }
        let version = head.required_text("version", "the suite");
        if let Some(version) = version.filter(|version| !is_semver(version)) {
            let problem =
                Problem::error("bad_version", "/suite/version", format!("{} is no semantic version", quoted(version)));
            head.problems.push(problem.fix("three numbers: `1.0.0`".to_owned()));
        }
        let description = head.text("description").unwrap_or_default();
        let stream = match head.word("stream", &["on", "off", "both"]) {
            Some("on") => StreamMode::On,
            Some("both") => StreamMode::Both,
            _ => StreamMode::Off,
        };
        Some((name?.to_owned(), version?.to_owned(), description.to_owned(), stream))
    }

    /// Reads the tasks, in order.
    fn tasks(&mut self, top: &mut Reader<'_, '_>, scope: &Scope<'_>, source: &Source) -> Collected {
        for list in LISTS {
            top.list(list, &format!("tables: `[[{list}]]`"));
        }
        let lists = LISTS.map(|list| (list, self.said.take(list)));
        if lists.iter().all(|(_, items)| items.len() == 0) {
            let problem = Problem::error("empty_suite", "/suite", "the suite has no tasks, so it cannot fail");
            top.problems.push(problem.fix("add a `[[task]]` with `id`, `prompt` and `expect`".to_owned()));
        }
        let mut collected = Collected::default();
        for (list, items) in lists {
            for (index, item) in items.enumerate() {
                if top.problems.is_full() {
                    break;
                }
                let at = format!("/{list}/{index}");
                let Value::Object(map) = item.value(top.problems) else {
                    top.problems.push(Problem::error("wrong_type", at, format!("a {list} is a table: `[[{list}]]`")));
                    continue;
                };
                collected.offers(&map);
                let found = match list {
                    "task" => task::read(map, &at, scope, top.problems).into_iter().collect(),
                    _ => dataset::read(map, &at, scope, self.read_file, top.problems),
                };
                let line = source.position(item.start()).0;
                found.into_iter().for_each(|task| collected.take(Task { line, ..task }, (list, index), top.problems));
            }
        }
        if collected.tasks.len() > MOST_TASKS {
            let message = format!("the suite has more than {MOST_TASKS} tasks");
            top.problems.push(Problem::error("too_large", "/suite", message));
        }
        collected
    }
}

/// A list at the top, and the place in it.
type Place = (&'static str, usize);

/// What was read of the tasks so far.
#[derive(Default)]
struct Collected {
    tasks: Vec<Task>,
    /// Each id, and where it was first used.
    ids: HashMap<String, Place>,
    /// The names of the tools that some task offers.
    offered: HashSet<String>,
}

impl Collected {
    fn offers(&mut self, task: &Map<String, Value>) {
        for name in task.get("tools").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            if !self.offered.contains(name) {
                self.offered.insert(name.to_owned());
            }
        }
    }

    /// Takes a task, and books an id that another has.
    fn take(&mut self, task: Task, at: Place, problems: &mut Problems) {
        match self.ids.get(&task.id) {
            None => drop(self.ids.insert(task.id.clone(), at)),
            Some(first) => {
                let pointer = |(list, index): Place| format!("/{list}/{index}/id");
                let message = format!("two tasks are called {}", quoted(&task.id));
                let problem = Problem::error("duplicate_id", pointer(at), message)
                    .fix("results are compared by id: give each its own".to_owned());
                problems.push(if *first == at { problem } else { problem.related(pointer(*first), "first here") });
            }
        }
        self.tasks.push(task);
    }
}

/// A tool that nothing offers is most often a task that forgot to.
fn unused(tools: &[super::model::Tool], offered: &HashSet<String>, problems: &mut Problems) {
    for (index, tool) in tools.iter().enumerate().filter(|(_, tool)| !offered.contains(&tool.name)) {
        let message = format!("no task offers the tool {}", quoted(&tool.name));
        problems.push(Problem::warning("unused_tool", format!("/tool/{index}/name"), message));
    }
}

fn defaults(map: &Map<String, Value>, problems: &mut Problems) -> Map<String, Value> {
    let mut reader = Reader { map, at: "/defaults", problems };
    reader.known("`[defaults]`", fields::names());
    fields::read(map, "/defaults", problems)
}

/// `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 64: the name is part of directory names.
pub(super) fn is_kebab(name: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    name.len() <= 64 && name.split('-').all(part)
}

/// Semantic Versioning 2.0.0, §2, §9 and §10.
fn is_semver(version: &str) -> bool {
    let (version, build) = version.split_once('+').map_or((version, None), |(version, build)| (version, Some(build)));
    let (core, pre) = version.split_once('-').map_or((version, None), |(core, pre)| (core, Some(pre)));
    let number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part.len() == 1 || !part.starts_with('0'))
    };
    let word = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let numeric = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    core.split('.').count() == 3
        && core.split('.').all(number)
        && pre.is_none_or(|pre| pre.split('.').all(|part| word(part) && (!numeric(part) || number(part))))
        && build.is_none_or(|build| build.split('.').all(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions() {
        assert!(["a", "tool-calling", "gpt4-x"].iter().all(|name| is_kebab(name)));
        assert!(["", "A", "a_b", "-a", "a-", "a--b", "../a", "日本"].iter().all(|name| !is_kebab(name)));
        assert!(["1.0.0", "0.1.2-rc.1", "1.2.3+b.01", "1.0.0-a-b+c"].iter().all(|version| is_semver(version)));
        assert!(
            ["", "1", "1.0", "01.0.0", "1.0.0-", "1.0.0-01", "v1.0.0", "1.0.0+"]
                .iter()
                .all(|version| !is_semver(version))
        );
    }
}
