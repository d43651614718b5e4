//! `monban report`: write a run's report.

use std::io::Write as _;

use super::Io;
use super::output::Output;
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
    let output = args.output.as_deref().map(Output::to).transpose()?;
    let dir = Store::new(&args.runs_dir).open(&args.run)?;
    let record = dir.record()?;
    let input = Input { dir: Some(&dir), ..Input::of(&record) };
    emit(args.format, input, output.as_ref(), io)?;
    if let Some(why) = super::live::unfinished(&record) {
        writeln!(io.err, "{}{}", report::terminal(&why), super::hint::resume(&dir))?;
    }
    Ok(exit::PASS)
}

/// Writes a report to a file (whole or not at all) or to standard output.
pub(super) fn emit(format: Format, mut input: Input<'_>, output: Option<&Output>, io: &mut Io) -> anyhow::Result<()> {
    let Some(output) = output else {
        input.style.colour = io.out_color;
        report::write(format, &input, &mut io.out)?;
        return Ok(io.out.flush()?);
    };
    output.write(|out| report::write(format, &input, out))
}
