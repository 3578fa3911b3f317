//! JSON as a table: what is in a list becomes rows, what stands around it columns.
//!
//! | from | what |
//! |---|---|
//! | [eyekit](https://jwcarr.github.io/eyekit/) | `__FixationSequence__`, a list of `x, y, start, end`, or of `x, y, duration` in versions before 0.3; the rest of a trial is free |
//! | [jsPsych](https://www.jspsych.org) with WebGazer | `webgazer_data` of a trial, a list of `x, y, t` |
//! | others | a list of objects, one for each row; or an object of lists, one for each column |
//!
//! Objects may be in lists or under names, in one document or one a line. The table is then read as one of
//! fixations or of samples would be.

use std::collections::HashMap;
use std::io::{BufRead, Read};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::error::{At, ImportError};

/// Most bytes of a file.
const MOST: u64 = 1 << 28;
/// Most characters of a cell: experiments keep whole pages in theirs.
const LONGEST: usize = 120;

/// Keys whose lists are the recording, whatever stands beside them.
const RECORDINGS: [&str; 4] = ["__FixationSequence__", "fixations", "webgazer_data", "samples"];

/// What eyekit has in a list, by its length.
const POSITIONS: [&[&str]; 3] = [
    &["x_px", "y_px", "duration_ms"],
    &["x_px", "y_px", "start_ms", "end_ms"],
    &["x_px", "y_px", "start_ms", "end_ms", "pupil_size"],
];

/// What keys mean below those of a tool.
const MEANINGS: [(&str, &[(&str, &str)]); 2] = [
    (
        "__FixationSequence__",
        &[("x", "x_px"), ("y", "y_px"), ("start", "start_ms"), ("end", "end_ms")],
    ),
    ("webgazer_data", &[("x", "x_px"), ("y", "y_px"), ("t", "time_ms")]),
];

/// The table of a document.
#[derive(Debug, Default)]
pub struct Table {
    /// As CSV.
    pub text: String,
    /// Its rows.
    pub rows: usize,
    /// Objects without a recording, where others have one.
    pub others: usize,
    /// Fixations that eyekit was told to leave out.
    pub discarded: usize,
}

/// Reads a document.
///
/// # Errors
/// If it is no JSON, too large, or has no list of objects.
pub fn table(input: &mut dyn BufRead) -> Result<Table, ImportError> {
    let mut bytes = Vec::new();
    let read = input.take(MOST + 1).read_to_end(&mut bytes);
    read.map_err(|error| ImportError::reading(1, error))?;
    if bytes.len() as u64 > MOST {
        return Err(refused(1, format!("more than {} MB", MOST >> 20), "less"));
    }
    let mut records = Records::default();
    for document in serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>() {
        let document = document.map_err(|error| {
            let found = format!("what is no JSON: {error}");
            refused(error.line().max(1) as u64, found, "a list of objects, or objects under names")
        })?;
        records.walk(&document, None, &[], 0);
    }
    records.finish()
}

fn refused(row: u64, found: String, expected: &'static str) -> ImportError {
    ImportError::value(
        At::row(row),
        found,
        expected,
        "write it as a table, in Python with pandas.read_json(FILE).to_csv(FILE.csv, index=False)",
    )
}

/// The error about a document whose names are known for nothing.
pub(super) fn unknown(names: &[String]) -> ImportError {
    let found = format!("JSON with the names {}, of which none is known", names.join(", "));
    refused(1, found, "names such as x, y and duration")
}

/// What stands around an object, by column.
type Context = [(usize, String)];

#[derive(Default)]
struct Records {
    columns: Vec<String>,
    places: HashMap<String, usize>,
    /// Rows with how deep in the document they are.
    rows: Vec<(usize, Vec<(usize, String)>)>,
    discarded: usize,
}

impl Records {
    fn column(&mut self, name: &str) -> usize {
        *self.places.entry(name.to_owned()).or_insert_with(|| {
            self.columns.push(name.to_owned());
            self.columns.len() - 1
        })
    }

    /// Goes down a document; `key` is that which the value is under.
    fn walk(&mut self, value: &Value, key: Option<&str>, around: &Context, depth: usize) {
        match value {
            Value::Array(items) => {
                for item in items {
                    match item {
                        Value::Array(_) if key == Some(RECORDINGS[0]) => {
                            self.position(item, around, depth + 1);
                        }
                        Value::Array(_) | Value::Object(_) => {
                            self.walk(item, key, around, depth + 1);
                        }
                        _ => {}
                    }
                }
            }
            Value::Object(map) => self.object(map, key, around, depth),
            _ => {}
        }
    }

    fn object(
        &mut self,
        map: &Map<String, Value>,
        key: Option<&str>,
        around: &Context,
        depth: usize,
    ) {
        if map.get("discarded").and_then(Value::as_bool) == Some(true) && key == Some(RECORDINGS[0])
        {
            self.discarded += 1;
            return;
        }
        let meanings = MEANINGS.iter().find(|(tool, _)| Some(*tool) == key);
        let meaning = |name: &str| {
            let known =
                meanings.and_then(|(_, names)| names.iter().find(|(from, _)| *from == name));
            known.map_or_else(|| name.to_owned(), |(_, to)| (*to).to_owned())
        };
        let recording = RECORDINGS.iter().find(|name| map.get(**name).is_some_and(is_nested));
        let mut row = around.to_vec();
        let mut lists = Vec::new();
        let mut below = Vec::new();
        for (name, value) in map {
            match value {
                Value::Object(_) | Value::Array(_) if is_nested(value) => {
                    if recording.is_none_or(|recording| recording == name) {
                        below.push((name, value));
                    }
                }
                Value::Array(items) if items.len() > 1 => lists.push((name, items)),
                _ => {
                    let column = self.column(&meaning(name));
                    put(&mut row, column, cell(value));
                }
            }
        }
        // Lists of one length are columns; a place is a list as well, and is a cell.
        let length = lists.first().map_or(0, |(_, items)| items.len());
        let are_columns = lists.len() > 2 && lists.iter().all(|(_, items)| items.len() == length);
        if below.is_empty() && are_columns {
            for at in 0..length {
                let mut row = row.clone();
                for (name, items) in &lists {
                    let column = self.column(name);
                    put(&mut row, column, cell(&items[at]));
                }
                self.rows.push((depth + 1, row));
            }
            return;
        }
        for (name, items) in lists {
            let column = self.column(name);
            let items: Vec<String> = items.iter().map(cell).collect();
            put(&mut row, column, format!("[{}]", items.join(", ")));
        }
        if below.is_empty() {
            self.rows.push((depth, row));
            return;
        }
        // Where there is nothing but objects under names, the names are those of trials.
        let is_named = map.len() == below.len() && recording.is_none();
        for (name, value) in below {
            let mut row = row.clone();
            if is_named {
                let column = self.column("trial");
                put(&mut row, column, short(name));
            }
            self.walk(value, Some(name), &row, depth + 1);
        }
    }

    /// A fixation of eyekit that is a list.
    fn position(&mut self, item: &Value, around: &Context, depth: usize) {
        let Value::Array(numbers) = item else { return };
        let names = POSITIONS.iter().find(|names| names.len() == numbers.len());
        let mut row = around.to_vec();
        for (name, number) in names.into_iter().flat_map(|names| names.iter()).zip(numbers) {
            let column = self.column(name);
            put(&mut row, column, cell(number));
        }
        self.rows.push((depth, row));
    }

    /// The table of what is deepest: trials without a recording are less deep.
    fn finish(self) -> Result<Table, ImportError> {
        let deepest = self.rows.iter().map(|(depth, _)| *depth).max();
        let rows: Vec<_> = self
            .rows
            .iter()
            .filter(|(depth, _)| Some(*depth) == deepest)
            .map(|(_, row)| row)
            .collect();
        // Columns of other objects than these are none.
        let mut used = vec![false; self.columns.len()];
        rows.iter().flat_map(|row| row.iter()).for_each(|(column, _)| used[*column] = true);
        let columns: Vec<usize> = (0..used.len()).filter(|column| used[*column]).collect();
        if columns.len() < 2 {
            let found = format!("{} objects with fewer than two values each", rows.len());
            return Err(refused(1, found, "a list of objects, one for each fixation or sample"));
        }
        let mut text = String::new();
        let names = columns.iter().map(|&column| self.columns[column].as_str());
        push_row(names, &mut text);
        let mut cells = vec![""; used.len()];
        for row in &rows {
            cells.fill("");
            row.iter().for_each(|(column, cell)| cells[*column] = cell);
            push_row(columns.iter().map(|&column| cells[column]), &mut text);
        }
        let others = self.rows.len() - rows.len();
        Ok(Table { text, rows: rows.len(), others, discarded: self.discarded })
    }
}

/// Whether objects, or lists of lists, are in a value.
fn is_nested(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => {
            items.iter().any(|item| matches!(item, Value::Object(_) | Value::Array(_)))
        }
        _ => false,
    }
}

fn put(row: &mut Vec<(usize, String)>, column: usize, cell: String) {
    match row.iter_mut().find(|(taken, _)| *taken == column) {
        Some((_, taken)) => *taken = cell,
        None => row.push((column, cell)),
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
        Value::String(text) => short(text),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Long texts are cut, and told apart by a number made of the whole.
fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => {
            let digest = Sha256::digest(text.as_bytes());
            let number: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            format!("{}... {number}", &text[..end])
        }
    }
}

fn push_row<'c>(cells: impl Iterator<Item = &'c str>, text: &mut String) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            text.push(',');
        }
        if cell.contains([',', '"', '\n', '\r', '\t', ';', '|']) {
            // Line breaks in a cell count as rows elsewhere.
            text.push('"');
            text.push_str(&cell.replace('"', "\"\"").replace(['\n', '\r'], " "));
            text.push('"');
        } else {
            text.push_str(cell);
        }
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> String {
        table(&mut json.as_bytes()).unwrap().text
    }

    #[test]
    fn eyekit_keeps_fixations_in_trials() {
        let json = r#"{
            "trial_0": {"participant_id": "John", "passage_id": "a", "fixations":
                {"__FixationSequence__": [{"x": 412, "y": 142, "start": 770, "end": 900},
                    {"x": 1, "y": 2, "start": 3, "end": 4, "discarded": true}]}},
            "trial_1": {"participant_id": "Mary", "passage_id": "b", "fixations":
                {"__FixationSequence__": [[368, 146, 7, 197], [431.5, 154, 415, 660]]}}}"#;
        let found = table(&mut json.as_bytes()).unwrap();
        assert_eq!(
            found.text,
            "trial,participant_id,passage_id,end_ms,start_ms,x_px,y_px\n\
             trial_0,John,a,900,770,412,142\ntrial_1,Mary,b,197,7,368,146\n\
             trial_1,Mary,b,660,415,431.5,154\n"
        );
        assert_eq!((found.rows, found.others, found.discarded), (3, 0, 1));
        let old = r#"[{"text": "t", "fixations": {"__FixationSequence__": [[412, 142, 131]]}}]"#;
        assert_eq!(text(old), "text,x_px,y_px,duration_ms\nt,412,142,131\n");
    }

    #[test]
    fn jspsych_keeps_samples_in_some_trials() {
        let json = r##"[{"trial_type": "preload", "trial_index": 0, "subject": "s1"},
            {"trial_index": 4, "subject": "s1", "stimulus": "a, \"b\"",
             "webgazer_data": [{"x": 1065, "y": 437, "t": 39}, {"x": 943, "y": 377, "t": 79}],
             "webgazer_targets": {"#t": {"x": 1, "y": 2, "width": 3}}}]"##;
        let found = table(&mut json.as_bytes()).unwrap();
        assert_eq!(
            found.text,
            "subject,trial_index,stimulus,time_ms,x_px,y_px\n\
             s1,4,\"a, \"\"b\"\"\",39,1065,437\ns1,4,\"a, \"\"b\"\"\",79,943,377\n"
        );
        assert_eq!((found.rows, found.others), (2, 1));
    }

    #[test]
    fn records_lines_and_columns_are_tables() {
        let wanted = "reader,text,x_char\na,t,1.5\nb,t,\n";
        let records =
            r#"[{"reader": "a", "text": "t", "x_char": 1.5}, {"reader": "b", "text": "t"}]"#;
        assert_eq!(text(records), wanted);
        let lines = "{\"reader\": \"a\", \"text\": \"t\", \"x_char\": 1.5}\n{\"reader\": \"b\", \
                     \"text\": \"t\", \"x_char\": null}\n";
        assert_eq!(text(lines), wanted);
        let columns = r#"{"reader": ["a", "b"], "text": ["t", "t"], "x_char": [1.5, null]}"#;
        assert_eq!(text(columns), wanted);
        assert_eq!(text(r#"[{"n": "a", "location": [1.5, 2]}]"#), "n,location\na,\"[1.5, 2]\"\n");
    }

    #[test]
    fn long_texts_stay_apart() {
        let [a, b] = ["a", "b"].map(|end| short(&("x".repeat(300) + end)));
        assert!(a != b && a.len() < 140, "{a} {b}");
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for json in ["{", "[1, 2]", "{\"a\": 1}", "nonsense", ""] {
            let error = table(&mut json.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("pandas.read_json"), "{error}");
        }
    }
}
