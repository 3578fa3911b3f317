//! What machine it is.

use std::fmt;

use serde::Serialize;

/// What was measured on.
#[derive(Debug, Serialize)]
pub struct Machine {
    /// Its name.
    pub processor: String,
    /// Threads that work is divided among.
    pub threads: usize,
    /// Of the kind that `std::env::consts::OS` names.
    pub system: String,
}

impl Machine {
    /// The one that this runs on.
    pub(crate) fn this() -> Self {
        Self {
            processor: field("/proc/cpuinfo", "model name")
                .unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            threads: rayon::current_num_threads(),
            system: std::env::consts::OS.to_owned(),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, {} threads", self.processor, self.system, self.threads)
    }
}

/// A field of a file in which fields stand line by line, where the system has it.
fn field(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The most memory that the process has had, MiB.
pub(crate) fn peak_mib() -> Option<f64> {
    let peak = field("/proc/self/status", "VmHWM")?;
    Some(peak.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}
