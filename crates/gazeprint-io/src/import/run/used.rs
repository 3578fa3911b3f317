//! Whether most rows of tables of fixations were left out.

use crate::import::format::Format;
use crate::import::gaze::OTHER_EYE;
use crate::import::recording::Reason;
use crate::import::report::{Drops, InputReport};
use crate::import::setting::{Phrase, Setting, phrase};

/// Fewest rows that are judged, and the least share of them that is used: saccades, blinks and the other eye
/// are not, and rows between fixations that some trackers write.
const FEWEST: u64 = 30;
const USED: f64 = 0.1;

/// Formats in which most rows are samples, of which a fixation has many.
const OF_SAMPLES: [Format; 4] = [Format::Samples, Format::Tobii, Format::Bids, Format::Asc];

/// What to say where hardly any row is a fixation that is used.
pub(super) fn warning(files: &[InputReport], dropped: &Drops, kept: u64) -> Option<Phrase> {
    if files.iter().any(|file| OF_SAMPLES.iter().any(|format| format.name() == file.format)) {
        return None;
    }
    let rows = |reason: Reason| {
        let of_reason = dropped.iter().find(|drop| drop.reason == reason.name());
        of_reason.map_or(0, |drop| drop.rows)
    };
    let (others, other_eye) = (rows(Reason::NOT_A_FIXATION), rows(OTHER_EYE));
    let all = kept + others + other_eye;
    if all < FEWEST || kept as f64 >= USED * all as f64 {
        return None;
    }
    Some(phrase![
        format!(
            "{kept} of {all} rows are fixations that are used: {others} are said to be something else, and \
             {other_eye} are of the other eye: if they should not be left out, choose what says so with "
        ),
        Phrase::choice("kind", "COLUMN"),
        " or ",
        Setting::Eye
    ])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::import::RowPlace;

    #[test]
    fn tables_of_which_hardly_a_row_is_used_are_told() {
        let mut dropped = Drops::default();
        let place = RowPlace { file: 0, row: 2 };
        (0..60).for_each(|_| dropped.count(place, Reason::NOT_A_FIXATION, ""));
        (0..39).for_each(|_| dropped.count(place, OTHER_EYE, ""));
        let file = |format: Format| {
            vec![InputReport { format: format.name(), ..InputReport::new(Path::new("a")) }]
        };
        let told = warning(&file(Format::Table), &dropped, 1).map(|told| told.to_string());
        assert!(told.is_some_and(|told| told.starts_with("1 of 100 rows are fixations")));
        assert_eq!(warning(&file(Format::Table), &dropped, 40), None);
        assert_eq!(warning(&file(Format::Samples), &dropped, 1), None);
    }
}
