//! Encryption, pseudonyms, and what is left of somebody who was removed.

use std::fs;

use crate::common::{gazeprint, refused, stderr, stdout, succeeded};
use crate::people::{ANNA, ANSWERS, BERT, ENROLLED, Own, SHARED, TEXTS, answer, answers, holds};

fn keyed(own: &Own) -> String {
    let key = own.path("secret.key");
    succeeded(&gazeprint(&["gallery", "key", &key]));
    key
}

#[test]
fn an_encrypted_gallery_shows_no_name() {
    let own = Own::new();
    // Nor does one without encryption to whoever just looks at it, though its keys stand in it.
    assert!(holds(stdout(&own.manage("log", &[])).as_bytes(), ANNA), "the search finds names");
    assert!(!holds(&own.bytes(), ANNA) && !holds(&own.bytes(), "sentence-s001"));
    let key = keyed(&own);
    succeeded(&own.manage("rekey", &["--new-key-file", &key]));
    let told = succeeded(&own.manage("check", &["--key-file", &key]));
    assert!(told.ends_with(" entries of the log, encrypted\n"), "{told}");
    let told = succeeded(&own.manage("log", &["--key-file", &key]));
    assert!(told.contains("  enrolled reader-r011: "), "{told}");
    let bytes = own.bytes();
    for text in ["reader-r0", "sentence-s0", "enrolled", "population"] {
        assert!(!holds(&bytes, text), "{text}");
    }
    assert!(fs::read_dir(own.path(".")).unwrap().flatten().all(|file| {
        let name = file.file_name().into_string().unwrap();
        name == "own.gallery" || name == "secret.key"
    }));
}

#[test]
fn keys_that_do_not_fit_are_refused_in_plain_words() {
    let own = Own::new();
    let key = keyed(&own);
    let probe = SHARED.probe(ANNA);
    let told = refused(&own.identify(&probe, &["--key-file", &key]), 6);
    assert!(
        told.contains("own.gallery is not encrypted; found a key file, expected none"),
        "{told}"
    );
    succeeded(&own.manage("rekey", &["--new-key-file", &key]));
    let before = own.bytes();
    let told = refused(&own.identify(&probe, &[]), 6);
    assert!(
        told.contains("own.gallery is encrypted, and opens with a key file; found none"),
        "{told}"
    );
    let other = own.path("other.key");
    succeeded(&gazeprint(&["gallery", "key", &other]));
    let told = refused(&own.identify(&probe, &["--key-file", &other]), 6);
    assert!(told.contains("own.gallery: the key file does not open it"), "{told}");
    let phrase = own.private("phrase", "seven tall trees\n");
    let told = refused(&own.verify(&probe, ANNA, &["--passphrase-file", &phrase]), 6);
    assert!(told.contains("own.gallery opens with a key file; found a passphrase"), "{told}");
    let told = refused(&own.manage("list", &["--key-file", &own.path("none.key")]), 6);
    assert!(told.contains("none.key does not exist; expected a file with a key"), "{told}");
    let told = refused(&own.manage("log", &["--key-file", &phrase]), 6);
    assert!(told.contains("phrase holds no key: found "), "{told}");
    let told = refused(&own.manage("list", &["--passphrase"]), 2);
    assert!(told.contains("--passphrase asks on a terminal, and there is none"), "{told}");
    let both = ["--key-file", &key, "--passphrase-file", &phrase];
    refused(&own.manage("list", &both), 2);
    let told = refused(&gazeprint(&["gallery", "key", &key]), 1);
    assert!(
        told.contains("secret.key exists already; a key that is overwritten is lost"),
        "{told}"
    );
    assert!(before == own.bytes());
}

#[cfg(unix)]
#[test]
fn secrets_that_others_may_read_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    let own = Own::new();
    let (key, phrase) = (keyed(&own), own.private("phrase", "seven tall trees\n"));
    for file in [&key, &phrase] {
        fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
    }
    for (option, file) in [("--new-key-file", &key), ("--new-passphrase-file", &phrase)] {
        let told = refused(&own.manage("rekey", &[option, file]), 6);
        assert!(told.contains("may be read by others: found the mode 644, expected 600"), "{told}");
    }
    let mode = fs::metadata(&own.gallery).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "nobody else reads the gallery");
    let told = refused(&own.manage("list", &["--passphrase-file", &own.private("none", "\n")]), 6);
    assert!(told.contains("none holds no passphrase: found nothing on the first line"), "{told}");
}

#[test]
fn a_gallery_of_pseudonyms_holds_no_name() {
    let own = Own::empty();
    let population = SHARED.population();
    let output = own.enroll(&SHARED.corpus(), &["--population", &population, "--pseudonyms"]);
    let told = succeeded(&output) + &stderr(&output);
    assert!(told.contains("enrolled p-") && !told.contains(ANNA), "{told}");
    let output = own.verify(&SHARED.probe(ANNA), ANNA, &["--json", "--fmr", "0.05"]);
    let answer = answer(&output);
    assert_eq!(answer["decision"], "accepted");
    let id = answer["reader"].as_str().unwrap();
    assert!(id.starts_with("p-") && id.len() == 34, "{id}");
    succeeded(&own.verify(&SHARED.probe(ANNA), id, &["--allow-replay", "--fmr", "0.05"]));
    assert_eq!(own.verify(&SHARED.probe(BERT), ANNA, &[]).status.code(), Some(3));
    let output = own.identify(&SHARED.probe(BERT), &["--fpir", "0.2"]);
    assert!(succeeded(&output).starts_with("p-"), "{}", stdout(&output));
    let shown = succeeded(&own.manage("show", &[ANNA]));
    assert!(shown.contains(id) && !shown.contains(ANNA), "{shown}");
    assert!(!holds(&own.bytes(), "reader-r0"), "no name in the file");
    let listed = succeeded(&own.manage("list", &[])) + &succeeded(&own.manage("log", &[]));
    assert!(listed.contains(id) && !listed.contains("reader-r0"), "{listed}");
    // More recordings find their reader; the option may be repeated.
    let more = own.corpus("more", |reader, text| reader == "r011" && text > TEXTS + 15);
    let told = succeeded(&own.enroll(&more, &["--pseudonyms"]));
    assert!(told.contains(&format!("enrolled {id}: ")), "{told}");
    assert_eq!(own.readers().len(), ENROLLED.len());
    assert!(!holds(&own.bytes(), "reader-r0"), "no name in the file");
}

#[test]
fn of_somebody_removed_only_the_log_is_left() {
    let own = Own::new();
    succeeded(&own.verify(&SHARED.probe(ANNA), ANNA, &["--fmr", "0.05"]));
    let told = succeeded(&own.manage("remove", &[ANNA]));
    assert!(told.starts_with("removed reader-r011: template, recordings and remembered"), "{told}");
    for part in
        ["not reached: backups, exports, snapshots", "the log (it names the reader)", "relearn"]
    {
        assert!(told.contains(part), "{told}");
    }
    assert!(!own.readers().contains(&ANNA.to_owned()));
    assert!(!succeeded(&own.manage("list", &[])).contains(ANNA));
    // The log names them: when they were enrolled, verified and removed.
    let log = own.log();
    let named = log.iter().filter(|entry| entry["reader"] == ANNA).count();
    assert_eq!(named, 3);
    assert!(!holds(&own.bytes(), ANNA), "the name is not to be read in the file");
    assert_eq!(log.last().unwrap()["event"], "removed");
    refused(&own.manage("remove", &[ANNA]), 1);
    refused(&own.verify(&SHARED.probe(ANNA), ANNA, &[]), 1);
    let answer = answer(&own.identify(&SHARED.probe(ANNA), &["--json", "--forget"]));
    assert_ne!(answer["ranking"][0]["reader"], ANNA);
    // And back again.
    let corpus = own.corpus("again", |reader, text| reader == "r011" && text <= TEXTS);
    succeeded(&own.enroll(&corpus, &[]));
    assert_eq!(answers(&own.gallery, &[]), *ANSWERS);
}
