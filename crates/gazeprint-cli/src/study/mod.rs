//! `gazeprint study`: which method recognises the readers of a corpus, and how well.

mod args;
mod notes;
mod reader;
mod splits;
mod table;

use std::hash::{DefaultHasher, Hash, Hasher};

use gazeprint::corpus::Corpus;
use gazeprint::inference::Engine;
use gazeprint::method::People;
use gazeprint_eval::portrait::Portrait;
use gazeprint_eval::report::{Manifest, Report};
use gazeprint_eval::robustness::Levels;
use gazeprint_eval::study::{DividedCorpus, Forgetful, Keeper, Study, StudyError};
use gazeprint_report::folder::{Folder, Intent, json};

pub(crate) use self::args::Args;
use crate::progress::Progress;
use crate::{Interrupted, corpus_with_notes, print};

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let (plan, engine, people) = (args.plan()?, args.engine()?, args.people()?);
    let corpus = corpus_with_notes(args.corpus.as_deref())?;
    let methods = args.methods(&corpus, &people)?;
    if args.needs_people() {
        refuse_known(&corpus, &people)?;
    }
    // Whatever can be known to fail is made to fail before the computing starts.
    let manifest = manifest(&args, &corpus);
    let name = corpus.name().to_owned();
    let divided = DividedCorpus::new(corpus, plan).map_err(|error| notes::explain(error, &name))?;
    let shown = reader::place(&divided, args.show_reader.as_deref())?;
    let levels = args.noise.then(|| Levels::of(&divided));
    let studies = levels.as_ref().map_or(0, Levels::studies);
    let folder = folder(&args, &divided, &manifest, &engine, [methods.len(), studies])?;
    notes::of_oddities(&divided, args.corpus.as_deref());
    notes::of_unmatched_rows(&divided, args.splits_file.as_deref());

    let keeper: &dyn Keeper = folder.as_ref().map_or(&Forgetful, Folder::keeper);
    let progress = Progress::new((1 + studies) * methods.len())?;
    let stop = |error: StudyError| {
        progress.clear();
        if error.is_interruption() {
            let kept = if folder.is_some() { Interrupted::RESUMABLE } else { Interrupted::NOTHING };
            return kept.into();
        }
        notes::explain(error, &name)
    };
    let study = Study::run(&divided, &methods, &progress, keeper).map_err(stop)?;
    let mut report = Report::of(&divided, &study, manifest);
    if let Some(levels) = levels {
        let worse = levels.run(&study, &methods, &progress, keeper).map_err(stop)?;
        report.robustness = Some(worse);
    }
    progress.clear();
    if let Some(folder) = &folder {
        let DividedCorpus { corpus, readings, splits, .. } = &divided;
        let portrait = Portrait::of(corpus, readings, &splits[0], shown, &engine, args.seed)?;
        folder.write(&study, &report, &portrait, |file| Ok(splits::write(&divided, file)?))?;
    }
    print(&if args.json { json(&report)? } else { table::table(&report, folder.as_ref())? })
}

/// Refuses people who were learned from the very readers that are to be told apart.
fn refuse_known(corpus: &Corpus, people: &People) -> anyhow::Result<()> {
    let (mut known, mut all) = (0, 0);
    for digest in gazeprint_io::reading_digests(corpus) {
        all += 1;
        known += usize::from(people.have_read(&digest));
    }
    anyhow::ensure!(
        known == 0,
        "{}: {known} of {all} readings were learned from by the people {:?}, so that figures would \
         flatter; give people learned without them with --people FILE (`gazeprint people` makes them), \
         or compare methods that know nobody, such as --methods semiparametric,landwehr",
        corpus.name(),
        people.origin().name,
    );
    Ok(())
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

/// The folder for the results, where one is wanted, for so many methods and studies on worse
/// recordings.
fn folder(
    args: &Args,
    divided: &DividedCorpus,
    manifest: &Manifest,
    engine: &Engine,
    [methods, studies]: [usize; 2],
) -> anyhow::Result<Option<Folder>> {
    let Some(path) = args.out.as_deref() else { return Ok(None) };
    let build = manifest.commit.clone().unwrap_or_else(executable);
    let scoring = args.scoring();
    let (resume, build) = (args.resume, build.as_str());
    let intent = Intent { divided, manifest, build, engine, scoring, methods, studies, resume };
    let (folder, found) = Folder::prepare(path, &intent).map_err(notes::refusal)?;
    notes::of_found(path, args.resume, found);
    Ok(Some(folder))
}

/// Stands for the commit where it is not known.
fn executable() -> String {
    let bytes = std::env::current_exe().and_then(std::fs::read);
    bytes.map_or_else(
        |_| "unknown".to_owned(),
        |bytes| {
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            format!("unknown, executable {:016x}", hasher.finish())
        },
    )
}
