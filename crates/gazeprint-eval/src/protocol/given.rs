//! Divisions that somebody else made, by the names of readers and texts.

use std::collections::{BTreeMap, HashMap};

use gazeprint::assignment::{Assignment, Role};
use gazeprint::corpus::Corpus;
use gazeprint::saccade::Reading;

use super::{ProtocolError, Split};

/// Readings by the names of their readers and texts.
pub(super) struct Names<'a> {
    corpus: &'a Corpus,
    readings: &'a [Reading],
    by_name: HashMap<(&'a str, &'a str), Vec<usize>>,
}

impl<'a> Names<'a> {
    pub(super) fn of(corpus: &'a Corpus, readings: &'a [Reading]) -> Self {
        let mut by_name: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
        for (i, reading) in readings.iter().enumerate() {
            let reader = corpus.readers()[reading.reader].as_str();
            by_name.entry((reader, corpus.texts()[reading.text].id())).or_default().push(i);
        }
        Self { corpus, readings, by_name }
    }

    /// The readings that a row means.
    pub(super) fn matching(&self, row: &Assignment) -> Vec<usize> {
        let named = self.by_name.get(&(row.reader.as_str(), row.text.as_str()));
        let meant = |&i: &usize| {
            let path = &self.corpus.scanpaths()[self.readings[i].scanpath];
            let is = |wanted: &Option<String>, name: &str| {
                wanted.as_deref().is_none_or(|wanted| wanted == name)
            };
            is(&row.session, &path.session) && is(&row.trial, &path.trial)
        };
        named.into_iter().flatten().copied().filter(meant).collect()
    }
}

/// Splits as given by name.
pub(super) fn given(
    rows: &[Assignment],
    corpus: &Corpus,
    readings: &[Reading],
) -> Result<Vec<Split>, ProtocolError> {
    let names = Names::of(corpus, readings);
    let mut splits: BTreeMap<u32, Vec<Option<Role>>> = BTreeMap::new();
    for row in rows {
        let roles = splits.entry(row.split).or_insert_with(|| vec![None; readings.len()]);
        for i in names.matching(row) {
            roles[i] = Some(row.role);
        }
    }
    if splits.is_empty() {
        return Err(ProtocolError::NoSplits);
    }
    let split = |(&number, roles): (&u32, &Vec<Option<Role>>)| {
        let split = Split::of(corpus, readings, |i, _| roles[i]).map_err(|readers| {
            let count = |role: Role| {
                rows.iter().filter(|row| row.split == number && row.role == role).count()
            };
            let (train, test) = (count(Role::Train), count(Role::Test));
            ProtocolError::TooFewGiven { split: number, readers, train, test }
        })?;
        Ok(Split { name: Some(format!("split {number} of the file")), ..split })
    };
    splits.iter().map(split).collect()
}
