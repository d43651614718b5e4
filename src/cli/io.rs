//! Where a subcommand reads and writes: [`Io`]. Tests hand in buffers.

use std::io::{self, IsTerminal as _, Read, Write};

use crate::diagnostic::escape;
use crate::exit;

/// The three streams, and what the reader can see. Subcommands use these and never the process's own.
pub struct Io {
    /// Standard input, for `-`.
    pub input: Box<dyn Read + Send>,
    /// Data.
    pub out: Box<dyn Write + Send>,
    /// Progress and notes.
    pub err: Box<dyn Write + Send>,
    /// Whether `out` may carry colour.
    pub out_color: bool,
    /// Whether `err` may carry colour.
    pub err_color: bool,
    /// Whether `err` is a terminal: a live progress display, else plain lines.
    pub err_terminal: bool,
}

impl std::fmt::Debug for Io {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Io").field("out_color", &self.out_color).finish_non_exhaustive()
    }
}

/// Why a run broke off that can be taken up again: requests were sent, and what was answered is kept.
#[derive(Debug)]
pub(super) struct BrokenOff(pub(super) String);

impl std::fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BrokenOff {}

impl Io {
    /// The process's streams. Colour only on a terminal, and not under `NO_COLOR` (<https://no-color.org>) or `TERM=dumb`.
    #[must_use]
    pub fn process() -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let err_terminal = io::stderr().is_terminal();
        Self {
            input: Box::new(io::stdin()),
            out: Box::new(io::BufWriter::new(io::stdout())),
            err: Box::new(io::stderr()),
            out_color: io::stdout().is_terminal() && !plain,
            err_color: err_terminal && !plain,
            err_terminal,
        }
    }

    /// Streams over what a test hands in; no colour.
    #[must_use]
    pub fn over(input: Box<dyn Read + Send>, out: Box<dyn Write + Send>, err: Box<dyn Write + Send>) -> Self {
        Self { input, out, err, out_color: false, err_color: false, err_terminal: false }
    }

    /// What clap has to say: help and version on `out`, a usage error on `err`.
    pub(super) fn usage(&mut self, error: &clap::Error) -> u8 {
        let (stream, color, code) = if error.use_stderr() {
            (&mut self.err, self.err_color, exit::USAGE)
        } else {
            (&mut self.out, self.out_color, exit::PASS)
        };
        let text = error.render();
        let written = if color { write!(stream, "{}", text.ansi()) } else { write!(stream, "{text}") };
        finish(written.and_then(|()| stream.flush()), code)
    }

    /// A file that cannot be used, with its diagnostics drawn.
    pub(super) fn refuse(&mut self, drawn: &str) -> io::Result<u8> {
        writeln!(self.err, "{}", drawn.trim_end())?;
        Ok(exit::USAGE)
    }

    /// An error that reached the top. A closed pipe (`| head`) is the reader's wish, not an error.
    pub(super) fn failed(&mut self, error: &anyhow::Error) -> u8 {
        let kind = |cause: &(dyn std::error::Error + 'static)| {
            let json = || cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
            cause.downcast_ref::<io::Error>().map(io::Error::kind).or_else(json)
        };
        if error.chain().any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe)) {
            return exit::PASS;
        }
        let code = if error.is::<BrokenOff>() { exit::INTERRUPTED } else { exit::USAGE };
        finish(writeln!(self.err, "error: {}", escape(&format!("{error:#}"))), code)
    }
}

fn finish(written: io::Result<()>, code: u8) -> u8 {
    // Nobody is left to tell when the error stream itself is gone.
    written.map_or(code, |()| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_no_error_however_it_is_wrapped() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut io = Io::over(Box::new(io::empty()), Box::new(io::sink()), Box::new(io::sink()));
        let json = serde_json::to_writer(Closed, &[1]).unwrap_err();
        assert_eq!(io.failed(&anyhow::Error::from(json)), exit::PASS);
        assert_eq!(io.failed(&anyhow::Error::from(io::Error::from(io::ErrorKind::BrokenPipe))), exit::PASS);
        assert_eq!(io.failed(&anyhow::anyhow!("another")), exit::USAGE);
    }
}
