use std::io::BufRead;

use super::*;

/// A row's number and its cells.
type NumberedCells = (u64, Vec<String>);

fn rows(text: &str) -> (Vec<String>, Vec<NumberedCells>, String) {
    let mut input = text.as_bytes();
    let mut rows = Rows::open(&mut input, "rows").unwrap();
    let mut found = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        found.push((row.number, (0..row.len()).map(|i| row.cell(i).to_owned()).collect()));
    }
    (rows.header, found, rows.decision)
}

#[test]
fn delimiters_are_found() {
    for (delimiter, name) in [(",", "comma"), ("\t", "tab"), (";", "semicolon")] {
        let text = "a,b\r\n1,2\r\n\r\n3,4".replace(',', delimiter);
        let (header, found, decision) = rows(&text);
        assert_eq!(header, ["a", "b"]);
        assert_eq!(found[1], (4, vec!["3".to_owned(), "4".to_owned()]));
        assert!(decision.contains(name), "{decision}");
    }
}

#[test]
fn rows_may_be_set_apart_by_blanks() {
    let (header, found, decision) = rows("N\t X DEG\t Y\n0   -5.5  1\n\n 1  3  4 \n");
    assert_eq!(header, ["N", "X DEG", "Y"]);
    assert_eq!(found[0].1, ["0", "-5.5", "1"]);
    assert_eq!(found[1], (4, vec!["1".to_owned(), "3".to_owned(), "4".to_owned()]));
    assert!(decision.contains("by blanks") && decision.contains("tab"), "{decision}");
    let (header, found, _) = rows("n x y\n0 1 2\n1 \"2 3\n");
    assert_eq!(
        (header.len(), found[1].1.as_slice()),
        (3, &["1", "\"2", "3"].map(String::from)[..])
    );
    // Where a row has another number of parts, blanks belong to cells.
    assert_eq!(rows("a b\n1 2\n1 2 3\n").0, ["a b"]);
}

#[test]
fn every_place_of_a_byte_is_found() {
    for length in 0..40 {
        let bytes: Vec<u8> = (0..length).map(|i| [b',', b'x', 0xac, b',', 0][i % 5]).collect();
        let all: Vec<usize> = (0..length).filter(|&i| bytes[i] == b',').collect();
        assert_eq!(Places::of(b',', &bytes).collect::<Vec<_>>(), all);
    }
}

#[test]
fn decimal_commas_are_no_delimiters() {
    let (header, found, _) = rows("a;b;c\n1,5;2,25;x\n1,5;2,25;y\n");
    assert_eq!(header.len(), 3);
    assert_eq!(found[0].1, ["1,5", "2,25", "x"]);
}

#[test]
fn a_first_line_may_name_the_delimiter() {
    assert_eq!(rows("sep=;\na;b\n1;2\n").1, [(3, vec!["1".to_owned(), "2".to_owned()])]);
}

#[test]
fn quotes_may_hold_delimiters_marks_and_line_breaks() {
    let (_, found, _) = rows("a,b\n\"x, \"\"y\"\"\",2\n\"one\ntwo\",4\n5,6\n");
    assert_eq!(found[0].1, ["x, \"y\"", "2"]);
    assert_eq!(found[1], (3, vec!["one\ntwo".to_owned(), "4".to_owned()]));
    assert_eq!(found[2].0, 5);
}

#[test]
fn the_last_cell_may_hold_line_breaks() {
    let (_, found, _) = rows("a,b\n1,\"x\n\ny\"\n2,\"one, two\nthree \"\"four\"\"\"\n3,z\n");
    assert_eq!(found[0], (2, vec!["1".to_owned(), "x\n\ny".to_owned()]));
    assert_eq!(found[1].1, ["2", "one, two\nthree \"four\""]);
    assert_eq!(found[2], (7, vec!["3".to_owned(), "z".to_owned()]));
    // Marks of two rows are no pair.
    let (_, found, _) = rows("a\tb\n1\t\"\n2\tx\n3\t\"\n");
    let cells: Vec<_> = found.iter().map(|(_, cells)| cells[1].as_str()).collect();
    assert_eq!(cells, ["\"", "x", "\""]);
    // A mark that is closed too late is stray.
    let long = format!("a,b\n1,\"x\n{}y\"\n", "z\n".repeat(BREAKS));
    assert_eq!(rows(&long).1.len(), BREAKS + 2);
}

#[test]
fn rows_of_empty_cells_are_rows() {
    let (_, found, _) = rows("a\tb\n1\t2\n\t\n\n  \n3\t4\n");
    assert_eq!(found.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [2, 3, 6]);
    assert_eq!(found[1].1, ["", ""]);
}

#[test]
fn every_line_is_a_row_where_there_is_no_header() {
    let mut input = &b"1\t2\n\n\t\n3\t4\n"[..];
    let mut rows =
        Rows::headless(&mut input as &mut dyn BufRead, vec!["a".to_owned(), "b".to_owned()]);
    let mut counts = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        counts.push(row.len());
    }
    assert_eq!(counts, [2, 1, 2, 2]);
}

#[test]
fn a_stray_quotation_mark_does_not_swallow_rows() {
    let (_, found, _) = rows("a\tb\n\"He\t1\nsaid\t2\n");
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].1, ["\"He", "1"]);
}

#[test]
fn a_stray_quotation_mark_does_not_swallow_cells() {
    let (_, found, _) = rows("a\tb\tc\td\n1\t\"\t3\t\"x\"\n\"\t2\t\"\t4\n\"1\"\t2\t3\t\"\n");
    assert_eq!(found[0].1, ["1", "\"", "3", "x"]);
    assert_eq!(found[1].1, ["\"", "2", "\"", "4"]);
    assert_eq!(found[2].1, ["1", "2", "3", "\""]);
    // Quotes that do close are not given up for the sake of the number of cells.
    assert_eq!(rows("a,b,c\n\"1,2\",3\n").1[0].1, ["1,2", "3"]);
}

#[test]
fn a_mark_that_is_never_closed_is_an_error_with_its_row() {
    let mut input = &b"a,b\n1,2\n1,\"2,3,4\n"[..];
    let mut rows = Rows::open(&mut input, "rows").unwrap();
    assert!(rows.next().unwrap().is_some());
    assert!(matches!(rows.next().err().unwrap(), Fault::OpenQuote { row: 3, column: 1, .. }));
}

#[test]
fn names_of_rows_without_a_name_are_a_column() {
    let (_, _, decision) = rows("a\tb\nx\ty\n");
    assert!(!decision.contains("names of rows"), "{decision}");
    let (header, rows, decision) = rows("a\tb\n\"1\"\tx\ty\n\"2\"\tx\ty\n");
    assert_eq!(header, ["", "a", "b"]);
    assert_eq!(rows[1].1, ["2", "x", "y"]);
    assert!(decision.contains("names of rows"), "{decision}");
}

#[test]
fn rows_may_end_with_a_delimiter() {
    let (header, rows, decision) = rows("a,b\n1,2,\n3,4,\n");
    assert_eq!(header, ["a", "b", ""]);
    assert_eq!(rows[0].1, ["1", "2", ""]);
    assert!(decision.contains("rows end with a delimiter"), "{decision}");
}

#[test]
fn a_header_may_start_with_the_sign_of_comments() {
    assert_eq!(rows("#subject\ttext\n1\ts\n").0, ["#subject", "text"]);
}

#[test]
fn comments_before_the_column_names_are_skipped() {
    let (header, rows, decision) = rows("# exported by a tool\n#\na,b\n#1,2\n");
    assert_eq!(header, ["a", "b"]);
    assert_eq!(rows, [(4, vec!["#1".to_owned(), "2".to_owned()])]);
    assert!(decision.contains("2 lines that start with #"), "{decision}");
}
