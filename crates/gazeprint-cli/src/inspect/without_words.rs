//! A recording without words, for people.

use std::fmt::Write;
use std::path::Path;

use gazeprint_io::import::WithoutWords;
use gazeprint_report::number::grouped;

use super::words::{plural, visible, wrapped};

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
    if as_json {
        let value = serde_json::json!({
            "recording": recording, "has_words": false, "missing": missing,
        });
        return Ok(serde_json::to_string_pretty(&value)? + "\n");
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
    Ok(out)
}
