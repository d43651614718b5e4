//! `monban report`: write a run's report.

use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::Context as _;

use super::Io;
use crate::exit;
use crate::record::Store;
use crate::report::{self, Format, Input};

/// The arguments of `monban report`.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// The run: its id, an unambiguous prefix, or `last`
    #[arg(value_name = "RUN_ID", default_value = "last")]
    pub run: String,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "MONBAN_RUNS_DIR")]
    pub runs_dir: std::path::PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: super::ReportFormat,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
}

pub(super) fn run(args: ReportArgs, io: &mut Io) -> anyhow::Result<u8> {
    let dir = Store::new(&args.runs_dir).open(&args.run)?;
    let record = dir.record()?;
    let input = Input { dir: Some(&dir), ..Input::of(&record) };
    emit(args.format, input, args.output.as_deref(), io)?;
    Ok(exit::PASS)
}

/// Writes a report to a file (whole or not at all) or to standard output.
pub(super) fn emit(format: Format, mut input: Input<'_>, output: Option<&Path>, io: &mut Io) -> anyhow::Result<()> {
    let Some(path) = output else {
        input.style.colour = io.out_color;
        report::write(format, &input, &mut io.out)?;
        return Ok(io.out.flush()?);
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".monban-report")
        .tempfile_in(folder)
        .with_context(|| format!("cannot write into {}", folder.display()))?;
    let mut out = BufWriter::new(&mut file);
    report::write(format, &input, &mut out)?;
    out.flush()?;
    drop(out);
    file.persist(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}
