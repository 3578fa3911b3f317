//! Instructions of the kernels, counted by running each alone under valgrind.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::{KernelEntry, Learned, loops, on_one_thread};
use crate::folder::Folder;
use crate::{BenchError, Part, Suite};

/// More than this is too many.
const ALLOWED: f64 = 1.05;

/// How a program runs a single kernel: what it must do is `run_kernel`.
#[derive(Debug, Clone)]
pub struct Alone {
    /// The program.
    pub program: PathBuf,
    /// Its arguments, given the name of a kernel and the file of what was learned.
    pub arguments: fn(&str, &Path) -> Vec<OsString>,
}

/// Instructions of an element, by kernel.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct InstructionRecord(BTreeMap<String, f64>);

/// What was counted, beside what was counted before.
#[derive(Debug, Serialize)]
pub struct InstructionCounts {
    /// The plain sum first.
    pub kernels: Vec<InstructionCount>,
}

/// What was counted of one kernel.
#[derive(Debug, Serialize)]
pub struct InstructionCount {
    /// Its name.
    pub kernel: &'static str,
    /// What an element is.
    pub element: &'static str,
    /// Of an element.
    pub instructions: f64,
    /// Those before.
    pub recorded: Option<f64>,
    /// To those before.
    pub ratio: Option<f64>,
}

impl InstructionRecord {
    /// Reads what was written before.
    ///
    /// # Errors
    /// If there is no such file, or it is something else.
    pub fn read(file: &Path) -> Result<Self, BenchError> {
        let text = std::fs::read_to_string(file).map_err(BenchError::of_file(file))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// Writes it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, file: &Path) -> Result<(), BenchError> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(file, text).map_err(BenchError::of_file(file))
    }
}

impl InstructionCounts {
    /// What is counted now, to be held against later.
    pub fn record(&self) -> InstructionRecord {
        let counts = self.kernels.iter();
        InstructionRecord(counts.map(|k| (k.kernel.to_owned(), k.instructions)).collect())
    }

    /// Whether no kernel takes too many, and all were recorded before.
    pub fn are_as_recorded(&self) -> bool {
        self.kernels.iter().all(|kernel| kernel.recorded.is_some() && !kernel.has_risen())
    }
}

impl InstructionCount {
    /// Whether there are too many more than before: over 5 %.
    pub fn has_risen(&self) -> bool {
        self.ratio.is_some_and(|ratio| ratio > ALLOWED)
    }
}

pub(crate) fn count(suite: &Suite<'_>) -> Result<InstructionCounts, BenchError> {
    let (alone, recorded) = (&suite.options().alone, &suite.options().recorded);
    let folder = Folder::new()?;
    let file = folder.file("learned.json");
    let learned = Learned::new()?;
    let text = serde_json::to_string(&learned)?;
    std::fs::write(&file, text).map_err(BenchError::of_file(&file))?;
    let mut kernels = Vec::new();
    for KernelEntry { name, element, make } in &loops::ALL {
        suite.step(Part::Instructions, name);
        let elements = on_one_thread(|| Ok(make(&learned)?.elements))?;
        // Three digits after the point are more than differences that matter.
        let count = counted(alone, name, &file)? as f64 / elements as f64;
        let instructions = (1e3 * count).round() / 1e3;
        let recorded = recorded.0.get(*name).copied();
        let ratio = recorded.map(|recorded| instructions / recorded);
        kernels.push(InstructionCount { kernel: name, element, instructions, recorded, ratio });
    }
    Ok(InstructionCounts { kernels })
}

/// Instructions of a kernel that runs alone.
fn counted(alone: &Alone, name: &str, learned: &Path) -> Result<u64, BenchError> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=*measured_kernel*")
        .arg(&alone.program)
        .args((alone.arguments)(name, learned))
        .output()
        .map_err(BenchError::NoValgrind)?;
    let told = String::from_utf8_lossy(&output.stderr);
    let collected = told.lines().find_map(|line| line.split_once("Collected :"));
    match collected.and_then(|(_, count)| count.trim().parse().ok()) {
        Some(count) if output.status.success() && count > 0 => Ok(count),
        _ => Err(BenchError::Uncounted { kernel: name.to_owned(), told: told.into_owned() }),
    }
}
