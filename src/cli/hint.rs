//! Commands to go on with, quoted as a shell takes them: [`resume`], [`of_run`], [`word`].

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;

use crate::record::RunDir;
use crate::report::terminal;

/// `monban run --resume ID`, with where the run is kept unless that is the default.
pub(super) fn resume(dir: &RunDir) -> String {
    of_run("run --resume", dir)
}

/// `monban COMMAND ID`, likewise.
pub(super) fn of_run(command: &str, dir: &RunDir) -> String {
    let id = word(OsStr::new(&dir.id()));
    let runs = dir.path().parent().filter(|runs| *runs != Path::new("runs"));
    let runs_dir = runs.map(|runs| {
        let runs = if runs.as_os_str().is_empty() { Path::new(".") } else { runs };
        // What begins like an option is read as one where it stands alone.
        let joint = if runs.as_os_str().as_encoded_bytes().starts_with(b"-") { '=' } else { ' ' };
        format!(" --runs-dir{joint}{}", word(runs.as_os_str()))
    });
    format!("monban {command} {id}{}", runs_dir.unwrap_or_default())
}

/// One word of a command line. What no terminal may show as it is, and what is no UTF-8, stands as `$'\xNN'`.
pub(super) fn word(text: &OsStr) -> String {
    match text.to_str().filter(|text| terminal(text) == **text) {
        Some(text) => shell_words::quote(text).into_owned(),
        None => {
            let mut out = "$'".to_owned();
            for byte in text.as_encoded_bytes() {
                match byte {
                    b'\'' | b'\\' => out.extend(['\\', char::from(*byte)]),
                    b' '..=b'~' => out.push(char::from(*byte)),
                    // Writing to a string does not fail.
                    _ => _ = write!(out, "\\x{byte:02x}"),
                }
            }
            out.push('\'');
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a shell makes of the words of a hint.
    #[cfg(unix)]
    fn words(hint: &str) -> Vec<Vec<u8>> {
        let output =
            std::process::Command::new("bash").args(["-c", &format!("printf '%s\\0' {hint}")]).output().unwrap().stdout;
        output.split(|byte| *byte == 0).map(<[u8]>::to_vec).filter(|word| !word.is_empty()).collect()
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_a_hint_as_it_is_meant() {
        use std::os::unix::ffi::OsStrExt as _;

        let id = "20260101-000000_s_m_real:x_abc123";
        for name in ["a b", "it's", "$(id)", "*", "モンバン", "line\nend", "\u{202e}x", "~", "a\\b'\x07"] {
            let hint = resume(&RunDir::at(Path::new(name).join(id)));
            let expected = ["monban", "run", "--resume", id, "--runs-dir", name];
            assert_eq!(words(&hint), expected.map(|word| word.as_bytes().to_vec()), "{hint}");
            assert!(terminal(&hint) == hint, "{hint:?}");
        }
        let bytes = OsStr::from_bytes(b"caf\xe9");
        assert_eq!(words(&word(bytes)), [b"caf\xe9".to_vec()]);
    }

    #[test]
    fn the_default_needs_no_option_and_a_dash_no_space() {
        let hint = |path: &str| resume(&RunDir::at(path));
        assert_eq!(hint("runs/r1"), "monban run --resume r1");
        assert_eq!(hint("r1"), "monban run --resume r1 --runs-dir .");
        assert_eq!(hint("-x/r1"), "monban run --resume r1 --runs-dir=-x");
    }
}
