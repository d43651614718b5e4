//! `[[dataset]]`: a task template and a file of rows; each row is a task.
//!
//! `{{field}}` in any string takes the row's value; a string that is nothing but one `{{field}}` takes the value with its
//! type. Rows come from JSONL (one object a line) or CSV (with a header line). This module reads no files itself.

use serde_json::{Map, Value};

use super::fields::quoted;
use super::model::Task;
use super::problem::{Problem, Problems};
use super::reader::{Reader, kind, list};
use super::task::{self, Scope};
use crate::diagnostic::nearest;

/// The most rows of one dataset.
const MOST_ROWS: usize = 20_000;
/// A template is wrong in the same way for every row: after this many faulty rows the rest is not read.
const MOST_FAULTY_ROWS: usize = 3;

/// Reads a file that stands beside the suite. The error is a lower-case fragment.
pub(super) type ReadFile<'f> = &'f dyn Fn(&str) -> Result<String, String>;

/// Reads one `[[dataset]]` and its rows.
pub(super) fn read(
    mut map: Map<String, Value>,
    at: &str,
    scope: &Scope<'_>,
    read_file: ReadFile<'_>,
    problems: &mut Problems,
) -> Vec<Task> {
    let mut reader = Reader { map: &map, at, problems };
    let Some(file) = reader.required_text("file", "a dataset") else { return Vec::new() };
    let file = file.to_owned();
    let rows = match read_file(&file).and_then(|text| Rows::of(&file, &text)) {
        Ok(rows) => rows,
        Err(why) => {
            reader.fail("dataset_file", "file", format!("the dataset cannot be used: {why}"));
            return Vec::new();
        }
    };
    map.remove("file");
    let mut tasks = Vec::with_capacity(rows.rows.len());
    let mut faulty = 0;
    for (line, row) in rows.rows {
        let before = problems.count();
        problems.in_row(Some((file.clone(), line)));
        match row {
            Ok(row) => {
                let filled = Filler { row: &row, scope, problems }.map(&map, at);
                tasks.extend(task::read(filled, at, scope, problems));
            }
            Err(why) => problems.push(Problem::error("dataset_row", format!("{at}/file"), why)),
        }
        problems.in_row(None);
        faulty += usize::from(problems.count() > before);
        if faulty >= MOST_FAULTY_ROWS || problems.is_full() {
            break;
        }
    }
    tasks
}

type Row = Map<String, Value>;
/// A row's line, and the row or why it cannot be read.
type Line = (u32, Result<Row, String>);

/// The rows of a file, each with its line.
struct Rows {
    rows: Vec<Line>,
}

impl Rows {
    fn of(file: &str, text: &str) -> Result<Self, String> {
        let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        let rows = match extension.as_deref() {
            Some("jsonl" | "ndjson") => jsonl(text.trim_start_matches('\u{feff}')),
            Some("csv") => csv(text)?,
            _ => return Err(format!("{} is neither .jsonl nor .csv", quoted(file))),
        };
        match rows.len() {
            0 => Err(format!("{} has no rows", quoted(file))),
            count if count > MOST_ROWS => Err(format!("{} has more than {MOST_ROWS} rows", quoted(file))),
            _ => Ok(Self { rows }),
        }
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

fn jsonl(text: &str) -> Vec<Line> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .take(MOST_ROWS + 1)
        .map(|(index, line)| {
            let row = match serde_json::from_str(line) {
                Ok(Value::Object(row)) => Ok(row),
                Ok(other) => Err(format!("a row is a JSON object, found {}", kind(&other))),
                Err(error) => Err(format!("the row is not JSON: {error}")),
            };
            (number(index), row)
        })
        .collect()
}

fn csv(text: &str) -> Result<Vec<Line>, String> {
    let mut reader = csv::ReaderBuilder::new().flexible(false).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| format!("its header cannot be read: {error}"))?.clone();
    let rows = reader.records().take(MOST_ROWS + 1).map(|record| match record {
        Ok(record) => {
            let line = record.position().map_or(0, |position| u32::try_from(position.line()).unwrap_or(u32::MAX));
            let cells = header.iter().zip(record.iter());
            (line, Ok(cells.map(|(key, cell)| (key.trim().to_owned(), Value::from(cell))).collect()))
        }
        Err(error) => {
            let line = error.position().map_or(0, |position| u32::try_from(position.line()).unwrap_or(u32::MAX));
            (line, Err(format!("the row cannot be read: {error}")))
        }
    });
    Ok(rows.collect())
}

/// Puts a row's values where `{{field}}` stands.
struct Filler<'a, 'p> {
    row: &'a Row,
    scope: &'a Scope<'a>,
    problems: &'p mut Problems,
}

impl Filler<'_, '_> {
    fn map(&mut self, map: &Map<String, Value>, at: &str) -> Map<String, Value> {
        map.iter().map(|(key, value)| (key.clone(), self.value(value, &super::problem::join(at, key)))).collect()
    }

    fn value(&mut self, value: &Value, at: &str) -> Value {
        match value {
            Value::String(text) => self.text(text, at),
            Value::Array(items) => {
                items.iter().enumerate().map(|(index, item)| self.value(item, &format!("{at}/{index}"))).collect()
            }
            Value::Object(map) => Value::Object(self.map(map, at)),
            other => other.clone(),
        }
    }

    fn text(&mut self, text: &str, at: &str) -> Value {
        if !self.scope.spend(text.len()) {
            return Value::Null;
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((name, after)) = after.split_once("}}") else { break };
            let value = self.field(name.trim(), at);
            // Typed where the field is the whole text; the prompt and the id are texts whatever the row holds.
            let alone = before.is_empty() && after.is_empty() && out.is_empty();
            if alone && !at.ends_with("/prompt") && !at.ends_with("/id") && !at.ends_with("/system") {
                return value;
            }
            out.push_str(before);
            let value = if let Value::String(text) = value { text } else { value.to_string() };
            if !self.scope.spend(value.len()) {
                return Value::Null;
            }
            out.push_str(&value);
            rest = after;
        }
        out.push_str(rest);
        Value::String(out)
    }

    fn field(&mut self, name: &str, at: &str) -> Value {
        if let Some(value) = self.row.get(name) {
            return value.clone();
        }
        let known = || self.row.keys().map(String::as_str);
        let fix = match nearest(name, known()) {
            Some(near) => format!("did you mean `{{{{{near}}}}}`?"),
            None => format!("the row has {}", list(known().take(12))),
        };
        let problem = Problem::error("dataset_row", at, format!("the row has no field {}", quoted(name))).fix(fix);
        self.problems.push(problem);
        Value::String(String::new())
    }
}
