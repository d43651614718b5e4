//! `[[task]]`: one conversation with its expectations, everything resolved.

use std::cell::Cell;

use monban_scorers::Registry;
use serde_json::{Map, Value, json};

use super::fields::{self, quoted};
use super::model::{Task, Tool};
use super::problem::{Problem, Problems, join};
use super::reader::{Reader, kind, list};
use super::tool::MOST_TOOLS;
use super::{expect, messages};
use crate::diagnostic::{did_you_mean, nearest};

/// The keys of a `[[task]]` beside the request fields.
pub(super) const KEYS: [&str; 9] =
    ["id", "tags", "prompt", "system", "messages", "tools", "tool_choice", "repeat", "expect"];
const CHOICES: [&str; 3] = ["auto", "none", "required"];
const LONGEST_ID: usize = 128;
const MOST_TAGS: usize = 100;
/// The most attempts of one task.
pub(super) const MOST_REPEATS: u32 = 1000;

/// What a task may refer to.
pub(super) struct Scope<'a> {
    pub(super) tools: &'a [Tool],
    pub(super) defaults: &'a Map<String, Value>,
    pub(super) registry: &'a Registry,
    /// The size of the defaults as JSON text, bytes: each task carries them.
    pub(super) defaults_size: usize,
    /// Bytes that the tasks may still grow by beyond the file: a small file can say a large thing many times.
    pub(super) left: Cell<usize>,
}

impl Scope<'_> {
    /// Takes from what is left; false when that is used up.
    pub(super) fn spend(&self, bytes: usize) -> bool {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Reads one task. `None` when it has no id to speak of; other problems are booked and leave it with holes.
pub(super) fn read(mut map: Map<String, Value>, at: &str, scope: &Scope<'_>, problems: &mut Problems) -> Option<Task> {
    let mut reader = Reader { map: &map, at, problems };
    reader.known("a task", KEYS.into_iter().chain(fields::names()));
    let id = id(&mut reader);
    let tags = tags(&mut reader);
    let repeat = reader.count("repeat", 1..=MOST_REPEATS).unwrap_or(1);
    let messages = messages::read(&mut reader);
    let offered = offered(&mut reader, scope);
    let choice = choice(&mut reader, &offered, scope);
    let own = fields::read(&map, at, reader.problems);
    let expectations = expect::read(&mut reader, &offered, scope);

    let carried = scope.tools.iter().filter(|tool| offered.contains(&tool.name)).map(|tool| tool.size).sum::<usize>();
    if !scope.spend(carried + scope.defaults_size) {
        problems.push(Problem::error("too_large", at, "the tasks together are too large"));
        return None;
    }
    let mut request = fields::merge(scope.defaults, own);
    request.insert("messages".into(), Value::Array(messages));
    if !offered.is_empty() {
        let declared = offered.iter().filter_map(|name| scope.tools.iter().find(|tool| tool.name == *name));
        request.insert("tools".into(), declared.map(|tool| tool.declaration.clone()).collect());
    }
    if let Some(choice) = choice {
        request.insert("tool_choice".into(), choice);
    }
    let expect = match map.remove("expect") {
        Some(Value::Array(expect)) => expect,
        _ => Vec::new(),
    };
    Some(Task { id: id?, tags, repeat, request, expect, expectations: expectations.into(), line: 0 })
}

fn id(reader: &mut Reader<'_, '_>) -> Option<String> {
    let id = reader.required_text("id", "a task")?;
    let sound = !id.is_empty()
        && id.len() <= LONGEST_ID
        && id.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/'));
    if !sound {
        let message = format!("{} is no id: letters, digits and `-_.:/`, at most {LONGEST_ID} bytes", quoted(id));
        reader.fail("bad_name", "id", message);
    }
    Some(id.to_owned())
}

fn tags(reader: &mut Reader<'_, '_>) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for (index, tag) in reader.texts("tags").into_iter().take(MOST_TAGS) {
        let sound = !tag.is_empty() && tag.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'));
        if !sound {
            reader.fail(
                "bad_name",
                &format!("tags/{index}"),
                format!("{} is no tag: letters, digits and `-_.:`", quoted(tag)),
            );
        } else if tags.iter().any(|known| known == tag) {
            reader.fail("wrong_value", &format!("tags/{index}"), format!("the tag {} stands twice", quoted(tag)));
        } else {
            tags.push(tag.to_owned());
        }
    }
    tags
}

fn offered(reader: &mut Reader<'_, '_>, scope: &Scope<'_>) -> Vec<String> {
    let mut offered: Vec<String> = Vec::new();
    for (index, name) in reader.texts("tools").into_iter().take(MOST_TOOLS) {
        let pointer = format!("{}/tools/{index}", reader.at);
        if !scope.tools.iter().any(|tool| tool.name == name) {
            let known = || scope.tools.iter().map(|tool| tool.name.as_str());
            let fix = did_you_mean(name, known()).unwrap_or_else(|| match known().next() {
                None => "declare it: `[[tool]]` with `name`, `description` and `parameters`".to_owned(),
                Some(_) => format!("declared: {}", list(known().take(12))),
            });
            let problem = Problem::error("unknown_tool", pointer, format!("no tool is called {}", quoted(name)));
            reader.problems.push(problem.fix(fix));
        } else if offered.iter().any(|known| known == name) {
            reader.problems.push(Problem::error(
                "duplicate_tool",
                pointer,
                format!("{} is offered twice", quoted(name)),
            ));
            continue;
        }
        offered.push(name.to_owned());
    }
    offered
}

/// `tool_choice` in the form it is sent in.
fn choice(reader: &mut Reader<'_, '_>, offered: &[String], scope: &Scope<'_>) -> Option<Value> {
    let said = reader.map.get("tool_choice")?;
    let pointer = join(reader.at, "tool_choice");
    if offered.is_empty() {
        let problem = Problem::error("bad_tool_choice", &pointer, "`tool_choice` without `tools`: servers refuse it");
        reader.problems.push(problem.fix("offer `tools`, or leave `tool_choice` away".to_owned()));
    }
    match said {
        Value::String(word) if CHOICES.contains(&word.as_str()) => return Some(said.clone()),
        Value::String(word) => {
            let problem =
                Problem::error("bad_tool_choice", &pointer, format!("`tool_choice` knows no {}", quoted(word)));
            let fix = match nearest(word, CHOICES) {
                Some(near) => format!("did you mean `{near}`?"),
                None if offered.contains(word) => format!("to name a tool write {{ name = \"{word}\" }}"),
                None => "one of `auto`, `none`, `required`, { name = \"…\" }".to_owned(),
            };
            reader.problems.push(problem.fix(fix));
        }
        Value::Object(table) => {
            let mut inner = Reader { map: table, at: &pointer, problems: reader.problems };
            inner.known("a tool choice", ["name"].into_iter());
            let name = inner.required_text("name", "a tool choice")?;
            if !offered.is_empty() {
                expect::offers(name, &join(&pointer, "name"), offered, scope, reader.problems);
            }
            return Some(json!({"type": "function", "function": {"name": name}}));
        }
        other => {
            let message = format!("`tool_choice` expects a word or {{ name = \"…\" }}, found {}", kind(other));
            reader.problems.push(Problem::error("bad_tool_choice", &pointer, message));
        }
    }
    None
}
