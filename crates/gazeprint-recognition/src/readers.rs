//! The readers of a gallery in memory, and a probe compared with them.

use std::sync::Arc;

use gazeprint::decision::{Admission, FEWEST_READERS, Rules, Threshold, cleaned, cohort_ratios};
use gazeprint::method::{
    Community, Evidence, FusionScorer, LearnedReaders as _, Likeness, Slopes, Template, Voice,
    Weights,
};
use gazeprint::saccade::Reading;
use gazeprint::score::Scorer as _;
use gazeprint::search::{Queries, Row, scores};
use gazeprint::template::Probe;
use gazeprint_store::{GalleryError, Loaded, Searchable, VoicedRules, Whose};
use rayon::prelude::*;

use crate::liveness::{LivenessFinding, look_as};
use crate::{Error, Recognizer, Warning};

/// Readers who are scored in full, of those that search finds best, where nothing is said.
pub const CANDIDATES: usize = 1000;
/// Parts of a probe by which more of it is imagined, and how many times as much is.
const STEPS: usize = 8;
const MOST_MORE: usize = 16;
/// Times that something is done again because another process changed the gallery meanwhile.
pub(crate) const MOST_TRIES: usize = 10;

/// The readers of a gallery as they were, ready to compare with.
pub(crate) struct EnrolledReaders {
    /// By name.
    pub(crate) names: Vec<String>,
    pub(crate) rules: Arc<Rules>,
    /// Of all readers; of nobody where they are searched.
    scorer: FusionScorer,
    search: Option<RowSearch>,
    /// Imagined readers that others are held against.
    cohort: Vec<Template>,
    generation: u64,
    is_current: bool,
}

/// Readers of a large gallery as rows. The templates of those who matter are read later.
struct RowSearch {
    community: Community,
    slopes: Slopes,
    queries: Queries,
    rows: Vec<Row>,
}

/// Who is to be scored in full.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shortlist {
    /// So many of the best that search finds.
    Best(usize),
    /// The best, and the reader at this place.
    With(usize),
}

impl EnrolledReaders {
    /// The readers, to compare with as a whole or, where there are rows, to search.
    pub(crate) fn read(desk: &Recognizer) -> Result<Self, Error> {
        let searchable = desk.gallery().searchable()?;
        let Some(searchable) = searchable else {
            return Self::read_whole(desk);
        };
        let Searchable { community, readers, rows, space, rules, generation, cohort } = searchable;
        check_count(desk, readers.len())?;
        let Some(slopes) = community.background().map(|background| background.slopes()) else {
            return Self::read_whole(desk);
        };
        let queries = space.queries().clone();
        if queries.slope_len() != slopes.len() {
            return Err(Error::OtherRows { at: desk.location().clone() });
        }
        let (cohort, admission) = deciding(desk, &community, true, cohort.decoded()?)?;
        let scorer = of_readers(desk, &community, &[], &cohort, rules.weights)?;
        let search = Some(RowSearch { community, slopes, queries, rows });
        Ok(Self {
            names: readers,
            rules: Arc::new(rules.rules.with_admission(admission)),
            cohort,
            scorer,
            search,
            generation,
            is_current: true,
        })
    }

    /// The readers, to compare with as a whole.
    pub(crate) fn read_whole(desk: &Recognizer) -> Result<Self, Error> {
        Self::read_of(desk, Whose::All)
    }

    /// One reader alone, where it makes no difference to a claim who else is enrolled: other people decide
    /// then, and imagined readers stand for all others. None where it does.
    pub(crate) fn read_one(desk: &Recognizer, id: &str) -> Result<Option<Self>, Error> {
        let alone = Self::read_of(desk, Whose::One(id))?;
        Ok((alone.rules.is_of_people() && alone.names.len() == 1).then_some(alone))
    }

    fn read_of(desk: &Recognizer, whose: Whose<'_>) -> Result<Self, Error> {
        let stored = desk.gallery().stored_readers(whose)?;
        let Loaded {
            community,
            count,
            is_usual_known,
            readers,
            likenesses,
            rules,
            is_current,
            generation,
            cohort,
            ..
        } = stored.decoded()?;
        let (cohort, admission) = deciding(desk, &community, is_usual_known, cohort.decoded()?)?;
        // Of fewer, none are learned; those of a gallery that was larger are of readers who are gone.
        let rules = rules.filter(|_| count >= FEWEST_READERS);
        // Where readers are too few to learn them from, none are out of date.
        let is_current = is_current || count < FEWEST_READERS;
        let rules = match (rules, &admission) {
            (Some(rules), _) => rules,
            // Few readers are judged by what other people showed.
            (None, Some(admission)) if count > 0 => {
                let rules = Rules::of_people(count, admission.clone());
                VoicedRules { rules, weights: *desk.people()?.weights_of_another_day() }
            }
            (None, _) => {
                check_count(desk, count)?;
                return Err(Error::NoRules { at: desk.location().clone() });
            }
        };
        let likenesses: Vec<&Likeness> = likenesses.iter().collect();
        let scorer = of_readers(desk, &community, &likenesses, &cohort, rules.weights)?;
        let rules = Arc::new(rules.rules.with_admission(admission));
        let names = readers.into_iter().map(|entry| entry.id).collect();
        Ok(Self { names, rules, scorer, cohort, search: None, generation, is_current })
    }

    /// The gallery as it was when they were read.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether they are searched, and scored in full only where they matter.
    pub(crate) fn are_searched(&self) -> bool {
        self.search.is_some()
    }

    /// All readers at once.
    pub(crate) fn scorer(&self) -> &FusionScorer {
        &self.scorer
    }

    /// What is to be said of the readers.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = Warning> {
        (!self.is_current).then_some(Warning::OutdatedRules {}).into_iter()
    }

    /// The place of a reader, given by name or pseudonym.
    pub(crate) fn place_of(&self, desk: &Recognizer, reader: &str) -> Result<usize, Error> {
        desk.place_of(reader, self.names.iter().map(String::as_str))
    }

    /// Compares a probe with all readers.
    fn compare(
        &self,
        desk: &Recognizer,
        readings: &[Reading],
        shortlist: Shortlist,
    ) -> Result<Comparison, Error> {
        let looks = [Voice::Embedding, Voice::Oculomotor].iter().any(|v| self.scorer.has(*v));
        if !looks && self.search.is_none() && !readings.iter().any(Reading::has_words) {
            return Err(Error::NoWords { at: desk.location().clone() });
        }
        let probes: Vec<Probe> = readings.par_iter().map(|r| self.scorer.probe(r)).collect();
        let probe = Probe::merged(&probes);
        let (scores, strengths, in_full) = match &self.search {
            None => {
                let tally = self.scorer.tally(&probe);
                let scores = self.scorer.settle(&tally);
                let strengths = self.rules.strengths(&self.scorer, &tally, &scores);
                (scores, strengths, None)
            }
            Some(search) => {
                let nobody = self.scorer.population(&probe, &[]);
                let weight = self.scorer.weights().at(Voice::Reading, probe.fixations());
                let mut scores = search.scores(&probe, nobody, weight);
                let in_full = ScoredInFull::read(self, search, &scores, desk, shortlist)?;
                let tally = in_full.scorer.tally(&probe);
                let exact = in_full.scorer.settle(&tally);
                let found = self.rules.strengths(&in_full.scorer, &tally, &exact);
                // What other voices say of those who were not found is what they say of most.
                let said = in_full.places.iter().zip(&exact).map(|(&p, score)| score - scores[p]);
                let usual = median(said.collect());
                scores.iter_mut().for_each(|score| *score += usual);
                in_full.places.iter().zip(exact).for_each(|(&place, score)| scores[place] = score);
                let strengths = match self.rules.is_of_people() {
                    // Nothing speaks for those who were not found.
                    true => {
                        let mut strengths = vec![f64::NEG_INFINITY; scores.len()];
                        let found = in_full.places.iter().zip(found);
                        found.for_each(|(&place, strength)| strengths[place] = strength);
                        strengths
                    }
                    false => cohort_ratios(&scores),
                };
                (scores, strengths, Some(in_full))
            }
        };
        let fixations = probe.fixations();
        Ok(Comparison {
            llrs: self.rules.llrs(&scores, &strengths, fixations),
            posterior: self.rules.posterior(&scores, fixations),
            probe,
            scores,
            strengths,
            fixations,
            in_full,
        })
    }

    /// The readers who were scored in full, by place, the best first.
    pub(crate) fn ranking(&self, comparison: &Comparison) -> Vec<usize> {
        let mut places = match &comparison.in_full {
            None => (0..self.names.len()).collect(),
            Some(in_full) => in_full.places.clone(),
        };
        let scores = &comparison.scores;
        places.sort_by(|&a, &b| cleaned(scores[b]).total_cmp(&cleaned(scores[a])).then(a.cmp(&b)));
        places
    }

    /// Fixations after which a reader would reach a threshold, if all goes on as it began; none where it is reached
    /// already, where that is too long to tell, or cannot be told.
    pub(crate) fn enough(
        &self,
        comparison: &Comparison,
        place: usize,
        threshold: impl Fn(usize) -> Threshold,
    ) -> Option<usize> {
        let (scorer, place) = match &comparison.in_full {
            None => (&self.scorer, place),
            Some(in_full) => (&in_full.scorer, in_full.places.binary_search(&place).ok()?),
        };
        let claim = scorer.claims(&scorer.tally(&comparison.probe))?[place];
        let now = comparison.fixations;
        let enough = |more: usize| {
            let fixations = now + (now * more).div_ceil(STEPS);
            let more = fixations as f64 / now as f64;
            let strength = self.rules.strength(&claim.times(more), fixations)?;
            threshold(fixations).is_reached(strength).then_some(fixations)
        };
        // What is reached already is not what is missing.
        (0..=STEPS * MOST_MORE).find_map(enough).filter(|fixations| *fixations > now)
    }

    /// How alive a probe is, held against a reader who was scored in full.
    ///
    /// # Errors
    /// If that cannot be told: whoever asks for it is not told that nothing speaks against it.
    pub(crate) fn life(
        &self,
        desk: &Recognizer,
        comparison: &Comparison,
        place: usize,
        readings: &[Reading],
    ) -> Result<LivenessFinding, Error> {
        let learned = desk.liveness()?;
        let found = match &comparison.in_full {
            None => Some((&self.scorer, place)),
            Some(in_full) => {
                in_full.places.binary_search(&place).ok().map(|place| (&in_full.scorer, place))
            }
        };
        let unknown = || Error::LivenessUnknown { at: desk.location().clone() };
        let (scorer, place) = found.ok_or_else(unknown)?;
        let looks = readings.par_iter().filter_map(|r| look_as(scorer.forger(), place, r));
        learned.judge(&looks.collect::<Vec<_>>()).ok_or_else(unknown)
    }

    /// What each part of a probe says for a reader who was scored in full.
    pub(crate) fn evidence(&self, comparison: &Comparison, place: usize) -> Evidence {
        match &comparison.in_full {
            None => self.scorer.evidence(&comparison.probe, place),
            Some(in_full) => match in_full.places.binary_search(&place) {
                Ok(place) => in_full.scorer.evidence(&comparison.probe, place),
                Err(_) => Evidence::default(),
            },
        }
    }
}

/// The imagined readers that those of a gallery are held against, and how somebody is taken for one of these;
/// nothing where the people of the gallery did not show that.
fn deciding(
    desk: &Recognizer,
    community: &Community,
    is_usual_known: bool,
    cohort: Vec<Template>,
) -> Result<(Vec<Template>, Option<Admission>), Error> {
    let people = desk.people()?;
    let admission = community.admission(&people, is_usual_known).filter(|_| !cohort.is_empty());
    Ok(admission.map_or_else(|| (Vec::new(), None), |by| (cohort, Some(by.clone()))))
}

/// Scores of readers as they are kept.
pub(crate) fn of_readers(
    desk: &Recognizer,
    community: &Community,
    readers: &[&Likeness],
    cohort: &[Template],
    weights: Weights,
) -> Result<FusionScorer, Error> {
    let at = || desk.location().clone();
    let people = desk.people()?;
    let scorer = community.scorer(people.network(), readers, cohort, weights);
    scorer.map_err(|source| Error::Template { at: at(), source })
}

/// The middle of some numbers; nought of none.
fn median(mut numbers: Vec<f64>) -> f64 {
    let middle = numbers.len() / 2;
    match numbers.is_empty() {
        true => 0.0,
        false => *numbers.select_nth_unstable_by(middle, f64::total_cmp).1,
    }
}

/// Refuses to compare with too few readers.
fn check_count(desk: &Recognizer, readers: usize) -> Result<(), Error> {
    match readers < FEWEST_READERS {
        true => Err(Error::FewReaders { at: desk.location().clone(), readers }),
        false => Ok(()),
    }
}

impl RowSearch {
    /// The scores of all readers by words, about, given that of nobody in particular and how much words
    /// count.
    fn scores(&self, probe: &Probe, nobody: f64, weight: f64) -> Vec<f64> {
        let query = self.queries.query(&self.slopes.slope(probe), probe.fixations());
        let scores = scores(&self.rows, &query).into_iter();
        scores.map(|score| nobody + weight * f64::from(score)).collect()
    }
}

/// Readers who were scored in full, because search found them, or because they were asked for.
struct ScoredInFull {
    /// Ascending.
    places: Vec<usize>,
    scorer: FusionScorer,
}

impl ScoredInFull {
    fn read(
        readers: &EnrolledReaders,
        search: &RowSearch,
        scores: &[f64],
        desk: &Recognizer,
        shortlist: Shortlist,
    ) -> Result<Self, Error> {
        let mut places: Vec<usize> = (0..scores.len()).collect();
        let count = match shortlist {
            Shortlist::Best(count) => count,
            Shortlist::With(_) => CANDIDATES,
        };
        if count < places.len() {
            places.select_nth_unstable_by(count, |&a, &b| {
                scores[b].total_cmp(&scores[a]).then(a.cmp(&b))
            });
            places.truncate(count);
        }
        if let Shortlist::With(place) = shortlist
            && !places.contains(&place)
        {
            places.push(place);
        }
        places.sort_unstable();
        let ids = places.iter().map(|&place| readers.names[place].as_str());
        let templates = desk.gallery().templates_of(ids, readers.generation)?;
        let found: Vec<&Likeness> = templates.iter().collect();
        let weights = *readers.scorer.weights();
        let scorer = of_readers(desk, &search.community, &found, &readers.cohort, weights)?;
        Ok(Self { places, scorer })
    }
}

/// A probe against all readers, by their places.
pub(crate) struct Comparison {
    pub(crate) scores: Vec<f64>,
    /// What speaks for them, and thresholds are for.
    pub(crate) strengths: Vec<f64>,
    /// Calibrated, nats.
    pub(crate) llrs: Vec<f64>,
    pub(crate) posterior: Vec<f64>,
    pub(crate) fixations: usize,
    probe: Probe,
    /// Where they were searched; the scores of others are about right then.
    in_full: Option<ScoredInFull>,
}

/// A probe against the reader who is claimed.
pub(crate) struct ComparedClaim {
    pub(crate) readers: Arc<EnrolledReaders>,
    /// Among them.
    pub(crate) place: usize,
    pub(crate) comparison: Comparison,
}

impl Recognizer {
    /// Compares a probe with a reader, given by name or pseudonym: with them alone, where that is enough.
    pub(crate) fn compare_claim(
        &self,
        readings: &[Reading],
        reader: &str,
    ) -> Result<ComparedClaim, Error> {
        if let Some(alone) = self.alone(reader)? {
            let comparison = alone.compare(self, readings, Shortlist::With(0))?;
            return Ok(ComparedClaim { readers: Arc::new(alone), place: 0, comparison });
        }
        let shortlist =
            |readers: &EnrolledReaders| Ok(Shortlist::With(readers.place_of(self, reader)?));
        let (readers, comparison) = self.compare(readings, shortlist)?;
        let place = readers.place_of(self, reader)?;
        Ok(ComparedClaim { readers, place, comparison })
    }

    /// A reader, given by name or pseudonym, to be compared with alone; none where the others count, too.
    pub(crate) fn alone(&self, reader: &str) -> Result<Option<EnrolledReaders>, Error> {
        // Entries of an older gallery are in its templates, which are read at once.
        if self.is_old() {
            return Ok(None);
        }
        EnrolledReaders::read_one(self, &self.find(reader)?)
    }

    /// Compares a probe with the readers as they are now. Where they are changed meanwhile, that is
    /// done again.
    pub(crate) fn compare(
        &self,
        readings: &[Reading],
        shortlist: impl Fn(&EnrolledReaders) -> Result<Shortlist, Error>,
    ) -> Result<(Arc<EnrolledReaders>, Comparison), Error> {
        let mut tries = 1;
        loop {
            let readers = self.readers()?;
            match readers.compare(self, readings, shortlist(&readers)?) {
                Ok(comparison) => return Ok((readers, comparison)),
                Err(Error::Gallery(GalleryError::Conflict { .. })) if tries < MOST_TRIES => {
                    tries += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }
}
