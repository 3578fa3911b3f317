//! `gazeprint study`: which method recognises the readers of a corpus, and how well.

mod args;
mod folder;
mod table;

use std::path::Path;

use gazeprint::corpus::{Corpus, DropReason, Limits};
use gazeprint_eval::portrait::Portrait;
use gazeprint_eval::protocol::ProtocolError;
use gazeprint_eval::report::{Manifest, Report};
use gazeprint_eval::robustness::Robustness;
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
    let folder = match &args.out {
        Some(path) => Some(Folder::prepare(path, &args, &divided, &manifest, methods.len())?),
        None => None,
    };
    warn_of_oddities(&divided, args.corpus.as_deref());

    let keeper: &dyn Keeper = folder.as_ref().map_or(&Forgetful, |f| f);
    let studies = if args.noise { 1 + Robustness::levels(&divided.plan) } else { 1 };
    let progress = Progress::new(studies * methods.len(), divided.splits.len())?;
    let stop = |error: StudyError| {
        progress.clear();
        if error.is_interruption() {
            return Interrupted { resumable: folder.is_some() }.into();
        }
        explain(error, &name)
    };
    let study = Study::run(&divided, &methods, &progress, keeper).map_err(stop)?;
    let mut report = Report::of(&divided, &study, manifest);
    if args.noise {
        let worse = Robustness::run(&divided, &methods, &progress).map_err(stop)?;
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
    let place = split.readers.iter().position(|&r| divided.corpus.readers()[r] == name);
    place.ok_or_else(|| {
        Usage(format!(
            "there is no reader {name:?} with training and test texts in the first split"
        ))
    })
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
