//! Files beside a recording: what they are called, and what the JSON ones say.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::super::detect::{Scale, ScreenParams};
use super::super::error::{At, ImportError};

/// Most bytes of a JSON file.
const LARGEST: u64 = 1 << 24;
/// Most parts of a file's name that files further up may leave out.
const MOST_ENTITIES: usize = 8;
/// Most columns of a recording.
const MOST_COLUMNS: usize = 4096;

/// Files that belong to a recording. Not all of them need be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideFiles {
    /// JSON files that describe the samples: at least one must be there. The most general is the
    /// first; what a later one says counts.
    pub samples: Vec<PathBuf>,
    /// The events: at most one is there.
    pub events: Vec<PathBuf>,
    /// JSON files that describe the events, in the same order.
    pub event_columns: Vec<PathBuf>,
    /// JSON files that may describe the screen, in the same order.
    pub stimulus: Vec<PathBuf>,
}

/// The name of a recording without its ending; `None` where it is not called like one.
pub(super) fn stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    name.strip_suffix(".gz").unwrap_or(name).strip_suffix("_physio.tsv")
}

/// The files that belong to a recording, by its name; `None` where it is not called like one.
pub fn side_files(path: &Path) -> Option<SideFiles> {
    let stem = stem(path)?;
    let folder = path.parent()?;
    let entities: Vec<&str> = stem.split('_').collect();
    let json = |suffix: &str| inherited(folder, &entities, suffix);
    Some(SideFiles {
        samples: json("physio.json"),
        events: ["tsv.gz", "tsv"]
            .map(|end| folder.join(format!("{stem}_physioevents.{end}")))
            .into(),
        event_columns: json("physioevents.json"),
        stimulus: json("events.json"),
    })
}

/// Files up to the folder of the data set whose names have no parts that the recording has not.
fn inherited(folder: &Path, entities: &[&str], suffix: &str) -> Vec<PathBuf> {
    let called = |path: &Path, start: &str| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(start))
    };
    // The data set is the folder that holds that of the reader.
    let height = folder.ancestors().take(4).position(|up| called(up, "sub-")).map_or(0, |i| i + 1);
    let mut folders: Vec<&Path> = folder.ancestors().take(height + 1).collect();
    folders.reverse();
    let mut parts: Vec<u32> = match entities.len() {
        0..=MOST_ENTITIES => (0..1 << entities.len()).collect(),
        _ => vec![u32::MAX],
    };
    parts.sort_by_key(|part| part.count_ones());
    let name = |part: u32| -> String {
        let taken = entities.iter().enumerate().filter(|(i, _)| part >> (i % 32) & 1 == 1);
        taken.map(|(_, entity)| format!("{entity}_")).chain([suffix.to_owned()]).collect()
    };
    folders.iter().flat_map(|up| parts.iter().map(|&part| up.join(name(part)))).collect()
}

/// A part of a file's name, such as the `01` of `sub-01`.
pub(super) fn entity<'n>(name: &'n str, key: &str) -> Option<&'n str> {
    let part = name.split('_').find_map(|part| part.strip_prefix(key)?.strip_prefix('-'))?;
    part.split('.').next().filter(|value| !value.is_empty())
}

/// What a JSON file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metadata(Map<String, Value>);

impl Metadata {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is no JSON object.
    pub fn read(input: &mut dyn BufRead) -> Result<Self, ImportError> {
        let mut text = String::new();
        input
            .take(LARGEST)
            .read_to_string(&mut text)
            .map_err(|error| ImportError::reading(1, error))?;
        serde_json::from_str(&text).map(Self).map_err(|error| {
            ImportError::value(
                At::row(error.line().max(1) as u64),
                format!("what is no JSON object: {error}"),
                "a JSON object with the metadata of the recording",
                "correct the file",
            )
        })
    }

    /// This, and what a file closer to the recording says, which counts where both say something.
    #[must_use]
    pub fn and_closer(mut self, closer: Self) -> Self {
        self.0.extend(closer.0);
        self
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str().map(str::trim)
    }

    pub(super) fn number(&self, key: &str) -> Option<f64> {
        let value = self.0.get(key)?;
        value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|n| n.is_finite())
    }

    /// What the numbers of a column are in.
    pub(super) fn units(&self, column: &str) -> Option<&str> {
        self.0.get(column)?.get("Units")?.as_str().map(str::trim)
    }

    /// The names of the columns; `what` has them.
    pub(super) fn columns(&self, what: &str) -> Result<Vec<String>, ImportError> {
        let names = self.0.get("Columns").and_then(Value::as_array).and_then(|names| {
            names.iter().map(|name| Some(name.as_str()?.trim().to_owned())).collect()
        });
        names
            .filter(|names: &Vec<String>| !names.is_empty() && names.len() <= MOST_COLUMNS)
            .ok_or_else(|| {
                ImportError::value(
                    At::row(1),
                    format!("a JSON file of the {what} without the names of columns"),
                    "Columns, a list of names, since the table has no header",
                    "add it to the JSON file",
                )
            })
    }

    /// The screen, where all of it is told.
    pub(super) fn screen(&self) -> Option<Scale> {
        let (width_px, height_px) = self.resolution()?;
        let (width, height) = self.stimulus_pair("ScreenSize")?;
        let distance = self.0.get("StimulusPresentation")?.get("ScreenDistance")?.as_f64()?;
        // The standard has metres.
        Scale::screen(ScreenParams {
            width_px,
            height_px,
            width_mm: width * 1000.0,
            height_mm: height * 1000.0,
            distance_mm: distance * 1000.0,
        })
        .ok()
    }

    /// Width and height of the screen in pixels.
    pub(super) fn resolution(&self) -> Option<(f64, f64)> {
        self.stimulus_pair("ScreenResolution")
            .filter(|(width, height)| *width > 0.0 && *height > 0.0)
    }

    /// From where positions count: words such as `top` and `left`.
    pub(super) fn origin(&self) -> Option<Vec<&str>> {
        let origin = self.0.get("StimulusPresentation")?.get("ScreenOrigin")?.as_array()?;
        origin.iter().map(Value::as_str).collect()
    }

    fn stimulus_pair(&self, key: &str) -> Option<(f64, f64)> {
        match self.0.get("StimulusPresentation")?.get(key)?.as_array()?.as_slice() {
            [first, second] => Some((first.as_f64()?, second.as_f64()?)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_a_recording_are_named() {
        let path =
            Path::new("data/sub-01/ses-2/beh/sub-01_ses-2_task-a_recording-eye1_physio.tsv.gz");
        let files = side_files(path).unwrap();
        let has = |files: &[PathBuf], path: &str| files.contains(&PathBuf::from(path));
        let beside = "data/sub-01/ses-2/beh/sub-01_ses-2_task-a_recording-eye1_physio";
        assert_eq!(files.samples.last().unwrap(), Path::new(&format!("{beside}.json")));
        assert!(has(&files.samples, "data/task-a_physio.json"));
        assert!(has(&files.samples, "data/sub-01/sub-01_task-a_physio.json"));
        assert!(!has(&files.samples, "task-a_physio.json"));
        assert_eq!(files.events[0], Path::new(&format!("{beside}events.tsv.gz")));
        assert!(has(&files.event_columns, &format!("{beside}events.json")));
        assert!(has(&files.stimulus, "data/sub-01/ses-2/beh/sub-01_ses-2_task-a_events.json"));
        assert_eq!(side_files(Path::new("fixations.csv")), None);
        assert!(side_files(Path::new("a_physio.tsv")).is_some());
        assert!(side_files(Path::new(&("a_".repeat(40) + "_physio.tsv"))).is_some());
    }

    #[test]
    fn parts_of_names_are_found() {
        let name = "sub-01_task-read_run-2_physio.tsv.gz";
        assert_eq!(entity(name, "sub"), Some("01"));
        assert_eq!(entity(name, "run"), Some("2"));
        assert_eq!(entity(name, "ses"), None);
        assert_eq!(entity("sub-a.tsv", "sub"), Some("a"));
    }

    #[test]
    fn closer_files_count() {
        let read = |text: &str| Metadata::read(&mut text.as_bytes()).unwrap();
        let both =
            read(r#"{"A": "1", "SamplingFrequency": "500"}"#).and_closer(read(r#"{"A": "2"}"#));
        assert_eq!((both.text("A"), both.number("SamplingFrequency")), (Some("2"), Some(500.0)));
        let error = Metadata::read(&mut &b"{\n\"a\": }"[..]).unwrap_err();
        assert_eq!(error.at().unwrap().row, 2);
    }
}
