//! The plotted numbers as a table.

/// A table in the making.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    text: String,
    columns: usize,
}

/// A value of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// Words; quoted where they have to be.
    Word(&'a str),
    /// A number, written so that it reads back the same; empty where it is none.
    Number(f64),
    /// A count.
    Count(usize),
    /// Nothing.
    None,
}

impl Table {
    /// With the names of its columns.
    pub fn new(columns: &[&str]) -> Self {
        Self { text: columns.join(",") + "\n", columns: columns.len() }
    }

    /// Adds a row.
    pub fn row(&mut self, values: &[Value<'_>]) {
        debug_assert_eq!(values.len(), self.columns);
        let cells: Vec<String> = values.iter().map(|&value| cell(value)).collect();
        self.text.push_str(&cells.join(","));
        self.text.push('\n');
    }

    /// The file.
    pub fn into_text(self) -> String {
        self.text
    }
}

fn cell(value: Value<'_>) -> String {
    match value {
        Value::Word(word) if word.contains([',', '"', '\n', '\r']) => {
            format!("\"{}\"", word.replace('"', "\"\""))
        }
        Value::Word(word) => word.to_owned(),
        Value::Number(number) if number.is_nan() => String::new(),
        Value::Number(number) => number.to_string(),
        Value::Count(count) => count.to_string(),
        Value::None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_quoted_where_they_must() {
        let mut table = Table::new(&["word", "number", "count", "nothing"]);
        table.row(&[Value::Word("a, \"b\""), Value::Number(0.1), Value::Count(3), Value::None]);
        table.row(&[Value::Word("c"), Value::Number(f64::NAN), Value::Count(0), Value::None]);
        assert_eq!(
            table.into_text(),
            "word,number,count,nothing\n\"a, \"\"b\"\"\",0.1,3,\nc,,0,\n"
        );
    }
}
