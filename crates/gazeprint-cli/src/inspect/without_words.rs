//! A recording without words, for people.

use std::fmt::Write;
use std::path::Path;

use gazeprint_eval::summary::{Look, PlaceUnit, Warning, implausible};
use gazeprint_io::import::{Position, RawFixation, RawReading, WithoutWords};
use gazeprint_report::number::grouped;

use super::words::{plural, visible, wrapped};

/// What does not look like reading in fixations that are on no words; `screen` is the size of the screen
/// that the readings of a file were recorded on, in pixels, where that is known.
pub(crate) fn unlike_reading(
    readings: &[RawReading],
    screen: &dyn Fn(usize) -> Option<(f64, f64)>,
) -> Vec<Warning> {
    let all = || readings.iter().flat_map(|reading| &reading.fixations);
    let has = |is_it: fn(&RawFixation) -> bool| all().any(is_it);
    let unit = if has(|f| matches!(f.position, Position::Pixels { .. })) {
        PlaceUnit::Pixels
    } else if has(|f| matches!(f.position, Position::Chars { .. })) {
        PlaceUnit::Characters
    } else {
        PlaceUnit::Degrees
    };
    let look = |fixation: &RawFixation, screen: Option<(f64, f64)>| {
        Look {
        place: match fixation.position {
            Position::Pixels { x, y } => Some([x, y]),
            Position::Chars { x, line } => Some([x, f64::from(line)]),
            Position::OffLines { x } => Some([x, 0.0]),
            _ => fixation.place.map(|place| place.map(f64::from)),
        },
        duration: fixation.duration_ms,
        onset: fixation.onset_ms,
        // Places that follow from degrees may count from the middle.
        is_off: fixation.place.is_none()
            && matches!(fixation.position, Position::Pixels { x, y } if x < 0.0 || y < 0.0),
        is_beyond: screen.map(|(width, height)| {
            matches!(fixation.position, Position::Pixels { x, y } if x > width || y > height)
        }),
    }
    };
    let named = readings.iter().map(|reading| {
        let reader = reading.fixations.first().map_or("", |fixation| &*fixation.reader);
        let screen = screen(reading.place.file);
        (reader, reading.fixations.iter().map(move |fixation| look(fixation, screen)))
    });
    implausible(named, unit, true)
}

/// What is in a recording without words, and what it lacks.
pub(super) fn described(
    folder: &Path,
    recording: &WithoutWords,
    as_json: bool,
) -> anyhow::Result<String> {
    let unit = if recording.in_pixels { "pixels (x_px, y_px)" } else { "characters (x_char)" };
    let missing = [
        "words.csv: which words the texts have, and where",
        "x_char: positions in characters, which follow from pixels and words",
    ];
    let missing = if recording.in_pixels { &missing[..] } else { &missing[..1] };
    let warnings = Warning::messages(&unlike_reading(&recording.fixations_by_reading, &|_| None));
    if as_json {
        let value = serde_json::json!({
            "recording": recording, "has_words": false, "missing": missing, "warnings": warnings,
        });
        return Ok(crate::words::json(&value)?);
    }
    let mut out = String::new();
    writeln!(
        out,
        "{}: {}, {}, {}, {}",
        visible(&folder.display().to_string()),
        plural(recording.readers, "reader"),
        plural(recording.texts, "text"),
        plural(recording.readings, "reading"),
        plural(recording.fixations, "fixation"),
    )?;
    writeln!(out, "  positions in {unit}, {} missing", grouped(recording.without_position))?;
    if let Some(mean) = recording.mean_duration_ms {
        let missing = grouped(recording.without_duration);
        writeln!(out, "  mean duration {mean:.0} ms, {missing} missing")?;
    }
    writeln!(out, "\nmissing, so that nothing can be scored:")?;
    for what in missing {
        writeln!(out, "  {what}")?;
    }
    out.push_str(&wrapped("Import the recording again with --words FILE."));
    if !warnings.is_empty() {
        out.push('\n');
    }
    for warning in warnings {
        out.push_str(&wrapped(&format!("warning: {warning}")));
    }
    Ok(out)
}
