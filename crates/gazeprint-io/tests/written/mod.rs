//! Readings to be written as files of some format, and what comes back of them.

#![allow(dead_code, reason = "not every suite needs all of it")]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use gazeprint_io::import::{
    GazeOptions, ImportError, ImportReport, Imported, Position, Request, import,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Imports files that are in memory.
pub(crate) fn run(
    files: &[(&str, String)],
    request: Request,
) -> Result<(Imported, ImportReport), ImportError> {
    let named: BTreeMap<&str, &str> =
        files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let open = |path: &Path| -> std::io::Result<Box<dyn Read>> {
        Ok(Box::new(std::io::Cursor::new(named[path.to_str().unwrap()].as_bytes().to_vec())))
    };
    let beside = |path: &&str| request.words.as_deref() != Some(Path::new(path));
    let inputs = files.iter().map(|(name, _)| *name).filter(beside).map(Into::into).collect();
    import(&Request { inputs, ..request }, "vendors", &open)
}

/// A fixation in pixels: x, y, onset and duration.
pub(crate) type Seen = [f64; 4];

/// Fixations by reader and text.
pub(crate) type Readings = BTreeMap<(String, String), Vec<Seen>>;

pub(crate) fn readings(imported: &Imported) -> Readings {
    let Imported::Fixations(readings) = imported else { panic!("there are words") };
    let mut all = Readings::new();
    for fixation in readings.iter().flat_map(|reading| &reading.fixations) {
        let Position::Pixels { x, y } = fixation.position else { panic!("{fixation:?}") };
        let key = (fixation.reader.to_string(), fixation.text.to_string());
        let seen = [x, y, fixation.onset_ms.unwrap_or(0.0), fixation.duration_ms.unwrap()];
        all.entry(key).or_default().push(seen);
    }
    all
}

/// Numbers as far as formats keep them.
pub(crate) fn close(a: &Readings, b: &Readings) -> bool {
    let near = |a: &f64, b: &f64| (a - b).abs() < 0.01;
    let alike = |a: &Seen, b: &Seen| a.iter().zip(b).all(|(a, b)| near(a, b));
    a.len() == b.len()
        && a.iter().zip(b).all(|((name, a), (other, b))| {
            name == other && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        })
}

pub(crate) fn decided(report: &ImportReport, words: &str) {
    let has = report.decisions.iter().any(|decision| decision.to_string().contains(words));
    assert!(has, "{words:?} is not in {:#?}", report.decisions);
}

/// Readings to be written, and how their rows and columns are shuffled.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) readings: Readings,
    pub(crate) order: Vec<(String, String)>,
    pub(crate) seed: usize,
}

pub(crate) fn written(readers: usize) -> impl Strategy<Value = Written> {
    // Places are in eighths of a pixel, so that parts of a screen are exact, and times in ms.
    let fixation = (800_u32..8000, 800_u32..6000, 20_u32..80, 60_u32..700);
    let names = prop::sample::subsequence(vec!["anna", "ben 2", "cleo"], 1..=readers);
    (names, 2_usize..4, vec(vec(fixation, 4..9), 9), any::<usize>()).prop_flat_map(
        |(names, texts, fixations, seed)| {
            let mut readings = Readings::new();
            for (reader, name) in names.iter().enumerate() {
                for text in 0..texts {
                    let mut time = 1000.0;
                    let seen =
                        fixations[3 * reader + text % 3].iter().map(|(x, y, wait, lasts)| {
                            let onset = time + f64::from(*wait);
                            time = onset + f64::from(*lasts);
                            [f64::from(*x) / 8.0, f64::from(*y) / 8.0, onset, f64::from(*lasts)]
                        });
                    let key = ((*name).to_owned(), format!("{}", text + 1));
                    readings.insert(key, seen.collect());
                }
            }
            let order: Vec<_> = readings.keys().cloned().collect();
            (Just(readings), Just(order).prop_shuffle(), Just(seed))
                .prop_map(|(readings, order, seed)| Written { readings, order, seed })
        },
    )
}

/// What a cell is made of: reader, text, number of the fixation from 1, and the fixation.
pub(crate) type Cell = fn(&str, &str, usize, &Seen) -> String;

impl Written {
    /// A table with these columns in another order, and these rows for a fixation.
    pub(crate) fn table(
        &self,
        columns: &[(&str, Cell)],
        delimiter: &str,
        rows: impl Fn(usize, Vec<String>) -> Vec<Vec<String>>,
    ) -> String {
        let turn = self.seed % columns.len();
        let columns: Vec<_> = columns[turn..].iter().chain(&columns[..turn]).collect();
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let mut text = names.join(delimiter) + "\n";
        for key in &self.order {
            for (at, seen) in self.readings[key].iter().enumerate() {
                let cells = columns.iter().map(|(_, cell)| cell(&key.0, &key.1, at + 1, seen));
                for row in rows(at, cells.collect()) {
                    text += &(row.join(delimiter) + "\n");
                }
            }
        }
        text
    }

    pub(crate) fn once(&self, columns: &[(&str, Cell)], delimiter: &str) -> String {
        self.table(columns, delimiter, |_, row| vec![row])
    }

    pub(crate) fn comes_back(
        &self,
        files: &[(&str, String)],
        request: Request,
    ) -> Result<(), TestCaseError> {
        let (imported, report) = match run(files, request) {
            Ok(done) => done,
            Err(error) => return Err(TestCaseError::fail(format!("{error}\n{}", files[0].1))),
        };
        let found = readings(&imported);
        prop_assert!(
            close(&found, &self.readings),
            "{}\n{found:?}\n{:?}\n{:#?}",
            files[0].1,
            self.readings,
            report
        );
        prop_assert!(report.dropped.iter().all(|drop| !drop.is_loss), "{:?}", report.dropped);
        Ok(())
    }

    /// One reader's, who is called as the file is.
    pub(crate) fn of_file(&self, name: &str) -> Self {
        let rename = |key: &(String, String)| (name.to_owned(), key.1.clone());
        let order = self.order.iter().map(rename).collect();
        let readings = self.readings.iter().map(|(key, seen)| (rename(key), seen.clone()));
        Self { readings: readings.collect(), order, seed: self.seed }
    }
}

pub(crate) const SCREEN: (f64, f64) = (1024.0, 768.0);

pub(crate) fn on_screen() -> Request {
    let gaze = GazeOptions { screen_px: Some(SCREEN), ..GazeOptions::default() };
    Request { gaze, ..Request::default() }
}

pub(crate) const READER: (&str, Cell) = ("subject", |reader, _, _, _| reader.to_owned());
pub(crate) const TEXT: (&str, Cell) = ("item", |_, text, _, _| text.to_owned());
pub(crate) const X: (&str, Cell) = ("x_px", |_, _, _, seen| seen[0].to_string());
pub(crate) const Y: (&str, Cell) = ("y_px", |_, _, _, seen| seen[1].to_string());
