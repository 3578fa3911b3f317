//! Readings that are there twice.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::RawReading;
use crate::import::recording::{Position, RawFixation};
use crate::import::setting::Phrase;

/// Fixations that nobody makes twice alike: with fewer, chance may.
const FEWEST: usize = 8;

/// What to say where readings have the fixations of others: an export that was added to itself, or a
/// recording under two names.
pub(super) fn warning(readings: &[RawReading]) -> Option<Phrase> {
    let mut first: HashMap<u64, &RawReading> = HashMap::new();
    let (mut count, mut example) = (0_u64, None);
    for reading in readings {
        if reading.fixations.iter().filter(|fixation| is_telling(fixation)).count() < FEWEST {
            continue;
        }
        let earlier = *first.entry(digest(reading)).or_insert(reading);
        if !std::ptr::eq(earlier, reading) && are_alike(earlier, reading) {
            count += 1;
            example.get_or_insert((earlier, reading));
        }
    }
    let (one, other) = example?;
    Some(
        format!(
            "{count} readings have the same fixations as others, such as {} and {}: is something there \
             twice, in a file or under two names?",
            called(one),
            called(other)
        )
        .into(),
    )
}

/// Whether a fixation tells its reading from others.
fn is_telling(fixation: &RawFixation) -> bool {
    fixation.duration_ms.is_some() && fixation.position != Position::Missing
}

fn digest(reading: &RawReading) -> u64 {
    let mut hasher = DefaultHasher::new();
    for fixation in &reading.fixations {
        fixation.duration_ms.map(f64::to_bits).hash(&mut hasher);
    }
    hasher.finish()
}

fn are_alike(a: &RawReading, b: &RawReading) -> bool {
    let seen = |f: &RawFixation| (f.position, f.duration_ms);
    a.fixations.iter().map(seen).eq(b.fixations.iter().map(seen))
}

/// What a reading is called.
fn called(reading: &RawReading) -> String {
    let Some(RawFixation { reader, text, session, trial, .. }) = reading.fixations.first() else {
        return String::new();
    };
    let further = [("session", session), ("trial", trial)].into_iter();
    let further = further.filter_map(|(what, name)| Some(format!(", {what} {}", name.as_ref()?)));
    format!("{reader} on {text}{}", further.collect::<String>())
}
