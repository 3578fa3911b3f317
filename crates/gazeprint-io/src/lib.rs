//! Reads and writes corpora: folders of tables that say who read what, and how. And tables of splits:
//! which of these readings train and which test ([`Assignment`](gazeprint::assignment::Assignment)). And files of what was learned from
//! all readers of a corpus together ([`PopulationFile`]). [`import`] brings in what other tools recorded.
//!
//! | table | columns (`?`: may be left out) |
//! |---|---|
//! | `fixations` | `reader, text, line?, session?, trial?, fix_index?, x_char, duration_ms, onset_ms?, gap?`, and what was measured |
//! | `words` | `text, line?, word_index, word?, char_start, char_end` |
//! | `trials`, itself optional | `reader, text, session?, trial?, trial_order?, group?` |
//! | `splits`, no part of a corpus | `split, reader, text, session?, trial?, role` |
//!
//! Tables are text with any kind of line end: UTF-8 or UTF-16 with or without a byte-order mark, or
//! Windows-1252; packed with gzip or not. Commas, tabs, semicolons or vertical bars stand between
//! cells: those that cut the first rows into most cells, or the one that a first line such as `sep=;`
//! names, as spreadsheets write it. Column names are matched without regard to case,
//! their order does not matter, and further columns are ignored. Blanks around names and numbers do
//! not count. Cells may be quoted, in TSV too, but none may hold a line break: that is what a stray
//! quotation mark looks like.
//!
//! With the feature `columnar`, tables may also be Parquet or Arrow IPC. They are read as the CSV of the same table
//! would be, and rows are numbered as there: the first is that of the column names.
//!
//! [`read_corpus_with_notes`] also tells what it accepted but finds odd.
//!
//! * A cell that is empty, `NA`, `NaN`, `nan` or `.` is missing. In `line`, `x_char`,
//!   `duration_ms` and `onset_ms` of a fixation that is a missing value, in `gap` it means no gap,
//!   in `trial_order` and `group` it means not known; elsewhere it is an error. A `word` is
//!   missing only where its cell is empty, since `NA` and `.` may be words.
//! * Without a column `line` in `words` every line is 1. Without one in `fixations`, they are on the
//!   only line of their text; where a text has several, that is an error. Without `session` or
//!   `trial` those are `1`.
//! * What was measured are `x_deg, y_deg`, the place on the page, and the values of
//!   [`Kinematics`](gazeprint::kinematics::Kinematics): `sac_dx_deg`, `sac_dy_deg`, `sac_duration_ms`,
//!   `sac_peak_velocity`, `sac_skew`, `fix_sd_x_deg`, `fix_sd_y_deg`, `fix_drift_x`, `fix_drift_y`.
//!   Each may be left out, but a place has both parts. With places, a text without words is a page
//!   whose words are unknown, as long as its rows have no `x_char`; then neither `words` nor `x_char`
//!   need be there.
//! * Fixations of one reading are ordered by `fix_index`, or else by their order in the file.
//!   Rows of one reading need not follow each other.
//! * Texts come in the order of `words`, readers and readings in the order of `fixations`. A text
//!   that nobody read is kept. A row of `trials` without fixations is counted and ignored, except
//!   that the group it gives to a text holds.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! std::fs::write(folder.join("words.csv"), "text,word_index,char_start,char_end\ns1,1,0,3\n")?;
//! std::fs::write(folder.join("fixations.csv"), "reader,text,x_char,duration_ms\nr1,s1,1.5,212\n")?;
//! let corpus = gazeprint_io::read_corpus(folder)?;
//! assert_eq!(corpus.readers(), ["r1"]);
//! # Ok(())
//! # }
//! ```

mod built_in;
mod cell;
mod columnar;
mod columns;
mod corpus_table;
mod error;
mod export;
mod files;
mod frame;
pub mod import;
mod inputs;
mod measured;
mod notes;
mod packed;
mod people;
mod population;
mod private;
mod read;
mod results;
mod saccades;
mod splits;
mod table;
mod write;

pub use built_in::{BuiltIn, Origin};
#[cfg(feature = "columnar")]
pub use columnar::{Rows, frame_as_text};
pub use error::{Place, ReadError, WriteError};
pub use export::{FRAMES, write_frames};
pub use frame::{Frame, TableFormat, harmless};
pub use inputs::write_inputs;
pub use notes::{Notes, Oddity};
pub use packed::{PackedError, pack_corpus, unpack_corpus};
pub use people::{PeopleFileError, known_readings, read_people, reading_digests, write_people};
pub use population::{
    PopulationError, PopulationFile, Provenance, check_population_path, read_population,
    write_population,
};
#[cfg(feature = "columnar")]
pub use read::{Frames, read_frames, read_probe_frames};
pub use read::{
    LooseTable, LooseTables, LooseWords, UNNAMED_READER, has_pages_without_words, read_corpus,
    read_corpus_with_notes, read_probe, read_probe_from, read_texts,
};
pub use results::{check_files, check_format, check_tables, put_files, put_tables};
pub use saccades::{SACCADES, saccades, write_saccades};
#[cfg(feature = "columnar")]
pub use splits::read_splits_frame;
pub use splits::{read_splits, write_splits};
pub use write::{corpus_tables, write_corpus, write_corpus_as};
