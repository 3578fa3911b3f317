//! The folder of a study's results, and what is kept there while it runs.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use gazeprint_eval::figure::Drawing;
use gazeprint_eval::portrait::Portrait;
use gazeprint_eval::protocol::Division;
use gazeprint_eval::report::{Manifest, Report};
use gazeprint_eval::study::{DividedCorpus, Keeper, ProbeScores, SplitResult, Study};
use gazeprint_eval::{figures, page, tables};
use gazeprint_io::{Assignment, Role, write_splits};

use super::Args;

/// Where results of single splits wait until the study is complete.
const UNFINISHED: &str = "unfinished";
/// What the waiting results are results of.
const KEY: &str = "study.txt";
/// Bytes of a comparison on disk, in the scores and while it waits.
const COMPARISON: u64 = 100;
/// Bytes of everything else.
const REST: u64 = 64 << 20;

/// An output folder.
pub(super) struct Folder {
    path: PathBuf,
    readers: Vec<String>,
}

impl Folder {
    /// Makes the folder, checks that results will fit, and finds or clears what an interrupted
    /// study left.
    pub(super) fn prepare(
        path: &Path,
        args: &Args,
        divided: &DividedCorpus,
        manifest: &Manifest,
        methods: usize,
    ) -> anyhow::Result<Self> {
        let folder = Self { path: path.to_owned(), readers: divided.corpus.readers().to_vec() };
        fs::create_dir_all(path)
            .with_context(|| format!("cannot make the folder {}", path.display()))?;
        let unfinished = folder.unfinished();
        let key = key(args, divided, manifest);
        match fs::read_to_string(unfinished.join(KEY)) {
            Ok(left) if args.resume => same_study(&left, &key, path)?,
            Ok(_) => {
                eprintln!(
                    "note: {} holds an interrupted study, which starts anew; --resume would go on",
                    path.display()
                );
                fs::remove_dir_all(&unfinished)
                    .with_context(|| format!("cannot clear {}", unfinished.display()))?;
            }
            Err(_) if args.resume => {
                eprintln!("note: nothing to resume in {}", path.display());
            }
            Err(_) => {}
        }
        fs::create_dir_all(&unfinished)
            .and_then(|()| fs::write(unfinished.join(KEY), key))
            .with_context(|| format!("cannot write to the folder {}", path.display()))?;
        let readers = divided.corpus.readers().len() as u64;
        let comparisons = readers * readers * (divided.splits.len() * methods) as u64;
        let needed = COMPARISON * comparisons + REST;
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
        Ok(folder)
    }

    fn unfinished(&self) -> PathBuf {
        self.path.join(UNFINISHED)
    }

    fn waiting(&self, method: &str, split: usize, extension: &str) -> PathBuf {
        self.unfinished().join(format!("{method}-{}.{extension}", split + 1))
    }

    /// Writes everything; `study.json` comes last, so that where it is, all is.
    pub(super) fn write(
        &self,
        divided: &DividedCorpus,
        study: &Study,
        report: &Report,
        portrait: &Portrait,
    ) -> anyhow::Result<()> {
        let drawings = figures(study, report, portrait);
        let figures_folder = self.path.join("figures");
        make(&figures_folder)?;
        for (name, drawing) in &drawings {
            let at = |extension: &str| figures_folder.join(format!("{name}.{extension}"));
            put(&at("svg"), drawing.svg.as_bytes())?;
            put(&at("png"), &drawing.png())?;
            put(&at("csv"), drawing.csv.as_bytes())?;
        }
        self.gather_scores(study)?;
        self.write_splits(divided)?;
        put(&self.path.join("draws_theta.csv"), portrait.draws_theta.as_bytes())?;
        put(&self.path.join("draws_density.csv"), portrait.draws_density.as_bytes())?;
        put(&self.path.join("tables.md"), tables::markdown(report).as_bytes())?;
        put(&self.path.join("tables.tex"), tables::latex(report).as_bytes())?;
        put(&self.path.join("report.html"), page(report, &drawings).as_bytes())?;
        put(&self.path.join("study.json"), json(report)?.as_bytes())?;
        let unfinished = self.unfinished();
        fs::remove_dir_all(&unfinished)
            .with_context(|| format!("cannot clear {}", unfinished.display()))
    }

    /// One file of scores a method, from those of its splits.
    fn gather_scores(&self, study: &Study) -> anyhow::Result<()> {
        let folder = self.path.join("scores");
        make(&folder)?;
        for method in &study.methods {
            let file = folder.join(format!("{}.csv", method.method));
            let gather = || -> std::io::Result<()> {
                let mut out = BufWriter::new(File::create(&file)?);
                out.write_all(
                    b"split,probe,claimed_reader,true_reader,score,log_likelihood_ratio\n",
                )?;
                for split in 0..method.splits.len() {
                    let mut part = File::open(self.waiting(&method.method, split, "csv"))?;
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

    /// The comparisons of a split as lines of CSV.
    fn score_lines(&self, split: usize, result: &SplitResult, scores: &[ProbeScores]) -> Vec<u8> {
        let names: Vec<String> = result.readers.iter().map(|&r| quoted(&self.readers[r])).collect();
        let mut lines = String::new();
        for (index, probe) in scores.iter().enumerate() {
            let probe_number = index + 1;
            let truth = &names[probe.reader];
            for (place, (claimed, score)) in names.iter().zip(&probe.scores).enumerate() {
                let ratio = probe.ratios.as_ref().map_or_else(String::new, |r| number(r[place]));
                let score = number(*score);
                lines += &format!("{split},{probe_number},{claimed},{truth},{score},{ratio}\n");
            }
        }
        lines.into_bytes()
    }
}

impl Keeper for Folder {
    fn recall(&self, method: &str, split: usize) -> Option<SplitResult> {
        // Scores are written first, so that where a result is, its scores are.
        let bytes = fs::read(self.waiting(method, split, "bin")).ok()?;
        postcard::from_bytes(&bytes).ok()
    }

    fn keep(
        &self,
        method: &str,
        split: usize,
        result: &SplitResult,
        scores: &[ProbeScores],
    ) -> Result<(), String> {
        let bytes = postcard::to_stdvec(result).map_err(|error| error.to_string())?;
        let scores = self.score_lines(split + 1, result, scores);
        put(&self.waiting(method, split, "csv"), &scores)
            .and_then(|()| put(&self.waiting(method, split, "bin"), &bytes))
            .map_err(|error| format!("{error:#}"))
    }
}

/// Everything that results depend on, a line each.
fn key(args: &Args, divided: &DividedCorpus, manifest: &Manifest) -> String {
    let plan = &divided.plan;
    let division = match &plan.protocol.division {
        Division::Given(rows) => {
            let mut hasher = DefaultHasher::new();
            rows.hash(&mut hasher);
            format!("{} rows of a file, hash {:016x}", rows.len(), hasher.finish())
        }
        division => format!("{division:?}"),
    };
    format!(
        "version: {}\ncommit: {}\ncorpus: {}\nseed: {}\ndivision: {division}\nreaders: {:?}\n\
         texts a probe: {:?}\ndurations: {:?}\nengine: {:?}\nscoring: {:?}\n",
        manifest.version,
        manifest.commit.as_deref().unwrap_or("unknown"),
        manifest.corpus_sha256,
        plan.protocol.seed,
        plan.readers,
        plan.probe_sentences,
        plan.limits.durations(),
        args.engine(),
        args.scoring(),
    )
}

/// Refuses to go on with another study than the one that was interrupted.
fn same_study(left: &str, asked: &str, folder: &Path) -> anyhow::Result<()> {
    match left.lines().zip(asked.lines()).find(|(left, asked)| left != asked) {
        None if left.lines().count() == asked.lines().count() => Ok(()),
        None => bail!("{} holds an interrupted study of another kind", folder.display()),
        Some((left, asked)) => bail!(
            "{} holds another study, which cannot be resumed with these options: there {left}; \
             here {asked}",
            folder.display()
        ),
    }
}

/// The page, with its figures.
fn page(report: &Report, drawings: &[(&str, Drawing)]) -> String {
    let captions: Vec<String> = drawings
        .iter()
        .map(|(name, drawing)| page::caption(name, drawing, report).unwrap_or_default())
        .collect();
    let figures: Vec<(&str, &str, &Drawing)> = drawings
        .iter()
        .zip(&captions)
        .map(|((name, drawing), caption)| (*name, caption.as_str(), drawing))
        .collect();
    page::html(report, &figures)
}

/// `study.json`.
pub(super) fn json(report: &Report) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}

fn make(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))
}

/// Writes a file whole or not at all.
fn put(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let partial = file.with_added_extension("partial");
    fs::write(&partial, bytes)
        .and_then(|()| fs::rename(&partial, file))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// A number in CSV; an infinite or unknown one as other tools spell it.
fn number(value: f64) -> String {
    match value {
        v if v.is_nan() => "NaN".to_owned(),
        v if v.is_infinite() => if v > 0.0 { "Inf" } else { "-Inf" }.to_owned(),
        v => format!("{v:.4}"),
    }
}

/// A name as a cell of CSV.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
