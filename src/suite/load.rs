//! From a name or a path to a checked suite: [`load`]. The only file of this module that reads files.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use monban_scorers::Registry;

use super::builtin::BUILTIN;
use super::model::Suite;
use super::parse::{Parsed, parse};
use crate::diagnostic::{self, Diagnostic, Severity, Source, did_you_mean};

/// The largest suite file.
const LARGEST_SUITE: u64 = 16 << 20;
/// The largest dataset file.
const LARGEST_DATASET: u64 = 64 << 20;

/// A suite file as loaded, with everything that is wrong with it.
#[derive(Debug)]
pub struct Loaded {
    /// The text, for drawing the diagnostics.
    pub source: Source,
    /// What it means and what is wrong.
    pub parsed: Parsed,
}

impl Loaded {
    /// The suite, or the diagnostics drawn for a terminal.
    ///
    /// # Errors
    /// Where the file has errors: the text to print.
    pub fn into_suite(self, color: bool) -> Result<Suite, String> {
        let Self { source, parsed } = self;
        let errors: Vec<_> = parsed.diagnostics.into_iter().filter(|found| found.severity == Severity::Error).collect();
        parsed.suite.ok_or_else(|| diagnostic::render(&errors, &[&source], color))
    }
}

/// What a built-in suite's source is led by, in records and messages.
const BUILTIN_SOURCE: &str = "builtin:";

/// Loads a suite by built-in name, by path, or by the source that a record names. Never fails: what went wrong is among the
/// diagnostics.
///
/// ```
/// use monban_scorers::Registry;
///
/// let suite = monban::suite::load("smoke", &Registry::builtin()).into_suite(false).unwrap();
/// assert_eq!(suite.name, "smoke");
/// ```
#[must_use]
pub fn load(name: &str, registry: &Registry) -> Loaded {
    let builtin_name = name.strip_prefix(BUILTIN_SOURCE).unwrap_or(name);
    if let Some(builtin) = BUILTIN.iter().find(|builtin| builtin.name == builtin_name) {
        let source = Source::new(format!("{BUILTIN_SOURCE}{builtin_name}"), builtin.text);
        return check(source, registry, &|_| Err("a built-in suite has no files".to_owned()));
    }
    let path = Path::new(name);
    match read(path, LARGEST_SUITE) {
        Ok(text) => {
            let base = path.parent().unwrap_or(Path::new(""));
            check(Source::new(name, text), registry, &|file| beside(base, file))
        }
        Err(why) => unreadable(name, &why),
    }
}

/// Checks a suite's text under a name. Datasets are not read.
#[must_use]
pub fn check_text(name: &str, text: &str, registry: &Registry) -> Loaded {
    check(Source::new(name, text), registry, &|_| Err("there is no file to read beside a text".to_owned()))
}

fn check(source: Source, registry: &Registry, read_file: &dyn Fn(&str) -> Result<String, String>) -> Loaded {
    let parsed = parse(&source, registry, read_file);
    Loaded { source, parsed }
}

fn unreadable(name: &str, why: &str) -> Loaded {
    let names = || BUILTIN.iter().map(|builtin| builtin.name);
    let is_path =
        name.contains(['/', '\\']) || Path::new(name).extension().is_some_and(|end| end.eq_ignore_ascii_case("toml"));
    let (message, fix) = if is_path {
        (format!("`{name}` cannot be read: {why}"), None)
    } else {
        let known = names().collect::<Vec<_>>().join(", ");
        let fix =
            did_you_mean(name, names()).unwrap_or_else(|| format!("built in: {known}; a file is named by its path"));
        (format!("no built-in suite is called `{name}`, and as a file it cannot be read: {why}"), Some(fix))
    };
    let found = Diagnostic::error("unreadable", message).in_file(name, None).maybe_fix(fix);
    let parsed = Parsed { suite: None, diagnostics: vec![found], readable: false };
    Loaded { source: Source::new(name, ""), parsed }
}

/// A file beside the suite, and never outside its directory: a suite is a stranger's file.
fn beside(base: &Path, file: &str) -> Result<String, String> {
    let path = Path::new(file);
    let plain =
        path.components().all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
    if !plain {
        return Err("it must lie in the suite's directory or below".to_owned());
    }
    let base = if base.as_os_str().is_empty() { Path::new(".") } else { base };
    let real = |path: &Path| path.canonicalize().map_err(|error| error.to_string());
    let (root, path) = (real(base)?, real(&base.join(path))?);
    if !path.starts_with(&root) {
        return Err("it leads out of the suite's directory".to_owned());
    }
    read(&path, LARGEST_DATASET)
}

fn read(path: &Path, largest: u64) -> Result<String, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    if !file.metadata().map_err(|error| error.to_string())?.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(largest + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > largest {
        return Err(format!("it is larger than {} MiB", largest >> 20));
    }
    String::from_utf8(bytes).map_err(|error| format!("it is not UTF-8 at byte {}", error.utf8_error().valid_up_to()))
}
