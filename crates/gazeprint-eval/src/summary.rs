//! What is in a corpus, and what looks wrong with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use gazeprint::corpus::{Corpus, DropReason, Drops, Limits};
use gazeprint::saccade::{Event, Reading, SaccadeType, readings};
use serde::Serialize;

/// Fewest texts of a reader: one to learn from and one to test on.
pub const MIN_TEXTS: usize = 2;
/// Fewest fixations of a reader. With fewer, most of the eleven densities of a reader rest on less
/// than ten observations each: what is learned is the population, not the reader.
pub const MIN_FIXATIONS: usize = 100;

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
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { measure, value, unit, low, high, hint } = self;
        // Two digits are enough, but a value just outside must not look like one just inside.
        let digits = if *value < 10.0 { 1 } else { 0 };
        write!(f, "{measure} {value:.digits$} {unit}, expected {low} to {high}: {hint}")
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
    /// Lines of all texts together.
    pub lines: usize,
    /// Sessions.
    pub sessions: usize,
    /// Readings with at least one fixation that counts.
    pub readings: usize,
    /// Fixations as recorded.
    pub fixations_recorded: usize,
    /// Fixations that count.
    pub fixations_kept: usize,
    /// Fixations that do not, by reason; every reason is there.
    pub dropped: BTreeMap<&'static str, usize>,
    /// The four types of saccades.
    pub types: Vec<TypeSummary>,
    /// Durations of all fixations, ms.
    pub duration: Option<Distribution>,
    /// Durations of the first fixations of passes, ms.
    pub initial_duration: Option<Distribution>,
    /// Places of the first fixations of passes, characters from the start of the line.
    pub initial_place: Option<Distribution>,
    /// Amplitudes of all moves to the right, characters.
    pub forward_amplitude: Option<Distribution>,
    /// Fixations that count, per reader.
    pub fixations_per_reader: Option<Distribution>,
    /// Texts with at least one fixation that counts, per reader.
    pub texts_per_reader: Option<Distribution>,
    /// Readers with fewer than [`MIN_TEXTS`] texts or [`MIN_FIXATIONS`] fixations.
    pub sparse_readers: Vec<SparseReader>,
    /// What looks wrong.
    pub warnings: Vec<Warning>,
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
            lines: corpus.texts().iter().map(|t| t.lines().len()).sum(),
            sessions: corpus.scanpaths().iter().map(|s| &s.session).collect::<BTreeSet<_>>().len(),
            readings: readings.len(),
            fixations_recorded: corpus.fixation_count(),
            fixations_kept: events().count(),
            dropped: DropReason::ALL.iter().map(|&r| (r.name(), drops.of(r))).collect(),
            types: types(events),
            duration: Distribution::of(events().map(|e| e.duration)),
            initial_duration: Distribution::of(initial().map(|e| e.duration)),
            initial_place: Distribution::of(initial().map(|e| e.amplitude.value)),
            forward_amplitude: Distribution::of(
                events().filter_map(Event::step).filter(|&a| a > 0.0),
            ),
            fixations_per_reader: Distribution::of(people.iter().map(|p| p.fixations as f64)),
            texts_per_reader: Distribution::of(people.iter().map(|p| p.texts as f64)),
            sparse_readers: people
                .into_iter()
                .filter(|p| p.texts < MIN_TEXTS || p.fixations < MIN_FIXATIONS)
                .collect(),
            warnings: Vec::new(),
        };
        summary.warnings = summary.implausible(&drops);
        summary
    }

    /// Share of the recorded fixations that count; 1 where none was recorded.
    pub fn kept_share(&self) -> f64 {
        if self.fixations_recorded == 0 {
            return 1.0;
        }
        self.fixations_kept as f64 / self.fixations_recorded as f64
    }

    /// Compares with what is known of reading.
    fn implausible(&self, drops: &Drops) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut check = |measure, value: f64, unit, (low, high): (f64, f64), hints: [_; 2]| {
            if !(low..=high).contains(&value) {
                let hint = hints[usize::from(value > high)];
                warnings.push(Warning { measure, value, unit, low, high, hint });
            }
        };
        let lost = if 2 * drops.of(DropReason::OffText) > drops.total() {
            "most are off the text: are x and the words in the same unit, characters?"
        } else {
            "see the reasons of the drops; are durations in ms?"
        };
        check("fixations kept", 100.0 * self.kept_share(), "%", (80.0, 100.0), [lost; 2]);
        if let Some(duration) = self.duration {
            let hints = ["are durations in ms?", "are durations in ms, and fixations unmerged?"];
            check("mean duration", duration.mean, "ms", (150.0, 350.0), hints);
        }
        if let Some(forward) = self.forward_amplitude {
            let hints = ["is x in degrees, or in words?", "is x in pixels?"];
            check("mean amplitude", forward.mean, "characters", (4.0, 16.0), hints);
        }
        if self.types.iter().any(|t| t.count > 0) {
            let words = "do char_start and char_end fit the text as it was shown?";
            let hints = [words; 2];
            for (kind, measure, range) in [
                (SaccadeType::ForwardSkip, "forward skips", (10.0, 50.0)),
                (SaccadeType::Regression, "regressions", (5.0, 30.0)),
                (SaccadeType::Refixation, "refixations", (5.0, 30.0)),
            ] {
                let share = self.types[kind as usize].share;
                check(measure, 100.0 * share, "%", range, hints);
            }
        }
        warnings
    }
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
        fixations[reading.reader] += reading.events.len();
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

#[cfg(test)]
mod tests {
    use gazeprint::corpus::{Chars, Fixation, Line, Millis, Scanpath, Text, Word};
    use gazeprint::simulate::SimulationParams;

    use super::*;

    fn simulated() -> Corpus {
        SimulationParams { readers: 30, texts: 40, sessions: 2, lines: 2, ..Default::default() }
            .build()
            .unwrap()
            .run()
    }

    /// Readers `a` and `b`; `a` reads one text of ten words with the given fixations.
    fn one_reading(fixations: &[(f64, f64)]) -> Corpus {
        let words = (0..10)
            .map(|i: i32| Word { index: i as u32, form: None, start: 6 * i, end: 6 * i + 5 })
            .collect();
        let text = Text::new("t", vec![Line::new(1, words).unwrap()]).unwrap();
        let fixations = fixations
            .iter()
            .map(|&(x, duration)| Fixation {
                line: Some(1),
                x: Some(Chars(x)),
                duration: Some(Millis(duration)),
                onset: None,
                gap: false,
            })
            .collect();
        let scanpath = Scanpath {
            reader: 0,
            text: 0,
            session: "1".into(),
            trial: "1".into(),
            order: None,
            fixations,
        };
        Corpus::new("small", vec!["a".into(), "b".into()], vec![text], vec![scanpath]).unwrap()
    }

    #[test]
    fn quantiles_interpolate() {
        let d = Distribution::of((0..=100).rev().map(f64::from)).unwrap();
        assert_eq!((d.p5, d.p25, d.p50, d.p75, d.p95), (5.0, 25.0, 50.0, 75.0, 95.0));
        assert_eq!((d.count, d.mean), (101, 50.0));
        assert_eq!(Distribution::of([1.0, 2.0]).unwrap().p25, 1.25);
        assert_eq!(Distribution::of([]), None);
    }

    #[test]
    fn everything_is_counted_once() {
        let corpus = simulated();
        let s = Summary::of(&corpus, Limits::default());
        assert_eq!((s.readers, s.texts, s.lines, s.sessions), (30, 40, 80, 2));
        assert_eq!(s.readings, corpus.scanpaths().len());
        assert_eq!(s.fixations_kept + s.dropped.values().sum::<usize>(), s.fixations_recorded);
        let initial = s.initial_duration.unwrap().count;
        assert_eq!(s.types.iter().map(|t| t.count).sum::<usize>() + initial, s.fixations_kept);
        assert!((s.types.iter().map(|t| t.share).sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(s.warnings.is_empty(), "{:?}", s.warnings);
        assert!(s.sparse_readers.is_empty());
    }

    #[test]
    fn types_and_amplitudes_of_a_known_reading() {
        // Initial, next word, refixation to the left, regression, skip, off the text.
        let corpus = one_reading(&[
            (2.0, 200.0),
            (9.0, 210.0),
            (7.0, 220.0),
            (3.0, 230.0),
            (20.0, 240.0),
            (70.0, 250.0),
        ]);
        let s = Summary::of(&corpus, Limits::default());
        assert!(s.types.iter().all(|t| t.count == 1 && t.share == 0.25));
        let amplitudes: Vec<f64> = s.types.iter().map(|t| t.amplitude.unwrap().mean).collect();
        assert_eq!(amplitudes, [2.0, 7.0, 17.0, 4.0]);
        assert_eq!(s.forward_amplitude.unwrap().mean, 12.0);
        assert_eq!(s.initial_place.unwrap().mean, 3.0);
        assert_eq!(s.duration.unwrap().mean, 220.0);
        assert_eq!(s.dropped["off_text"], 1);
        let sparse: Vec<_> =
            s.sparse_readers.iter().map(|r| (r.reader.as_str(), r.texts, r.fixations)).collect();
        assert_eq!(sparse, [("a", 1, 5), ("b", 0, 0)]);
    }

    #[test]
    fn pixels_are_suspected() {
        let corpus = one_reading(&[(20.0, 200.0), (120.0, 200.0), (230.0, 200.0)]);
        let s = Summary::of(&corpus, Limits::default());
        assert_eq!(s.warnings[0].measure, "fixations kept");
        assert!(s.warnings[0].hint.contains("characters"));

        let corpus = one_reading(&[(2.0, 400.0), (50.0, 420.0)]);
        let warnings = Summary::of(&corpus, Limits::default()).warnings;
        let words: Vec<String> = warnings.iter().map(Warning::to_string).collect();
        assert!(
            words.contains(
                &"mean amplitude 48 characters, expected 4 to 16: is x in pixels?".into()
            ),
            "{words:?}"
        );
        assert!(words.iter().any(|w| w.starts_with("mean duration 410 ms")), "{words:?}");
    }

    #[test]
    fn a_corpus_without_fixations_has_a_summary() {
        let s = Summary::of(&one_reading(&[]), Limits::default());
        assert_eq!((s.readings, s.fixations_kept, s.duration), (0, 0, None));
        assert!(s.warnings.is_empty());
        assert!(serde_json::to_string(&s).unwrap().contains("\"type\":\"next_word\""));
    }
}
