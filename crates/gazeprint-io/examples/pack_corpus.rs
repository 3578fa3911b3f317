//! Packs a corpus folder, as corpora are packed that ship with the program:
//!
//!     cargo run --release -p gazeprint-io --example pack_corpus -- FOLDER FILE

use std::error::Error;
use std::path::PathBuf;

use gazeprint_io::{pack_corpus, read_corpus, unpack_corpus};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [folder, file] = &arguments[..] else {
        return Err("give the folder of a corpus, and the file to write".into());
    };
    let corpus = read_corpus(folder)?;
    let packed = pack_corpus(&corpus)?;
    let again = unpack_corpus(corpus.name(), &packed)?;
    if again.scanpaths() != corpus.scanpaths() {
        return Err("what was packed is not what is unpacked".into());
    }
    std::fs::write(file, &packed)?;
    eprintln!(
        "{}: {} readers, {} texts, {} fixations in {} bytes",
        file.display(),
        again.readers().len(),
        again.texts().len(),
        again.fixation_count(),
        packed.len()
    );
    Ok(())
}
