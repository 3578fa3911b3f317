//! Files of EyeDoctor and Robodoc (`.DA1`), the software that goes with EyeTrack: a line for each trial,
//! whole numbers separated by blanks.
//!
//! | place | what |
//! |---|---|
//! | 1 | number of the trial |
//! | 2 | condition |
//! | 3 | item |
//! | 4 to 8 | time of the trial, codes, and in 7 or 8 how many fixations there are |
//! | from 9 on | for each fixation: character, line, start and end in ms |
//!
//! Characters and lines count from 0, and are -1 off the text. The text of an item depends on the
//! condition, so that both make its name: `3_2` is item 3 in condition 2. Where a fixation is on a
//! character, it is taken to be on the middle of it.

use std::io::BufRead;
use std::sync::Arc;

use super::error::{At, ImportError};
use super::recording::{Position, RawFixation, Reason, RowPlace, Sink};
use super::report::Shape;
use crate::table::Lines;

/// Numbers before the first fixation.
const HEAD: usize = 8;
/// Numbers of a fixation.
const FIXATION: usize = 4;

/// A fixation that ends before it starts.
const NEGATIVE: Reason = Reason::NEGATIVE_DURATION;
/// A line that says another number of fixations than it has.
pub const MISCOUNTED: Reason = Reason::new("fixations_miscounted");

/// A trial as its line has it.
struct Trial {
    head: [i64; HEAD],
    fixations: Vec<[i64; FIXATION]>,
}

impl Trial {
    fn parse(line: &str) -> Result<Self, Reason> {
        let mut numbers = Vec::new();
        for cell in line.split_ascii_whitespace() {
            numbers.push(cell.parse::<i64>().map_err(|_| Reason::NOT_A_NUMBER)?);
        }
        let (head, rest) = numbers.split_first_chunk::<HEAD>().ok_or(Reason::RAGGED)?;
        let (fixations, []) = rest.as_chunks::<FIXATION>() else { return Err(Reason::RAGGED) };
        let trial = Self { head: *head, fixations: fixations.to_vec() };
        // Programs differ in where they count.
        let counts = [trial.head[6], trial.head[7]];
        match counts.contains(&(trial.fixations.len() as i64)) {
            true => Ok(trial),
            false => Err(MISCOUNTED),
        }
    }
}

/// Whether a line is a trial, of at least one fixation.
pub(super) fn is_trial(line: &str) -> bool {
    Trial::parse(line).is_ok_and(|trial| !trial.fixations.is_empty())
}

/// Reads a file, all of one reader.
///
/// # Errors
/// If it cannot be read, or has no trial.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    reader: &Arc<str>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let mut lines = Lines::new(input);
    let (mut line, mut read, mut trials, mut off) = (String::new(), 0, 0_u64, 0_u64);
    loop {
        line.clear();
        if !lines.next(&mut line)? {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        read += 1;
        let place = RowPlace { file, row: lines.number() };
        let trial = match Trial::parse(&line) {
            Ok(trial) => trial,
            Err(reason) => {
                sink.dropped(place, reason, &line);
                continue;
            }
        };
        trials += 1;
        let [number, condition, item, ..] = trial.head;
        let text: Arc<str> = format!("{item}_{condition}").into();
        let number: Arc<str> = number.to_string().into();
        for [character, row, start, end] in trial.fixations {
            let duration = end as f64 - start as f64;
            if duration < 0.0 {
                sink.dropped(place, NEGATIVE, &format!("{character} {row} {start} {end}"));
                continue;
            }
            let position = position(character, row);
            off += u64::from(position == Position::Missing);
            let fixation = RawFixation {
                reader: Arc::clone(reader),
                text: Arc::clone(&text),
                trial: Some(Arc::clone(&number)),
                position,
                duration_ms: Some(duration),
                onset_ms: Some(start as f64),
                ..RawFixation::default()
            };
            sink.fixation(place, fixation)?;
        }
    }
    if trials == 0 {
        return Err(ImportError::Empty {
            at: At::row(lines.number().max(1)),
            expected: "lines of trial, condition, item, five more numbers, and four for each fixation",
        });
    }
    sink.note(
        "texts are named by item and condition, as 3_2; characters and lines count from 0, and \
         fixations are on the middle of theirs"
            .to_owned(),
    );
    if off > 0 {
        sink.note(format!("{off} fixations are off the text: their positions are missing"));
    }
    Ok(Shape { rows: read, ..Shape::default() })
}

/// A place on the text; off it, the numbers are -1.
fn position(character: i64, row: i64) -> Position {
    /// No line has so many characters.
    const MOST: i64 = 1 << 20;
    let line = row.checked_add(1).and_then(|line| u32::try_from(line).ok());
    match line {
        Some(line) if (0..MOST).contains(&character) => {
            Position::Chars { x: character as f64 + 0.5, line }
        }
        _ => Position::Missing,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::import::testing::{Collected, mutated};

    fn parse(text: &str) -> Collected {
        let mut found = Collected::default();
        read(&mut text.as_bytes(), 0, &"anna".into(), &mut found).unwrap();
        found
    }

    #[test]
    fn a_trial_is_a_line() {
        let text = "1 2 3 1900 0 0 0 3 4 0 10 210 -1 -1 215 230 9 1 240 455\r\n\n\
                    2 1 4 900 0 0 1 0 0 0 5 100\n";
        let found = parse(text);
        let all: Vec<_> = found
            .fixations
            .iter()
            .map(|(place, f)| {
                (place.row, &*f.text, f.trial.as_deref(), f.position, f.onset_ms, f.duration_ms)
            })
            .collect();
        let chars = |x, line| Position::Chars { x, line };
        let (first, second) = (Some("1"), Some("2"));
        assert_eq!(
            all,
            [
                (1, "3_2", first, chars(4.5, 1), Some(10.0), Some(200.0)),
                (1, "3_2", first, Position::Missing, Some(215.0), Some(15.0)),
                (1, "3_2", first, chars(9.5, 2), Some(240.0), Some(215.0)),
                (3, "4_1", second, chars(0.5, 1), Some(5.0), Some(95.0)),
            ]
        );
        assert!(found.noted("1 fixations are off the text"));
    }

    #[test]
    fn lines_that_are_no_trials_are_counted() {
        let text = "1 2 3 1900 0 0 0 1 4 0 10 210\n1 2 3 1900 0 0 0 2 4 0 10 210\nhello\n1 2\n\
                    1 2 3 1900 0 0 0 1 4 0 10\n1 2 3 1900 0 0 0 1 4 0 210 10\n";
        let found = parse(text);
        let drops = [
            (2, "fixations_miscounted"),
            (3, "not_a_number"),
            (4, "ragged"),
            (5, "ragged"),
            (6, "negative_duration"),
        ];
        assert_eq!((found.fixations.len(), found.drops()), (1, drops.to_vec()));
        assert!(read(&mut &b"hello\n"[..], 0, &"a".into(), &mut Collected::default()).is_err());
    }

    /// Item, condition and fixations of a trial: character, line, wait and duration of each.
    type Written = (u32, u32, Vec<(u32, u32, u32, u32)>);

    /// Trials, in any order.
    fn written() -> impl Strategy<Value = Vec<Written>> {
        let fixation = (0_u32..200, 0_u32..12, 1_u32..80, 1_u32..900);
        let trial = (1_u32..50, 1_u32..9, prop::collection::vec(fixation, 1..12));
        prop::collection::vec(trial, 1..12)
    }

    proptest! {
        #[test]
        fn what_is_written_comes_back(trials in written(), counted_in_7 in any::<bool>()) {
            let (mut text, mut wanted) = (String::new(), Vec::new());
            for (number, (item, condition, fixations)) in trials.iter().enumerate() {
                let count = fixations.len();
                let counts = if counted_in_7 { [count, 0] } else { [0, count] };
                text += &format!("{number} {condition} {item} 9 0 0 {} {}", counts[0], counts[1]);
                let mut time = 0;
                for (character, line, wait, lasts) in fixations {
                    let start = time + wait;
                    time = start + lasts;
                    text += &format!(" {character} {line} {start} {time}");
                    wanted.push((
                        format!("{item}_{condition}"),
                        Position::Chars { x: f64::from(*character) + 0.5, line: line + 1 },
                        Some(f64::from(start)),
                        Some(f64::from(*lasts)),
                    ));
                }
                text += "\n";
            }
            let found = parse(&text);
            let found: Vec<_> = found
                .fixations
                .into_iter()
                .map(|(_, f)| (f.text.to_string(), f.position, f.onset_ms, f.duration_ms))
                .collect();
            prop_assert_eq!(found, wanted);
        }

        #[test]
        fn mutated_files_are_taken_or_refused(
            bytes in mutated(&[b"1 2 3 1900 0 0 0 2 4 0 10 210 9 1 240 455\n2 1 4 9 0 0 1 0 0 0 5 100\n"])
        ) {
            if let Ok(mut source) = crate::import::testing::source(&bytes) {
                let _ = read(&mut source, 0, &"a".into(), &mut Collected::default());
            }
        }
    }
}
