//! Dynamic time warping of fixations to words.

use super::Point;

/// The most cells that the table of steps may have: 10,000 fixations on 3,000 words fit.
const MOST_CELLS: usize = 32 << 20;

/// Where the cheapest way to a cell comes from.
#[derive(Clone, Copy)]
enum Step {
    /// The same fixation, the word before.
    Word,
    /// The fixation before, the same word.
    Fixation,
    /// Both before.
    Both,
}

/// The line of each fixation; `None` where there are no words, or too many.
pub(super) fn warp(fixations: &[Point], words: &[(Point, usize)]) -> Option<Vec<usize>> {
    let cells = fixations.len().checked_mul(words.len())?;
    if cells == 0 || cells > MOST_CELLS {
        return None;
    }
    Some(walk_back(&steps(fixations, words, cells), words, fixations.len()))
}

/// The cheapest step into each cell, row by row. Only two rows of costs are kept.
fn steps(fixations: &[Point], words: &[(Point, usize)], cells: usize) -> Vec<Step> {
    let mut steps = Vec::with_capacity(cells);
    let mut before = vec![f64::INFINITY; words.len()];
    let mut costs = vec![0.0; words.len()];
    for (i, at) in fixations.iter().enumerate() {
        for (j, (word, _)) in words.iter().enumerate() {
            let (across, down) = (at.x - word.x, at.y - word.y);
            let distance = (across * across + down * down).sqrt();
            let from_word = if j > 0 { costs[j - 1] } else { f64::INFINITY };
            let from_both = match j {
                0 => f64::INFINITY,
                _ => before[j - 1],
            };
            let (step, cost) = cheapest(from_both, before[j], from_word);
            // The way starts in the first cell at no cost.
            costs[j] = distance + if i == 0 && j == 0 { 0.0 } else { cost };
            steps.push(step);
        }
        std::mem::swap(&mut before, &mut costs);
    }
    steps
}

fn cheapest(both: f64, fixation: f64, word: f64) -> (Step, f64) {
    if both <= fixation && both <= word && both.is_finite() {
        (Step::Both, both)
    } else if fixation <= word {
        (Step::Fixation, fixation)
    } else {
        (Step::Word, word)
    }
}

/// Follows the cheapest way from its end, and counts the lines of the words that each fixation meets.
fn walk_back(steps: &[Step], words: &[(Point, usize)], fixations: usize) -> Vec<usize> {
    let mut lines = vec![0; fixations];
    let lines_of_page = words.iter().map(|word| word.1 + 1).max().unwrap_or(0);
    let mut counts = vec![0_u32; lines_of_page];
    let (mut i, mut j) = (fixations - 1, words.len() - 1);
    loop {
        counts[words[j].1] += 1;
        let step = match (i, j) {
            (0, 0) => break,
            (0, _) => Step::Word,
            (_, 0) => Step::Fixation,
            _ => steps[i * words.len() + j],
        };
        if !matches!(step, Step::Word) {
            lines[i] = most(&counts);
            counts.fill(0);
            i -= 1;
        }
        if !matches!(step, Step::Fixation) {
            j -= 1;
        }
    }
    lines[0] = most(&counts);
    lines
}

/// The upper line among those met most often.
fn most(counts: &[u32]) -> usize {
    let largest = counts.iter().max().copied().unwrap_or(0);
    counts.iter().position(|count| *count == largest).unwrap_or(0)
}
