//! The formats that recordings come in, and how they are told apart.

use std::path::Path;
use std::sync::Arc;

use super::aliases::plain;
use super::notes::{cells, is_comment};
use crate::table::declared_delimiter;

/// A format that recordings come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A table with column names, one row for each fixation.
    Table,
    /// A fixation report of SR Research Data Viewer.
    DataViewer,
    /// An EyeLink recording as text.
    Asc,
    /// A table with one row for each sample.
    Samples,
    /// A fixation sequence of the SWIFT model family.
    Swift,
    /// An event frame of pymovements.
    Pymovements,
    /// An export of Tobii Pro Lab.
    Tobii,
    /// A fixation report of popEye, or of MECO.
    PopEye,
    /// A recording of a BIDS data set.
    Bids,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 9] = [
        Self::Table,
        Self::DataViewer,
        Self::Asc,
        Self::Samples,
        Self::Swift,
        Self::Pymovements,
        Self::Tobii,
        Self::PopEye,
        Self::Bids,
    ];

    /// The name that reports have it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::DataViewer => "dataviewer",
            Self::Asc => "asc",
            Self::Samples => "samples",
            Self::Swift => "swift",
            Self::Pymovements => "pymovements",
            Self::Tobii => "tobii",
            Self::PopEye => "popeye",
            Self::Bids => "bids",
        }
    }

    /// The format of a file, going by its name and its start, with the reason.
    pub fn guess(path: &Path, start: &str) -> (Self, String) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if super::bids::side_files(path).is_some() {
            return (Self::Bids, format!("guessed: {name} is called like a recording of BIDS"));
        }
        if let Some(line) = start.lines().take(ASC_LINES).find(|line| is_asc(line)) {
            let shown: String = line.chars().take(30).collect();
            return (
                Self::Asc,
                format!("guessed: it has the line {shown:?} of an EyeLink recording"),
            );
        }
        let first = first_line(start);
        if is_sequence(first) {
            return (Self::Swift, "guessed: its first line is numbers without names".to_owned());
        }
        let names = column_names(first);
        let format = Signature::ALL.iter().find_map(|signature| signature.fits(&names));
        format.unwrap_or_else(|| {
            let count = names.len();
            (Self::Table, format!("guessed: its first line looks like {count} column names"))
        })
    }
}

/// The name of a file without its extensions.
pub(super) fn stem(path: &Path) -> Arc<str> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    stem.into()
}

/// The first line that is not blank, no comment, and declares no delimiter.
fn first_line(start: &str) -> &str {
    let mut lines = start.lines();
    let is_told = |line: &&str| {
        !line.trim().is_empty() && !is_comment(line) && declared_delimiter(line).is_none()
    };
    lines.find(is_told).unwrap_or_default()
}

/// The cells of the first line that is not blank, whatever stands between them.
pub(super) fn column_names(start: &str) -> Vec<String> {
    cells(first_line(start)).map(str::to_owned).collect()
}

/// Lines in which the marks of an EyeLink recording are looked for.
const ASC_LINES: usize = 40;

fn is_asc(line: &str) -> bool {
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

/// Sentence, word, letter, duration, perhaps saccade and flag, separated by blanks.
fn is_sequence(line: &str) -> bool {
    let cells: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_whole = |cell: &&str| cell.parse::<u32>().is_ok();
    (4..=6).contains(&cells.len())
        && cells[..2].iter().all(is_whole)
        && cells.iter().all(|cell| cell.parse::<f64>().is_ok_and(f64::is_finite))
}

/// Column names that tell a format.
struct Signature {
    format: Format,
    /// Of each set, at least one.
    all: &'static [&'static [&'static str]],
    /// None of these.
    none: &'static [&'static str],
}

/// What a fixation lasts, and a sample does not.
const LASTING: &[&str] =
    &["duration", "dur", "duration_ms", "fixation_duration", "CURRENT_FIX_DURATION", "fix_dur"];

impl Signature {
    const ALL: [Self; 5] = [
        Self {
            format: Format::DataViewer,
            all: &[&["CURRENT_FIX_DURATION"], &["CURRENT_FIX_X", "CURRENT_FIX_INTEREST_AREAS"]],
            none: &[],
        },
        Self {
            format: Format::Tobii,
            all: &[&["Eye movement type"], &["Eye movement type index"]],
            none: &[],
        },
        Self {
            format: Format::PopEye,
            all: &[
                &["subid", "uniform_id"],
                &["fixid"],
                &["dur"],
                &["line.let", "letternum", "xn"],
            ],
            none: &[],
        },
        Self {
            format: Format::Pymovements,
            all: &[&["name"], &["onset"], &["offset"], &["location", "location_x"]],
            // Frames of gazeprint say the character as well, and are tables of it.
            none: &["x_char"],
        },
        Self {
            format: Format::Samples,
            all: &[
                &["time", "time_ms", "time_s", "time_us", "timestamp", "timestamp_ms", "t", "n"],
                &[
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
                    "x_deg",
                    "x_dva",
                    "gaze_x",
                ],
            ],
            none: LASTING,
        },
    ];

    fn fits(&self, names: &[String]) -> Option<(Format, String)> {
        let find = |known: &&str| names.iter().find(|name| plain(name) == plain(known));
        if self.none.iter().any(|known| find(known).is_some()) {
            return None;
        }
        let found: Option<Vec<&str>> =
            self.all.iter().map(|set| set.iter().find_map(&find).map(String::as_str)).collect();
        Some((self.format, format!("guessed: it has the columns {}", found?.join(", "))))
    }
}

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
            (Format::Pymovements, "e.csv", "subject_id,text_id,name,onset,offset,location\n"),
            (
                Format::Tobii,
                "t.tsv",
                "Recording timestamp\tEye movement type\tEye movement type index\n",
            ),
            (Format::PopEye, "f.csv", "\"subid\",\"trialid\",\"fixid\",\"dur\",\"line.let\"\n"),
            (Format::Bids, "sub-1_task-a_physio.tsv.gz", "1\t2\t3\n"),
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
