//! The same gallery elsewhere, and behind other keys, gives the same answers.

use std::fs;

use crate::common::{gazeprint, refused, succeeded};
use crate::people::{ANSWERS, Own, SHARED, answers, run};

#[test]
fn a_copy_answers_as_the_original() {
    let own = Own::new();
    let (copy, again) = (own.path("copy.gallery"), own.path("again.gallery"));
    let told = succeeded(&own.manage("export", &["--out", &copy]));
    assert_eq!(told, format!("{copy}: 6 readers\n"));
    assert_eq!(answers(&copy, &[]), *ANSWERS);
    succeeded(&run("gallery import", &[&copy], &again, &[]));
    assert_eq!(answers(&again, &[]), *ANSWERS);
    let told = refused(&own.manage("export", &["--out", &copy]), 1);
    assert!(told.contains("copy.gallery exists already; a gallery is never overwritten"), "{told}");
    let told = refused(&run("gallery import", &[&copy], &again, &[]), 1);
    assert!(told.contains("again.gallery exists already"), "{told}");
    assert_eq!(succeeded(&own.manage("list", &[])).lines().count(), 9);
}

#[test]
fn other_keys_change_no_answer() {
    let own = Own::new();
    let key = own.path("secret.key");
    let told = succeeded(&gazeprint(&["gallery", "key", &key]));
    assert!(told.contains("keep a copy where the gallery is not"), "{told}");
    let phrase = own.private("phrase", "seven tall trees\n");
    let (key_file, phrase_file) = (["--key-file", &key], ["--passphrase-file", &phrase]);
    let told = succeeded(&own.manage("rekey", &["--new-key-file", &key]));
    assert!(told.contains("own.gallery: encrypted anew\nnot reached: backups"), "{told}");
    assert_eq!(answers(&own.gallery, &key_file), *ANSWERS);

    let copy = own.path("copy.gallery");
    succeeded(&own.manage("export", &["--key-file", &key, "--out", &copy]));
    assert_eq!(answers(&copy, &key_file), *ANSWERS, "a copy opens with the same key");
    let other = own.path("other.gallery");
    let new = ["--key-file", &key, "--new-passphrase-file", &phrase];
    succeeded(&run("gallery import", &[&copy], &other, &new));
    assert_eq!(answers(&other, &phrase_file)[..1], ANSWERS[..1]);

    let phrase_next = ["--key-file", &key, "--new-passphrase-file", &phrase];
    succeeded(&own.manage("rekey", &phrase_next));
    assert_eq!(answers(&own.gallery, &phrase_file), *ANSWERS);
    let told = succeeded(&own.manage("rekey", &["--passphrase-file", &phrase, "--decrypt"]));
    assert!(told.contains("no longer encrypted"), "{told}");
    assert_eq!(answers(&own.gallery, &[]), *ANSWERS);
    let told = refused(&own.manage("rekey", &[]), 2);
    assert!(told.contains("say what is to open the gallery from now on"), "{told}");
    let rekeys = own.log().iter().filter(|entry| entry["event"] == "rekeyed").count();
    assert_eq!(rekeys, 3);
}

#[test]
fn places_that_are_none_are_refused() {
    let own = Own::empty();
    let probe = SHARED.probe("r011");
    let told = refused(&own.identify(&probe, &[]), 1);
    assert!(told.contains("own.gallery: there is no gallery; check the path or address"), "{told}");
    fs::write(&own.gallery, "reader,text\n".repeat(100)).unwrap();
    let told = refused(&own.identify(&probe, &[]), 1);
    assert!(told.contains("own.gallery is no gallery: found "), "{told}");
    let told = refused(&own.enroll(&SHARED.corpus(), &[]), 1);
    assert!(told.contains("own.gallery is no gallery: found "), "{told}");
    assert_eq!(fs::read_to_string(&own.gallery).unwrap(), "reader,text\n".repeat(100));
    let told = refused(&run("identify", &[&probe], &own.path("no/such.gallery"), &[]), 1);
    assert!(told.contains("no/such.gallery: there is no gallery"), "{told}");
}

#[cfg(not(feature = "postgres"))]
#[test]
fn a_plain_build_says_that_it_knows_no_server() {
    let told = refused(&run("gallery list", &[], "postgres://localhost/lab", &[]), 1);
    assert!(told.contains("was built without PostgreSQL; use a file, or build it with"), "{told}");
}

#[cfg(feature = "postgres")]
mod on_a_server {
    use super::*;
    use crate::people::{ANNA, ENROLLED, TEXTS};
    use crate::server::Server;

    #[test]
    fn a_server_answers_as_a_file() {
        let Some(server) = Server::start() else { return };
        let own = Own::at(server.fresh_address());
        let arguments = ["--population", &SHARED.population()];
        let [first, rest] = [&ENROLLED[..4], &ENROLLED[4..]].map(|some| {
            own.corpus(some[0], |reader, text| some.contains(&reader) && text <= TEXTS)
        });
        succeeded(&own.enroll(&first, &arguments));
        succeeded(&own.enroll(&rest, &[]));
        assert_eq!(answers(&own.gallery, &[]), *ANSWERS, "enrolled there");
        let (copy, other) = (own.path("copy.gallery"), server.fresh_address());
        succeeded(&own.manage("export", &["--out", &copy]));
        assert_eq!(answers(&copy, &[]), *ANSWERS, "brought to a file");
        let key = own.path("secret.key");
        succeeded(&gazeprint(&["gallery", "key", &key]));
        succeeded(&run("gallery import", &[&copy], &other, &["--new-key-file", &key]));
        assert_eq!(answers(&other, &["--key-file", &key]), *ANSWERS, "and back, encrypted");
        let (merged, empty) = (server.fresh_address(), own.path("empty.gallery"));
        succeeded(&run("gallery merge", &[&own.gallery], &merged, &[]));
        assert_eq!(answers(&merged, &[]), *ANSWERS, "merged there");
        succeeded(&own.manage("export", &["--out", &empty, "--empty"]));
        let together = server.fresh_address();
        succeeded(&run("gallery merge", &[&merged, &empty], &together, &[]));
        assert_eq!(answers(&together, &[]), *ANSWERS, "merged with a file");
        let told = succeeded(&own.manage("remove", &[ANNA]));
        assert!(told.contains("the write-ahead log of the server"), "{told}");
        succeeded(&own.manage("check", &[]));
        assert_eq!(own.readers().len(), ENROLLED.len() - 1);
    }
}
