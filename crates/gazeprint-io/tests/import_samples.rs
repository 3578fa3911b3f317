//! Real files of other tools, where they are at hand: no row may be lost.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use gazeprint_io::import::dataviewer::{self, CharacterMap, ReportOptions, Words, areas};
use gazeprint_io::import::swift::{self, Items, SwiftOptions};
use gazeprint_io::import::{Position, Recording, Role, Shape, Source};

/// A folder of samples: under `GAZEPRINT_CORPORA`, or else `../shared/corpora` beside the workspace.
fn find(name: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpora");
    let root = std::env::var_os("GAZEPRINT_CORPORA").unwrap_or_else(|| beside.into());
    let folder = PathBuf::from(root).join("raw").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    // Past the test harness, which hides what passing tests print.
    let mut stderr = io::stderr();
    writeln!(stderr, "SKIPPED {name}: {} is not there", folder.display()).unwrap();
    None
}

fn open(folder: &std::path::Path, name: &str) -> Source<'static> {
    Source::new(File::open(folder.join(name)).unwrap()).unwrap()
}

fn column(shape: &Shape, role: Role) -> &str {
    shape.mapping.get(role).map_or("", |mapped| mapped.column.as_str())
}

fn positions(recording: &Recording) -> impl Iterator<Item = Position> + '_ {
    recording.readings.iter().flat_map(|r| r.fixations.iter().map(|f| f.position))
}

#[test]
fn onestop() {
    let Some(folder) = find("dataviewer-onestop") else { return };
    let (options, mut recording) = (ReportOptions::new(&[]), Recording::default());
    let mut input = open(&folder, "ia.csv");
    let (words, shape) = areas::read(&mut input, 1, &options, None, &mut recording).unwrap();
    assert_eq!(shape.rows, 3922);
    let mut words = Words::Screen(words);
    let mut input = open(&folder, "fixations.csv");
    let shape = dataviewer::read(&mut input, 0, &options, &mut words, &mut recording).unwrap();
    words.finish(1, &mut recording).unwrap();
    assert_eq!((shape.rows, recording.fixation_count()), (3209, 3209));
    assert_eq!(recording.dropped.total(), 0);
    assert_eq!(column(&shape, Role::Text), "unique_paragraph_id");
    assert_eq!(column(&shape, Role::Trial), "TRIAL_INDEX");
    assert!(recording.notes.iter().any(|note| note.contains("a number one higher than")));
    let placed = positions(&recording).filter(|p| matches!(p, Position::Chars { line: 1.., .. }));
    assert!(placed.count() > 2900);
}

#[test]
fn copco() {
    let Some(folder) = find("dataviewer-copco") else { return };
    let (options, mut recording) = (ReportOptions::new(&[]), Recording::default());
    let mut input = open(&folder, "word2char_IA_mapping.csv");
    let (map, shape) = CharacterMap::read(&mut input, 1, &options, &mut recording).unwrap();
    assert_eq!(column(&shape, Role::Text), "speechId+paragraphId");
    let map_drops = recording.dropped.total();
    let mut words = Words::Characters(map);
    let mut rows = 0;
    for name in ["FIX_report_P01.txt", "FIX_report_P02.txt"] {
        let mut input = open(&folder, name);
        let shape = dataviewer::read(&mut input, 0, &options, &mut words, &mut recording).unwrap();
        assert_eq!(column(&shape, Role::Text), "speechid+paragraphid");
        rows += shape.rows;
    }
    words.finish(1, &mut recording).unwrap();
    assert_eq!((rows, recording.fixation_count()), (7998, 7998));
    assert_eq!(recording.dropped.total(), map_drops);
    assert!(recording.notes.iter().any(|note| note.contains("decimals follow a comma")));
    let on_letters = positions(&recording).filter(|p| matches!(p, Position::Letter { .. }));
    assert!(on_letters.count() > 6500);
}

#[test]
fn sbsat() {
    let Some(folder) = find("sbsat") else { return };
    let (options, mut recording) = (ReportOptions::new(&[]), Recording::default());
    let mut input = open(&folder, "18sat_fixfinal.csv");
    let shape =
        dataviewer::read(&mut input, 0, &options, &mut Words::Unknown, &mut recording).unwrap();
    assert_eq!((shape.rows as usize, recording.dropped.total()), (recording.fixation_count(), 0));
    assert_eq!(column(&shape, Role::Text), "page_name");
}

#[test]
fn swift_sequences() {
    let Some(folder) = find("swift") else { return };
    let items = Items::read(&mut open(&folder, "items.txt")).unwrap();
    let mut recording = Recording::default();
    let mut rows = 0;
    for reader in 1..=5 {
        let mut input = open(&folder, &format!("fixseqin_{reader}-1abcd.dat"));
        let options = SwiftOptions { reader: reader.to_string().into(), items: &items };
        rows += swift::read(&mut input, 0, &options, &mut recording).unwrap().rows;
    }
    assert_eq!(rows, recording.fixation_count() as u64 + recording.dropped.total());
    assert_eq!(recording.dropped.total(), 0);
}
