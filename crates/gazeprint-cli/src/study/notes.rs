//! What a study says beside its results: notes, warnings, and why there are none.

use std::path::Path;

use gazeprint::corpus::{DropReason, Limits};
use gazeprint_eval::protocol::ProtocolError;
use gazeprint_eval::study::{DividedCorpus, StudyError};
use gazeprint_eval::summary::Summary;
use gazeprint_report::folder::{FolderError, Remains};

use super::table;
use crate::ends::Exists;
use crate::inspect::plural;
use crate::{CorpusArg, Usage, words};

/// Says which rows of a file of splits mean nothing that was recorded.
pub(super) fn of_unmatched_rows(divided: &DividedCorpus, file: Option<&Path>) {
    let division = &divided.plan.protocol.division;
    let rows = division.unmatched(&divided.corpus, &divided.readings);
    if let (Some(row), Some(file)) = (rows.first(), file) {
        words::note(&format!(
            "{} of {} match no reading that counts, e.g. split {}, reader {:?}, text {:?}",
            plural(rows.len(), "row"),
            file.display(),
            row.split,
            row.reader,
            row.text
        ));
    }
}

/// Says that the corpus does not look like reading, where it does not.
pub(super) fn of_oddities(divided: &DividedCorpus, given: &CorpusArg) {
    let limits: Limits = divided.plan.limits;
    let warnings = Summary::of(&divided.corpus, limits).warnings.len();
    // What ships was looked at.
    if warnings > 0 && given.folder().is_some() {
        let things = if warnings == 1 { "thing does" } else { "things do" };
        words::warning(&format!(
            "{warnings} {things} not look like reading; see: gazeprint inspect {given}"
        ));
    }
}

/// Says what becomes of the study in the folder.
pub(super) fn of_found(path: &Path, resume: bool, found: Remains) {
    let path = path.display();
    match found {
        Remains::Restarted => words::note(&format!(
            "this study was interrupted in {path} and starts anew; --resume would go on"
        )),
        Remains::GivenUp(difference) => {
            words::note(&format!(
                "{path} held another interrupted study, now given up: {difference}"
            ));
        }
        Remains::Nothing if resume => words::note(&format!("nothing to resume in {path}")),
        Remains::Nothing | Remains::Resumed => {}
    }
}

/// A folder that cannot be used, in words.
pub(super) fn refusal(error: FolderError) -> anyhow::Error {
    match error {
        FolderError::Complete(_) => Exists(format!(
            "{error}; write elsewhere, or add --overwrite (without --resume) to replace it"
        ))
        .into(),
        error => error.into(),
    }
}

/// A failed study in words.
pub(super) fn explain(error: StudyError, corpus: &str) -> anyhow::Error {
    match error {
        StudyError::Protocol(
            error @ (ProtocolError::TrainFraction(_)
            | ProtocolError::NoSplits
            | ProtocolError::EmptyProbe
            | ProtocolError::NoSessions(_)
            | ProtocolError::NoOrder { .. }
            | ProtocolError::TooManyReaders { .. }
            | ProtocolError::TooFewDrawn(_)),
        ) => Usage(error.to_string()).into(),
        StudyError::NothingLeft(fixations, drops) => anyhow::anyhow!(
            "{corpus}: none of the {} counts ({}); are x and the words in the same unit, and \
             durations in ms? `gazeprint inspect` tells more",
            plural(fixations, "fixation"),
            table::reasons(DropReason::ALL.map(|r| (r.name(), drops.of(r))))
        ),
        error => anyhow::Error::new(error).context(format!("{corpus} cannot be studied")),
    }
}
