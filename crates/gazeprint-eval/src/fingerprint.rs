//! A hash that tells whether two corpora are the same.

use gazeprint::corpus::Corpus;
use sha2::{Digest, Sha256};

/// SHA-256 over everything in a corpus except its name, in hexadecimal.
pub fn fingerprint(corpus: &Corpus) -> String {
    let mut hash = Sha256::new();
    let mut text = |value: &str| {
        hash.update((value.len() as u64).to_le_bytes());
        hash.update(value.as_bytes());
    };
    // Every list is led by its length, and what is missing differs from what is empty, so that no
    // two corpora give the same bytes.
    let option = |value: Option<&str>| value.map_or_else(|| "-".to_owned(), |v| format!("+{v}"));
    text(&corpus.readers().len().to_string());
    for reader in corpus.readers() {
        text(reader);
    }
    text(&corpus.texts().len().to_string());
    for t in corpus.texts() {
        text(t.id());
        text(&option(t.group.as_deref()));
        text(&t.lines().len().to_string());
        for line in t.lines() {
            text(&format!("{} {}", line.number(), line.words().len()));
            for word in line.words() {
                text(&format!("{} {} {}", word.index, word.start, word.end));
                text(&option(word.form.as_deref()));
            }
        }
    }
    text(&corpus.scanpaths().len().to_string());
    for path in corpus.scanpaths() {
        let order = path.order.map(f64::to_bits);
        text(&format!("{} {} {order:?} {}", path.reader, path.text, path.fixations.len()));
        text(&path.session);
        text(&path.trial);
        for f in &path.fixations {
            // Numbers to the last bit.
            let bits = |v: Option<f64>| v.map(f64::to_bits);
            text(&format!(
                "{:?} {:?} {:?} {:?} {}",
                f.line,
                bits(f.x.map(|v| v.0)),
                bits(f.duration.map(|v| v.0)),
                bits(f.onset.map(|v| v.0)),
                f.gap
            ));
            // Said where it is known: corpora without have one hash for all versions.
            if f.place.is_some() || !f.kinematics.is_empty() {
                let place = f.place.map(|place| place.map(f32::to_bits));
                text(&format!(
                    "{place:?} {:?}",
                    f.kinematics.values().map(|v| v.map(f32::to_bits))
                ));
            }
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
