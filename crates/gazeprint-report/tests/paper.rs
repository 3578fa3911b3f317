//! `docs/paper.md` against what is known of the paper, and what `study --paper` makes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gazeprint_report::paper::Exhibit;
use gazeprint_report::paper::facts::METHODS;

fn page() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/paper.md")).unwrap()
}

/// The section of the page below a heading.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let start = page.find(&format!("\n## {heading}")).unwrap_or_else(|| panic!("{heading}")) + 1;
    let rest = &page[start..];
    rest.find("\n## ").map_or(rest, |end| &rest[..end])
}

/// The rows of the table of a section by their first cell, without code marks.
fn row<'a>(section: &'a str, first: &str) -> Vec<&'a str> {
    let cells = |line: &'a str| line.trim_matches('|').split('|').map(str::trim).collect();
    let mut rows = section.lines().filter(|line| line.starts_with('|')).map(cells);
    rows.find(|row: &Vec<&str>| row[0].trim_matches('`') == first)
        .unwrap_or_else(|| panic!("{first}"))
}

#[test]
fn the_page_has_the_papers_numbers() {
    let page = page();
    let without_nought = |text: String| text.strip_prefix('0').unwrap().to_owned();
    for reported in &METHODS {
        let accuracy = row(section(&page, "Table 1"), reported.method);
        let [mean, se] = [reported.accuracy, reported.accuracy_se]
            .map(|value| without_nought(format!("{value:.4}")));
        assert_eq!(accuracy[1], format!("{mean} ± {se}"));
        let area = row(section(&page, "Table 2"), reported.method);
        assert_eq!(area[1], without_nought(format!("{:.7}", reported.area)));
        for row in [accuracy, area] {
            assert_eq!(row.len(), 6, "one simulated and three real corpora: {row:?}");
            let is_number = |cell: &&str| cell.starts_with(['.', '1']);
            assert!(row[1..].iter().all(is_number), "{row:?}");
        }
    }
}

#[test]
fn every_exhibit_has_a_section_with_its_files() {
    let page = page();
    for exhibit in Exhibit::ALL {
        let section = section(&page, exhibit.label());
        for file in exhibit.files() {
            let (stem, ending) = file.split_once('.').unwrap();
            assert!(section.contains(&format!("`{stem}.")), "{file}");
            assert!(section.contains(ending), "{file}");
        }
        assert!(section.contains("study ") && section.contains("--paper"), "{}", exhibit.label());
    }
}
