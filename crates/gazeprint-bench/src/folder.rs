//! A folder for files that nobody needs afterwards.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::BenchError;

/// Removed with everything in it when it is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A new one among the temporary files of the system.
    pub(crate) fn new() -> Result<Self, BenchError> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("gazeprint-bench-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match std::fs::create_dir(&path) {
                // What a process of the same number left.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                made => {
                    made.map_err(BenchError::of_file(&path))?;
                    return Ok(Self(path));
                }
            }
        }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is no reason to lose what was measured.
        _ = std::fs::remove_dir_all(&self.0);
    }
}
