//! Times what `python/benches/measure.py` times from Python: the same calls of the libraries.
//!
//!     library identify GALLERY PROBE      the best of 20, in seconds
//!     library study CORPUS                landwehr on two random splits

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use gazeprint::corpus::Limits;
use gazeprint::inference::Engine;
use gazeprint::method::{self, People, Scoring, Unwatched};
use gazeprint_eval::protocol::{Division, Protocol};
use gazeprint_eval::study::{DividedCorpus, Forgetful, Plan, Study};
use gazeprint_recognition::{IdentifyOptions, Location, Recognizer, ReplayPolicy};

const TIMES: usize = 20;

fn identify(gallery: &str, probe: &Path) -> Result<f64, Box<dyn Error>> {
    let at: Location = gallery.parse()?;
    let desk = Recognizer::open(&at, None)?;
    let (probe, _) = gazeprint_io::read_probe(probe, None)?;
    let replays = ReplayPolicy { allow: false, forget: true };
    let options =
        IdentifyOptions { replays, allow_unsupported: true, ..IdentifyOptions::default() };
    // The first one reads the readers.
    desk.identify(&probe, &options)?;
    let mut best = f64::INFINITY;
    for _ in 0..TIMES {
        let start = Instant::now();
        desk.identify(&probe, &options)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn study(corpus: &Path) -> Result<f64, Box<dyn Error>> {
    let (corpus, _) = gazeprint_io::read_corpus_with_notes(corpus)?;
    let engine = Engine::by_name("laplace").ok_or("no such engine")?;
    let method = method::by_name("landwehr", engine, Scoring::PosteriorMean, People::shipped());
    let methods = vec![method.ok_or("no such method")?];
    let plan = Plan {
        protocol: Protocol {
            division: Division::Random { splits: 2, train_fraction: 0.5 },
            seed: 1,
        },
        readers: None,
        probe_sentences: vec![1, 3, 5, 10],
        limits: Limits::default(),
        attacks: false,
        watch: None,
        strangers: false,
    };
    let start = Instant::now();
    let divided = DividedCorpus::new(corpus, plan)?;
    Study::run(&divided, &methods, &Unwatched, &Forgetful)?;
    Ok(start.elapsed().as_secs_f64())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let seconds = match asked[..] {
        ["identify", gallery, probe] => identify(gallery, Path::new(probe))?,
        ["study", corpus] => study(Path::new(corpus))?,
        _ => return Err("usage: library identify GALLERY PROBE | library study CORPUS".into()),
    };
    writeln!(std::io::stdout(), "{seconds}")?;
    Ok(())
}
