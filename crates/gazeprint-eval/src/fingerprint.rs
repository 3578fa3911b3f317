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
    for reader in corpus.readers() {
        text(reader);
    }
    for t in corpus.texts() {
        text(t.id());
        text(t.group.as_deref().unwrap_or(""));
        for line in t.lines() {
            for word in line.words() {
                let form = word.form.as_deref().unwrap_or("");
                text(&format!("{} {} {} {}", line.number(), word.index, word.start, word.end));
                text(form);
            }
        }
    }
    for path in corpus.scanpaths() {
        text(&format!("{} {} {:?}", path.reader, path.text, path.order));
        text(&path.session);
        text(&path.trial);
        for f in &path.fixations {
            // A number, or not one, to the last bit.
            let bits = |v: Option<f64>| v.map_or(u64::MAX, f64::to_bits);
            let line = f.line.map_or(i64::MIN, i64::from);
            text(&format!(
                "{line} {:x} {:x} {:x} {}",
                bits(f.x.map(|v| v.0)),
                bits(f.duration.map(|v| v.0)),
                bits(f.onset.map(|v| v.0)),
                f.gap
            ));
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
