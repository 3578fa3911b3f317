//! The folder of a study's results.

use std::fs::{self, File, TryLockError};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use gazeprint::method;
use gazeprint_eval::portrait::Portrait;
use gazeprint_eval::report::{Manifest, Report};
use gazeprint_eval::robustness::MOST_SPLITS;
use gazeprint_eval::study::{DividedCorpus, Keeper, Study};
use gazeprint_io::{Assignment, Role, write_splits};
use gazeprint_report::{FigureId, draws, figures, page, tables};

use super::Args;
use super::checkpoints::{Checkpoints, Left};

/// Held by the study that writes to the folder.
const LOCK: &str = ".gazeprint.lock";
/// What a study writes beside figures and scores. `study.json` comes last, and goes first when
/// there is to be another study: where it is, all is.
const FILES: [&str; 7] = [
    "study.json",
    "report.html",
    "tables.md",
    "tables.tex",
    "splits.csv",
    "draws_theta.csv",
    "draws_density.csv",
];
/// Endings of a figure's files.
const ENDINGS: [&str; 3] = ["svg", "png", "csv"];
/// Bytes of a comparison in a table of scores, without names.
const COMPARISON: u64 = 32;
/// Bytes of a comparison in a result that waits.
const CLAIM: u64 = 32;
/// Bytes of everything else.
const REST: u64 = 64 << 20;

/// An output folder.
pub(super) struct Folder {
    path: PathBuf,
    checkpoints: Checkpoints,
    _lock: Lock,
}

impl Folder {
    /// Makes the folder, checks that results can be written and will fit, and finds or clears what
    /// an interrupted study left. `studies` are those on worse recordings.
    ///
    /// A refusal leaves everything as it was.
    pub(super) fn prepare(
        path: &Path,
        args: &Args,
        divided: &DividedCorpus,
        manifest: &Manifest,
        methods: usize,
        studies: usize,
    ) -> anyhow::Result<Self> {
        if path.is_file() {
            bail!("{} is a file, not a folder", path.display());
        }
        let mut made = Made::default();
        made.folder(path)?;
        let lock = Lock::take(path)?;
        let mut checkpoints = Checkpoints::of(path, args, divided, manifest);
        let left = checkpoints.left();
        if args.resume {
            may_resume(path, left.as_ref())?;
        }
        let needed = bytes(divided, methods, studies).saturating_sub(checkpoints.size());
        // A file system that does not tell is given a try.
        if let Ok(free) = fs4::available_space(path)
            && free < needed
        {
            bail!(
                "{} has {} MB left, but the results may take {} MB",
                path.display(),
                free >> 20,
                needed >> 20
            );
        }
        for name in ["figures", "scores"] {
            let folder = path.join(name);
            made.folder(&folder)?;
            let attempt = folder.join(".attempt");
            put(&attempt, &[])?;
            remove(&attempt)?;
        }
        remove(&path.join(FILES[0]))?;
        match left {
            Some(Left::Same) if args.resume => checkpoints.resume(),
            left => {
                announce(path, args.resume, left);
                checkpoints.start()?;
            }
        }
        made.keep();
        Ok(Self { path: path.to_owned(), checkpoints, _lock: lock })
    }

    /// Where results of single splits wait.
    pub(super) fn keeper(&self) -> &dyn Keeper {
        &self.checkpoints
    }

    /// Writes everything, in place of what an earlier study wrote.
    pub(super) fn write(
        &self,
        divided: &DividedCorpus,
        study: &Study,
        report: &Report,
        portrait: &Portrait,
    ) -> anyhow::Result<()> {
        self.clear()?;
        let drawings = figures(study, report, portrait);
        for (id, drawing) in &drawings {
            let put_as = |ending: &str, bytes: &[u8]| put(&self.figure(*id, ending), bytes);
            put_as("svg", drawing.svg.as_bytes())?;
            put_as("png", &drawing.png())?;
            put_as("csv", drawing.csv.as_bytes())?;
        }
        self.gather_scores(study)?;
        self.write_splits(divided)?;
        put(&self.path.join("draws_theta.csv"), draws::coefficients(portrait).as_bytes())?;
        put(&self.path.join("draws_density.csv"), draws::densities(portrait).as_bytes())?;
        put(&self.path.join("tables.md"), tables::markdown(report).as_bytes())?;
        put(&self.path.join("tables.tex"), tables::latex(report).as_bytes())?;
        put(&self.path.join("report.html"), page::html(report, &drawings).as_bytes())?;
        put(&self.path.join("study.json"), json(report)?.as_bytes())?;
        self.checkpoints.clear()
    }

    /// Removes what an earlier study wrote, and nothing else.
    fn clear(&self) -> anyhow::Result<()> {
        let figures = FigureId::ALL.iter().flat_map(|id| ENDINGS.map(|e| self.figure(*id, e)));
        let scores = method::NAMES.iter().map(|method| self.scores(method));
        let files = FILES.iter().map(|file| self.path.join(file));
        files.chain(figures).chain(scores).try_for_each(|file| remove(&file))
    }

    fn figure(&self, id: FigureId, ending: &str) -> PathBuf {
        self.path.join("figures").join(format!("{}.{ending}", id.name()))
    }

    fn scores(&self, method: &str) -> PathBuf {
        self.path.join("scores").join(format!("{method}.csv"))
    }

    /// One file of scores a method, from those of its splits.
    fn gather_scores(&self, study: &Study) -> anyhow::Result<()> {
        for method in &study.methods {
            let file = self.scores(&method.method);
            let gather = || -> std::io::Result<()> {
                let mut out = BufWriter::new(File::create(&file)?);
                out.write_all(
                    b"split,probe,claimed_reader,true_reader,score,log_likelihood_ratio\n",
                )?;
                for split in 0..method.splits.len() {
                    let mut part = File::open(self.checkpoints.scores(&method.method, split))?;
                    std::io::copy(&mut part, &mut out)?;
                }
                out.flush()
            };
            gather().with_context(|| format!("cannot write {}", file.display()))?;
        }
        Ok(())
    }

    fn write_splits(&self, divided: &DividedCorpus) -> anyhow::Result<()> {
        let DividedCorpus { corpus, readings, splits, .. } = divided;
        let rows = splits.iter().enumerate().flat_map(|(number, split)| {
            let role = |role: Role| move |&(_, reading): &(usize, usize)| (reading, role);
            let train = split.train.iter().map(role(Role::Train));
            let test = split.test.iter().map(role(Role::Test));
            let mut rows: Vec<(usize, Role)> = train.chain(test).collect();
            rows.sort_unstable_by_key(|(reading, _)| *reading);
            rows.into_iter().map(move |(reading, role)| {
                let path = &corpus.scanpaths()[readings[reading].scanpath];
                Assignment {
                    split: number as u32 + 1,
                    reader: corpus.readers()[path.reader].clone(),
                    text: corpus.texts()[path.text].id().to_owned(),
                    session: Some(path.session.clone()),
                    trial: Some(path.trial.clone()),
                    role,
                }
            })
        });
        let file = self.path.join("splits.csv");
        Ok(write_splits(rows, &file)?)
    }
}

/// Folders that were made, to be taken away again if nothing comes of it.
#[derive(Default)]
struct Made(Vec<PathBuf>);

impl Made {
    fn folder(&mut self, folder: &Path) -> anyhow::Result<()> {
        let missing: Vec<&Path> = folder.ancestors().take_while(|f| !f.exists()).collect();
        self.0.extend(missing.into_iter().rev().map(Path::to_owned));
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))
    }

    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // Those that somebody has put something into stay.
        self.0.iter().rev().for_each(|folder| _ = fs::remove_dir(folder));
    }
}

/// Keeps other studies out of a folder. The system lets go of it however the command ends.
struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    fn take(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(LOCK);
        let file = File::create(&path)
            .with_context(|| format!("cannot write to the folder {}", folder.display()))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                bail!("another study is writing to {}", folder.display())
            }
            // A file system without locks is given a try.
            Err(TryLockError::Error(_)) | Ok(()) => Ok(Self { path, _file: file }),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        _ = fs::remove_file(&self.path);
    }
}

/// Refuses to go on with another study, or with a complete one.
fn may_resume(path: &Path, left: Option<&Left>) -> anyhow::Result<()> {
    let name = path.display();
    match left {
        Some(Left::Other(why)) => {
            bail!("{name} holds another study, which cannot be resumed with these options: {why}")
        }
        None if path.join(FILES[0]).exists() => {
            bail!("{name} holds a complete study; leave out --resume to compute it again")
        }
        _ => Ok(()),
    }
}

/// Says what becomes of the study in the folder.
fn announce(path: &Path, resume: bool, left: Option<Left>) {
    let path = path.display();
    match left {
        Some(Left::Same) => eprintln!(
            "note: this study was interrupted in {path} and starts anew; --resume would go on"
        ),
        Some(Left::Other(why)) => {
            eprintln!("note: {path} held another interrupted study, now given up: {why}");
        }
        None if resume => eprintln!("note: nothing to resume in {path}"),
        None => {}
    }
}

/// About what the results will take at most: comparisons are written to two tables, and wait.
fn bytes(divided: &DividedCorpus, methods: usize, studies: usize) -> u64 {
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
pub(super) fn json(report: &Report) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}

/// Writes a file whole or not at all.
pub(super) fn put(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let partial = file.with_added_extension("partial");
    fs::write(&partial, bytes)
        .and_then(|()| fs::rename(&partial, file))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// Removes a file, if it is there.
fn remove(file: &Path) -> anyhow::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", file.display()))
        }
        _ => Ok(()),
    }
}
