//! What `identify`, `verify` and `watch` share: a probe compared with a gallery.

use std::path::{Path, PathBuf};

use anyhow::bail;
use gazeprint::gallery::Gallery as _;
use gazeprint::method::PopulationGallery;
use gazeprint::replay::{Known, Sketch};
use gazeprint::saccade::{Reading, readings};
use gazeprint::template::Probe;
use gazeprint_eval::decision::{FEWEST_READERS, Rules, ratios_to_cohort};
use gazeprint_store::{Entry, Event, Founding, Gallery, GalleryError, Remember, Shards};
use rayon::prelude::*;
use serde::Serialize;

use crate::enroll::limits_of;
use crate::inspect::plural;

/// Times that a probe is judged because another process remembered one of the same reader meanwhile.
const MOST_TRIES: usize = 10;

/// The recording in question.
#[derive(Debug, clap::Args)]
pub(crate) struct ProbeArgs {
    /// Corpus folder, or a table of fixations (with --words)
    probe: PathBuf,
    /// Table of words, where the probe is a single file
    #[arg(long, value_name = "FILE")]
    words: Option<PathBuf>,
}

/// How an answer is given.
#[derive(Debug, clap::Args)]
pub(crate) struct AnswerArgs {
    #[command(flatten)]
    pub(crate) replays: ReplayArgs,
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to do with recordings that were there before, and will be.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ReplayArgs {
    /// Take recordings that were there before for new ones
    #[arg(long)]
    pub(crate) allow_replay: bool,
    /// Do not remember this probe; it is logged all the same
    #[arg(long)]
    pub(crate) forget: bool,
}

/// A gallery in memory, ready to compare: one, or several that together are one.
pub(crate) struct Comparing {
    /// By name, whichever gallery they are in.
    pub(crate) readers: Vec<Entry>,
    /// Which gallery each of them is in.
    pub(crate) holders: Vec<usize>,
    pub(crate) templates: PopulationGallery,
    pub(crate) rules: Rules,
}

impl Comparing {
    pub(crate) fn load(galleries: &mut Shards<'_>) -> anyhow::Result<Self> {
        let loaded = galleries.load::<Rules>()?;
        if loaded.readers.len() < FEWEST_READERS {
            bail!(
                "{galleries}: found {}, expected at least {FEWEST_READERS}: with fewer, nothing is known \
                 about errors, and nothing can be decided; enrol more",
                plural(loaded.readers.len(), "reader")
            );
        }
        let Some(rules) = loaded.rules else {
            bail!(
                "{galleries}: found no thresholds of decisions: enrolment is not done yet, was \
                 interrupted, or readers have too few recordings; run `gazeprint gallery calibrate`, \
                 and enrol more where it says so"
            );
        };
        if !loaded.is_current {
            eprintln!(
                "note: readers of {galleries} were changed since its thresholds were learned; unless \
                 another process is at it, run `gazeprint gallery calibrate`"
            );
        }
        let templates = loaded.background.gallery(&loaded.templates)?;
        Ok(Self { readers: loaded.readers, holders: loaded.holders, templates, rules })
    }

    /// The place of a reader, given by name or pseudonym.
    pub(crate) fn place_of(&self, gallery: &Gallery, reader: &str) -> Option<usize> {
        let id = gallery.id_of(reader);
        self.readers.iter().position(|entry| entry.id == id || entry.id == reader)
    }

    /// Compares a probe with all readers.
    pub(crate) fn compare(&self, readings: &[Reading]) -> Compared {
        let probes: Vec<Probe> = readings.par_iter().map(|r| self.templates.probe(r)).collect();
        let probe = Probe::merged(&probes);
        let scores = self.templates.scores(&probe);
        let ratios = ratios_to_cohort(&scores);
        let fixations = probe.fixations();
        Compared {
            llrs: self.rules.calibrated(&ratios, fixations),
            posterior: self.rules.posterior(&scores, fixations),
            probe,
            scores,
            ratios,
            fixations,
        }
    }
}

/// A probe against all readers, by their places.
pub(crate) struct Compared {
    pub(crate) scores: Vec<f64>,
    /// To the cohort.
    pub(crate) ratios: Vec<f64>,
    /// Calibrated, nats.
    pub(crate) llrs: Vec<f64>,
    pub(crate) posterior: Vec<f64>,
    pub(crate) probe: Probe,
    pub(crate) fixations: usize,
}

/// A probe that was there before.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Replayed {
    /// `enrolled` or `earlier probe`.
    pub(crate) of: &'static str,
    /// Readings of the probe that were there before.
    pub(crate) readings: usize,
    /// Pieces of its readings in a row that were there before; looked for where no reading was.
    pub(crate) pieces: usize,
    /// The largest part of the fixations of one of them that are the same.
    pub(crate) share: f64,
}

impl Replayed {
    pub(crate) fn describe(&self, reader: &str) -> String {
        let source = match self.of {
            "enrolled" => format!("recordings that {reader} was enrolled with"),
            _ => format!("earlier probes of {reader}"),
        };
        let parts = match self.pieces {
            0 => plural(self.readings, "reading"),
            pieces => plural(pieces, "piece"),
        };
        format!("a replay: {parts} of {source} ({:.0} % the same)", 100.0 * self.share)
    }
}

/// Reads the recording of one person.
pub(crate) fn read(founding: &Founding, args: &ProbeArgs) -> anyhow::Result<Vec<Reading>> {
    read_from(founding, &args.probe, args.words.as_deref())
}

fn read_from(
    founding: &Founding,
    probe: &Path,
    words: Option<&Path>,
) -> anyhow::Result<Vec<Reading>> {
    if words.is_none() && probe.is_file() {
        return Err(crate::Usage(format!(
            "{} is a file; give the places of its words with --words FILE, or a corpus folder",
            probe.display()
        ))
        .into());
    }
    if words.is_none() {
        crate::refuse_without_words(probe)?;
    }
    let (corpus, notes) = gazeprint_io::read_probe(probe, words)?;
    for message in notes.messages() {
        eprintln!("note: {message}");
    }
    if corpus.readers().len() > 1 {
        bail!(
            "{}: found {}, expected one: a probe is what one person read; pick the rows of one",
            probe.display(),
            plural(corpus.readers().len(), "reader")
        );
    }
    let (readings, drops) = readings(&corpus, limits_of(founding)?);
    if readings.is_empty() {
        bail!(
            "{}: none of {} counts; `gazeprint inspect` tells why",
            probe.display(),
            plural(corpus.fixation_count(), "fixation")
        );
    }
    if drops.total() > 0 {
        eprintln!("note: {} of the probe do not count", plural(drops.total(), "fixation"));
    }
    Ok(readings)
}

/// A probe that is to be settled: who it was taken for, and whether the evidence is enough.
pub(crate) struct Settling<'a> {
    pub(crate) id: &'a str,
    /// What the reader was enrolled with.
    pub(crate) enrolled: &'a Known,
    /// What was remembered of this very probe.
    pub(crate) own: &'a [Sketch],
    pub(crate) is_enough: bool,
    pub(crate) sketches: &'a [Sketch],
    pub(crate) replays: ReplayArgs,
}

impl Settling<'_> {
    /// Says whether a probe is taken for the reader, and whether it was there before. Logs it, and
    /// remembers it where it was accepted.
    pub(crate) fn settle(
        &self,
        gallery: &mut Gallery,
        event: impl Fn(bool, bool) -> Event,
    ) -> anyhow::Result<(bool, Option<Replayed>)> {
        let mut tries = 1;
        loop {
            let earlier = gallery.earlier_probes(self.id)?;
            let others = Known::new(earlier.iter().filter(|sketch| !self.own.contains(sketch)));
            let replay = replayed(self.enrolled, &others, self.sketches);
            let accepted = self.is_enough && (replay.is_none() || self.replays.allow_replay);
            let remembered = Remember { id: self.id, sketches: self.sketches, earlier: &earlier };
            let remembered = (accepted && !self.replays.forget).then_some(remembered);
            match gallery.note(event(accepted, replay.is_some()), remembered) {
                // Another process remembered a probe: it may be this one.
                Err(GalleryError::Conflict { .. }) if tries < MOST_TRIES => tries += 1,
                noted => return Ok(noted.map(|()| (accepted, replay))?),
            }
        }
    }
}

/// Readings as they are compared and remembered.
pub(crate) fn sketches(readings: &[Reading]) -> Vec<Sketch> {
    readings.iter().map(Sketch::of).collect()
}

/// What a reader was enrolled with; nothing of somebody unknown.
pub(crate) fn enrolled(gallery: &mut Gallery, id: &str) -> anyhow::Result<Known> {
    let limits = limits_of(gallery.founding())?;
    let Some((recordings, _)) = gallery.recordings(id)? else {
        return Ok(Known::default());
    };
    let corpus = gazeprint_store::corpus("gallery", &[(id.to_owned(), recordings)])?;
    Ok(Known::new(&sketches(&readings(&corpus, limits).0)))
}

/// What of a probe was there before.
pub(crate) fn replayed(enrolled: &Known, earlier: &Known, probe: &[Sketch]) -> Option<Replayed> {
    found("enrolled", enrolled, probe).or_else(|| found("earlier probe", earlier, probe))
}

/// What of a probe is among known readings: readings of it or, where it was cut into smaller ones,
/// pieces of all in a row.
fn found(of: &'static str, known: &Known, probe: &[Sketch]) -> Option<Replayed> {
    let count = |shares: Vec<f64>| (shares.len(), shares.into_iter().fold(0.0, f64::max));
    let shares = probe.iter().filter_map(|s| known.replayed(s)).map(|r| r.share);
    let (readings, share) = count(shares.collect());
    if readings > 0 {
        return Some(Replayed { of, readings, pieces: 0, share });
    }
    let (pieces, share) = count(known.replayed_pieces(probe).map(|r| r.share).collect());
    (pieces > 0).then_some(Replayed { of, readings, pieces, share })
}
