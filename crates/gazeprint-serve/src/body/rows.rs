//! Tables of a corpus as rows of JSON. They become the text of the same table, and go through the one reader of
//! tables: what is right and wrong about a table is decided there.

use std::fmt;
use std::marker::PhantomData;

use gazeprint_io::LooseTable;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use utoipa::ToSchema;

/// Rows of a table at most: half a day of reading. A row may take a hundred times the memory that it took to send.
const MOST_ROWS: usize = 200_000;

/// No more rows than may be.
#[derive(Debug)]
pub(crate) struct Rows<R>(pub(crate) Vec<R>);

impl<R> Default for Rows<R> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, R: Deserialize<'de>> Deserialize<'de> for Rows<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Counting<R>(PhantomData<R>);

        impl<'de, R: Deserialize<'de>> Visitor<'de> for Counting<R> {
            type Value = Rows<R>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of rows")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Rows<R>, A::Error> {
                let mut rows = Vec::new();
                while let Some(row) = list.next_element()? {
                    rows.push(row);
                    check_count(rows.len()).map_err(A::Error::custom)?;
                }
                Ok(Rows(rows))
            }
        }

        deserializer.deserialize_seq(Counting(PhantomData))
    }
}

/// Refuses more rows of a table than may be.
pub(crate) fn check_count(rows: usize) -> Result<(), String> {
    match rows <= MOST_ROWS {
        true => Ok(()),
        false => {
            Err(format!("found more than {MOST_ROWS} rows, expected fewer; send less at once"))
        }
    }
}

/// A fixation: a row of the table `fixations`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FixationRow {
    /// Who read; need not be said of a probe.
    reader: Option<String>,
    /// The text that was read.
    text: String,
    /// The line, from 1; may be left out where texts have one.
    line: Option<i32>,
    session: Option<String>,
    /// Tells repeated readings of a text apart.
    trial: Option<String>,
    /// Order within a reading; without it, the order of rows counts.
    fix_index: Option<i64>,
    /// Place on the line, in characters.
    x_char: Option<f64>,
    duration_ms: Option<f64>,
    onset_ms: Option<f64>,
    /// Whether signal was lost before.
    gap: Option<bool>,
    /// Place on the page, degrees; with `y_deg`, words need not be known.
    x_deg: Option<f64>,
    y_deg: Option<f64>,
    sac_dx_deg: Option<f64>,
    sac_dy_deg: Option<f64>,
    sac_duration_ms: Option<f64>,
    sac_peak_velocity: Option<f64>,
    sac_skew: Option<f64>,
    fix_sd_x_deg: Option<f64>,
    fix_sd_y_deg: Option<f64>,
    fix_drift_x: Option<f64>,
    fix_drift_y: Option<f64>,
}

/// A word: a row of the table `words`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WordRow {
    text: String,
    /// The line, from 1.
    line: Option<i32>,
    /// Running number in the text.
    word_index: u32,
    word: Option<String>,
    /// The first character, from 0.
    char_start: i32,
    /// One past the last character.
    char_end: i32,
}

/// What is known of a reading: a row of the table `trials`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrialRow {
    reader: Option<String>,
    text: String,
    session: Option<String>,
    trial: Option<String>,
    trial_order: Option<f64>,
    group: Option<String>,
}

/// A row that can be written as text.
pub(crate) trait Row {
    /// What the table is called.
    const TABLE: &'static str;
    const COLUMNS: &'static [&'static str];

    /// The cells, in the order of the columns; none where nothing is known.
    fn cells(&self) -> Vec<Option<String>>;
}

fn told<T: ToString>(value: &Option<T>) -> Option<String> {
    value.as_ref().map(T::to_string)
}

/// The names of fields, and the cells of them.
macro_rules! row {
    ($row:ident, $table:literal, [$($own:ident),*], [$($maybe:ident),*]) => {
        impl Row for $row {
            const TABLE: &'static str = $table;
            const COLUMNS: &'static [&'static str] =
                &[$(stringify!($own),)* $(stringify!($maybe),)*];

            fn cells(&self) -> Vec<Option<String>> {
                vec![$(Some(self.$own.to_string()),)* $(told(&self.$maybe),)*]
            }
        }
    };
}

row!(
    FixationRow,
    "fixations",
    [text],
    [
        reader,
        line,
        session,
        trial,
        fix_index,
        x_char,
        duration_ms,
        onset_ms,
        gap,
        x_deg,
        y_deg,
        sac_dx_deg,
        sac_dy_deg,
        sac_duration_ms,
        sac_peak_velocity,
        sac_skew,
        fix_sd_x_deg,
        fix_sd_y_deg,
        fix_drift_x,
        fix_drift_y
    ]
);
row!(WordRow, "words", [text, word_index, char_start, char_end], [line, word]);
row!(TrialRow, "trials", [text], [reader, session, trial, trial_order, group]);

/// The text of a table; columns that no row knows anything of are left out.
pub(crate) fn table<R: Row>(rows: &[R]) -> LooseTable {
    // Cells are made twice, not kept: there may be many more of them than were sent.
    let mut is_known = vec![false; R::COLUMNS.len()];
    for row in rows {
        for (is_known, cell) in is_known.iter_mut().zip(row.cells()) {
            *is_known |= cell.is_some();
        }
    }
    let known: Vec<usize> = (0..R::COLUMNS.len()).filter(|&column| is_known[column]).collect();
    // A first line that names the delimiter, whatever stands in the cells.
    let mut writer = csv::Writer::from_writer(b"sep=,\n".to_vec());
    let header: Vec<&str> = known.iter().map(|column| R::COLUMNS[*column]).collect();
    let mut write = |record: &[&str]| writer.write_record(record);
    let mut written = write(&header);
    for row in rows {
        let row = row.cells();
        let row: Vec<&str> = known.iter().map(|&c| row[c].as_deref().unwrap_or("")).collect();
        written = written.and_then(|()| write(&row));
    }
    let bytes = writer.into_inner().unwrap_or_default();
    // Writing to memory fails for records of differing lengths alone, which these are not.
    debug_assert!(written.is_ok(), "{written:?}");
    LooseTable { name: format!("{} (rows from 3 on)", R::TABLE), bytes }
}
