//! The folder of a study's results.
//!
//! | module | does |
//! |---|---|
//! | `checkpoints` | keeps results of single splits until the study is complete |
//! | `files` | files and folders that are there whole or not at all |
//! | `error` | what can go wrong |

mod checkpoints;
mod error;
mod files;

use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use gazeprint::inference::Engine;
use gazeprint::method::{self, Scoring};
use gazeprint_eval::portrait::ShownReaders;
use gazeprint_eval::report::{Manifest, Report};
use gazeprint_eval::robustness::MOST_SPLITS;
use gazeprint_eval::study::{DividedCorpus, Keeper, Study};

use self::checkpoints::{Checkpoints, LeftStudy};
pub use self::error::{FileAction, FolderError};
use self::files::{Lock, NewFolders, create, put, remove};
use crate::{FigureId, draws, figures, page, paper, tables};

/// What stands where all is: written last, and removed first when there is to be another study.
const STUDY: &str = "study.json";
/// For people.
const REPORT: &str = "report.html";
/// The other files, beside figures and scores.
const MARKDOWN: &str = "tables.md";
const LATEX: &str = "tables.tex";
const SPLITS: &str = "splits.csv";
const COEFFICIENTS: &str = "draws_theta.csv";
const DENSITIES: &str = "draws_density.csv";
/// All of these.
const FILES: [&str; 7] = [STUDY, REPORT, MARKDOWN, LATEX, SPLITS, COEFFICIENTS, DENSITIES];
/// Folders of figures and of scores.
const FIGURES: &str = "figures";
const SCORES: &str = "scores";
/// Endings of a figure's files.
const ENDINGS: [&str; 4] = ["svg", "pdf", "png", "csv"];
/// Bytes of a comparison in a table of scores, without names.
const COMPARISON: u64 = 48;
/// Bytes of a comparison in a result that waits.
const CLAIM: u64 = 32;
/// Bytes of everything else.
const REST: u64 = 64 << 20;

/// How results are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A page with all figures and tables.
    Report,
    /// The tables and figures of the paper.
    Paper,
}

/// The study that a folder is prepared for.
#[derive(Debug, Clone, Copy)]
pub struct Intent<'a> {
    /// What is studied, and how.
    pub divided: &'a DividedCorpus,
    /// What is needed to do it again.
    pub manifest: &'a Manifest,
    /// Tells the program from others of its version: the commit it was built from, or the like.
    pub build: &'a str,
    /// How posteriors are computed.
    pub engine: &'a Engine,
    /// How they turn into scores.
    pub scoring: Scoring,
    /// Methods that are compared.
    pub methods: usize,
    /// Studies on worse recordings.
    pub studies: usize,
    /// How its results are to be laid out.
    pub layout: Layout,
    /// Whether to go on with what an interrupted study left.
    pub resume: bool,
    /// Whether a complete study may be replaced.
    pub overwrite: bool,
}

/// What a folder held of an interrupted study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remains {
    /// Nothing.
    Nothing,
    /// The same study, which goes on.
    Resumed,
    /// The same study, which starts anew since it was not asked to go on.
    Restarted,
    /// Another study, now given up, and what it differs in.
    GivenUp(String),
}

/// An output folder, held until it is dropped.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    layout: Layout,
    checkpoints: Checkpoints,
    _lock: Lock,
}

impl Folder {
    /// Makes the folder, checks that results can be written and will fit, and finds or clears what
    /// an interrupted study left.
    ///
    /// # Errors
    /// If results cannot be written or taken up again. Everything is then as it was.
    pub fn prepare(path: &Path, intent: &Intent<'_>) -> Result<(Self, Remains), FolderError> {
        if path.is_file() {
            return Err(FolderError::IsFile(path.to_owned()));
        }
        let mut made = NewFolders::default();
        made.folder(path)?;
        let lock = Lock::take(path)?;
        let mut checkpoints = Checkpoints::of(path, intent);
        let left = checkpoints.left();
        let is_complete = path.join(STUDY).exists();
        match &left {
            Some(LeftStudy::Other(difference)) if intent.resume => {
                let (folder, difference) = (path.to_owned(), difference.clone());
                return Err(FolderError::OtherStudy { folder, difference });
            }
            // Stopped just after its last file: going on writes the same ones.
            Some(LeftStudy::Same) if intent.resume => {}
            _ if is_complete && !intent.overwrite => {
                return Err(FolderError::Complete(path.to_owned()));
            }
            _ => {}
        }
        let needed = bytes(intent).saturating_sub(checkpoints.size());
        // A file system that does not tell is given a try.
        if let Ok(free) = fs4::available_space(path)
            && free < needed
        {
            return Err(FolderError::Full { folder: path.to_owned(), free, needed });
        }
        let folders = match intent.layout {
            Layout::Report => &[FIGURES, SCORES][..],
            Layout::Paper => &[SCORES],
        };
        for name in folders {
            let folder = path.join(name);
            made.folder(&folder)?;
            let attempt = folder.join(".attempt");
            put(&attempt, &[])?;
            remove(&attempt)?;
        }
        remove(&path.join(STUDY))?;
        let found = match left {
            Some(LeftStudy::Same) if intent.resume => Remains::Resumed,
            Some(LeftStudy::Same) => Remains::Restarted,
            Some(LeftStudy::Other(difference)) => Remains::GivenUp(difference),
            None => Remains::Nothing,
        };
        match found {
            Remains::Resumed => checkpoints.resume(),
            Remains::Nothing | Remains::Restarted | Remains::GivenUp(_) => checkpoints.start()?,
        }
        made.keep();
        let (path, layout) = (path.to_owned(), intent.layout);
        Ok((Self { path, layout, checkpoints, _lock: lock }, found))
    }

    /// Where results of single splits wait.
    pub fn keeper(&self) -> &dyn Keeper {
        &self.checkpoints
    }

    /// Writes everything, in place of what an earlier study wrote. The table of splits is left to
    /// `write_splits`, which is given its file.
    ///
    /// # Errors
    /// If a file cannot be written. There is then no `study.json`.
    pub fn write(
        &self,
        study: &Study,
        report: &Report,
        readers: &ShownReaders,
        write_splits: impl FnOnce(&Path) -> Result<(), Box<dyn Error + Send + Sync>>,
    ) -> Result<(), FolderError> {
        self.clear()?;
        self.gather_scores(study)?;
        write_splits(&self.path.join(SPLITS)).map_err(FolderError::Splits)?;
        match self.layout {
            Layout::Report => self.write_report(study, report, readers)?,
            Layout::Paper => {
                for (name, bytes) in paper::files(study, report, &readers.shown) {
                    put(&self.path.join(name), &bytes)?;
                }
            }
        }
        put(&self.path.join(STUDY), json(report)?.as_bytes())?;
        self.checkpoints.clear()
    }

    fn write_report(
        &self,
        study: &Study,
        report: &Report,
        readers: &ShownReaders,
    ) -> Result<(), FolderError> {
        let portrait = &readers.shown;
        let drawings = figures(study, report, portrait);
        for (id, drawing) in &drawings {
            let put_as = |ending: &str, bytes: &[u8]| put(&self.figure(*id, ending), bytes);
            put_as("svg", drawing.svg_file().as_bytes())?;
            put_as("pdf", &drawing.pdf())?;
            put_as("png", &drawing.png())?;
            put_as("csv", drawing.csv.as_bytes())?;
        }
        let put = |name: &str, text: String| put(&self.path.join(name), text.as_bytes());
        put(COEFFICIENTS, draws::coefficients(portrait))?;
        put(DENSITIES, draws::densities(portrait))?;
        put(MARKDOWN, tables::markdown(report))?;
        put(LATEX, tables::latex(report))?;
        let readers = page::Readers::of(study, report, readers);
        put(REPORT, page::html(report, &drawings, Some(&readers)))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the page is, once written.
    pub fn page(&self) -> PathBuf {
        self.path.join(match self.layout {
            Layout::Report => REPORT,
            Layout::Paper => paper::PAGE,
        })
    }

    /// Removes what an earlier study wrote in any layout, and nothing else.
    fn clear(&self) -> Result<(), FolderError> {
        let figures = FigureId::ALL.iter().flat_map(|id| ENDINGS.map(|e| self.figure(*id, e)));
        let scores = method::NAMES.iter().map(|method| self.scores(method));
        let files = FILES.iter().map(|file| self.path.join(file));
        let exhibits = paper::names().map(|name| self.path.join(name));
        files.chain(figures).chain(scores).chain(exhibits).try_for_each(|file| remove(&file))
    }

    fn figure(&self, id: FigureId, ending: &str) -> PathBuf {
        self.path.join(FIGURES).join(format!("{}.{ending}", id.name()))
    }

    fn scores(&self, method: &str) -> PathBuf {
        self.path.join(SCORES).join(format!("{method}.csv"))
    }

    /// One file of scores a method, from those of its splits.
    fn gather_scores(&self, study: &Study) -> Result<(), FolderError> {
        for method in &study.methods {
            let file = self.scores(&method.method);
            let gather = || -> io::Result<()> {
                let mut out = BufWriter::new(create(&file)?);
                out.write_all(
                    b"split,probe,claimed_reader,true_reader,score,ratio,log_likelihood_ratio\n",
                )?;
                for split in 0..method.splits.len() {
                    let mut part = File::open(self.checkpoints.scores(&method.method, split))?;
                    io::copy(&mut part, &mut out)?;
                }
                out.flush()
            };
            gather().map_err(FileAction::Write.failed(&file))?;
        }
        Ok(())
    }
}

/// About what the results will take at most: comparisons are written to two tables, and wait.
fn bytes(intent: &Intent<'_>) -> u64 {
    let Intent { divided, methods, studies, .. } = *intent;
    let names = divided.corpus.readers();
    let split = |place: usize| {
        let split = &divided.splits[place];
        let readers = split.readers.len() as u64;
        let letters: u64 = split.readers.iter().map(|&r| names[r].len() as u64 + 2).sum();
        let comparisons = readers * readers;
        let waiting = CLAIM * comparisons;
        let levels = if place < MOST_SPLITS { studies as u64 } else { 0 };
        2 * (COMPARISON * comparisons + 2 * readers * letters) + (1 + levels) * waiting
    };
    methods as u64 * (0..divided.splits.len()).map(split).sum::<u64>() + REST
}

/// `study.json`.
///
/// # Errors
/// If a number or name cannot be set as JSON.
pub fn json(report: &Report) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}
