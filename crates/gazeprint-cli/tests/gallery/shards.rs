//! A corpus enrolled in shards and merged answers as one enrolled at once.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::LazyLock;

use serde_json::Value;

use crate::common::{gazeprint, refused, stderr, stdout, succeeded};
use crate::people::{ANNA, BERT, ENROLLED, Own, SHARED, STRANGERS, TEXTS, answer, run};

/// Shards of everybody who is in the shared gallery. Not to be written to.
static PARTS: LazyLock<[String; 3]> = LazyLock::new(|| {
    [1, 2, 3].map(|number| {
        let part = SHARED.gallery().with_file_name(format!("part{number}.gallery"));
        let part = part.to_str().unwrap().to_owned();
        let shard = format!("{number}/3");
        let more = ["--population", &SHARED.population(), "--shard", &shard];
        let told = succeeded(&run("enroll", &[&SHARED.corpus()], &part, &more));
        assert!(
            told.contains(&format!("2 readers, shard {number}/3; once all shards are")),
            "{told}"
        );
        part
    })
});

/// Copies of the shards.
fn parts(own: &Own) -> [String; 3] {
    [0, 1, 2].map(|place| {
        let part = own.path(&format!("part{place}.gallery"));
        fs::copy(&PARTS[place], &part).unwrap();
        part
    })
}

fn merge(from: &[String], to: &str, more: &[&str]) -> Output {
    run("gallery merge", &from.iter().map(String::as_str).collect::<Vec<_>>(), to, more)
}

/// What `identify` prints of some probes, to the last byte.
fn identified(gallery: &str, more: &[&str]) -> Vec<String> {
    let more = [&["--json", "--forget", "--top", "6", "--fpir", "0.2"], more].concat();
    let probes = [ANNA, BERT, STRANGERS[0]].map(|reader| SHARED.probe(reader));
    let outputs = probes.iter().map(|probe| run("identify", &[probe], gallery, &more));
    outputs.inspect(|output| _ = answer(output)).map(|output| stdout(&output)).collect()
}

/// What the gallery prints that was enrolled at once.
static AT_ONCE: LazyLock<Vec<String>> = LazyLock::new(|| identified(&Own::new().gallery, &[]));

/// What `verify` prints of somebody who is there and of somebody else.
fn verified(gallery: &str) -> [String; 2] {
    [ANNA, BERT].map(|reader| {
        let more = ["--reader", reader, "--fmr", "0.05", "--forget", "--json"];
        stdout(&run("verify", &[&SHARED.probe(ANNA)], gallery, &more))
    })
}

/// The list of readers, without times.
fn listed(gallery: &str) -> Value {
    let list = succeeded(&run("gallery list", &[], gallery, &["--json"]));
    let mut list: Value = serde_json::from_str(&list).unwrap();
    for entry in list.as_array_mut().unwrap() {
        for time in ["enrolled", "changed"] {
            assert!(entry.as_object_mut().unwrap().remove(time).is_some());
        }
    }
    list
}

fn events(gallery: &str, more: &[&str]) -> Vec<Value> {
    let log = succeeded(&run("gallery log", &[], gallery, &[&["--json"], more].concat()));
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Files beside those that should be there.
fn left_in(folder: &str, expected: &[&str]) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
    let files = files.map(|name| name.into_string().unwrap());
    files.filter(|name| !expected.contains(&name.as_str())).collect()
}

#[test]
fn shards_that_were_merged_are_as_enrolled_at_once() {
    let (own, once) = (Own::empty(), Own::new());
    let parts = parts(&own);
    let told = succeeded(&merge(&parts, &own.gallery, &[]));
    assert!(
        told.contains("own.gallery: 6 readers; can show false match rates down to 0.0"),
        "{told}"
    );
    assert_eq!(identified(&own.gallery, &[]), *AT_ONCE);
    assert_eq!(verified(&own.gallery), verified(&once.gallery));
    assert_eq!(listed(&own.gallery), listed(&once.gallery));
    let later = SHARED.probe(BERT);
    assert!(!stderr(&own.identify(&later, &[])).contains("calibrate"));
    succeeded(&own.manage("check", &[]));
    let log = own.log();
    assert_eq!((&log[0]["event"], &log[1]["event"]), (&"created".into(), &"merged".into()));
    assert_eq!((&log[1]["readers"], &log[1]["galleries"]), (&6.into(), &3.into()));
    let told = succeeded(&own.manage("log", &[]));
    assert!(told.contains(" UTC  merged: 6 readers from 3 galleries\n"), "{told}");
    for part in &parts {
        assert_eq!(events(part, &[]).last().unwrap()["event"], "copied");
    }
    // It goes on as any other gallery does.
    let newcomer = own.corpus("newcomer", |reader, _| reader == STRANGERS[0]);
    succeeded(&own.enroll(&newcomer, &[]));
    assert_eq!(own.readers().len(), 7);
}

#[test]
fn what_a_gallery_remembers_comes_along_when_it_is_merged() {
    let own = Own::new();
    let (rest, merged) = (own.path("rest.gallery"), own.path("merged.gallery"));
    let newcomer = own.corpus("newcomer", |reader, text| reader == STRANGERS[0] && text <= TEXTS);
    succeeded(&run("enroll", &[&newcomer], &rest, &["--population", &SHARED.population()]));
    let recognised = ["--fpir", "0.2", "--json"];
    let probe = SHARED.probe(ANNA);
    assert_eq!(answer(&own.identify(&probe, &recognised))["decision"], ANNA);
    succeeded(&merge(&[own.gallery.clone(), rest], &merged, &[]));
    let again = answer(&run("identify", &[&probe], &merged, &recognised));
    assert_eq!(again["replay"]["of"], "earlier probe", "{again}");
    // One gallery is given, not several.
    let both = ["--gallery", &own.gallery];
    refused(&run("identify", &[&probe], &merged, &both), 2);
}

#[test]
fn without_a_file_every_shard_learns_the_same_population() {
    let own = Own::empty();
    let parts = [1, 2].map(|number| {
        let part = own.path(&format!("part{number}.gallery"));
        let shard = format!("{number}/2");
        succeeded(&run("enroll", &[&SHARED.corpus()], &part, &["--shard", &shard]));
        part
    });
    succeeded(&merge(&parts, &own.path("merged.gallery"), &[]));
    succeeded(&own.enroll(&SHARED.corpus(), &[]));
    let merged = own.path("merged.gallery");
    assert_eq!(identified(&merged, &[]), identified(&own.gallery, &[]));
}

#[test]
fn an_interrupted_shard_goes_on() {
    let own = Own::empty();
    let part = &parts(&own)[1];
    let again = run("enroll", &[&SHARED.corpus()], part, &["--shard", "2/3"]);
    assert!(succeeded(&again).contains("2 readers, shard 2/3; once all"), "{}", stdout(&again));
    assert!(stderr(&again).contains("enrolled already with these recordings"));
    succeeded(&run("gallery remove", &["reader-r002"], part, &[]));
    let told = succeeded(&run("enroll", &[&SHARED.corpus()], part, &["--shard", "2/3", "--json"]));
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["enrolled"].as_array().unwrap().len(), 1);
    assert_eq!(told["enrolled"][0]["id"], "reader-r002");
}

#[test]
fn shards_that_are_none_are_refused() {
    let own = Own::empty();
    let corpus = SHARED.corpus();
    for wrong in ["0/3", "4/3", "3", "a/b", "1/0", "1/2/3", ""] {
        let told = refused(&own.enroll(&corpus, &["--shard", wrong]), 2);
        assert!(told.contains("--shard"), "{told}");
        assert!(wrong.is_empty() || told.contains("expected I/N with I from 1 to N"), "{told}");
    }
    let told = refused(&own.enroll(&corpus, &["--shard", "7/9"]), 2);
    assert!(told.contains("--shard 7/9 is empty: corpus has 6 readers"), "{told}");
    let told = refused(&own.enroll(&corpus, &["--shard", "1/3", "--pseudonyms"]), 2);
    assert!(told.contains("would not fit those of other shards; make one gallery with"), "{told}");
    // What is wrong anywhere in the corpus is said by every shard.
    let little = own.corpus("little", |reader, text| match reader {
        "r012" => text <= 3,
        _ => ENROLLED.contains(&reader) && text <= TEXTS,
    });
    let more = ["--population", &SHARED.population(), "--shard", "1/3"];
    let told = refused(&own.enroll(&little, &[&more[..], &["--strict"]].concat()), 1);
    assert!(told.contains("reader \"reader-r012\": found "), "{told}");
    assert!(!Path::new(&own.gallery).exists());
}

/// That galleries are refused as shards to merge, and nothing is left.
fn refused_together(own: &Own, galleries: &[String], code: i32, words: &[&str]) {
    let before: Vec<_> = galleries.iter().map(fs::read).map(Result::unwrap).collect();
    let folder = Path::new(&own.gallery).parent().unwrap().to_str().unwrap();
    let there = left_in(folder, &[]);
    let there: Vec<&str> = there.iter().map(String::as_str).collect();
    let told = refused(&merge(galleries, &own.gallery, &[]), code);
    assert!(words.iter().all(|word| told.contains(word)), "{told}");
    assert_eq!(left_in(folder, &there), Vec::<String>::new());
    let after: Vec<_> = galleries.iter().map(fs::read).map(Result::unwrap).collect();
    assert!(before == after, "nothing was changed");
}

#[test]
fn galleries_that_do_not_belong_together_are_refused() {
    let own = Own::empty();
    let [first, second, third] = parts(&own);
    let twice = [first.clone(), second.clone(), first.clone()];
    let words = ["found reader \"reader-r0", "both in ", "part0.gallery, expected in one of them"];
    refused_together(&own, &twice, 1, &words);
    let missing = [first.clone(), own.path("none.gallery")];
    let told = refused(&merge(&missing, &own.gallery, &[]), 1);
    assert!(told.contains("none.gallery: there is no gallery"), "{told}");
    assert!(!Path::new(&own.gallery).exists());

    let corpus = own.corpus("others", |reader, text| reader == STRANGERS[0] && text <= TEXTS);
    let population = ["--population", &SHARED.population()];
    let other = |name: &str, more: &[&str]| {
        let gallery = own.path(name);
        let more = [&population[..], more].concat();
        succeeded(&run("enroll", &[&corpus], &gallery, &more));
        [first.clone(), second.clone(), gallery]
    };
    let shorter = other("shorter.gallery", &["--min-duration", "60"]);
    let words = [
        "shorter.gallery does not belong together with ",
        "part0.gallery: found that fixations of 60 to 1500 ms count, expected those of 50 to 1500 ms",
    ];
    refused_together(&own, &shorter, 1, &words);
    let hidden = other("hidden.gallery", &["--pseudonyms"]);
    let words = ["hidden.gallery does not belong together with ", "found other pseudonyms"];
    refused_together(&own, &hidden, 1, &words);
    let learned = own.path("learned.gallery");
    succeeded(&run("enroll", &[&SHARED.corpus()], &learned, &["--shard", "3/3"]));
    let words = ["learned.gallery does not belong together with ", "found another population"];
    refused_together(&own, &[first.clone(), second.clone(), learned], 1, &words);

    // A gallery is never overwritten, also not by itself.
    let all = [first.clone(), second, third];
    let before = fs::read(&first).unwrap();
    let told = refused(&merge(&all, &first, &[]), 1);
    assert!(
        told.contains("part0.gallery exists already; a gallery is never overwritten"),
        "{told}"
    );
    assert!(before == fs::read(&first).unwrap());
    refused(&gazeprint(&["gallery", "merge", "--gallery", &own.gallery]), 2);
}

#[test]
fn encrypted_shards_open_with_one_key() {
    let own = Own::empty();
    let key = own.path("secret.key");
    succeeded(&gazeprint(&["gallery", "key", &key]));
    let parts = parts(&own);
    for part in &parts {
        succeeded(&run("gallery rekey", &[], part, &["--new-key-file", &key]));
    }
    let opened = ["--key-file", key.as_str()];
    succeeded(&merge(&parts, &own.gallery, &opened));
    assert_eq!(identified(&own.gallery, &opened), *AT_ONCE);
    assert!(!crate::people::holds(&own.bytes(), "reader-r0"), "encrypted as the shards are");
    let (next, other) = (own.path("next.key"), own.path("other.gallery"));
    succeeded(&gazeprint(&["gallery", "key", &next]));
    let new = [&opened[..], &["--new-key-file", &next]].concat();
    succeeded(&merge(&parts, &other, &new));
    succeeded(&run("gallery list", &[], &other, &["--key-file", &next]));

    let unmade = own.path("unmade.gallery");
    let told = refused(&merge(&parts, &unmade, &["--key-file", &next]), 6);
    assert!(told.contains("part0.gallery: the key file does not open it"), "{told}");
    let told = refused(&merge(&parts, &unmade, &[]), 6);
    assert!(told.contains("part0.gallery is encrypted, and opens with a key file"), "{told}");
    assert!(!Path::new(&unmade).exists());
}

#[test]
fn pseudonyms_fit_in_copies_of_one_gallery() {
    let own = Own::empty();
    let some = own.corpus("some", |reader, _| reader == STRANGERS[0]);
    let population = SHARED.population();
    succeeded(&own.enroll(&some, &["--population", &population, "--pseudonyms"]));
    let parts = [1, 2, 3].map(|number| {
        let part = own.path(&format!("part{number}.gallery"));
        let told = succeeded(&own.manage("export", &["--out", &part, "--empty"]));
        assert_eq!(told, format!("{part}: 0 readers\n"));
        assert_eq!(events(&part, &[]).len(), 1);
        let shard = format!("{number}/3");
        let more = ["--shard", &shard, "--pseudonyms", "--population", &population];
        succeeded(&run("enroll", &[&SHARED.corpus()], &part, &more));
        part
    });
    let merged = own.path("merged.gallery");
    succeeded(&merge(&parts, &merged, &[]));
    let claim = ["--reader", ANNA, "--fmr", "0.05"];
    let told = succeeded(&run("verify", &[&SHARED.probe(ANNA)], &merged, &claim));
    assert!(told.starts_with("accepted: p-"), "{told}");
    assert!(!crate::people::holds(&fs::read(&merged).unwrap(), "reader-r0"));
}

/// Killed at any moment, there is the whole gallery or none.
#[cfg(unix)]
#[test]
fn a_merge_that_is_killed_leaves_a_whole_gallery_or_none() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let own = Own::empty();
    let parts = parts(&own);
    let begun = Instant::now();
    succeeded(&merge(&parts, &own.path("whole.gallery"), &[]));
    let whole = begun.elapsed();
    let (mut made, mut unmade) = (0, 0);
    for turn in 0..12 {
        let to = own.path(&format!("{turn}.gallery"));
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("gazeprint"))
            .args(["gallery", "merge", &parts[0], &parts[1], &parts[2], "--gallery", &to])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(whole.min(Duration::from_secs(5)) * turn / 12);
        child.kill().unwrap();
        child.wait().unwrap();
        if Path::new(&to).exists() {
            made += 1;
            succeeded(&run("gallery check", &[], &to, &[]));
            assert_eq!(listed(&to).as_array().unwrap().len(), ENROLLED.len());
        } else {
            unmade += 1;
        }
    }
    assert!(unmade > 0, "{made} were made, and none was killed before");
}
