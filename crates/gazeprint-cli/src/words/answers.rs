//! Answers for people: tables and lines.

use std::fmt::Write;

use gazeprint::decision::FEWEST_READERS;
use gazeprint::method::Evidence;
use gazeprint_recognition::{
    Entry, Identification, LivenessFinding, Location, ReplayFinding, ReplaySource, Skipped,
    Standing, UNKNOWN, Verdict, Verification, two_digits,
};

use super::log::date;
use crate::inspect::{plural, visible};

/// A probe that was there before.
pub(crate) fn replay(replay: &ReplayFinding, reader: &str) -> String {
    let reader = visible(reader);
    let source = match replay.of {
        ReplaySource::Enrolled => format!("recordings that {reader} was enrolled with"),
        ReplaySource::EarlierProbe => format!("earlier probes of {reader}"),
    };
    let parts = match replay.pieces {
        0 => plural(replay.readings, "reading"),
        pieces => plural(pieces, "piece"),
    };
    format!("a replay: {parts} of {source} ({:.0} % the same)", 100.0 * replay.share)
}

/// A probe that no person seems to have read.
pub(crate) fn lifeless(found: &LivenessFinding) -> Option<String> {
    let LivenessFinding { alive, score, threshold, .. } = *found;
    (!alive).then(|| {
        format!(
            "; no person seems to have read it (liveness {score:+.2}, threshold {threshold:+.2})"
        )
    })
}

/// Who it is.
pub(crate) fn identification(answer: &Identification) -> String {
    let mut text = String::new();
    let Some(best) = answer.ranking.first() else { return text };
    let decision = match (&answer.replay, answer.decision.as_str()) {
        (Some(found), UNKNOWN) => format!("{UNKNOWN}: {}", replay(found, &best.reader)),
        (_, UNKNOWN) => match &answer.likely {
            Some(likely) => {
                let likely = visible(likely);
                format!("likely {likely}{}", more(answer.more_sentences, answer.more_seconds))
            }
            None => {
                let why = answer.liveness.as_ref().and_then(lifeless);
                format!("{UNKNOWN}{}", why.unwrap_or_default())
            }
        },
        (_, decision) => visible(decision),
    };
    _ = writeln!(
        text,
        "{decision}\n\nfrom {} in {}; ratio {:.2}, threshold {:.2} for a false-alarm rate of {}\n",
        plural(answer.fixations, "fixation"),
        plural(answer.readings, "reading"),
        best.ratio,
        answer.threshold,
        answer.fpir
    );
    let names: Vec<String> = answer.ranking.iter().map(|r| visible(&r.reader)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(6);
    _ = writeln!(
        text,
        "rank  {:<width$}  {:>9}  {:>8}  {:>12}  {:>8}  {:>10}  {:>9}{}",
        "reader",
        "posterior",
        "llr",
        "score",
        "types",
        "amplitudes",
        "durations",
        other_voices(&best.parts, |name, _| format!("  {name:>10}"))
    );
    for ((rank, r), name) in answer.ranking.iter().enumerate().zip(&names) {
        let Evidence { types, amplitudes, durations, .. } = r.parts;
        _ = writeln!(
            text,
            "{:>4}  {name:<width$}  {:>9.4}  {:>+8.2}  {:>12.2}  {types:>+8.2}  {amplitudes:>+10.2}  \
             {durations:>+9.2}{}",
            rank + 1,
            r.posterior,
            r.llr,
            r.score,
            other_voices(&r.parts, |_, said| format!("  {said:>+10.2}"))
        );
    }
    text
}

/// A cell for each voice besides words that speaks.
fn other_voices(parts: &Evidence, cell: impl Fn(&str, f64) -> String) -> String {
    let voices = [("embedding", parts.embedding), ("oculomotor", parts.oculomotor)];
    voices.into_iter().filter_map(|(name, said)| said.map(|said| cell(name, said))).collect()
}

/// Whether a claim is believed.
pub(crate) fn verification(answer: &Verification) -> String {
    let id = visible(&answer.reader);
    let why = match &answer.replay {
        Some(found) => format!("; {}", replay(found, &answer.reader)),
        None if answer.decision == Verdict::Undecided => {
            more(answer.more_sentences, answer.more_seconds)
        }
        None => answer.liveness.as_ref().and_then(lifeless).unwrap_or_default(),
    };
    format!(
        "{}: {id}{why}\nllr {:+.2} nats from {}; ratio {:.2}, threshold {:.2} for a false match rate \
         of {}\n",
        answer.decision.name(),
        answer.llr,
        plural(answer.fixations, "fixation"),
        answer.ratio,
        answer.threshold,
        answer.fmr
    )
}

/// How much more is to be read.
fn more(sentences: Option<usize>, seconds: Option<f64>) -> String {
    match sentences.zip(seconds) {
        Some((sentences, seconds)) => {
            format!("; about {} more ({seconds:.0} s) for this rate", plural(sentences, "reading"))
        }
        None => "; more reading is needed for this rate".to_owned(),
    }
}

/// What a gallery can promise.
pub(crate) fn standing(at: &Location, standing: &Standing) -> String {
    let head = format!("{at}: {}", plural(standing.readers, "reader"));
    match standing.lowest_rates {
        None => format!(
            "{head}; decisions need at least {FEWEST_READERS}, each with recordings of several texts\n"
        ),
        Some(rates) => format!(
            "{head}; can show false match rates down to {} and false alarms down to {} (rule of three)\n",
            two_digits(rates.fmr),
            two_digits(rates.fpir)
        ),
    }
}

/// Who was enrolled.
pub(crate) fn enrolled(entry: &Entry) -> String {
    let (recordings, fixations) =
        (plural(entry.recordings, "recording"), plural(entry.fixations, "fixation"));
    format!("enrolled {}: {recordings}, {fixations}\n", visible(&entry.id))
}

/// Who was not, and why.
pub(crate) fn skipped(skipped: &[Skipped]) -> String {
    let mut text = String::new();
    let Some(first) = skipped.first() else { return text };
    for Skipped { reader, fixations, .. } in skipped {
        let reader = visible(reader);
        _ = writeln!(text, "skipped {reader}: {}", plural(*fixations, "fixation"));
    }
    _ = writeln!(
        text,
        "{} skipped, with fewer than {} fixations that count (about a dozen sentences); record more, or \
         refuse such a corpus as a whole with --strict",
        plural(skipped.len(), "reader"),
        first.expected
    );
    text
}

/// The readers of a gallery.
pub(crate) fn readers(readers: &[Entry]) -> String {
    let mut text = String::new();
    let names: Vec<String> = readers.iter().map(|entry| visible(&entry.id)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(6);
    _ = writeln!(
        text,
        "\n{:<width$}  {:>10}  {:>9}  {:<16}  changed (UTC)",
        "reader", "recordings", "fixations", "enrolled (UTC)"
    );
    for (Entry { recordings, fixations, enrolled, changed, .. }, id) in readers.iter().zip(&names) {
        let (enrolled, changed) = (date(*enrolled), date(*changed));
        _ = writeln!(
            text,
            "{id:<width$}  {recordings:>10}  {fixations:>9}  {enrolled:<16}  {changed}"
        );
    }
    text
}

/// A reader of a gallery.
pub(crate) fn reader(entry: &Entry, remembered: usize) -> String {
    format!(
        "reader      {}\nrecordings  {}\nfixations   {}\nenrolled    {} UTC\nchanged     {} UTC\n\
         remembered  {} of earlier probes, to know replays\n",
        visible(&entry.id),
        entry.recordings,
        entry.fixations,
        date(entry.enrolled),
        date(entry.changed),
        plural(remembered, "reading"),
    )
}
