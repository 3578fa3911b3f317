//! Thresholds are learned from a gallery, and stay while it is about as large.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gazeprint::decision::Rules;
use gazeprint::method::Unwatched;
use gazeprint::simulate::SimulationParams;
use gazeprint_recognition::{
    EnrollOptions, FoundingOptions, IdentifyOptions, KeepRows, Location, Recognizer, ReplayPolicy,
    Warning,
};
use gazeprint_store::{Gallery, Whose};

fn rules(at: &Location) -> Rules {
    let stored = Gallery::open(at, None).unwrap().stored_readers(Whose::All).unwrap();
    stored.decoded().unwrap().rules.unwrap().rules
}

#[test]
fn they_are_learned_anew_where_a_gallery_has_grown_by_half_or_shrunk_by_a_third() {
    let folder = tempfile::tempdir().unwrap();
    let at = Location::File(folder.path().join("own.gallery"));
    let params = SimulationParams {
        readers: 13,
        texts: 30,
        coverage: 1.0,
        individuality: 1.5,
        ..Default::default()
    };
    let corpus = params.build().unwrap().run();
    let (founding, enroll) = (FoundingOptions::default(), EnrollOptions::default());
    let eight = corpus.of_readers(&(0..8).collect::<Vec<_>>());
    let (desk, _) =
        Recognizer::open_or_create(&at, None, &founding, &eight, &enroll, &Unwatched).unwrap();
    desk.enroll(&eight, &enroll, &Unwatched).unwrap();
    let of_eight = rules(&at);

    desk.enroll(&corpus.of_readers(&[8, 9, 10]), &enroll, &Unwatched).unwrap();
    assert_eq!(rules(&at), of_eight);
    let replays = ReplayPolicy { allow: true, forget: true };
    let asked = IdentifyOptions { fpir: Some(0.2), replays, ..Default::default() };
    let answer = desk.identify(&corpus.of_readers(&[9]), &asked).unwrap();
    assert_eq!(answer.ranking[0].reader, corpus.readers()[9]);
    assert!(!answer.warnings.contains(&Warning::OutdatedRules {}));

    desk.enroll(&corpus.of_readers(&[11, 12]), &enroll, &Unwatched).unwrap();
    let of_thirteen = rules(&at);
    assert_ne!(of_thirteen, of_eight);

    for reader in &corpus.readers()[..4] {
        desk.remove(reader, &Unwatched).unwrap();
    }
    assert_eq!(rules(&at), of_thirteen);
    desk.remove(&corpus.readers()[4], &Unwatched).unwrap();
    assert_ne!(rules(&at), of_thirteen);

    // At any time, where that is asked.
    let of_fewer = rules(&at);
    desk.enroll(&corpus.of_readers(&[0]), &enroll, &Unwatched).unwrap();
    assert_eq!(rules(&at), of_fewer);
    desk.calibrate(KeepRows::OfMany, &Unwatched).unwrap();
    assert_ne!(rules(&at), of_fewer);
}
