//! The command line as a contract: what exists, and what is refused.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use monban::cli::Io;
use monban::exit;

/// A stream that keeps what is written.
#[derive(Clone, Default)]
pub(crate) struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a command came to.
pub(crate) struct Done {
    pub(crate) code: u8,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs `monban` with these arguments, in this process.
pub(crate) fn monban(args: &[&str]) -> Done {
    monban_with(args, "")
}

/// The same, with a standard input.
pub(crate) fn monban_with(args: &[&str], input: &str) -> Done {
    let (out, err) = (Sink::default(), Sink::default());
    let input = io::Cursor::new(input.to_owned().into_bytes());
    let mut io = Io::over(Box::new(input), Box::new(out.clone()), Box::new(err.clone()));
    let code = monban::cli::main(std::iter::once("monban").chain(args.iter().copied()), &mut io);
    Done { code, out: out.text(), err: err.text() }
}

#[test]
fn help_goes_to_stdout_and_names_every_subcommand() {
    let done = monban(&["--help"]);
    assert_eq!(done.code, exit::PASS);
    for name in [
        "demo",
        "run",
        "doctor",
        "diagnose",
        "score",
        "rescore",
        "report",
        "show",
        "runs",
        "compare",
        "profile",
        "suite",
        "scorers",
        "explain",
        "harness",
        "completions",
    ] {
        assert!(done.out.lines().any(|line| line.trim_start().starts_with(name)), "{name} is missing:\n{}", done.out);
    }
}

#[test]
fn usage_errors_exit_2_on_stderr() {
    for args in [&["nonsense"][..], &["run"], &["run", "smoke", "--concurrency", "0"], &["compare", "one"]] {
        let done = monban(args);
        assert_eq!((done.code, done.out.as_str()), (exit::USAGE, ""), "{args:?}");
        assert!(done.err.starts_with("error:"), "{args:?}: {}", done.err);
    }
}

#[test]
fn the_command_line_is_consistent() {
    use clap::CommandFactory as _;
    monban::cli::Cli::command().debug_assert();
}
