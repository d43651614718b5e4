//! Where `--output` goes: [`Output`], looked at before anything is asked, so that no run ends without its report.

use std::fs::{File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use tempfile::NamedTempFile;

/// A file that can be written, as far as can be known without writing it.
#[derive(Clone, Debug)]
pub(super) struct Output {
    path: PathBuf,
    /// It is there and no plain file (`/dev/stderr`, a pipe): written into, never replaced.
    special: bool,
}

impl Output {
    /// Takes the path of a file.
    ///
    /// # Errors
    /// When it is a folder, or cannot be made where it is to be. Nothing stays behind.
    pub(super) fn to(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let there = path.metadata().ok();
        let names_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.file_name().is_none();
        if names_folder || there.as_ref().is_some_and(Metadata::is_dir) {
            bail!("--output {shown} is a folder: name a file in it");
        }
        let special = there.as_ref().is_some_and(|there| !there.is_file());
        // What a link points to is replaced, not the link.
        let path = if there.is_some() && !special { path.canonicalize()? } else { path.to_owned() };
        let output = Self { path, special };
        if !special {
            output.beside().with_context(|| format!("--output {shown} cannot be written"))?;
        }
        Ok(output)
    }

    /// Writes it, whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written after all.
    pub(super) fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
        let cannot = || format!("cannot write {}", self.path.display());
        if self.special {
            let mut out = BufWriter::new(File::options().write(true).open(&self.path).with_context(cannot)?);
            write(&mut out)?;
            return out.flush().with_context(cannot);
        }
        let mut file = self.beside().with_context(cannot)?;
        let mut out = BufWriter::new(&mut file);
        write(&mut out)?;
        out.flush()?;
        drop(out);
        file.persist(&self.path).with_context(cannot)?;
        Ok(())
    }

    /// An unfinished file in the same folder; gone when it is dropped.
    fn beside(&self) -> anyhow::Result<NamedTempFile> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let made = tempfile::Builder::new().prefix(".monban-report").tempfile_in(folder);
        made.with_context(|| match folder.metadata() {
            Err(_) => format!("there is no folder {}: make it first", folder.display()),
            Ok(there) if !there.is_dir() => format!("{} is no folder", folder.display()),
            Ok(_) => format!("nothing can be made in {}", folder.display()),
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_plain_file_is_written_into_and_not_replaced() {
        assert!(Output::to(Path::new("/dev/null")).unwrap().special);
        let dir = tempfile::tempdir().unwrap();
        assert!(!Output::to(&dir.path().join("new")).unwrap().special);
        assert_eq!(dir.path().read_dir().unwrap().count(), 0, "looking leaves nothing behind");
    }
}
