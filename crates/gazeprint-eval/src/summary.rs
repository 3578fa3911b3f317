//! What is in a corpus, and what looks wrong with it.

mod kinematics;
mod plausible;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use gazeprint::corpus::{Corpus, DropReason, Drops, Fixation, Limits};
use gazeprint::saccade::{Event, Reading, SaccadeType, readings};
use serde::Serialize;

pub use self::kinematics::{AT_DEG, Direction, KinematicsSummary, MainSequence};
pub use self::plausible::{FEWEST_LOOKS, Look, PlaceUnit, implausible};
use self::plausible::{Measured, judged};

/// Fewest texts of a reader: one to learn from and one to test on.
pub const MIN_TEXTS: usize = 2;
/// Fewest fixations of a reader. With fewer, most of the eleven densities of a reader rest on less
/// than ten observations each: what is learned is the population, not the reader.
pub const MIN_FIXATIONS: usize = 100;

/// Fewest saccades whose rates are compared with what is known of reading. With fewer, a rate of
/// 10 % is off by several percent by chance alone.
pub const MIN_SACCADES: usize = 200;

/// Quantiles and mean of a set of values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Distribution {
    /// How many values.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// 5 % are below.
    pub p5: f64,
    /// A quarter are below.
    pub p25: f64,
    /// Half are below.
    pub p50: f64,
    /// Three quarters are below.
    pub p75: f64,
    /// 95 % are below.
    pub p95: f64,
}

impl Distribution {
    /// Of all values; `None` of none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        if values.is_empty() {
            return None;
        }
        values.sort_by(f64::total_cmp);
        // Linear interpolation between the two values around the quantile.
        let quantile = |p: f64| {
            let place = p * (values.len() - 1) as f64;
            let (low, high) = (values[place.floor() as usize], values[place.ceil() as usize]);
            low + (high - low) * place.fract()
        };
        Some(Self {
            count: values.len(),
            mean: values.iter().sum::<f64>() / values.len() as f64,
            p5: quantile(0.05),
            p25: quantile(0.25),
            p50: quantile(0.50),
            p75: quantile(0.75),
            p95: quantile(0.95),
        })
    }
}

/// The fixations reached by one type of saccade.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TypeSummary {
    /// The type's name.
    #[serde(rename = "type")]
    pub name: &'static str,
    /// How many.
    pub count: usize,
    /// Their share of all saccades.
    pub share: f64,
    /// Length of the move in either direction, characters.
    pub amplitude: Option<Distribution>,
    /// Duration of the fixation after it, ms.
    pub duration: Option<Distribution>,
}

/// A reader with too little data to be recognised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SparseReader {
    /// The reader's name.
    pub reader: String,
    /// Texts with at least one fixation that counts.
    pub texts: usize,
    /// Fixations that count.
    pub fixations: usize,
}

/// A number that is hardly one of reading, with a guess at the cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Warning {
    /// What was measured.
    pub measure: &'static str,
    /// What it came to.
    pub value: f64,
    /// Its unit; shares are given in percent.
    pub unit: &'static str,
    /// The smallest plausible value.
    pub low: f64,
    /// The largest plausible value.
    pub high: f64,
    /// What may have happened.
    pub hint: &'static str,
    /// The readers whose value it is, the first of them, where it is not that of all together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readers: Vec<Outlier>,
}

/// A reader whose number is hardly one of reading.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outlier {
    /// The reader's name.
    pub reader: String,
    /// What was measured.
    pub value: f64,
}

impl Warning {
    /// What each of some warnings says, in order; what they have a hint in common for is said
    /// together.
    pub fn messages(warnings: &[Self]) -> Vec<String> {
        warnings
            .chunk_by(|a, b| a.hint == b.hint)
            .map(|alike| {
                let found: Vec<String> = alike.iter().map(Self::to_string).collect();
                format!("{}: {}", found.join("; "), alike[0].hint)
            })
            .collect()
    }
}

/// What was measured, without the hint.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Readers that are named; JSON names them all.
        const NAMED: usize = 3;
        let Self { measure, value, unit, low, high, readers, .. } = self;
        // Two digits are enough, but a value just outside must not look like one just inside.
        let shown = |value: f64| {
            let digits = if value < 10.0 { 1 } else { 0 };
            format!("{value:.digits$} {unit}")
        };
        let found = match &readers[..] {
            [] => format!(" {}", shown(*value)),
            readers => {
                let named = readers.iter().take(NAMED);
                let named = named.map(|of| format!("{} {}", of.reader, shown(of.value)));
                let named = named.collect::<Vec<_>>().join(", ");
                match readers.len().saturating_sub(NAMED) {
                    0 => format!(" of {named}"),
                    more => format!(" of {named} and {more} more readers"),
                }
            }
        };
        write!(f, "{measure}{found}, expected {low} to {high}")
    }
}

/// What is in a corpus.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// What the corpus is called.
    pub name: String,
    /// Readers, with or without data.
    pub readers: usize,
    /// Texts.
    pub texts: usize,
    /// Texts of which no word is known.
    #[serde(skip_serializing_if = "is_zero")]
    pub texts_without_words: usize,
    /// Lines of all texts together.
    pub lines: usize,
    /// Sessions.
    pub sessions: usize,
    /// Readings with at least one fixation that counts: a reader's fixations on one text, in one
    /// session and trial.
    pub readings: usize,
    /// Passes over a line: fixations in a row on one line, without loss of signal.
    pub passes: usize,
    /// Fixations as recorded.
    pub fixations_recorded: usize,
    /// Fixations that count.
    pub fixations_kept: usize,
    /// Fixations that do not, by reason; every reason is there.
    pub dropped: BTreeMap<&'static str, usize>,
    /// Fixations that count or not, and are the same as the one before in place, duration and start.
    pub fixations_repeated: usize,
    /// Saccades: fixations that count, but for the first of each pass.
    pub saccades: usize,
    /// The four types of saccades.
    pub types: Vec<TypeSummary>,
    /// Durations of all fixations, ms.
    pub duration: Option<Distribution>,
    /// Durations of the first fixations of passes, ms.
    pub initial_duration: Option<Distribution>,
    /// Positions x of the first fixations of passes, characters.
    pub initial_place: Option<Distribution>,
    /// Amplitudes of all moves to the right, characters.
    pub forward_amplitude: Option<Distribution>,
    /// Fixations that count, per reader.
    pub fixations_per_reader: Option<Distribution>,
    /// Texts with at least one fixation that counts, per reader.
    pub texts_per_reader: Option<Distribution>,
    /// How the eyes moved, where that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinematics: Option<KinematicsSummary>,
    /// Readers with fewer than [`MIN_TEXTS`] texts or [`MIN_FIXATIONS`] fixations.
    pub sparse_readers: Vec<SparseReader>,
    /// What looks wrong.
    pub warnings: Vec<Warning>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Summary {
    /// Summarises a corpus; `limits` say which fixations count.
    pub fn of(corpus: &Corpus, limits: Limits) -> Self {
        let (readings, drops) = readings(corpus, limits);
        let events = || readings.iter().flat_map(|r| &r.events);
        let initial = || events().filter(|e| e.kind.is_none());
        let people = per_reader(corpus, &readings);
        let mut summary = Self {
            name: corpus.name().to_owned(),
            readers: corpus.readers().len(),
            texts: corpus.texts().len(),
            texts_without_words: corpus.texts().iter().filter(|t| !t.has_words()).count(),
            lines: corpus.texts().iter().map(|t| t.lines().len()).sum(),
            sessions: corpus.scanpaths().iter().map(|s| &s.session).collect::<BTreeSet<_>>().len(),
            readings: readings.len(),
            passes: initial().count(),
            fixations_recorded: corpus.fixation_count(),
            fixations_kept: readings.iter().map(Reading::fixations).sum(),
            dropped: DropReason::ALL.iter().map(|&r| (r.name(), drops.of(r))).collect(),
            fixations_repeated: corpus.scanpaths().iter().map(|s| repeated(&s.fixations)).sum(),
            saccades: events().filter(|e| e.kind.is_some()).count(),
            types: types(events),
            duration: Distribution::of(readings.iter().flat_map(Reading::durations)),
            initial_duration: Distribution::of(initial().map(|e| e.duration)),
            initial_place: Distribution::of(initial().map(|e| e.x)),
            forward_amplitude: Distribution::of(
                events().filter_map(Event::step).filter(|&a| a > 0.0),
            ),
            fixations_per_reader: Distribution::of(people.iter().map(|p| p.fixations as f64)),
            texts_per_reader: Distribution::of(people.iter().map(|p| p.texts as f64)),
            kinematics: KinematicsSummary::of(corpus, &readings),
            sparse_readers: people
                .into_iter()
                .filter(|p| p.texts < MIN_TEXTS || p.fixations < MIN_FIXATIONS)
                .collect(),
            warnings: Vec::new(),
        };
        let all = summary.measured(&drops);
        summary.warnings = judged(&all, 0, &measured_by_reader(corpus, &readings));
        summary.warnings.extend(unlike_reading(corpus));
        summary
    }

    /// Share of the recorded fixations that count; 1 where none was recorded.
    pub fn kept_share(&self) -> f64 {
        if self.fixations_recorded == 0 {
            return 1.0;
        }
        self.fixations_kept as f64 / self.fixations_recorded as f64
    }

    /// Whether there are enough saccades to compare their rates with what is known of reading.
    pub fn has_rates(&self) -> bool {
        self.saccades >= MIN_SACCADES
    }

    /// Whether the rates of saccade types are hardly those of reading.
    pub fn has_odd_rates(&self) -> bool {
        let is_rate = |w: &Warning| RATES.iter().any(|&(_, measure, _)| measure == w.measure);
        self.warnings.iter().any(|warning| warning.readers.is_empty() && is_rate(warning))
    }

    /// The numbers that are compared with what is known of reading.
    fn measured(&self, drops: &Drops) -> Vec<Measured> {
        let share = |kind: SaccadeType| self.types[kind as usize].share;
        Rates {
            recorded: self.fixations_recorded,
            kept: self.kept_share(),
            lost: lost(drops, self.fixations_recorded),
            repeated: self.fixations_repeated,
            duration: self.duration.map(|duration| (duration.count, duration.mean)),
            forward: self.forward_amplitude.map(|forward| (forward.count, forward.mean)),
            saccades: self.saccades,
            shares: self.has_rates().then(|| RATES.map(|(kind, ..)| share(kind))),
        }
        .measured()
    }
}

/// What is compared with what is known of reading, of all together or of one reader.
struct Rates {
    recorded: usize,
    /// The share that counts, and why so few do, where few do.
    kept: f64,
    lost: &'static str,
    repeated: usize,
    /// Mean and number of durations, and of amplitudes to the right.
    duration: Option<(usize, f64)>,
    forward: Option<(usize, f64)>,
    saccades: usize,
    /// Of the types in [`RATES`], where they are compared: people differ in these by more than mistakes
    /// would make of them.
    shares: Option<[f64; RATES.len()]>,
}

impl Rates {
    fn measured(&self) -> Vec<Measured> {
        let mut found = Vec::new();
        let mut see = |measure, count, value: f64, unit, range: (f64, f64), hints: [_; 2]| {
            found.push(Measured { measure, count, value, unit, range, hints });
        };
        let recorded = self.recorded;
        let kept = 100.0 * self.kept;
        see("fixations kept", recorded, kept, "%", (80.0, 100.0), [self.lost; 2]);
        let repeated = 100.0 * self.repeated as f64 / recorded.max(1) as f64;
        let hint = "these are the same as the row before: is every row there twice?";
        see("repeated fixations", recorded, repeated, "%", (0.0, 5.0), [hint; 2]);
        if let Some((count, mean)) = self.duration {
            let hints = ["are durations in ms?", "are durations in ms, and fixations unmerged?"];
            see("mean duration", count, mean, "ms", (150.0, 350.0), hints);
        }
        if let Some((count, mean)) = self.forward {
            let hints = ["is x in degrees, or in words?", "is x in pixels?"];
            see("mean amplitude", count, mean, "characters", (4.0, 16.0), hints);
        }
        let hints = ["do char_start and char_end fit the text as it was shown?"; 2];
        for ((_, measure, range), share) in RATES.into_iter().zip(self.shares.into_iter().flatten())
        {
            see(measure, self.saccades, 100.0 * share, "%", range, hints);
        }
        found
    }
}

/// The same numbers of each reader.
fn measured_by_reader(corpus: &Corpus, readings: &[Reading]) -> Vec<(String, Vec<Measured>)> {
    let mean = |values: &[f64]| {
        let sum: f64 = values.iter().sum();
        (!values.is_empty()).then(|| (values.len(), sum / values.len() as f64))
    };
    let mut mine = vec![Vec::new(); corpus.readers().len()];
    readings.iter().for_each(|reading| mine[reading.reader].push(reading));
    let mut recorded = vec![[0; 2]; corpus.readers().len()];
    for path in corpus.scanpaths() {
        recorded[path.reader][0] += path.fixations.len();
        recorded[path.reader][1] += repeated(&path.fixations);
    }
    let of =
        |((reader, readings), [recorded, repeated]): ((&String, Vec<&Reading>), [usize; 2])| {
            let events = || readings.iter().flat_map(|reading| &reading.events);
            let kept: usize = readings.iter().map(|reading| reading.fixations()).sum();
            let durations: Vec<f64> =
                readings.iter().flat_map(|reading| reading.durations()).collect();
            let forward: Vec<f64> = events().filter_map(Event::step).filter(|&a| a > 0.0).collect();
            let rates = Rates {
                recorded,
                kept: kept as f64 / recorded.max(1) as f64,
                lost: "are these on the texts that they are said to be on, and durations in ms?",
                repeated,
                duration: mean(&durations),
                forward: mean(&forward),
                saccades: events().filter(|event| event.kind.is_some()).count(),
                shares: None,
            };
            (reader.clone(), rates.measured())
        };
    corpus.readers().iter().zip(mine).zip(recorded).map(of).collect()
}

/// What times and places in degrees say. Places in characters are judged by their amplitudes.
fn unlike_reading(corpus: &Corpus) -> Vec<Warning> {
    let has_words = corpus.texts().iter().any(gazeprint::corpus::Text::has_words);
    let unit = if has_words { PlaceUnit::Characters } else { PlaceUnit::Degrees };
    let look = |fixation: &Fixation| Look {
        place: fixation.place.map(|place| place.map(f64::from)),
        duration: fixation.duration.map(|duration| duration.0),
        onset: fixation.onset.map(|onset| onset.0),
        ..Look::default()
    };
    let readings = corpus.scanpaths().iter();
    let readings = readings
        .map(|path| (corpus.readers()[path.reader].as_str(), path.fixations.iter().map(look)));
    implausible(readings, unit, false)
}

/// Saccade types with their plausible rates, percent.
const RATES: [(SaccadeType, &str, (f64, f64)); 3] = [
    (SaccadeType::ForwardSkip, "forward skips", (10.0, 50.0)),
    (SaccadeType::Regression, "regressions", (5.0, 30.0)),
    (SaccadeType::Refixation, "refixations", (5.0, 30.0)),
];

/// Why so many fixations may not count, going by the reason that most of them have.
fn lost(drops: &Drops, recorded: usize) -> &'static str {
    let is_most = |reason, all| 2 * drops.of(reason) > all;
    if is_most(DropReason::OffText, recorded) {
        return "most are off the text: are x and the words in the same unit, characters?";
    }
    match DropReason::ALL.into_iter().find(|&reason| is_most(reason, drops.total())) {
        Some(DropReason::OffText) => {
            "most of those dropped are off the text: do x and the words count from the same place?"
        }
        Some(DropReason::OffLine) => {
            "most of those dropped are on lines that the text does not have: are lines of fixations \
             and words numbered alike?"
        }
        Some(DropReason::TooShort | DropReason::TooLong) => {
            "most of those dropped are too short or too long: are durations in ms?"
        }
        _ => "see the reasons of the drops",
    }
}

/// How many fixations of a reading are the same as the one before.
fn repeated(fixations: &[Fixation]) -> usize {
    let alike = |pair: &&[Fixation]| {
        let [a, b] = [pair[0], pair[1]].map(|f| (f.line, f.x, f.duration, f.onset));
        a == b && pair[0].x.is_some() && pair[0].duration.is_some()
    };
    fixations.windows(2).filter(alike).count()
}

/// The four types, in the order of [`SaccadeType::ALL`].
fn types<'a, I: Iterator<Item = &'a Event>>(events: impl Fn() -> I) -> Vec<TypeSummary> {
    let total = events().filter(|e| e.kind.is_some()).count();
    SaccadeType::ALL
        .iter()
        .map(|&kind| {
            let mine = || events().filter(|e| e.kind == Some(kind));
            let count = mine().count();
            TypeSummary {
                name: kind.name(),
                count,
                share: count as f64 / total.max(1) as f64,
                amplitude: Distribution::of(mine().map(|e| e.amplitude.value)),
                duration: Distribution::of(mine().map(|e| e.duration)),
            }
        })
        .collect()
}

/// Texts and fixations of every reader of the corpus.
fn per_reader(corpus: &Corpus, readings: &[Reading]) -> Vec<SparseReader> {
    let mut texts = vec![BTreeSet::new(); corpus.readers().len()];
    let mut fixations = vec![0; corpus.readers().len()];
    for reading in readings {
        texts[reading.reader].insert(reading.text);
        fixations[reading.reader] += reading.fixations();
    }
    corpus
        .readers()
        .iter()
        .zip(texts)
        .zip(fixations)
        .map(|((reader, texts), fixations)| SparseReader {
            reader: reader.clone(),
            texts: texts.len(),
            fixations,
        })
        .collect()
}
