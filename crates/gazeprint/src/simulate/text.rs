//! Made-up sentences with the word lengths of German prose.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::corpus::{Line, Text, Word};

/// Words of a sentence, from and to.
const SENTENCE: (usize, usize) = (5, 12);
/// Words of a line of running text, from and to: about a column of 60 characters.
const ROW: (usize, usize) = (8, 12);

/// A word's part in the sentence; it governs the length, the capital and what may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Articles, prepositions, pronouns, particles: short, and close to half of all words.
    Function,
    /// Verbs and adjectives.
    Modifier,
    /// Nouns: long, compounds among them, and capitalised.
    Noun,
}

/// Lengths in letters with their weights, per class.
///
/// Together they give a mean of about 5.3 letters with a hump at 3 and a long right tail.
const FUNCTION: &[(usize, f64)] = &[(2, 0.18), (3, 0.56), (4, 0.18), (5, 0.08)];
const MODIFIER: &[(usize, f64)] =
    &[(4, 0.17), (5, 0.22), (6, 0.22), (7, 0.17), (8, 0.11), (9, 0.06), (10, 0.05)];
const NOUN: &[(usize, f64)] = &[
    (4, 0.13),
    (5, 0.18),
    (6, 0.18),
    (7, 0.15),
    (8, 0.12),
    (9, 0.08),
    (10, 0.06),
    (11, 0.04),
    (12, 0.03),
    (13, 0.02),
    (14, 0.01),
];

/// What follows what: function words lead to nouns, nouns to function words or verbs.
fn followers(class: Option<Class>) -> &'static [(Class, f64)] {
    use Class::{Function, Modifier, Noun};
    match class {
        None => &[(Function, 0.7), (Modifier, 0.1), (Noun, 0.2)],
        Some(Function) => &[(Function, 0.25), (Modifier, 0.35), (Noun, 0.40)],
        Some(Modifier) => &[(Function, 0.50), (Modifier, 0.15), (Noun, 0.35)],
        Some(Noun) => &[(Function, 0.60), (Modifier, 0.40)],
    }
}

/// Draws one item; the weights of a table sum to one.
fn pick<T: Copy>(table: &[(T, f64)], rng: &mut ChaCha8Rng) -> T {
    let mut left: f64 = rng.random();
    for &(item, weight) in table {
        left -= weight;
        if left < 0.0 {
            return item;
        }
    }
    table[table.len() - 1].0
}

/// One letter of a set.
fn letter(set: &[u8], rng: &mut ChaCha8Rng) -> char {
    char::from(set[rng.random_range(0..set.len())])
}

/// A pronounceable form: consonants and vowels take turns, with a second consonant now and then.
fn form(length: usize, rng: &mut ChaCha8Rng) -> String {
    let mut form = String::with_capacity(length);
    let mut vowel = length == 2 || rng.random_bool(0.25);
    while form.len() < length {
        form.push(if vowel { letter(b"aeiou", rng) } else { letter(b"bdfghklmnprstwz", rng) });
        if vowel && form.len() + 2 < length && rng.random_bool(0.4) {
            form.push(letter(b"lmnrs", rng));
        }
        vowel = !vowel;
    }
    form
}

/// The same form with a capital.
fn capitalised(form: &str) -> String {
    let mut letters = form.chars();
    letters.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// One sentence of `count` words; its period belongs to the last of them.
fn sentence(count: usize, rng: &mut ChaCha8Rng) -> Vec<String> {
    let mut words = Vec::with_capacity(count);
    let mut class = None;
    for i in 0..count {
        let mut next = pick(followers(class), rng);
        if i + 1 == count && next == Class::Function {
            // No sentence ends in an article.
            next = Class::Noun;
        }
        let lengths = match next {
            Class::Function => FUNCTION,
            Class::Modifier => MODIFIER,
            Class::Noun => NOUN,
        };
        let mut word = form(pick(lengths, rng), rng);
        if i == 0 || next == Class::Noun {
            word = capitalised(&word);
        }
        words.push(word);
        class = Some(next);
    }
    if let Some(last) = words.last_mut() {
        last.push('.');
    }
    words
}

/// The forms of a text, line by line: one sentence where there is one line, else running
/// sentences, the last of which ends with the text.
fn rows(lines: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<String>> {
    if lines == 1 {
        let count = rng.random_range(SENTENCE.0..=SENTENCE.1);
        return vec![sentence(count, rng)];
    }
    let lengths: Vec<usize> = (0..lines).map(|_| rng.random_range(ROW.0..=ROW.1)).collect();
    let mut missing: usize = lengths.iter().sum();
    let mut words = Vec::with_capacity(missing);
    while missing > 0 {
        // The rest is one sentence as soon as no other would leave enough words for the next.
        let count = if missing <= SENTENCE.1 {
            missing
        } else {
            rng.random_range(SENTENCE.0..=SENTENCE.1.min(missing - SENTENCE.0))
        };
        words.extend(sentence(count, rng));
        missing -= count;
    }
    let mut words = words.into_iter();
    lengths.into_iter().map(|n| words.by_ref().take(n).collect()).collect()
}

/// The text with the given name.
pub(super) fn text(id: String, lines: usize, rng: &mut ChaCha8Rng) -> Text {
    let mut index = 0;
    let lines = (1..)
        .zip(rows(lines, rng))
        .map(|(number, row)| {
            let mut start = 0;
            let words = row
                .into_iter()
                .map(|form| {
                    // Forms are ASCII and at most 15 letters long.
                    let end = start + form.len() as i32;
                    index += 1;
                    let word = Word { index, form: Some(form), start, end };
                    start = end + 1;
                    word
                })
                .collect();
            Line::new(number, words).expect("words follow each other with a blank between")
        })
        .collect();
    Text::new(id, lines).expect("lines are numbered from one")
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn texts(lines: usize) -> Vec<Text> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        (0..300).map(|i| text(format!("s{i}"), lines, &mut rng)).collect()
    }

    #[test]
    fn weights_sum_to_one() {
        for table in [FUNCTION, MODIFIER, NOUN] {
            assert!((table.iter().map(|e| e.1).sum::<f64>() - 1.0).abs() < 1e-12);
        }
        for class in [None, Some(Class::Function), Some(Class::Modifier), Some(Class::Noun)] {
            assert!((followers(class).iter().map(|e| e.1).sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn sentences_look_like_sentences() {
        let mut lengths = Vec::new();
        for text in texts(1) {
            let words = text.lines()[0].words();
            assert!((SENTENCE.0..=SENTENCE.1).contains(&words.len()));
            let form = |i: usize| words[i].form.as_deref().unwrap();
            assert!(form(0).starts_with(|c: char| c.is_ascii_uppercase()));
            assert!(form(words.len() - 1).ends_with('.'));
            for (i, word) in words.iter().enumerate() {
                assert_eq!(form(i).len() as i32, word.end - word.start);
                lengths.push(form(i).trim_end_matches('.').len() as f64);
            }
        }
        let n = lengths.len() as f64;
        let mean = lengths.iter().sum::<f64>() / n;
        let short = lengths.iter().filter(|&&l| l <= 3.0).count() as f64 / n;
        let long = lengths.iter().filter(|&&l| l >= 10.0).count() as f64 / n;
        assert!((4.8..5.8).contains(&mean), "mean length {mean}");
        assert!((0.22..0.45).contains(&short), "share of words up to 3 letters {short}");
        assert!((0.02..0.10).contains(&long), "share of words from 10 letters {long}");
    }

    #[test]
    fn running_text_has_its_lines_and_ends_with_a_period() {
        for text in texts(4) {
            assert_eq!(text.lines().len(), 4);
            assert!(text.lines().iter().all(|l| (ROW.0..=ROW.1).contains(&l.words().len())));
            let words: Vec<_> = text.lines().iter().flat_map(Line::words).collect();
            assert!(words.windows(2).all(|w| w[0].index + 1 == w[1].index));
            assert!(words[words.len() - 1].form.as_deref().unwrap().ends_with('.'));
        }
    }
}
