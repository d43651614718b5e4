//! `monban diagnose`: stored exchanges in, one verdict a line out. Reads and writes; the judging is `monban_scorers`'.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write as _};

use anyhow::Context as _;
use monban_scorers::diagnosis;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::Io;
use crate::exit;
use crate::profile::lint_stored;

/// Lines judged in one go; their order is kept.
const BATCH: usize = 256;
/// What some editors put before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// The longest line that is read, bytes.
const LINE: u64 = 64 << 20;

/// The arguments of `monban diagnose`.
#[derive(Debug, clap::Args)]
pub struct DiagnoseArgs {
    /// JSONL of {"request", "response"}, or - for standard input
    ///
    /// Beside them a line may hold stream_response, id, engine, engine_version, model, profile, server_flags, route and
    /// task. Each line is answered by one JSON object, in order; a line that cannot be read by {"id"?, "error"}.
    /// Where it holds a profile, `lint` says what `monban profile check` finds in it.
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: std::path::PathBuf,
}

pub(super) fn run(args: DiagnoseArgs, io: &mut Io) -> anyhow::Result<u8> {
    let input: Box<dyn Read + Send> = if args.file.as_os_str() == "-" {
        std::mem::replace(&mut io.input, Box::new(std::io::empty()))
    } else {
        Box::new(File::open(&args.file).with_context(|| format!("cannot read {}", args.file.display()))?)
    };
    let mut reader = BufReader::new(input);
    let mut unread = 0;
    loop {
        let batch = batch(&mut reader)?;
        if batch.is_empty() {
            break;
        }
        let answers: Vec<(bool, String)> = batch.par_iter().map(|line| answer(line)).collect();
        for (read, text) in answers {
            unread += usize::from(!read);
            writeln!(io.out, "{text}")?;
        }
        io.out.flush()?;
    }
    if unread > 0 {
        writeln!(io.err, "{unread} lines could not be read")?;
        return Ok(exit::USAGE);
    }
    Ok(exit::PASS)
}

fn batch(reader: &mut impl BufRead) -> anyhow::Result<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    while lines.len() < BATCH {
        let mut line = Vec::new();
        if reader.by_ref().take(LINE).read_until(b'\n', &mut line).context("cannot read the input")? == 0 {
            break;
        }
        if line.len() as u64 == LINE && !line.ends_with(b"\n") {
            reader.skip_until(b'\n').context("cannot read the input")?;
        }
        if !line.iter().all(u8::is_ascii_whitespace) {
            lines.push(line);
        }
    }
    Ok(lines)
}

/// One line's answer, and whether the line could be read.
fn answer(line: &[u8]) -> (bool, String) {
    let value: Value = match serde_json::from_slice(line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)) {
        Ok(value) => value,
        Err(error) => return (false, json!({"error": format!("not JSON: {error}")}).to_string()),
    };
    let verdict = diagnosis::diagnose(&value)
        .and_then(|verdict| serde_json::to_value(&verdict).map_err(|error| error.to_string()));
    match verdict {
        Ok(mut verdict) => {
            if let Some(lint) = lint_stored(&value) {
                verdict["lint"] = lint;
            }
            (true, verdict.to_string())
        }
        Err(error) => match value.get("id") {
            Some(id) => (false, json!({"id": id, "error": error}).to_string()),
            None => (false, json!({"error": error}).to_string()),
        },
    }
}
