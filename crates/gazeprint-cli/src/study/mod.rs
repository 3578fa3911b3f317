//! `gazeprint study`: which method recognises the readers of a corpus, and how well.

mod args;
mod checkpoints;
mod folder;
mod table;

use std::path::Path;

use gazeprint::corpus::{Corpus, DropReason, Limits};
use gazeprint_eval::portrait::Portrait;
use gazeprint_eval::protocol::ProtocolError;
use gazeprint_eval::report::{Manifest, Report};
use gazeprint_eval::robustness::Levels;
use gazeprint_eval::study::{DividedCorpus, Forgetful, Keeper, Study, StudyError};
use gazeprint_eval::summary::Summary;

pub(crate) use self::args::Args;
use self::folder::Folder;
use crate::inspect::plural;
use crate::progress::Progress;
use crate::{Interrupted, Usage, corpus_or_default, print};

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let (methods, plan) = (args.methods()?, args.plan()?);
    let (corpus, notes) = corpus_or_default(args.corpus.as_deref())?;
    for message in notes.messages() {
        eprintln!("note: {message}");
    }
    // Whatever can be known to fail is made to fail before the computing starts.
    let manifest = manifest(&args, &corpus);
    let name = corpus.name().to_owned();
    let divided = DividedCorpus::new(corpus, plan).map_err(|error| explain(error, &name))?;
    let shown = shown_reader(&divided, args.show_reader.as_deref())?;
    let levels = args.noise.then(|| Levels::of(&divided));
    let studies = levels.as_ref().map_or(0, Levels::studies);
    let folder = args
        .out
        .as_deref()
        .map(|path| Folder::prepare(path, &args, &divided, &manifest, methods.len(), studies))
        .transpose()?;
    warn_of_oddities(&divided, args.corpus.as_deref());
    warn_of_unmatched_rows(&divided, &args);

    let keeper: &dyn Keeper = folder.as_ref().map_or(&Forgetful, Folder::keeper);
    let progress = Progress::new((1 + studies) * methods.len())?;
    let stop = |error: StudyError| {
        progress.clear();
        if error.is_interruption() {
            let kept = if folder.is_some() { Interrupted::RESUMABLE } else { Interrupted::NOTHING };
            return kept.into();
        }
        explain(error, &name)
    };
    let study = Study::run(&divided, &methods, &progress, keeper).map_err(stop)?;
    let mut report = Report::of(&divided, &study, manifest);
    if let Some(levels) = levels {
        let worse = levels.run(&study, &methods, &progress, keeper).map_err(stop)?;
        report.robustness = Some(worse);
    }
    progress.clear();
    if let Some(folder) = &folder {
        let split = &divided.splits[0];
        let portrait = Portrait::of(
            &divided.corpus,
            &divided.readings,
            split,
            shown,
            &args.engine()?,
            args.seed,
        )?;
        folder.write(&divided, &study, &report, &portrait)?;
    }
    print(&if args.json {
        folder::json(&report)?
    } else {
        table::table(&report, args.out.as_deref())?
    })
}

fn manifest(args: &Args, corpus: &Corpus) -> Manifest {
    Manifest {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("GAZEPRINT_COMMIT").map(str::to_owned),
        seed: args.seed,
        threads: rayon::current_num_threads(),
        corpus_sha256: gazeprint_eval::fingerprint(corpus),
        arguments: std::env::args().skip(1).collect(),
    }
}

/// The place in the first split of the reader whose portrait is wanted.
fn shown_reader(divided: &DividedCorpus, name: Option<&str>) -> Result<usize, Usage> {
    let split = &divided.splits[0];
    let Some(name) = name else {
        return Ok(Portrait::typical_reader(split, &divided.readings));
    };
    let names = || split.readers.iter().map(|&r| divided.corpus.readers()[r].as_str());
    names().position(|n| n == name).ok_or_else(|| {
        let similar = nearest(name, names());
        let hint = if similar.is_empty() {
            String::new()
        } else {
            format!("; similar ones: {}", similar.join(", "))
        };
        Usage(format!(
            "there is no reader {name:?} with training and test texts in the first split{hint}"
        ))
    })
}

/// The names that could have been meant, quoted.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let most = name.chars().count().div_ceil(3);
    let distance = |n: &'a str| (strsim::damerau_levenshtein(name, n), n);
    let mut near: Vec<(usize, &str)> = names.map(distance).filter(|(d, _)| *d <= most).collect();
    near.sort_unstable();
    near.into_iter().take(SUGGESTED).map(|(_, n)| format!("{n:?}")).collect()
}

/// Names that are suggested for one that is not there.
const SUGGESTED: usize = 3;

/// Says which rows of a file of splits mean nothing that was recorded.
fn warn_of_unmatched_rows(divided: &DividedCorpus, args: &Args) {
    let division = &divided.plan.protocol.division;
    let rows = division.unmatched(&divided.corpus, &divided.readings);
    if let (Some(row), Some(file)) = (rows.first(), &args.splits_file) {
        eprintln!(
            "note: {} of {} match no reading that counts, e.g. split {}, reader {:?}, text {:?}",
            plural(rows.len(), "row"),
            file.display(),
            row.split,
            row.reader,
            row.text
        );
    }
}

/// Says that the corpus does not look like reading, where it does not.
fn warn_of_oddities(divided: &DividedCorpus, folder: Option<&Path>) {
    let limits: Limits = divided.plan.limits;
    let warnings = Summary::of(&divided.corpus, limits).warnings.len();
    if let Some(folder) = folder.filter(|_| warnings > 0) {
        let things = if warnings == 1 { "thing does" } else { "things do" };
        eprintln!(
            "warning: {warnings} {things} not look like reading; see: gazeprint inspect {}",
            folder.display()
        );
    }
}

/// A failed study in words.
fn explain(error: StudyError, corpus: &str) -> anyhow::Error {
    match error {
        StudyError::Protocol(
            error @ (ProtocolError::TrainFraction(_)
            | ProtocolError::NoSplits
            | ProtocolError::EmptyProbe
            | ProtocolError::NoSessions(_)
            | ProtocolError::TooManyReaders { .. }
            | ProtocolError::TooFewDrawn(_)),
        ) => Usage(error.to_string()).into(),
        StudyError::NothingLeft(fixations, drops) => anyhow::anyhow!(
            "{corpus}: none of the {} counts ({}); are x and the words in the same unit, and \
             durations in ms? `gazeprint inspect` tells more",
            plural(fixations, "fixation"),
            table::reasons(DropReason::ALL.map(|r| (r.name(), drops.of(r))))
        ),
        error => anyhow::Error::new(error).context(format!("{corpus} cannot be studied")),
    }
}
