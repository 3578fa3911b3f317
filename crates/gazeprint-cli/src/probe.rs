//! What `identify`, `verify` and `watch` share: a probe compared with a gallery.

use std::path::{Path, PathBuf};

use anyhow::bail;
use gazeprint::method::{Background, Evidence, PopulationScorer, Slopes};
use gazeprint::replay::{KnownReadings, Sketch};
use gazeprint::saccade::{Reading, readings};
use gazeprint::score::Scorer as _;
use gazeprint::search::{Queries, Row, scores};
use gazeprint::template::Probe;
use gazeprint_eval::decision::{FEWEST_READERS, Rules, ratios_to_cohort};
use gazeprint_store::{Event, Founding, Gallery, GalleryError, Remember, Rows, Searchable, Shards};
use rayon::prelude::*;
use serde::Serialize;

use crate::enroll::limits_of;
use crate::inspect::plural;

/// Readers who are scored in full, of those that search finds best, where nothing is said.
pub(crate) const CANDIDATES: u32 = 1000;
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
    pub(crate) readers: Vec<String>,
    /// Which gallery each of them is in.
    pub(crate) holders: Vec<usize>,
    /// Of all readers; of nobody where they are searched.
    pub(crate) templates: PopulationScorer,
    pub(crate) rules: Rules,
    search: Option<Search>,
}

/// Readers of a large gallery as rows. The templates of those who matter are read later.
struct Search {
    background: Background,
    slopes: Slopes,
    queries: Queries,
    rows: Vec<Row>,
    generation: u64,
}

/// Who is to be scored in full.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted {
    /// So many of the best that search finds.
    Best(u32),
    /// The best, and the reader at this place.
    One(usize),
}

impl Comparing {
    /// A gallery to compare with as a whole or, where it has rows, to search.
    fn open(galleries: &mut Shards<'_>) -> anyhow::Result<Self> {
        let searchable = match galleries.alone() {
            Some(gallery) => gallery.searchable::<Rules>()?,
            None => None,
        };
        let Some(Searchable { background, readers, rows, rules, generation }) = searchable else {
            return Self::load(galleries);
        };
        check_count(galleries, readers.len())?;
        let slopes = background.slopes();
        let Rows { queries, rows } = rows;
        if queries.slope_len() != slopes.len() {
            bail!(
                "{galleries}: found rows of another version of the model, expected those of this one; \
                 learn everything anew with `gazeprint gallery relearn`"
            );
        }
        let holders = vec![0; readers.len()];
        let templates = background.scorer(&[])?;
        let search = Search { background, slopes, queries, rows, generation };
        Ok(Self { readers, holders, templates, rules, search: Some(search) })
    }

    /// A gallery to compare with as a whole.
    pub(crate) fn load(galleries: &mut Shards<'_>) -> anyhow::Result<Self> {
        let loaded = galleries.load::<Rules>()?;
        check_count(galleries, loaded.readers.len())?;
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
        let templates = loaded.background.scorer(&loaded.templates)?;
        let readers = loaded.readers.into_iter().map(|entry| entry.id).collect();
        Ok(Self { readers, holders: loaded.holders, templates, rules, search: None })
    }

    /// The place of a reader, given by name or pseudonym.
    pub(crate) fn place_of(&self, gallery: &Gallery, reader: &str) -> Option<usize> {
        let id = gallery.id_of(reader);
        self.readers.iter().position(|known| *known == id || known == reader)
    }

    /// Compares a probe with all readers.
    fn compare(
        &self,
        galleries: &mut Shards<'_>,
        readings: &[Reading],
        wanted: &Wanted,
    ) -> anyhow::Result<Compared> {
        let probes: Vec<Probe> = readings.par_iter().map(|r| self.templates.probe(r)).collect();
        let probe = Probe::merged(&probes);
        let (scores, found) = match &self.search {
            None => (self.templates.scores(&probe), None),
            Some(search) => {
                let nobody = self.templates.population(&probe, &[]);
                let mut scores = search.scores(&probe, nobody);
                let found = Found::new(search, &self.readers, &scores, galleries, wanted)?;
                let in_full = found.templates.scores(&probe);
                found.places.iter().zip(in_full).for_each(|(&place, score)| scores[place] = score);
                (scores, Some(found))
            }
        };
        let ratios = ratios_to_cohort(&scores);
        let fixations = probe.fixations();
        Ok(Compared {
            llrs: self.rules.calibrated(&ratios, fixations),
            posterior: self.rules.posterior(&scores, fixations),
            probe,
            scores,
            ratios,
            fixations,
            found,
        })
    }

    /// The readers who were scored in full, by place, the best first.
    pub(crate) fn ranking(&self, compared: &Compared) -> Vec<usize> {
        let mut places = match &compared.found {
            None => (0..self.readers.len()).collect(),
            Some(found) => found.places.clone(),
        };
        let ratios = &compared.ratios;
        places.sort_by(|&a, &b| ratios[b].total_cmp(&ratios[a]).then(a.cmp(&b)));
        places
    }

    /// What each part of a probe says for a reader who was scored in full.
    pub(crate) fn evidence(&self, compared: &Compared, place: usize) -> Evidence {
        match &compared.found {
            None => self.templates.evidence(&compared.probe, place),
            Some(found) => match found.places.binary_search(&place) {
                Ok(place) => found.templates.evidence(&compared.probe, place),
                Err(_) => Evidence::default(),
            },
        }
    }
}

/// Refuses to compare with too few readers.
fn check_count(galleries: &Shards<'_>, readers: usize) -> anyhow::Result<()> {
    if readers < FEWEST_READERS {
        bail!(
            "{galleries}: found {}, expected at least {FEWEST_READERS}: with fewer, nothing is known \
             about errors, and nothing can be decided; enrol more",
            plural(readers, "reader")
        );
    }
    Ok(())
}

/// Opens a gallery and compares a probe with its readers, some of whom are `wanted`. Where another
/// process changes it meanwhile, that is done again.
pub(crate) fn compare(
    galleries: &mut Shards<'_>,
    readings: &[Reading],
    wanted: impl Fn(&Comparing, &mut Shards<'_>) -> anyhow::Result<Wanted>,
) -> anyhow::Result<(Comparing, Compared)> {
    let mut tries = 1;
    loop {
        let comparing = Comparing::open(galleries)?;
        let wanted = wanted(&comparing, galleries)?;
        match comparing.compare(galleries, readings, &wanted) {
            Ok(compared) => return Ok((comparing, compared)),
            Err(error) => match error.downcast_ref() {
                Some(GalleryError::Conflict { .. }) if tries < MOST_TRIES => tries += 1,
                _ => return Err(error),
            },
        }
    }
}

impl Search {
    /// The scores of all readers, about, given that of nobody in particular.
    fn scores(&self, probe: &Probe, nobody: f64) -> Vec<f64> {
        let query = self.queries.query(&self.slopes.slope(probe), probe.fixations());
        scores(&self.rows, &query).into_iter().map(|score| nobody + f64::from(score)).collect()
    }
}

/// Readers who were scored in full, because search found them, or because they were wanted.
pub(crate) struct Found {
    /// Ascending.
    places: Vec<usize>,
    templates: PopulationScorer,
}

impl Found {
    fn new(
        search: &Search,
        readers: &[String],
        scores: &[f64],
        galleries: &mut Shards<'_>,
        wanted: &Wanted,
    ) -> anyhow::Result<Self> {
        let mut places: Vec<usize> = (0..scores.len()).collect();
        let count = match wanted {
            Wanted::Best(count) => *count,
            Wanted::One(_) => CANDIDATES,
        };
        let count = count as usize;
        if count < places.len() {
            places.select_nth_unstable_by(count, |&a, &b| {
                scores[b].total_cmp(&scores[a]).then(a.cmp(&b))
            });
            places.truncate(count);
        }
        if let Wanted::One(place) = wanted
            && !places.contains(place)
        {
            places.push(*place);
        }
        places.sort_unstable();
        let ids = places.iter().map(|&place| readers[place].as_str());
        let templates = galleries.gallery(0).templates_of(ids, search.generation)?;
        Ok(Self { places, templates: search.background.scorer(&templates)? })
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
    /// Where they were searched; the scores of others are about right then.
    found: Option<Found>,
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
    pub(crate) enrolled: &'a KnownReadings,
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
            let others =
                KnownReadings::new(earlier.iter().filter(|sketch| !self.own.contains(sketch)));
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
pub(crate) fn enrolled(gallery: &mut Gallery, id: &str) -> anyhow::Result<KnownReadings> {
    let limits = limits_of(gallery.founding())?;
    let Some((recordings, _)) = gallery.recordings(id)? else {
        return Ok(KnownReadings::default());
    };
    let corpus = gazeprint_store::corpus("gallery", &[(id.to_owned(), recordings)])?;
    Ok(KnownReadings::new(&sketches(&readings(&corpus, limits).0)))
}

/// What of a probe was there before.
pub(crate) fn replayed(
    enrolled: &KnownReadings,
    earlier: &KnownReadings,
    probe: &[Sketch],
) -> Option<Replayed> {
    found("enrolled", enrolled, probe).or_else(|| found("earlier probe", earlier, probe))
}

/// What of a probe is among known readings: readings of it or, where it was cut into smaller ones,
/// pieces of all in a row.
fn found(of: &'static str, known: &KnownReadings, probe: &[Sketch]) -> Option<Replayed> {
    let count = |shares: Vec<f64>| (shares.len(), shares.into_iter().fold(0.0, f64::max));
    let shares = probe.iter().filter_map(|s| known.replayed(s)).map(|r| r.share);
    let (readings, share) = count(shares.collect());
    if readings > 0 {
        return Some(Replayed { of, readings, pieces: 0, share });
    }
    let (pieces, share) = count(known.replayed_pieces(probe).map(|r| r.share).collect());
    (pieces > 0).then_some(Replayed { of, readings, pieces, share })
}
