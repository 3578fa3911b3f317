//! What challenges stop: recordings of other texts under the names of those that are asked for.

use gazeprint::corpus::{Corpus, Scanpath, Text};
use gazeprint_recognition::{ReplayPolicy, VerifyOptions};

use crate::challenges::check_texts;
use crate::demonstration::demonstration;

/// Texts of a challenge.
const ASKED: usize = 5;

/// How often something was tried, was let through the challenge, was accepted, and both.
#[derive(Default)]
struct Count {
    tries: usize,
    let_through: usize,
    accepted: usize,
    both: usize,
}

/// Readings as if they were of other texts, of a reader of this name.
fn as_if(all: &Corpus, name: &str, readings: &[(&Scanpath, usize)]) -> Corpus {
    let path = |&(path, text): &(&Scanpath, usize)| Scanpath { reader: 0, text, ..path.clone() };
    let paths = readings.iter().map(path).collect();
    Corpus::new("told", vec![name.to_owned()], all.texts().to_vec(), paths).unwrap()
}

fn words(text: &Text) -> usize {
    text.lines().iter().map(|line| line.words().len()).sum()
}

/// How unlike two texts look: first by their lines, then by their words.
fn unlike(a: &Text, b: &Text) -> (usize, usize) {
    (a.lines().len().abs_diff(b.lines().len()), words(a).abs_diff(words(b)))
}

#[test]
#[ignore = "enrols 40 readers, for the figures of SECURITY.md"]
fn relabelled_recordings_are_let_through_and_seldom_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let (desk, later) = demonstration(folder.path()).unwrap();
    let enrolled: Vec<String> = desk.list().unwrap().into_iter().map(|entry| entry.id).collect();
    let of = |name: &str| -> Vec<&Scanpath> {
        let reader = later.readers().iter().position(|reader| reader == name).unwrap();
        later.scanpaths().iter().filter(|path| path.reader == reader).collect()
    };
    let mut counts: [Count; 4] = Default::default();
    for name in &enrolled {
        let own = of(name);
        let (asked, stock) = own.split_at(ASKED);
        let names: Vec<String> =
            asked.iter().map(|path| later.texts()[path.text].id().to_owned()).collect();
        let texts: Vec<usize> = asked.iter().map(|path| path.text).collect();
        let read: Vec<_> = asked.iter().copied().zip(texts.iter().copied()).collect();
        let any: Vec<_> = stock.iter().copied().zip(texts.iter().copied()).collect();
        let mut left = stock.to_vec();
        let mut like = Vec::new();
        for &text in &texts {
            let distance =
                |path: &&Scanpath| unlike(&later.texts()[path.text], &later.texts()[text]);
            let best = (0..left.len()).min_by_key(|&i| distance(&left[i])).unwrap();
            like.push((left.swap_remove(best), text));
        }
        // Whoever else read most of these texts: not everybody read them last.
        let of_other = |other: &String| -> Vec<(&Scanpath, usize)> {
            let paths = of(other).into_iter().map(|path| (path, path.text));
            paths.filter(|(_, text)| texts.contains(text)).collect()
        };
        let others = enrolled.iter().filter(|other| *other != name).map(of_other);
        let others = others.max_by_key(Vec::len).unwrap();
        for (count, readings) in counts.iter_mut().zip([&read, &any, &like, &others]) {
            let told = as_if(&later, name, readings);
            count.tries += 1;
            let is_let_through = check_texts(&names, &told).is_ok();
            let replays = ReplayPolicy { allow: false, forget: true };
            let options = VerifyOptions { replays, ..Default::default() };
            let answer = desk.verify(&told, name, &options).unwrap();
            let is_accepted = answer.decision.name() == "accepted";
            count.let_through += usize::from(is_let_through);
            count.accepted += usize::from(is_accepted);
            count.both += usize::from(is_let_through && is_accepted);
        }
    }
    let whats = ["the texts", "other texts", "other texts that look most alike", "somebody else's"];
    for (what, Count { tries, let_through, accepted, both }) in whats.iter().zip(&counts) {
        eprintln!(
            "{what}: of {tries}, {let_through} are let through, {accepted} accepted, {both} both"
        );
    }
    let [own, any, like, _] = &counts;
    assert!(own.let_through * 10 >= own.tries * 9);
    assert!(any.accepted <= own.accepted && like.accepted <= own.accepted);
}
