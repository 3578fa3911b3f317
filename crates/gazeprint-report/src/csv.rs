//! Numbers as a table for other programs.

/// A table in the making.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Csv {
    text: String,
    columns: usize,
}

/// A value of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value<'a> {
    /// Words; quoted where they have to be.
    Word(&'a str),
    /// A number, written so that it reads back the same; empty where it is none.
    Number(f64),
    /// A number to six digits, for what is not known better.
    Rounded(f64),
    /// A count.
    Count(usize),
    /// Nothing.
    None,
}

impl Csv {
    /// With the names of its columns.
    pub(crate) fn new(columns: &[&str]) -> Self {
        Self { text: columns.join(",") + "\n", columns: columns.len() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, values: &[Value<'_>]) {
        debug_assert_eq!(values.len(), self.columns);
        let cells: Vec<String> = values.iter().map(|&value| cell(value)).collect();
        self.text.push_str(&cells.join(","));
        self.text.push('\n');
    }

    /// The file.
    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

fn cell(value: Value<'_>) -> String {
    match value {
        Value::Word(text) => word(text),
        Value::Number(number) if number.is_nan() => String::new(),
        Value::Number(number) => digits(number),
        Value::Rounded(number) => cell(Value::Number(rounded(number))),
        Value::Count(count) => count.to_string(),
        Value::None => String::new(),
    }
}

/// A number to six digits.
pub(crate) fn rounded(number: f64) -> f64 {
    format!("{number:.5e}").parse().unwrap_or(f64::NAN)
}

/// A number as tables have it; nothing where it is none.
pub(crate) fn number(number: f64) -> String {
    cell(Value::Number(number))
}

/// Words, quoted where they have to be, and no formula of a spreadsheet.
pub(crate) fn word(text: &str) -> String {
    let text = gazeprint_io::harmless(text);
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into_owned()
    }
}

/// The shortest digits that read back the same; with an exponent where there would be many zeros.
fn digits(number: f64) -> String {
    let plain = number == 0.0 || !number.is_finite() || (1e-5..1e16).contains(&number.abs());
    if plain { number.to_string() } else { format!("{number:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let mut table = Csv::new(&["a", "b", "c", "d"]);
        table.row(&[
            Value::Number(1e-200),
            Value::Rounded(1.0 / 3.0),
            Value::Rounded(-2e-300 / 3.0),
            Value::Rounded(f64::NAN),
        ]);
        table.row(&[0.0, 123_456_789.0, 250.0, 1e20].map(Value::Rounded));
        assert_eq!(
            table.into_text(),
            "a,b,c,d\n1e-200,0.333333,-6.66667e-301,\n0,123457000,250,1e20\n"
        );
    }

    #[test]
    fn a_name_was_computed_by_spreadsheets() {
        let mut table = Csv::new(&["word", "number"]);
        table.row(&[Value::Word("=HYPERLINK(\"x\",1)"), Value::Number(-0.5)]);
        table.row(&[Value::Word("-7"), Value::Number(2.0)]);
        assert_eq!(table.into_text(), "word,number\n\"'=HYPERLINK(\"\"x\"\",1)\",-0.5\n-7,2\n");
    }

    #[test]
    fn rows_are_quoted_where_they_must() {
        let mut table = Csv::new(&["word", "number", "count", "nothing"]);
        table.row(&[Value::Word("a, \"b\""), Value::Number(0.1), Value::Count(3), Value::None]);
        table.row(&[Value::Word("c"), Value::Number(f64::NAN), Value::Count(0), Value::None]);
        assert_eq!(
            table.into_text(),
            "word,number,count,nothing\n\"a, \"\"b\"\"\",0.1,3,\nc,,0,\n"
        );
    }
}
