//! `splits.csv`: what trained and what tested.

use std::path::Path;

use gazeprint::assignment::{Assignment, Role};
use gazeprint_eval::study::DividedCorpus;
use gazeprint_io::{WriteError, write_splits};

/// Writes which readings train and which test.
pub(super) fn write(divided: &DividedCorpus, file: &Path) -> Result<(), WriteError> {
    let DividedCorpus { corpus, readings, splits, .. } = divided;
    let rows = splits.iter().enumerate().flat_map(|(number, split)| {
        let role = |role: Role| move |&(_, reading): &(usize, usize)| (reading, role);
        let train = split.train.iter().map(role(Role::Train));
        let test = split.test.iter().map(role(Role::Test));
        let mut rows: Vec<(usize, Role)> = train.chain(test).collect();
        rows.sort_unstable_by_key(|(reading, _)| *reading);
        rows.into_iter().map(move |(reading, role)| {
            let path = &corpus.scanpaths()[readings[reading].scanpath];
            Assignment {
                split: number as u32 + 1,
                reader: corpus.readers()[path.reader].clone(),
                text: corpus.texts()[path.text].id().to_owned(),
                session: Some(path.session.clone()),
                trial: Some(path.trial.clone()),
                role,
            }
        })
    });
    write_splits(rows, file)
}
