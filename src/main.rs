//! The `monban` binary: hands the process's arguments and streams to [`monban::cli`].

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut io = monban::cli::Io::process();
    let code = monban::cli::main(std::env::args_os(), &mut io);
    // A closed pipe at the very end is the reader's wish; a full disk is not.
    match io.out.flush() {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe && code == monban::exit::PASS => {
            let _ = writeln!(io.err, "error: {error}");
            ExitCode::from(monban::exit::USAGE)
        }
        _ => ExitCode::from(code),
    }
}
