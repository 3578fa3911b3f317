//! What holds for every corpus, and for every file that is none.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::path::Path;

use gazeprint::corpus::{Chars, Corpus, Fixation, Line, Millis, Scanpath, Text, Word};
use gazeprint::kinematics::Kinematics;
use gazeprint_io::{read_corpus, write_corpus};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::Index;

/// Names with everything that has a meaning in delimited files.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-c1][a-c0-9,;\t\"' é漢._-]{0,4}",
        1 => "\\PC{1,4}",
    ]
    .prop_map(|name| name.trim().to_owned())
    .prop_filter("reads as missing", |name| !["", "NA", "NaN", "nan", "."].contains(&name.as_str()))
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        (-50_000..50_000i32).prop_map(|x| f64::from(x) / 1000.0),
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
    ]
}

/// Words of a line: length and the blanks before, with a form.
type Shape = Vec<(i32, i32, Option<String>)>;

fn shape() -> impl Strategy<Value = Shape> {
    let form = option::of(prop_oneof!["[a-z]{1,3}", "[ \",.]{1,2}", Just("NA".to_owned())]);
    vec((1..6i32, 0..3i32, form), 1..5)
}

fn text(id: String, lines: Vec<(i32, Shape)>, group: Option<String>) -> Text {
    let mut index = 0;
    let lines = lines
        .into_iter()
        .map(|(number, shape)| {
            let mut at = -2;
            let words = shape
                .into_iter()
                .map(|(length, blanks, form)| {
                    index += 1;
                    let start = at + blanks;
                    at = start + length;
                    Word { index, form, start, end: at }
                })
                .collect();
            Line::new(number, words).unwrap()
        })
        .collect();
    let mut text = Text::new(id, lines).unwrap();
    text.group = group;
    text
}

fn fixation() -> impl Strategy<Value = Fixation> {
    (
        option::weighted(0.9, prop_oneof![Just(1), any::<i32>()]),
        option::weighted(0.9, finite()),
        option::weighted(0.9, finite().prop_map(f64::abs)),
        option::weighted(0.1, finite()),
        prop::bool::weighted(0.1),
        option::weighted(0.1, [small(), small()]),
        [(); 9].map(|()| option::weighted(0.1, small())),
    )
        .prop_map(|(line, x, duration, onset, gap, place, kinematics)| Fixation {
            line,
            x: x.map(Chars),
            duration: duration.map(Millis),
            onset: onset.map(Millis),
            gap,
            place,
            kinematics: Kinematics::from(kinematics),
        })
}

/// Any of the smaller finite numbers.
fn small() -> impl Strategy<Value = f32> {
    any::<f32>().prop_filter("finite", |number| number.is_finite())
}

/// A corpus whose readers are in the order of their first readings.
fn corpus() -> impl Strategy<Value = Corpus> {
    let texts = btree_map(
        name(),
        (btree_map(prop_oneof![Just(1), -3..9i32], shape(), 1..3), option::weighted(0.3, name())),
        1..5,
    );
    let label = || prop_oneof![Just("1".to_owned()), name()];
    let key = (any::<Index>(), any::<Index>(), label(), label());
    let path = (key, option::weighted(0.3, finite()), vec(fixation(), 1..6));
    (btree_set(name(), 4), texts, vec(path, 1..12)).prop_map(|(names, texts, paths)| {
        let names: Vec<String> = names.into_iter().collect();
        let mut texts: Vec<Text> = texts
            .into_iter()
            .map(|(id, (lines, group))| text(id, lines.into_iter().collect(), group))
            .collect();
        let mut readers: Vec<String> = Vec::new();
        let mut scanpaths: Vec<Scanpath> = Vec::new();
        for ((reader, text, session, trial), order, fixations) in paths {
            let text = text.index(texts.len());
            let name = reader.get(&names);
            let reader = readers.iter().position(|r| r == name).unwrap_or(readers.len());
            let is_known = scanpaths.iter().any(|s| {
                (s.reader, s.text, &s.session, &s.trial) == (reader, text, &session, &trial)
            });
            if !is_known {
                if reader == readers.len() {
                    readers.push(name.clone());
                }
                scanpaths.push(Scanpath { reader, text, session, trial, order, fixations });
            }
        }
        for (i, text) in texts.iter_mut().enumerate() {
            if scanpaths.iter().all(|s| s.text != i) {
                text.group = None;
            }
        }
        Corpus::new("corpus", readers, texts, scanpaths).unwrap()
    })
}

/// The corpus with readers and readings in an order that does not depend on the file's.
fn sorted(corpus: &Corpus) -> Corpus {
    let mut readers = corpus.readers().to_vec();
    readers.sort();
    let mut paths = corpus.scanpaths().to_vec();
    for path in &mut paths {
        path.reader = readers.binary_search(&corpus.readers()[path.reader]).unwrap();
    }
    paths.sort_by(|a, b| {
        (a.reader, a.text, &a.session, &a.trial).cmp(&(b.reader, b.text, &b.session, &b.trial))
    });
    Corpus::new(corpus.name(), readers, corpus.texts().to_vec(), paths).unwrap()
}

fn in_folder<T>(work: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    work(&folder.path().join("corpus"))
}

const TABLES: [&str; 3] = ["fixations.csv", "words.csv", "trials.csv"];

proptest! {
    #[test]
    fn a_corpus_comes_back_as_it_was_written(corpus in corpus()) {
        let back = in_folder(|folder| {
            write_corpus(&corpus, folder, false).unwrap();
            read_corpus(folder).unwrap()
        });
        prop_assert_eq!(back, corpus);
    }

    #[test]
    fn the_order_of_numbered_rows_does_not_matter(corpus in corpus(), order in any::<u64>()) {
        let back = in_folder(|folder| {
            write_corpus(&corpus, folder, false).unwrap();
            let file = folder.join("fixations.csv");
            let content = fs::read_to_string(&file).unwrap();
            let (header, rows) = content.split_once('\n').unwrap();
            let mut rows: Vec<&str> = rows.lines().collect();
            let mut state = order;
            for i in (1..rows.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                rows.swap(i, (state >> 33) as usize % (i + 1));
            }
            fs::write(&file, format!("{header}\n{}\n", rows.join("\n"))).unwrap();
            read_corpus(folder).unwrap()
        });
        prop_assert_eq!(sorted(&back), sorted(&corpus));
    }

    #[test]
    fn random_bytes_never_panic(
        table in 0..3usize,
        bytes in prop_oneof![
            vec(any::<u8>(), 0..200),
            "(reader|text|x_char|duration_ms|line|[,;\t\n\r\".0-9a-zA]){0,60}"
                .prop_map(String::into_bytes),
        ],
    ) {
        in_folder(|folder| {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("words.csv"), "text,word_index,char_start,char_end\na,1,0,3\n")
                .unwrap();
            fs::write(folder.join("fixations.csv"), "reader,text,x_char,duration_ms\na,a,1,1\n")
                .unwrap();
            fs::write(folder.join(TABLES[table]), &bytes).unwrap();
            if let Err(error) = read_corpus(folder) {
                assert!(!error.to_string().is_empty());
            }
        });
    }

    #[test]
    fn damaged_files_never_panic(
        corpus in corpus(),
        damages in vec((0..3usize, any::<Index>(), 0..3u8, any::<Index>()), 1..4),
    ) {
        const BYTES: &[u8] = b",;\t\"\n\r\0.-+e019naNA\xff\xe9\xef\xbb\xbf";
        in_folder(|folder| {
            write_corpus(&corpus, folder, false).unwrap();
            for (table, place, kind, byte) in damages {
                let file = folder.join(TABLES[table]);
                let Ok(mut bytes) = fs::read(&file) else { continue };
                if bytes.is_empty() {
                    continue;
                }
                let (place, byte) = (place.index(bytes.len()), *byte.get(BYTES));
                match kind {
                    0 => bytes[place] = byte,
                    1 => bytes.insert(place, byte),
                    _ => bytes.truncate(place),
                }
                fs::write(&file, &bytes).unwrap();
            }
            if let Err(error) = read_corpus(folder) {
                assert!(!error.to_string().is_empty());
            }
        });
    }
}
