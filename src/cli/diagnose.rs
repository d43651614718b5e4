//! `monban diagnose`: stored exchanges in, one verdict a line out. Reads and writes; the judging is `monban_scorers`'.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Write as _};

use anyhow::Context as _;
use monban_scorers::diagnosis::{self, LINE_KEYS};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::Io;
use super::lines::{Line, Lines, Unread};
use crate::diagnostic::did_you_mean;
use crate::exit;
use crate::profile::lint_stored;
use crate::report::{json_text, terminal};

/// Lines judged in one go; their order is kept.
const BATCH: usize = 256;
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
    let mut lines = Lines::new(BufReader::new(input));
    let mut told = Told { name: terminal(&name), lines: 0, unread: 0, unknown: BTreeSet::new() };
    loop {
        let batch: io::Result<Vec<Line>> = lines.by_ref().take(BATCH).collect();
        let batch = batch.with_context(|| format!("cannot read {name}"))?;
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

/// One line's answer.
struct Answer {
    text: String,
    /// Why the line could not be read, and the column where the JSON breaks.
    error: Option<Unread>,
    unknown: Vec<String>,
}

fn answer(line: &Line) -> Answer {
    let (value, mended) = match line.read::<Value>() {
        Ok(read) => read,
        Err(unread) => {
            let mut answer = json!({"error": unread.why, "line": line.number});
            if let Some(column) = unread.column {
                answer["column"] = json!(column);
            }
            return Answer { text: json_text(answer.to_string()), error: Some(unread), unknown: Vec::new() };
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
        Err(why) => {
            let mut answer = json!({"error": why, "line": line.number});
            if let Some(id) = value.get("id") {
                answer["id"] = id.clone();
            }
            Answer { text: json_text(answer.to_string()), error: Some(Unread { why, column: None }), unknown }
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
    lines: u64,
    unread: u64,
    unknown: BTreeSet<String>,
}

impl Told {
    fn tell(&mut self, number: u64, answer: &Answer, io: &mut Io) -> io::Result<()> {
        let name = &self.name;
        self.lines += 1;
        if let Some(Unread { why, column }) = &answer.error {
            self.unread += 1;
            if self.unread <= TOLD as u64 {
                let column = column.map(|column| format!(":{column}")).unwrap_or_default();
                writeln!(io.err, "error: {name}:{number}{column}: {}", terminal(why))?;
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
        if self.lines == 0 {
            anyhow::bail!("{} holds no line: give JSONL, one {{\"request\", \"response\"}} a line", self.name);
        }
        if self.unread == 0 {
            return Ok(exit::PASS);
        }
        let lines = if self.unread == 1 { "1 line" } else { &format!("{} lines", self.unread) };
        writeln!(io.err, "{lines} could not be read")?;
        Ok(exit::USAGE)
    }
}
