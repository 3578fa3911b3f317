//! The formats that recordings come in, and how they are told apart.

use std::path::Path;
use std::sync::Arc;

use super::aliases::plain;
use super::notes::{cells, lines_before};
use super::run::parser::{self, Parse};
use super::values::composed;
use crate::table::SAMPLE;

/// Makes the formats of one table. A format without an entry cannot be.
macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident => $entry:expr;)+) => {
        /// A format that recordings come in.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Format {
            $($(#[$doc])* $format,)+
        }

        impl Format {
            /// All formats, in the order in which they are recognised.
            pub const ALL: &'static [Self] = &[$(Self::$format),+];

            const fn entry(self) -> Entry {
                match self {
                    $(Self::$format => $entry,)+
                }
            }
        }
    };
}

/// What there is to know of a format.
struct Entry {
    name: &'static str,
    /// Why a file is in this format; `None` where it is not.
    signature: fn(&FileStart<'_>) -> Option<String>,
    parse: Parse,
}

formats! {
    /// A recording of a BIDS data set.
    Bids => Entry { name: "bids", signature: is_bids, parse: parser::bids };
    /// An EyeLink recording as text.
    Asc => Entry { name: "asc", signature: is_asc, parse: parser::asc };
    /// A file of EyeDoctor or Robodoc.
    Da1 => Entry { name: "da1", signature: is_da1, parse: parser::da1 };
    /// A fixation sequence of the SWIFT model family.
    Swift => Entry { name: "swift", signature: is_swift, parse: parser::swift };
    /// A fixation report of SR Research Data Viewer.
    DataViewer => Entry {
        name: "dataviewer",
        signature: |file| file.has(
            &[&["CURRENT_FIX_DURATION"], &["CURRENT_FIX_X", "CURRENT_FIX_INTEREST_AREAS"]],
            &[],
        ),
        parse: parser::data_viewer,
    };
    /// An export of Tobii Pro Lab, or of Tobii Studio.
    Tobii => Entry {
        name: "tobii",
        signature: |file| file.has(
            &[
                &["Eye movement type", "GazeEventType"],
                &["Eye movement type index", "FixationIndex"],
            ],
            &[],
        ),
        parse: parser::tobii,
    };
    /// A fixation report of popEye, or of MECO.
    PopEye => Entry {
        name: "popeye",
        signature: |file| file.has(
            &[&["subid", "uniform_id"], &["fixid"], &["dur"], &["line.let", "letternum", "xn"]],
            &[],
        ),
        parse: parser::popeye,
    };
    /// An event frame of pymovements.
    Pymovements => Entry {
        name: "pymovements",
        // Frames of gazeprint say the character as well, and are tables of it.
        signature: |file| file.has(
            &[&["name"], &["onset"], &["offset", "duration"], &["location", "location_x"]],
            &["x_char"],
        ),
        parse: parser::pymovements,
    };
    /// JSON, as eyekit, jsPsych and others write it.
    Json => Entry { name: "json", signature: is_json, parse: parser::json };
    /// A table with one row for each sample.
    Samples => Entry {
        name: "samples",
        signature: |file| file.has(&[TIMES, PLACES], LASTING),
        parse: parser::samples,
    };
    /// A table with column names, one row for each fixation.
    Table => Entry { name: "table", signature: is_table, parse: parser::table };
}

impl Format {
    /// The name that reports have it by.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// The format of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// Whether a column is read that has no role: saccades of Data Viewer, the gaze of Tobii.
    pub(super) fn reads(self, column: &str) -> bool {
        let column = plain(column);
        match self {
            Self::DataViewer => column.starts_with("previoussac"),
            Self::Tobii => column.starts_with("gazepoint"),
            _ => false,
        }
    }

    /// What reads it.
    pub(super) fn parse(self) -> Parse {
        self.entry().parse
    }

    /// The format of a file, going by its name and its start, with the reason.
    pub fn guess(path: &Path, start: &str) -> (Self, String) {
        let first = first_line(start);
        let columns = cells(first).into_iter().map(str::to_owned).collect();
        let file = FileStart { path, text: start, first, columns };
        let fits = |&format: &Self| Some((format, (format.entry().signature)(&file)?));
        let (format, reason) =
            Self::ALL.iter().find_map(fits).unwrap_or_else(|| (Self::Table, String::new()));
        (format, format!("guessed: {reason}"))
    }
}

/// The name and the first lines of a file.
struct FileStart<'f> {
    path: &'f Path,
    text: &'f str,
    /// The line of the column names, where there are any.
    first: &'f str,
    columns: Vec<String>,
}

impl FileStart<'_> {
    /// Whether there is a column of each of these sets, and none of the others.
    fn has(&self, all: &[&[&str]], none: &[&str]) -> Option<String> {
        let find = |known: &&str| self.columns.iter().find(|name| plain(name) == plain(known));
        if none.iter().any(|known| find(known).is_some()) {
            return None;
        }
        let found: Option<Vec<&str>> =
            all.iter().map(|set| set.iter().find_map(find).map(String::as_str)).collect();
        Some(format!("it has the columns {}", found?.join(", ")))
    }
}

fn is_bids(file: &FileStart<'_>) -> Option<String> {
    super::bids::side_files(file.path)?;
    let name = file.path.file_name().unwrap_or_default().to_string_lossy();
    Some(format!("{name} is called like a recording of BIDS"))
}

fn is_asc(file: &FileStart<'_>) -> Option<String> {
    let line = file.text.lines().take(ASC_LINES).find(|line| is_line_of_asc(line))?;
    let shown: String = line.chars().take(30).collect();
    Some(format!("it has the line {shown:?} of an EyeLink recording"))
}

fn is_swift(file: &FileStart<'_>) -> Option<String> {
    is_sequence(file.first).then(|| "its first line is numbers without names".to_owned())
}

fn is_da1(file: &FileStart<'_>) -> Option<String> {
    super::da1::is_trial(file.first)
        .then(|| "its first line is a trial of whole numbers, four for each fixation".to_owned())
}

/// Not every bracket begins JSON: sections of other files are named in them.
fn is_json(file: &FileStart<'_>) -> Option<String> {
    let text = file.text.trim_start_matches('\u{feff}').trim_start();
    let mut signs = text.chars().filter(|c| !c.is_whitespace());
    let is_it = match (signs.next()?, signs.next()?) {
        ('{', next) => matches!(next, '"' | '}'),
        ('[', next) => matches!(next, '{' | '[' | ']'),
        _ => false,
    };
    is_it.then(|| "it begins as JSON does".to_owned())
}

fn is_table(file: &FileStart<'_>) -> Option<String> {
    Some(format!("its first line looks like {} column names", file.columns.len()))
}

/// The name of a file without its extensions.
pub(super) fn stem(path: &Path) -> Arc<str> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    composed(&stem).into()
}

/// The line of the column names, where there are any.
fn first_line(start: &str) -> &str {
    // As many as are looked at when the table is opened.
    let lines: Vec<&str> = start.lines().take(SAMPLE).collect();
    lines.get(lines_before(&lines)).copied().unwrap_or_default()
}

/// The names in the line of the column names, whatever stands between them.
pub(super) fn column_names(start: &str) -> Vec<String> {
    cells(first_line(start)).into_iter().map(str::to_owned).collect()
}

/// Lines in which the marks of an EyeLink recording are looked for.
const ASC_LINES: usize = 40;

fn is_line_of_asc(line: &str) -> bool {
    let mut parts = line.split_ascii_whitespace();
    let Some(first) = parts.next() else { return false };
    let is_time = |part: Option<&str>| part.is_some_and(|p| p.parse::<f64>().is_ok());
    match first {
        "**" => line.to_ascii_lowercase().contains("edf"),
        "MSG" | "START" => is_time(parts.next()),
        "SFIX" | "EFIX" | "SSACC" | "ESACC" => {
            matches!(parts.next(), Some("L" | "R")) && is_time(parts.next())
        }
        _ => false,
    }
}

/// Sentence, word, letter, duration, perhaps saccade, flag and more, separated by blanks.
fn is_sequence(line: &str) -> bool {
    let cells: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_whole = |cell: &&str| cell.parse::<u32>().is_ok();
    (4..=super::swift::MOST_CELLS).contains(&cells.len())
        && cells[..2].iter().all(is_whole)
        && cells.iter().all(|cell| cell.parse::<f64>().is_ok_and(f64::is_finite))
}

/// What a fixation lasts, and a sample does not.
const LASTING: &[&str] =
    &["duration", "dur", "duration_ms", "fixation_duration", "CURRENT_FIX_DURATION", "fix_dur"];

/// When a sample was taken.
const TIMES: &[&str] = &[
    "time",
    "time_ms",
    "time_s",
    "time_us",
    "time_ns",
    "timestamp",
    "timestamp_ms",
    "timestamp [ns]",
    "gaze_timestamp",
    "t",
    "n",
    "sample",
];

/// Where the eye was at that time.
const PLACES: &[&str] = &[
    "x",
    "pixel",
    "position",
    "pixel_x",
    "pixel_xr",
    "pixel_xl",
    "position_x",
    "position_xr",
    "position_xl",
    "x_px",
    "x_pix",
    "x_left_pix",
    "x_right_pix",
    "x_left",
    "x_right",
    "left_x",
    "right_x",
    "gaze_left_x",
    "gaze_right_x",
    "x_deg",
    "x_dva",
    "x_degree",
    "gaze_x",
    "gaze x [px]",
    "norm_pos_x",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(name: &str, start: &str) -> Format {
        Format::guess(Path::new(name), start).0
    }

    #[test]
    fn formats_are_known_by_their_first_lines() {
        for (format, name, start) in [
            (Format::Table, "a.csv", "reader,text,x_char,duration_ms\na,1,2,3\n"),
            (Format::Table, "a.csv", "subject,item,x,time,duration\n"),
            (
                Format::DataViewer,
                "a.txt",
                "\"RECORDING_SESSION_LABEL\"\tCURRENT_FIX_DURATION\tCURRENT_FIX_X\n",
            ),
            (Format::Asc, "a.txt", "** CONVERTED FROM x.edf using edfapi\n** DATE\n"),
            (Format::Asc, "a.txt", "\n\nMSG\t2154085 !CAL\nSTART\t10000018\n"),
            (Format::Samples, "S_1001_S1_TEX.csv", "n,x,y,val,xT,yT,dP,lab\n1,0,0,0,0,0,0,0\n"),
            (Format::Samples, "a.csv", "time;pixel\n0;[1, 2]\n"),
            (Format::Samples, "a.csv", "sep=;\ntime;pixel\n0;[1, 2]\n"),
            (Format::Swift, "fixseqin_1.dat", "1\t1\t1.5\t200\t20\t1\n"),
            (Format::Swift, "fixseqin_1.dat", "1 2 4.19 175 7 1 0 0 1 10\n"),
            (Format::Da1, "s1.da1", "1 2 3 1900 0 0 0 2 4 0 10 210 9 0 240 455\n"),
            (Format::Tobii, "s.tsv", "RecordingTimestamp\tFixationIndex\tGazeEventType\n"),
            (
                Format::Table,
                "all.tsv",
                "System Properties:\nOperating System:\tX\n\nData Properties:\nParticipant:\tP1\n\n\
                 Timestamp\tFixationIndex\tFixationDuration\tMappedFixationPointX\n",
            ),
            (Format::Samples, "b.txt", "\"time\" \"x_px\" \"y_px\"\n\"1\" 0 1 2\n"),
            (Format::Pymovements, "e.csv", "subject_id,text_id,name,onset,offset,location\n"),
            (Format::Pymovements, "e.csv", "subject_id,text_id,name,onset,duration,location\n"),
            (
                Format::Tobii,
                "t.tsv",
                "Recording timestamp\tEye movement type\tEye movement type index\n",
            ),
            (Format::PopEye, "f.csv", "\"subid\",\"trialid\",\"fixid\",\"dur\",\"line.let\"\n"),
            (Format::Bids, "sub-1_task-a_physio.tsv.gz", "1\t2\t3\n"),
            (Format::Json, "a.json", " {\"trial_0\": {}}"),
            (Format::Table, "a.txt", "[iView]\nSubject:\tP1\n"),
            (Format::Table, "", ""),
        ] {
            assert_eq!(guessed(name, start), format, "{name} {start:?}");
        }
    }

    #[test]
    fn a_line_that_names_the_delimiter_has_no_column_names() {
        assert_eq!(column_names("\u{feff}sep=;\r\n\r\nreader;\"text\"\r\n"), ["reader", "text"]);
        assert_eq!(column_names("SEP=\t\na\tb\n"), ["a", "b"]);
    }

    #[test]
    fn a_stem_has_no_extension() {
        assert_eq!(&*stem(Path::new("a/anna.1.csv.gz")), "anna.1");
        assert_eq!(&*stem(Path::new("anna")), "anna");
    }

    #[test]
    fn a_table_that_speaks_of_messages_is_no_recording() {
        assert_eq!(guessed("a.csv", "reader,text,x,dur\nMSG,START,1,2\n"), Format::Table);
    }
}
