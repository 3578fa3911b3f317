//! How long identification takes, from opening the gallery to the ranking.
//!
//! ```text
//! cargo build --release && cargo run --release -p gazeprint-cli --example identify_speed
//! ```
//!
//! Enrols the readers of the built-in corpus with every second text, once without encryption and once
//! with a key file, then identifies probes of the other texts. Times are medians over probes of
//! different readers, in one process, with the file in the cache of the system.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use gazeprint::corpus::{Corpus, Limits, Scanpath};
use gazeprint::saccade::{Reading, readings};
use gazeprint::score::Scorer as _;
use gazeprint::simulate::Simulation;
use gazeprint::template::Probe;
use gazeprint_eval::decision::{Rules, ratios_to_cohort};
use gazeprint_store::{Gallery, Location, Secret};
use rayon::prelude::*;

const PROBES: usize = 25;
const STEPS: [&str; 5] = ["open", "load", "side by side", "encode", "score"];

fn half(corpus: &Corpus, odd: usize) -> Result<Corpus, Box<dyn std::error::Error>> {
    let wanted = |path: &&Scanpath| path.text % 2 == odd;
    let paths = corpus.scanpaths().iter().filter(wanted).cloned().collect();
    Ok(Corpus::new("half", corpus.readers().to_vec(), corpus.texts().to_vec(), paths)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = std::env::current_exe()?;
    let program = program.parent().and_then(Path::parent).ok_or("no target folder")?;
    let program = program.join("gazeprint");
    let folder = tempfile::tempdir()?;
    let corpus = Simulation::default().run();
    let train = folder.path().join("train");
    gazeprint_io::write_corpus(&half(&corpus, 0)?, &train, false)?;
    let (test, _) = readings(&half(&corpus, 1)?, Limits::default());
    let plain = folder.path().join("plain.gallery");
    let begun = Instant::now();
    let enrolled = Command::new(&program)
        .args(["enroll".as_ref(), train.as_os_str(), "--gallery".as_ref(), plain.as_os_str()])
        .output()?;
    if !enrolled.status.success() {
        return Err(String::from_utf8_lossy(&enrolled.stderr).into());
    }
    println!(
        "{} readers enrolled in {:.1} s",
        corpus.readers().len(),
        begun.elapsed().as_secs_f64()
    );
    let key = folder.path().join("key");
    let secret = Secret::new_key_file(&key)?;
    let sealed = folder.path().join("sealed.gallery");
    Gallery::open(&Location::File(plain.clone()), None)?
        .copy_to(&Location::File(sealed.clone()), Some(&secret))?;
    println!(
        "{:<10} {:>7} {}  (ms)",
        "gallery",
        "total",
        STEPS.map(|s| format!("{s:>13}")).concat()
    );
    for (name, file, secret) in [("plain", plain, None), ("key file", sealed, Some(&secret))] {
        let at = Location::File(file);
        let mut times: Vec<Vec<f64>> = Vec::new();
        let mut right = 0;
        for number in 0..PROBES {
            let reader = number * corpus.readers().len() / PROBES;
            let probe: Vec<&Reading> = test.iter().filter(|r| r.reader == reader).collect();
            let mut marks = vec![Instant::now()];
            let mut gallery = Gallery::open(&at, secret)?;
            marks.push(Instant::now());
            let loaded = gallery.load::<Rules>()?;
            marks.push(Instant::now());
            let templates = loaded.background.scorer(&loaded.templates)?;
            marks.push(Instant::now());
            let probes: Vec<Probe> = probe.par_iter().map(|r| templates.probe(r)).collect();
            let probe = Probe::merged(&probes);
            marks.push(Instant::now());
            let ratios = ratios_to_cohort(&templates.scores(&probe));
            marks.push(Instant::now());
            let best = (0..ratios.len()).max_by(|&a, &b| ratios[a].total_cmp(&ratios[b]));
            right +=
                usize::from(best.map(|b| &loaded.readers[b].id) == Some(&corpus.readers()[reader]));
            times.push(marks.windows(2).map(|m| (m[1] - m[0]).as_secs_f64() * 1e3).collect());
        }
        let median = |of: &dyn Fn(&Vec<f64>) -> f64| {
            let mut values: Vec<f64> = times.iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            values[PROBES / 2]
        };
        let steps: Vec<String> =
            (0..STEPS.len()).map(|i| format!("{:>13.2}", median(&|t| t[i]))).collect();
        println!(
            "{name:<10} {:>7.2} {}  {right} of {PROBES} right",
            median(&|t| t.iter().sum()),
            steps.concat()
        );
    }
    Ok(())
}
