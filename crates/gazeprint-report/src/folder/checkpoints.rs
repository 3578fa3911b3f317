//! Results of single splits, kept until the study is complete.

use std::error::Error;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use gazeprint::decision::cohort_ratios;
use gazeprint_eval::protocol::Division;
use gazeprint_eval::study::{Keeper, ProbeScores, SplitResult};

use super::files::put;
use super::{FileAction, FolderError, Intent};
use crate::csv::word;

/// Where they wait.
const UNFINISHED: &str = ".gazeprint-unfinished";
/// Where they go before they are deleted, so that no part of them is ever taken for the whole.
const DISCARDED: &str = ".gazeprint-discarded";
/// What they are results of.
const KEY: &str = "study.txt";
/// Bytes of a hash at the head of a result.
const HASH: usize = 8;

/// The results of one study that wait in an output folder.
#[derive(Debug)]
pub(super) struct Checkpoints {
    folder: PathBuf,
    key: String,
    readers: Vec<String>,
    resumed: bool,
}

impl Checkpoints {
    /// Of a study that writes to a folder; touches nothing yet.
    pub(super) fn of(out: &Path, intent: &Intent<'_>) -> Self {
        Self {
            folder: out.join(UNFINISHED),
            key: key(intent),
            readers: intent.divided.corpus.readers().to_vec(),
            resumed: false,
        }
    }

    /// How the study left in the folder differs from this one; none where nothing is left.
    pub(super) fn left(&self) -> Option<LeftStudy> {
        let left = fs::read_to_string(self.folder.join(KEY)).ok()?;
        let mut lines = left.lines().zip(self.key.lines());
        Some(match lines.find(|(left, here)| left != here) {
            None if left == self.key => LeftStudy::Same,
            None => LeftStudy::Other("written by another version".to_owned()),
            Some((left, here)) => LeftStudy::Other(format!("there {left}; here {here}")),
        })
    }

    /// Bytes that are there already.
    pub(super) fn size(&self) -> u64 {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        files.filter_map(|file| Some(file.metadata().ok()?.len())).sum()
    }

    /// Goes on with what is left of the same study.
    pub(super) fn resume(&mut self) {
        self.resumed = true;
    }

    /// Starts anew.
    pub(super) fn start(&self) -> Result<(), FolderError> {
        self.clear()?;
        fs::create_dir(&self.folder).map_err(FileAction::Make.failed(&self.folder))?;
        put(&self.folder.join(KEY), self.key.as_bytes())
    }

    /// Removes them, all at once for whoever looks.
    pub(super) fn clear(&self) -> Result<(), FolderError> {
        let discarded = self.folder.with_file_name(DISCARDED);
        let remove = || -> std::io::Result<()> {
            if discarded.exists() {
                fs::remove_dir_all(&discarded)?;
            }
            if self.folder.exists() {
                fs::rename(&self.folder, &discarded)?;
                fs::remove_dir_all(&discarded)?;
            }
            Ok(())
        };
        remove().map_err(FileAction::Clear.failed(&self.folder))
    }

    /// The file of a method, by itself or at a level of robustness, and a split.
    fn file(&self, method: &str, split: usize, extension: &str) -> PathBuf {
        self.folder.join(format!("{}-{}.{extension}", method.replace('/', "-"), split + 1))
    }

    /// The file of the comparisons of a method and split, as lines of CSV.
    pub(super) fn scores(&self, method: &str, split: usize) -> PathBuf {
        self.file(method, split, "csv")
    }

    /// What a result is headed by: it is of this study, whole, and so are its scores.
    fn head(&self, lines: &[u8], result: &[u8]) -> [u8; 3 * HASH] {
        let mut head = [0; 3 * HASH];
        let hashes = [hash(&self.key), hash(lines), hash(result)];
        head.chunks_exact_mut(HASH).zip(hashes).for_each(|(to, h)| {
            to.copy_from_slice(&h.to_le_bytes());
        });
        head
    }

    /// The comparisons of a split as lines of CSV.
    fn score_lines(&self, split: usize, result: &SplitResult, scores: &[ProbeScores]) -> Vec<u8> {
        let names: Vec<String> = result.readers.iter().map(|&r| word(&self.readers[r])).collect();
        let mut lines = String::new();
        for (index, probe) in scores.iter().enumerate() {
            let probe_number = index + 1;
            let truth = &names[probe.reader];
            let ratios = cohort_ratios(&probe.scores);
            for (place, claimed) in names.iter().enumerate() {
                let [score, ratio] = [probe.scores[place], ratios[place]].map(number);
                let calibrated =
                    probe.ratios.as_ref().map_or_else(String::new, |r| number(r[place]));
                lines += &format!(
                    "{split},{probe_number},{claimed},{truth},{score},{ratio},{calibrated}\n"
                );
            }
        }
        lines.into_bytes()
    }
}

/// A study that was left in a folder.
#[derive(Debug, PartialEq)]
pub(super) enum LeftStudy {
    /// The one asked for.
    Same,
    /// Another one, and what differs.
    Other(String),
}

impl Keeper for Checkpoints {
    fn recall(&self, method: &str, split: usize) -> Option<SplitResult> {
        if !self.resumed {
            return None;
        }
        let bytes = fs::read(self.file(method, split, "bin")).ok()?;
        // Levels of robustness have no scores.
        let lines = fs::read(self.scores(method, split)).unwrap_or_default();
        let (head, result) = bytes.split_at_checked(3 * HASH)?;
        if head != self.head(&lines, result) {
            return None;
        }
        postcard::from_bytes(result).ok()
    }

    fn keep(
        &self,
        method: &str,
        split: usize,
        result: &SplitResult,
        scores: &[ProbeScores],
    ) -> Result<(), String> {
        let bytes = postcard::to_stdvec(result).map_err(|error| error.to_string())?;
        let lines = self.score_lines(split + 1, result, scores);
        let write = || -> Result<(), FolderError> {
            if !lines.is_empty() {
                put(&self.scores(method, split), &lines)?;
            }
            let head = self.head(&lines, &bytes);
            put(&self.file(method, split, "bin"), &[&head[..], &bytes].concat())
        };
        write().map_err(|error| match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        })
    }
}

/// Everything that results depend on, a line each.
fn key(intent: &Intent<'_>) -> String {
    let (plan, manifest) = (&intent.divided.plan, intent.manifest);
    let division = match &plan.protocol.division {
        Division::Given(rows) => {
            format!("{} rows of a file, hash {:016x}", rows.len(), hash(rows))
        }
        division => format!("{division:?}"),
    };
    format!(
        "version: {}\ncommit: {}\ncorpus: {}\nseed: {}\ndivision: {division}\nreaders: {:?}\n\
         texts a probe: {:?}\ndurations: {:?}\nengine: {:?}\nscoring: {:?}\nattacks: {}\nwatch: {:?}\n",
        manifest.version,
        intent.build,
        manifest.corpus_sha256,
        plan.protocol.seed,
        plan.readers,
        plan.probe_sentences,
        plan.limits.durations(),
        intent.engine,
        intent.scoring,
        plan.attacks,
        plan.watch,
    )
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A number in CSV; an infinite or unknown one as other tools spell it.
fn number(value: f64) -> String {
    match value {
        v if v.is_nan() => "NaN".to_owned(),
        v if v.is_infinite() => if v > 0.0 { "Inf" } else { "-Inf" }.to_owned(),
        v => format!("{v:.4}"),
    }
}
