//! Whether fixations look like reading, whatever they are in, and whether or not words are known.

use std::collections::HashMap;

use super::{Distribution, Outlier, Warning};

/// Fewest values that are judged: with fewer, chance says as much.
pub const FEWEST_LOOKS: usize = 30;

/// What places are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceUnit {
    /// Characters of a line. Where words are known, how far eyes move in these is looked at by itself.
    Characters,
    /// Pixels of a screen.
    Pixels,
    /// Degrees of visual angle.
    Degrees,
}

impl PlaceUnit {
    /// Lines of text are some degrees wide, of some hundred pixels and some dozen characters. `all` says
    /// whether everything is judged.
    fn expected(self, all: bool) -> Option<Expected> {
        match self {
            Self::Characters => all.then_some(Expected {
                name: "characters",
                steps: (1.5, 30.0),
                widths: (5.0, 250.0),
            }),
            Self::Pixels => {
                Some(Expected { name: "pixels", steps: (8.0, 500.0), widths: (60.0, 8000.0) })
            }
            Self::Degrees => {
                Some(Expected { name: "degrees", steps: (0.3, 12.0), widths: (2.0, 80.0) })
            }
        }
    }
}

/// What can be seen in a unit.
struct Expected {
    name: &'static str,
    /// A typical step: the least, and the most.
    steps: (f64, f64),
    /// The width of what was looked at.
    widths: (f64, f64),
}

/// A fixation, as far as it tells.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Look {
    /// To the right, and down.
    pub place: Option<[f64; 2]>,
    /// In ms.
    pub duration: Option<f64>,
    /// In ms, by whatever clock.
    pub onset: Option<f64>,
    /// Whether the place is left of the screen, or above it.
    pub is_off: bool,
    /// Whether it is right of the screen, or below it; of screens of a known size.
    pub is_beyond: Option<bool>,
}

/// What was measured over readings.
#[derive(Debug, Default)]
struct Tally {
    looks: usize,
    placed: usize,
    off: usize,
    /// Places on screens of a known size, and those beyond it.
    bounded: usize,
    beyond: usize,
    repeated: usize,
    overlapping: usize,
    timed: usize,
    /// Time from the first onset to the last, ms, and fixations that began in it.
    elapsed: f64,
    begun: usize,
    durations: Vec<f64>,
    steps: Vec<f64>,
    across: Vec<f64>,
}

/// How far a fixation may begin before the end of the one before it, ms: clocks round.
const SLACK_MS: f64 = 2.0;

impl Tally {
    fn add(&mut self, reading: impl Iterator<Item = Look>) {
        let mut before: Option<Look> = None;
        // The first onset that is known, and the last.
        let mut known: Option<(f64, f64)> = None;
        let mut since = 0;
        for look in reading {
            self.looks += 1;
            self.placed += usize::from(look.place.is_some());
            self.off += usize::from(look.is_off);
            let beyond = look.is_beyond.filter(|_| look.place.is_some());
            self.bounded += usize::from(beyond.is_some());
            self.beyond += usize::from(beyond == Some(true));
            self.durations.extend(look.duration);
            self.across.extend(look.place.map(|[x, _]| x));
            if let Some(before) = before {
                self.repeated += usize::from(before == look && look.place.is_some());
                if let (Some(a), Some(b)) = (before.place, look.place) {
                    self.steps.push((b[0] - a[0]).hypot(b[1] - a[1]));
                }
                if let (Some(a), Some(b)) = (before.onset, look.onset) {
                    self.timed += 1;
                    let end = a + before.duration.unwrap_or(0.0);
                    self.overlapping += usize::from(b < end - SLACK_MS);
                }
            }
            if let Some(onset) = look.onset {
                let (first, last) = known.unwrap_or((onset, onset));
                if onset > first {
                    since += 1;
                    self.elapsed += onset - last.max(first);
                }
                known = Some((first, onset));
            }
            before = Some(look);
        }
        self.begun += since;
    }
}

/// A number with what is expected of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    pub(super) measure: &'static str,
    /// How many values it is of.
    pub(super) count: usize,
    pub(super) value: f64,
    pub(super) unit: &'static str,
    pub(super) range: (f64, f64),
    /// What may have happened where it is too small, and where it is too large.
    pub(super) hints: [&'static str; 2],
}

/// How much further than all together one reader may be from what is expected: people differ.
const OF_ONE: f64 = 1.5;

impl Measured {
    /// What is expected of one reader.
    fn of_one(self) -> Self {
        let tenths = |value: f64| (10.0 * value).round() / 10.0;
        let (low, high) = self.range;
        let high = if self.unit == "%" { (high * OF_ONE).min(100.0) } else { high * OF_ONE };
        Self { range: (tenths(low / OF_ONE), tenths(high)), ..self }
    }

    /// What to say where the value is not as expected.
    fn warning(&self) -> Option<Warning> {
        let Self { measure, value, unit, range: (low, high), hints, .. } = *self;
        let hint = hints[usize::from(value > high)];
        let warning = Warning { measure, value, unit, low, high, hint, readers: Vec::new() };
        (!(low..=high).contains(&value)).then_some(warning)
    }
}

/// What is not as expected of all together, and then of readers who are few among the others. Numbers of
/// all together count with `fewest` values, those of readers with [`FEWEST_LOOKS`].
pub(super) fn judged(
    all: &[Measured],
    fewest: usize,
    readers: &[(String, Vec<Measured>)],
) -> Vec<Warning> {
    let counts = |measured: &&Measured| measured.count >= fewest;
    let mut warnings: Vec<Warning> =
        all.iter().filter(counts).filter_map(Measured::warning).collect();
    for measured in all {
        let mut found: [Vec<(&str, Warning)>; 2] = Default::default();
        for (reader, measures) in readers {
            let own = measures.iter().find(|own| own.measure == measured.measure);
            let own = own.filter(|own| own.count >= FEWEST_LOOKS).map(|own| own.of_one());
            if let Some(warning) = own.and_then(|own| own.warning()) {
                found[usize::from(warning.value > warning.high)].push((reader, warning));
            }
        }
        // Where most are so, all together are; but for some who were read of much, and are not.
        let side_of_all = measured.warning().map(|warning| warning.value > warning.high);
        let is_said = |(side, found): &(usize, Vec<_>)| {
            2 * found.len() > readers.len()
                && (side_of_all == Some(*side == 1) || found.len() == readers.len())
        };
        let told = (0..).zip(found).filter(|found| !is_said(found));
        for (_, of_side) in told {
            let outlier = |(reader, warning): &(&str, Warning)| Outlier {
                reader: (*reader).to_owned(),
                value: warning.value,
            };
            let outliers = of_side.iter().map(outlier).collect();
            let first = of_side.into_iter().next();
            warnings.extend(first.map(|(_, warning)| Warning { readers: outliers, ..warning }));
        }
    }
    warnings
}

/// What does not look like reading, in readings with the names of their readers. `all` says whether
/// everything is judged, or what a [`Summary`](super::Summary) does not judge by itself: times, and places
/// other than characters.
pub fn implausible<'r, R>(
    readings: impl IntoIterator<Item = (&'r str, R)>,
    unit: PlaceUnit,
    all: bool,
) -> Vec<Warning>
where
    R: Iterator<Item = Look>,
{
    let mut tallies: Vec<(&str, Tally)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (reader, reading) in readings {
        let at = *places.entry(reader).or_insert_with(|| {
            tallies.push((reader, Tally::default()));
            tallies.len() - 1
        });
        tallies[at].1.add(reading);
    }
    let of_reader =
        |(reader, tally): &(&str, Tally)| ((*reader).to_owned(), tally.measured(unit, all));
    let readers: Vec<_> = tallies.iter().map(of_reader).collect();
    let mut together = Tally::default();
    tallies.into_iter().for_each(|(_, tally)| together.append(tally));
    judged(&together.measured(unit, all), FEWEST_LOOKS, &readers)
}

impl Tally {
    fn append(&mut self, mut other: Self) {
        self.looks += other.looks;
        self.placed += other.placed;
        self.off += other.off;
        self.bounded += other.bounded;
        self.beyond += other.beyond;
        self.repeated += other.repeated;
        self.overlapping += other.overlapping;
        self.timed += other.timed;
        self.elapsed += other.elapsed;
        self.begun += other.begun;
        self.durations.append(&mut other.durations);
        self.steps.append(&mut other.steps);
        self.across.append(&mut other.across);
    }

    /// The numbers that are judged.
    fn measured(&self, unit: PlaceUnit, all: bool) -> Vec<Measured> {
        let mut found = Vec::new();
        let mut see =
            |measure, count: usize, value: f64, unit, range: (f64, f64), hints: [_; 2]| {
                found.push(Measured { measure, count, value, unit, range, hints });
            };
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        if all {
            let (looks, placed) = (self.looks, self.placed);
            let hint = "most have none: was the right eye or column taken?";
            let range = (80.0, 100.0);
            see("fixations with a place", looks, share(placed, looks), "%", range, [hint; 2]);
            let hint = "these are the same as the row before: is every row there twice, or are these \
                        samples?";
            let repeated = share(self.repeated, looks);
            see("repeated fixations", looks, repeated, "%", (0.0, 5.0), [hint; 2]);
            let hint = "do places count from the upper left corner? Those that count from the middle, \
                        or upwards, must be turned into such first";
            let measure = "places left of the screen or above it";
            see(measure, placed, share(self.off, placed), "%", (0.0, 10.0), [hint; 2]);
            let hint = "is the screen of this size, and are places in its pixels?";
            let (measure, bounded) = ("places right of the screen or below it", self.bounded);
            let beyond = share(self.beyond, bounded);
            see(measure, bounded, beyond, "%", (0.0, 10.0), [hint; 2]);
            let hints = [
                "are durations in ms, and are these fixations, without saccades between them?",
                "are durations in ms, and fixations unmerged?",
            ];
            if let Some(found) = Distribution::of(self.durations.iter().copied()) {
                see("mean duration", found.count, found.mean, "ms", (150.0, 350.0), hints);
            }
        }
        let hint = "are these samples or saccades as well, and not fixations alone?";
        let measure = "fixations that begin before the last has ended";
        let overlapping = share(self.overlapping, self.timed);
        see(measure, self.timed, overlapping, "%", (0.0, 5.0), [hint; 2]);
        if self.elapsed > 0.0 {
            let rate = 1000.0 * self.begun as f64 / self.elapsed;
            let hints = ["is most of the recording missing, or are onsets in ms?", hint];
            see("fixations a second", self.begun, rate, "", (1.0, 6.0), hints);
        }
        let Some(Expected { name, steps, widths }) = unit.expected(all) else { return found };
        let hints = [
            "are places in this unit, and not in parts of the screen?",
            "are places in this unit, and is the signal good?",
        ];
        if let Some(found) = Distribution::of(self.steps.iter().copied()) {
            see("typical amplitude", found.count, found.p50, name, steps, hints);
        }
        if let Some(found) = Distribution::of(self.across.iter().copied()) {
            let hints = [hints[0], "are all places on the screen?"];
            let measure = "width of what was looked at";
            see(measure, found.count, found.p95 - found.p5, name, widths, hints);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of eight fixations, `scale` pixels apart, of 220 ms.
    fn reading(scale: f64, duration: f64, step_ms: f64) -> Vec<Look> {
        let look = |i: i32| Look {
            place: Some([
                100.0 * scale + f64::from(i % 8) * 80.0 * scale,
                f64::from(i / 8) * 40.0 * scale,
            ]),
            duration: Some(duration + f64::from(i % 5)),
            onset: Some(step_ms * f64::from(i)),
            ..Look::default()
        };
        (0..80).map(look).collect()
    }

    fn measures(reading: &[Look], unit: PlaceUnit) -> Vec<&'static str> {
        let found = implausible([("anna", reading.iter().copied())], unit, true);
        found.iter().map(|warning| warning.measure).collect()
    }

    #[test]
    fn onsets_that_are_not_known_here_and_there_change_no_rate() {
        let whole = reading(1.0, 220.0, 250.0);
        let without =
            |(i, look): (usize, &Look)| Look { onset: look.onset.filter(|_| i % 3 != 1), ..*look };
        let some: Vec<Look> = whole.iter().enumerate().map(without).collect();
        let mut tally = Tally::default();
        tally.add(some.into_iter());
        assert!((tally.elapsed - 250.0 * 78.0).abs() < 1e-9, "{}", tally.elapsed);
    }

    #[test]
    fn most_readers_are_told_where_one_was_read_of_so_much_that_all_together_look_right() {
        let broken = reading(1.0, 4231.0, 4300.0);
        let good = reading(1.0, 220.0, 250.0).repeat(120);
        let readers = [("anna", &broken), ("ben", &broken), ("cleo", &good)];
        let looks = readers.map(|(name, looks)| (name, looks.iter().copied()));
        let found = implausible(looks, PlaceUnit::Pixels, true);
        let durations = found.iter().find(|warning| warning.measure == "mean duration").unwrap();
        let told: Vec<&str> = durations.readers.iter().map(|o| o.reader.as_str()).collect();
        assert_eq!(told, ["anna", "ben"]);
    }

    #[test]
    fn what_is_no_reading_is_told() {
        let good = reading(1.0, 220.0, 250.0);
        assert_eq!(measures(&good, PlaceUnit::Pixels), [""; 0]);
        // Parts of the screen that are taken for pixels.
        let parts = reading(1.0 / 1000.0, 220.0, 250.0);
        assert_eq!(
            measures(&parts, PlaceUnit::Pixels),
            ["typical amplitude", "width of what was looked at"]
        );
        let steps = ["typical amplitude", "width of what was looked at"];
        assert_eq!(measures(&reading(1.0 / 200.0, 220.0, 250.0), PlaceUnit::Characters), steps);
        assert_eq!(measures(&good, PlaceUnit::Characters), steps);
        assert_eq!(measures(&reading(0.1, 220.0, 250.0), PlaceUnit::Characters), [""; 0]);
        // Where words are known, those judge.
        let known = [("anna", good.iter().copied())];
        assert!(implausible(known, PlaceUnit::Characters, false).is_empty());
        // Samples that repeat the duration of their fixation.
        let samples = reading(1.0, 220.0, 16.0);
        assert_eq!(
            measures(&samples, PlaceUnit::Pixels),
            ["fixations that begin before the last has ended", "fixations a second"]
        );
        // Saccades among fixations, and a column that holds something else.
        assert_eq!(
            measures(&reading(1.0, 120.0, 140.0), PlaceUnit::Pixels),
            ["mean duration", "fixations a second"]
        );
        assert_eq!(
            measures(&reading(1.0, 4231.0, 4300.0), PlaceUnit::Pixels),
            ["mean duration", "fixations a second"]
        );
        let beyond = |look: &Look| Look { is_beyond: Some(true), ..*look };
        let beyond: Vec<Look> = good.iter().map(beyond).collect();
        assert_eq!(
            measures(&beyond, PlaceUnit::Pixels),
            ["places right of the screen or below it"]
        );
        let lost: Vec<Look> = good.iter().map(|look| Look { place: None, ..*look }).collect();
        assert_eq!(measures(&lost, PlaceUnit::Pixels), ["fixations with a place"]);
        assert_eq!(measures(&good[..FEWEST_LOOKS - 1], PlaceUnit::Degrees), [""; 0]);
    }

    #[test]
    fn readers_who_are_unlike_the_others_are_named() {
        let names: Vec<String> = (0..20).map(|i| format!("r{i}")).collect();
        let of = |i: usize| match i {
            7 => reading(1.0, 4400.0, 4600.0),
            9 => reading(1.0, 220.0, 250.0)
                .into_iter()
                .map(|look| Look { is_off: true, ..look })
                .collect(),
            _ => reading(1.0, 200.0 + 10.0 * i as f64, 450.0),
        };
        let readings: Vec<Vec<Look>> = (0..20).map(of).collect();
        let named = names.iter().map(String::as_str).zip(&readings);
        let found =
            implausible(named.map(|(n, r)| (n, r.iter().copied())), PlaceUnit::Pixels, true);
        let told: Vec<_> = found.iter().map(Warning::to_string).collect();
        assert!(
            told.contains(&"mean duration of r7 4402 ms, expected 100 to 525".to_owned())
                && told.contains(
                    &"places left of the screen or above it of r9 100 %, expected 0 to 15"
                        .to_owned()
                ),
            "{told:?}"
        );
        // Who differs from others as people do is not; nor is anybody where most are so.
        assert!(found.iter().all(|w| w.readers.iter().all(|o| ["r7", "r9"].contains(&&*o.reader))));
        let all = [("a", 4400.0), ("b", 4500.0)].map(|(n, d)| (n, reading(1.0, d, d + 200.0)));
        let named = all.iter().map(|(name, reading)| (*name, reading.iter().copied()));
        assert!(implausible(named, PlaceUnit::Pixels, true).iter().all(|w| w.readers.is_empty()));
    }
}
