//! Where on the text a fixation is: what the next saccade and the duration may depend on.

use crate::corpus::{Landing, Text};

/// The surroundings of a fixation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Situation {
    /// Letters of the fixated word, of the next on the line and of the one after it.
    pub lengths: [Option<f64>; 3],
    /// Place in the region of the word, 0 at its left end to 1 at its right.
    pub landing: f64,
    /// Characters from here to the right end of the word.
    pub left: f64,
    /// Words on the line before the fixated one, and after it.
    pub around: [usize; 2],
    /// Part of the text's words that come before.
    pub place: f64,
    /// Whether no word so far on has been fixated before in this reading.
    pub new: bool,
}

/// Follows one reading of a text.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    /// Words before each line.
    before: Vec<usize>,
    words: usize,
    /// The furthest word fixated, counted over the text.
    furthest: Option<usize>,
}

impl Reach {
    pub(crate) fn new(text: &Text) -> Self {
        let mut words = 0;
        let before = text
            .lines()
            .iter()
            .map(|line| {
                words += line.words().len();
                words - line.words().len()
            })
            .collect();
        Self { before, words, furthest: None }
    }

    /// The situation of the next fixation of the reading of that text.
    pub(crate) fn see(&mut self, text: &Text, line: usize, landing: &Landing) -> Situation {
        let words = text.lines()[line].words();
        let number = self.before[line] + landing.word;
        let new = self.furthest.is_none_or(|furthest| number > furthest);
        if new {
            self.furthest = Some(number);
        }
        let (low, high) = text.lines()[line].region(landing.word);
        let length = |i: usize| words.get(i).map(|w| f64::from(w.end) - f64::from(w.start));
        Situation {
            lengths: [0, 1, 2].map(|ahead| length(landing.word + ahead)),
            landing: (landing.x - low) / (high - low),
            left: high - landing.x,
            around: [landing.word, words.len() - 1 - landing.word],
            place: number as f64 / self.words as f64,
            new,
        }
    }
}
