//! `gazeprint study`: which method recognises the readers of a corpus, and how well.

mod args;
mod notes;
mod paper;
mod reader;
mod table;

use std::hash::{DefaultHasher, Hash, Hasher};

use gazeprint::corpus::Corpus;
use gazeprint::inference::Engine;
use gazeprint::method::People;
use gazeprint_eval::portrait::ShownReaders;
use gazeprint_eval::report::{Manifest, Report};
use gazeprint_eval::robustness::Levels;
use gazeprint_eval::study::{DividedCorpus, Forgetful, Keeper, Study, StudyError};
use gazeprint_report::folder::{Folder, Intent, Layout, json};

pub(crate) use self::args::Args;
pub(crate) use self::table::Filling;
use crate::progress::Progress;
use crate::{Interrupted, print};

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let (plan, engine, people) = (args.plan()?, args.engine()?, args.people()?);
    let given = args.corpus.clone().unwrap_or_default();
    let corpus = given.read()?;
    let (methods, needs_people) = args.methods(&corpus, &people, &plan.protocol.division)?;
    if needs_people {
        refuse_known(&corpus, &people)?;
    }
    // Whatever can be known to fail is made to fail before the computing starts.
    let manifest = manifest(&args, &corpus);
    let name = corpus.name().to_owned();
    let divided = DividedCorpus::new(corpus, plan).map_err(|error| notes::explain(error, &name))?;
    let shown = reader::place(&divided, args.show_reader.as_deref(), args.layout())?;
    let levels = args.noise.then(|| Levels::of(&divided));
    let studies = levels.as_ref().map_or(0, Levels::studies);
    let folder = folder(&args, &divided, &manifest, &engine, [methods.len(), studies])?;
    notes::of_oddities(&divided, &given);
    notes::of_unmatched_rows(&divided, args.splits_file.as_deref());

    let keeper: &dyn Keeper = folder.as_ref().map_or(&Forgetful, Folder::keeper);
    let progress = Progress::new()?;
    let stop = |error: StudyError| {
        progress.clear();
        if error.is_interruption() {
            let kept = if folder.is_some() { Interrupted::RESUMABLE } else { Interrupted::NOTHING };
            return kept.into();
        }
        notes::explain(error, &name)
    };
    progress.fill(Some(Filling::of(&methods, &divided)));
    let study = Study::run(&divided, &methods, &progress, keeper).map_err(stop)?;
    progress.fill(None);
    let mut report = Report::of(&divided, &study, manifest);
    if let Some(levels) = levels {
        let worse = levels.run(&study, &methods, &progress, keeper).map_err(stop)?;
        report.robustness = Some(worse);
    }
    progress.clear();
    if let Some(folder) = &folder {
        let readers = ShownReaders::of(&divided, shown, &engine)?;
        folder.write(&study, &report, &readers, |file| {
            Ok(gazeprint_io::write_splits(divided.assignments(), file)?)
        })?;
    }
    print(&match (args.json, args.layout()) {
        (true, _) => json(&report)?,
        (false, Layout::Report) => table::table(&report, folder.as_ref())?,
        (false, Layout::Paper) => paper::tables(&report, folder.as_ref())?,
    })
}

/// Refuses people who were learned from the very readers that are to be told apart.
fn refuse_known(corpus: &Corpus, people: &People) -> anyhow::Result<()> {
    let [known, all] = gazeprint_io::known_readings(corpus, people);
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
    let (layout, resume, overwrite) = (args.layout(), args.resume, args.overwrite);
    let intent = Intent {
        divided,
        manifest,
        build: &build,
        engine,
        scoring,
        methods,
        studies,
        layout,
        resume,
        overwrite,
    };
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
