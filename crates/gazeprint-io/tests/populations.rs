//! Files of populations: what is written comes back, and nothing else does.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gazeprint::corpus::Limits;
use gazeprint::method::{DayShares, Population, Unwatched};
use gazeprint::saccade::{Reading, readings};
use gazeprint::simulate::SimulationParams;
use gazeprint_io::{
    PopulationError, PopulationFile, Provenance, WriteError, read_population, write_population,
};
use proptest::prelude::*;

/// A population of few readers, and the bytes of its file.
fn stored() -> &'static (PopulationFile, Vec<u8>) {
    static STORED: OnceLock<(PopulationFile, Vec<u8>)> = OnceLock::new();
    STORED.get_or_init(|| {
        let params = SimulationParams { readers: 3, texts: 8, ..Default::default() };
        let (readings, _) = readings(&params.build().unwrap().run(), Limits::default());
        let numbered: Vec<(usize, &Reading)> = readings.iter().map(|r| (r.reader, r)).collect();
        let stored = PopulationFile {
            provenance: Provenance {
                gazeprint: "0.1.0".to_owned(),
                readers: 3,
                texts: 8,
                fixations: 200,
                durations_ms: [50.0, 1500.0],
                corpus_sha256: "0f".repeat(32),
            },
            population: Population::learn(3, &numbered, &DayShares::default(), &Unwatched).unwrap(),
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        write_population(&stored, &file, false).unwrap();
        (stored, std::fs::read(file).unwrap())
    })
}

/// Reads a file of these bytes.
fn read(bytes: &[u8]) -> Result<PopulationFile, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, bytes).unwrap();
    read_population(&file).map_err(|error| {
        let text = error.to_string();
        let path = file.display().to_string();
        assert!(text.starts_with(&path), "{text:?} does not name the file");
        text[path.len()..].to_owned()
    })
}

/// A file whose content was edited, with the checksum that belongs to it.
fn edited(from: &str, to: &str) -> Vec<u8> {
    use sha2::Digest;
    let text = String::from_utf8(stored().1.clone()).unwrap();
    let (head, content) = text.split_once("\"content\":").unwrap();
    let content = content.strip_suffix("}\n").unwrap();
    assert!(content.contains(from), "{from} is not there");
    let content = content.replacen(from, to, 1);
    let sum: String =
        sha2::Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
    let (start, _) = head.split_once("\"sha256\":").unwrap();
    format!("{start}\"sha256\":\"{sum}\",\"content\":{content}}}\n").into_bytes()
}

#[test]
fn what_is_written_comes_back_to_the_last_bit() {
    let (stored, bytes) = stored();
    let again = read(bytes).unwrap();
    assert!(format!("{stored:?}") == format!("{again:?}"));
    let text = std::str::from_utf8(bytes).unwrap();
    assert!(text.starts_with("{\"format\":\"gazeprint-population\",\"version\":1,\"sha256\":\""));
    assert!(!text.contains("r001"), "no names");
}

#[test]
fn files_are_replaced_only_when_asked_and_whole() {
    let (stored, bytes) = stored();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.b");
    std::fs::write(&file, "mine").unwrap();
    let refused = write_population(stored, &file, false);
    assert!(matches!(refused, Err(WriteError::Exists { .. })));
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");
    write_population(stored, &file, true).unwrap();
    assert!(&std::fs::read(&file).unwrap() == bytes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    for nowhere in [folder.path().join("missing/file"), folder.path().to_owned()] {
        let refused = write_population(stored, &nowhere, true).unwrap_err().to_string();
        assert!(refused.contains("cannot be written"), "{refused}");
    }
}

#[test]
fn what_no_population_can_be_is_not_written() {
    let mut stored = stored().0.clone();
    stored.provenance.durations_ms[0] = f64::NAN;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let refused = write_population(&stored, &file, false).unwrap_err().to_string();
    assert!(refused.contains("not finite"), "{refused}");
    assert!(!file.exists());
}

#[test]
fn other_files_are_named_for_what_they_are() {
    let error = |bytes: &[u8]| read(bytes).unwrap_err();
    assert!(error(b"").starts_with(" is no population: found nothing in it, expected JSON with"));
    assert!(error(b"reader,text\n").contains("text that is no JSON (expected value at line 1"));
    assert!(error(b"\xff\xfe\0").contains("bytes that are no text"));
    assert!(error(b"[1, 2]").contains("JSON of another kind"));
    assert!(
        error(b"{\"schema_version\": 1}").contains("JSON of another kind (missing field `form")
    );
    let other = b"{\"format\": \"gallery\", \"version\": 1}";
    assert!(error(other).contains("found the format \"gallery\", expected"), "{}", error(other));
    let next = b"{\"format\": \"gazeprint-population\", \"version\": 2, \"more\": []}";
    assert!(error(next).starts_with(", version: found 2, expected 1; "), "{}", error(next));
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    assert!(error(deep.as_bytes()).contains("it was cut off"), "{}", error(deep.as_bytes()));

    let missing = read_population(Path::new("no-such-file")).unwrap_err();
    assert!(matches!(missing, PopulationError::Missing { .. }), "{missing}");
    let folder = read_population(&PathBuf::from(".")).unwrap_err();
    assert!(matches!(folder, PopulationError::Unreadable { .. }), "{folder}");
}

/// Whoever edits a file and mends the checksum is told which field is wrong.
#[test]
fn wrong_content_is_named_by_its_field() {
    for (from, to, told) in [
        ("\"readers\":3", "\"readers\":1", ", provenance.readers: found 1, expected at least 2; "),
        ("\"readers\":3", "\"readers\":\"x\"", ", provenance.readers: invalid type: string \"x\""),
        ("\"0f0f", "\"0F0f", ", provenance.corpus_sha256: found \"0F0f"),
        ("[50.0,1500.0]", "[50.0,10.0]", ", provenance.durations_ms: found 50.0 to 10.0, expected"),
        ("\"centre\":[", "\"centre\":[0.5,", ", population.centre: trailing characters"),
        ("\"mean\":[", "\"mean\":[0.5,", ", population.types: found a mean of 111 numbers"),
        ("\"alpha2\"", "\"alpha7\"", ", population.densities: [3]: found the density \"alpha7\""),
        ("\"sigma\":", "\"sigma\":-", ", population.densities: [0]: alpha0: found sigma -"),
        ("\"pooled\":[", "\"pooled\":[null,", ", population.densities[0].pooled[0]: invalid type"),
    ] {
        let error = read(&edited(from, to)).unwrap_err();
        assert!(error.starts_with(told), "{error:?} does not start with {told:?}");
    }
    assert!(read(&edited("\"readers\":3", "\"readers\":4")).is_ok(), "the checksum fits");
}

#[test]
fn a_flipped_digit_is_found() {
    let mut bytes = stored().1.clone();
    let place = bytes.windows(9).position(|w| w == b"\"pooled\":").unwrap() + 14;
    assert!(bytes[place].is_ascii_digit());
    bytes[place] ^= 1;
    let error = read(&bytes).unwrap_err();
    assert!(error.starts_with(", sha256: found content with the checksum "), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any single byte that is changed.
    #[test]
    fn a_changed_byte_is_an_error(place in 0usize..1 << 20, change in 1u8..=255, early: bool) {
        let mut bytes = stored().1.clone();
        // Half of the changes go to the head and the names.
        let range = if early { 600 } else { bytes.len() };
        let place = place % range;
        // The line end at the end of the file means nothing.
        prop_assume!(place + 1 < bytes.len());
        bytes[place] ^= change;
        prop_assert!(read(&bytes).is_err(), "byte {place} changed by {change}");
    }

    /// A file that ends early. Without the line end it is whole.
    #[test]
    fn a_cut_file_is_an_error(place in 0usize..1 << 20) {
        let bytes = &stored().1;
        let place = place % (bytes.len() - 1);
        let error = read(&bytes[..place]).err();
        let told = if place == 0 { "nothing in it" } else { "it was cut off" };
        prop_assert!(error.as_ref().is_some_and(|e| e.contains(told)), "{place}: {error:?}");
    }

    /// Changes whose checksum fits may be accepted or not, but never stop the reader.
    #[test]
    fn a_changed_number_is_no_panic(place in 0usize..1 << 20, digits in "-?[0-9]{1,3}(e-?[0-9]{1,3})?") {
        let text = String::from_utf8(stored().1.clone()).unwrap();
        let (_, content) = text.split_once("\"content\":").unwrap();
        let numbers: Vec<(usize, char)> =
            content.char_indices().filter(|(_, c)| *c == ',' || *c == '[').collect();
        let (start, _) = numbers[place % numbers.len()];
        let rest = &content[start + 1..];
        let end = rest.find([',', ']', '}']).unwrap_or(0);
        prop_assume!(rest[..end].parse::<f64>().is_ok());
        // The context tells this number from its likes.
        let from = &content[start.saturating_sub(40)..start + 1 + end];
        let to = format!("{}{digits}", &content[start.saturating_sub(40)..=start]);
        if let Ok(read) = read(&edited(from, &to)) {
            _ = read.population.traits(&DayShares::default());
        }
    }
}
