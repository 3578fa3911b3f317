//! What words do to readers.
//!
//! Templates know words by their lengths. People read them: rare words are looked at for longer,
//! common ones are skipped, whatever their length. How readers of training texts deviate from their
//! templates at a word, on average, is what to expect of people where the word comes again. Of words
//! that are new, the average of words that only one text has is expected.

use std::collections::HashMap;

use crate::corpus::Text;
use crate::method::Surprise;
use crate::saccade::Reading;

/// So many fixations' worth of the expectation for new words goes into that for a word.
const PRIOR: f64 = 40.0;

/// How people deviate from their templates at a word.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WordEffects {
    /// In the duration of fixations on it.
    pub duration: f64,
    /// In the duration of the fixation after one on it.
    pub after: f64,
    /// In skips of it.
    pub skip: f64,
    /// In refixations of it.
    pub refixation: f64,
}

/// Sums of the four effects, and how many went into each.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    sums: [f64; 4],
    counts: [f64; 4],
}

impl Sums {
    fn add(&mut self, effect: usize, value: f64) {
        self.sums[effect] += value;
        self.counts[effect] += 1.0;
    }

    fn merge(&mut self, other: &Self, sign: f64) {
        for effect in 0..4 {
            self.sums[effect] += sign * other.sums[effect];
            self.counts[effect] += sign * other.counts[effect];
        }
    }

    /// Means, drawn towards those of another word.
    fn means(&self, prior: [f64; 4]) -> [f64; 4] {
        std::array::from_fn(|e| (self.sums[e] + PRIOR * prior[e]) / (self.counts[e] + PRIOR))
    }
}

/// The words of texts, as numbers; words alike have one number.
#[derive(Debug, Clone)]
pub struct Words {
    /// By text, line and word.
    numbers: Vec<Vec<Vec<Option<usize>>>>,
    count: usize,
}

impl Words {
    /// The words of these texts.
    pub fn of(texts: &[Text]) -> Self {
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut number = |form: &str| {
            let bare = form.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            let count = known.len();
            (!bare.is_empty()).then(|| *known.entry(bare).or_insert(count))
        };
        let numbers = texts
            .iter()
            .map(|text| {
                let lines = text.lines().iter();
                lines
                    .map(|line| {
                        let words = line.words().iter();
                        words.map(|w| w.form.as_deref().and_then(&mut number)).collect()
                    })
                    .collect()
            })
            .collect();
        Self { numbers, count: known.len() }
    }

    fn at(&self, text: usize, line: usize, word: usize) -> Option<usize> {
        *self.numbers.get(text)?.get(line)?.get(word)?
    }
}

/// What is known of words from readings of people.
#[derive(Debug, Clone)]
pub struct KnownWords<'a> {
    words: &'a Words,
    /// By number of the word.
    totals: Vec<Sums>,
    /// By text and number of the word: what is left out where that text is judged.
    by_text: HashMap<(usize, usize), Sums>,
    /// Of words that only one text has.
    new: [f64; 4],
}

impl<'a> KnownWords<'a> {
    /// Learns from readings that were held against their readers' templates.
    pub fn learn<'r>(
        words: &'a Words,
        read: impl IntoIterator<Item = (&'r Reading, &'r [Surprise])>,
    ) -> Self {
        let mut by_text: HashMap<(usize, usize), Sums> = HashMap::new();
        for (reading, surprises) in read {
            let mut before = None;
            for (event, surprise) in reading.events.iter().zip(surprises) {
                let at = |ahead: usize| {
                    let word = words.at(reading.text, event.line, event.word + ahead)?;
                    Some((reading.text, word))
                };
                let mut add = |key: Option<(usize, usize)>, effect: usize, value: Option<f64>| {
                    if let Some((key, value)) = key.zip(value) {
                        by_text.entry(key).or_default().add(effect, value);
                    }
                };
                add(at(0), 0, Some(surprise.duration));
                add(before, 1, Some(surprise.duration));
                add(at(1), 2, surprise.skip);
                add(at(0), 3, surprise.refixation);
                before = at(0);
            }
        }
        let mut totals = vec![Sums::default(); words.count];
        let mut texts = vec![0; words.count];
        // In the order of keys: sums must not depend on that of a table.
        let mut keys: Vec<(usize, usize)> = by_text.keys().copied().collect();
        keys.sort_unstable();
        for key in &keys {
            totals[key.1].merge(&by_text[key], 1.0);
            texts[key.1] += 1;
        }
        let mut new = Sums::default();
        totals.iter().zip(texts).filter(|(_, n)| *n == 1).for_each(|(t, _)| new.merge(t, 1.0));
        Self { words, totals, by_text, new: new.means([0.0; 4]) }
    }

    /// What to expect at a word of a text, from readings of other texts; none of a word without
    /// letters.
    pub fn effects(&self, text: usize, line: usize, word: usize) -> Option<WordEffects> {
        let number = self.words.at(text, line, word)?;
        let mut sums = self.totals[number];
        if let Some(own) = self.by_text.get(&(text, number)) {
            sums.merge(own, -1.0);
        }
        let [duration, after, skip, refixation] = sums.means(self.new);
        Some(WordEffects { duration, after, skip, refixation })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Limits, Line, Word};
    use crate::saccade::readings;
    use crate::simulate::SimulationParams;

    /// A text of one line of three-letter words.
    fn text(id: &str, forms: &[&str]) -> Text {
        let word = |(i, form): (usize, &&str)| {
            let start = 4 * i as i32;
            Word { index: i as u32, form: Some((*form).to_owned()), start, end: start + 3 }
        };
        let words = forms.iter().enumerate().map(word).collect();
        Text::new(id, vec![Line::new(1, words).unwrap()]).unwrap()
    }

    #[test]
    fn words_are_known_from_other_texts() {
        let texts = [
            text("a", &["The", "cat", "sat"]),
            text("b", &["the,", "dog", "ran"]),
            text("c", &["the", "emu", "—"]),
        ];
        let words = Words::of(&texts);
        assert_eq!(words.at(0, 0, 0), words.at(1, 0, 0));
        assert_eq!((words.count, words.at(2, 0, 2), words.at(0, 0, 9)), (6, None, None));
        // On the first word people stay long, on others short, in the first two texts.
        let corpus = SimulationParams { readers: 1, texts: 1, ..Default::default() };
        let (simulated, _) = readings(&corpus.build().unwrap().run(), Limits::default());
        let mut read = Vec::new();
        for text in [0, 1] {
            let mut reading = simulated[0].clone();
            reading.text = text;
            reading.events.truncate(3);
            for (word, event) in reading.events.iter_mut().enumerate() {
                (event.line, event.word) = (0, word);
            }
            let surprise = |duration: f64| Surprise {
                next: None,
                skip: None,
                refixation: None,
                landing: None,
                overshoot: None,
                duration,
            };
            read.extend(vec![(reading, [2.0, -1.0, -1.0].map(surprise)); 50]);
        }
        let known = KnownWords::learn(&words, read.iter().map(|(r, s)| (r, &s[..])));
        let of = |text, word| known.effects(text, 0, word).unwrap().duration;
        assert!(of(2, 0) > 1.0, "{}", of(2, 0));
        assert!(of(2, 1) < -0.5, "a new word is like other new words: {}", of(2, 1));
        // Of the text itself nothing is known: its own words are as new ones there.
        assert!((of(0, 1) - of(2, 1)).abs() < 1e-12);
        assert!(of(0, 0) < of(2, 0) && of(0, 0) > 0.5);
        assert!(known.effects(2, 0, 2).is_none());
        assert_eq!(known.effects(0, 0, 1).unwrap().skip, 0.0);
    }
}
