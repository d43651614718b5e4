//! `monban diagnose`: stored exchanges in, one verdict a line out. Reads and writes; the judging is `monban_scorers`'.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write as _};

use anyhow::Context as _;
use monban_scorers::completion::mended;
use monban_scorers::diagnosis::{self, LINE_KEYS};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::Io;
use crate::diagnostic::did_you_mean;
use crate::exit;
use crate::profile::lint_stored;
use crate::report::{json_text, terminal};

/// Lines judged in one go; their order is kept.
const BATCH: usize = 256;
/// What some editors put before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// The longest line that is read, bytes.
const LINE: u64 = 64 << 20;
/// Errors, and keys that are not known, told one by one; a file of another kind has thousands.
const TOLD: usize = 20;
/// The longest key that is told, characters.
const KEY: usize = 60;

/// The arguments of `monban diagnose`.
#[derive(Debug, clap::Args)]
pub struct DiagnoseArgs {
    /// JSONL of {"request", "response"}, or - for standard input
    ///
    /// Beside them a line may hold stream_response, id, engine, engine_version, model, profile, server_flags, route and
    /// task. Each line is answered by one JSON object, in order; a line that cannot be read by {"id"?, "error", "line"}.
    /// `mended` names what is no JSON and was read all the same (NaN, half a UTF-16 pair).
    /// Where it holds a profile, `lint` says what `monban profile check` finds in it.
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: std::path::PathBuf,
}

pub(super) fn run(args: DiagnoseArgs, io: &mut Io) -> anyhow::Result<u8> {
    let stdin = args.file.as_os_str() == "-";
    let name = if stdin { "standard input".to_owned() } else { args.file.display().to_string() };
    let input: Box<dyn Read + Send> = if stdin {
        std::mem::replace(&mut io.input, Box::new(std::io::empty()))
    } else {
        Box::new(File::open(&args.file).with_context(|| format!("cannot read {name}"))?)
    };
    let mut lines = Lines { input: BufReader::new(input), number: 0 };
    let mut told = Told { name: terminal(&name), unread: 0, unknown: BTreeSet::new() };
    loop {
        let batch = lines.batch().with_context(|| format!("cannot read {name}"))?;
        if batch.is_empty() {
            break;
        }
        let answers: Vec<Answer> = batch.par_iter().map(answer).collect();
        for (line, answer) in batch.iter().zip(answers) {
            writeln!(io.out, "{}", answer.text)?;
            told.tell(line.number, &answer, io)?;
        }
        io.out.flush()?;
    }
    told.end(io)
}

/// One line that is not blank.
struct Line {
    /// Counted from 1, blank lines too.
    number: u64,
    bytes: Vec<u8>,
    /// It was longer than is read.
    cut: bool,
}

struct Lines<R> {
    input: R,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    /// The next lines; none at the end.
    fn batch(&mut self) -> io::Result<Vec<Line>> {
        let mut lines = Vec::new();
        while lines.len() < BATCH {
            let mut bytes = Vec::new();
            if self.input.by_ref().take(LINE).read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            self.number += 1;
            let cut = bytes.len() as u64 == LINE && !bytes.ends_with(b"\n");
            if cut {
                self.input.skip_until(b'\n')?;
            }
            if !bytes.iter().all(u8::is_ascii_whitespace) {
                lines.push(Line { number: self.number, bytes, cut });
            }
        }
        Ok(lines)
    }
}

/// One line's answer.
struct Answer {
    text: String,
    /// Why the line could not be read, and the column where the JSON breaks.
    error: Option<(String, Option<usize>)>,
    unknown: Vec<String>,
}

fn answer(line: &Line) -> Answer {
    let (value, mended) = match parse(line) {
        Ok(read) => read,
        Err((error, column)) => {
            let mut answer = json!({"error": error, "line": line.number});
            if let Some(column) = column {
                answer["column"] = json!(column);
            }
            return Answer { text: json_text(answer.to_string()), error: Some((error, column)), unknown: Vec::new() };
        }
    };
    let unknown = unknown(&value);
    let verdict = diagnosis::diagnose(&value)
        .and_then(|verdict| serde_json::to_value(&verdict).map_err(|error| error.to_string()));
    match verdict {
        Ok(mut verdict) => {
            if let Some(lint) = lint_stored(&value) {
                verdict["lint"] = lint;
            }
            if !mended.is_empty() {
                verdict["mended"] = json!(mended);
            }
            Answer { text: json_text(verdict.to_string()), error: None, unknown }
        }
        Err(error) => {
            let mut answer = json!({"error": error, "line": line.number});
            if let Some(id) = value.get("id") {
                answer["id"] = id.clone();
            }
            Answer { text: json_text(answer.to_string()), error: Some((error, None)), unknown }
        }
    }
}

/// The line's object with what was mended in it, or why there is none and the column of it.
fn parse(line: &Line) -> Result<(Value, BTreeSet<String>), (String, Option<usize>)> {
    if line.cut {
        return Err((format!("longer than {} MiB, which is the longest that is read", LINE >> 20), None));
    }
    let bytes = line.bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line.bytes);
    let read = match serde_json::from_slice::<Value>(bytes.trim_ascii_end()) {
        Ok(value) => Ok((value, BTreeSet::new())),
        // Python writes and reads what serde_json does not.
        Err(error) => mended(bytes)
            .map(|(value, departures)| (value, departures.into_iter().map(|one| one.kind).collect()))
            .ok_or(error),
    };
    match read {
        Ok((value, mended)) if value.is_object() => Ok((value, mended)),
        Ok(_) => Err(("a line holds one JSON object, this is JSON of another kind".to_owned(), None)),
        Err(error) => {
            let said = error.to_string();
            // The place within the slice is said beside it, as the place within the file.
            let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said);
            let hint = if error.is_eof() { " (each object on one line; `jq -c .` makes them so)" } else { "" };
            Err((format!("not JSON: {said}{hint}"), Some(error.column())))
        }
    }
}

fn unknown(line: &Value) -> Vec<String> {
    let keys = line.as_object().into_iter().flat_map(serde_json::Map::keys);
    keys.filter(|key| !LINE_KEYS.contains(&key.as_str())).map(|key| key.chars().take(KEY).collect()).collect()
}

/// What was said on the error stream.
struct Told {
    /// What the input is called.
    name: String,
    unread: usize,
    unknown: BTreeSet<String>,
}

impl Told {
    fn tell(&mut self, number: u64, answer: &Answer, io: &mut Io) -> io::Result<()> {
        let name = &self.name;
        if let Some((error, column)) = &answer.error {
            self.unread += 1;
            if self.unread <= TOLD {
                let column = column.map(|column| format!(":{column}")).unwrap_or_default();
                writeln!(io.err, "error: {name}:{number}{column}: {}", terminal(error))?;
            }
        }
        for key in &answer.unknown {
            if self.unknown.len() >= TOLD || !self.unknown.insert(key.clone()) {
                continue;
            }
            let near = did_you_mean(key, LINE_KEYS.iter().copied()).map(|near| format!("; {near}")).unwrap_or_default();
            writeln!(io.err, "note: {name}:{number}: the key `{}` is not known and not read{near}", terminal(key))?;
            if self.unknown.len() == TOLD {
                writeln!(io.err, "note: further keys that are not known are not told")?;
            }
        }
        Ok(())
    }

    fn end(&self, io: &mut Io) -> anyhow::Result<u8> {
        if self.unread == 0 {
            return Ok(exit::PASS);
        }
        let lines = if self.unread == 1 { "1 line" } else { &format!("{} lines", self.unread) };
        writeln!(io.err, "{lines} could not be read")?;
        Ok(exit::USAGE)
    }
}
