//! The results of a study for people.

use std::fmt::Write;
use std::path::Path;

use gazeprint_eval::report::{
    AttacksReport, DensityDiagnostics, Estimate, MethodAttacks, MethodReport, ProtocolReport,
    Report, SecondsTaken, WatchReport,
};
use gazeprint_eval::robustness::{Outcome, Robustness};
use gazeprint_report::number::grouped;
use gazeprint_report::tables::attack_words;

use crate::inspect::{plural, visible};

/// Counts with what they count, those that are not zero.
pub(super) fn reasons<'a>(counts: impl IntoIterator<Item = (&'a str, usize)>) -> String {
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(_, n)| *n > 0)
        .map(|(reason, n)| format!("{} {}", grouped(n), reason.replace('_', " ")))
        .collect();
    parts.join(", ")
}

/// The results for people.
pub(super) fn table(report: &Report, out: Option<&Path>) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    introduction(&mut text, report)?;
    heading(&mut text, report)?;
    for method in &report.methods {
        line(&mut text, method)?;
    }
    let errors = if report.protocol.splits > 1 { " ± standard error over splits" } else { "" };
    writeln!(
        text,
        "\naccuracy: part of the probes whose reader is ranked first{errors}\n\
         area:     probability that an impostor outscores the genuine reader\n\
         EER:      equal error rate of verification\n\
         seconds:  tuning, fitting and scoring, all splits"
    )?;
    let size = Robustness::telling_size(&report.protocol.probe_sentences);
    for attacked in report.attacks.iter().flatten() {
        attacks(&mut text, attacked, size)?;
    }
    for watched in report.watch.iter().flatten() {
        watch(&mut text, watched)?;
    }
    if let Some(worse) = &report.robustness {
        robustness(&mut text, report, worse)?;
    }
    notes(&mut text, report)?;
    if let Some(folder) = out {
        let page = folder.join("report.html");
        writeln!(text, "\nwritten to {}; look at {}", folder.display(), page.display())?;
    }
    Ok(text)
}

/// What was studied, and how.
fn introduction(text: &mut String, report: &Report) -> std::fmt::Result {
    let (corpus, protocol) = (&report.corpus, &report.protocol);
    writeln!(
        text,
        "{}: {}, {}, {}",
        visible(&corpus.name),
        plural(corpus.readers, "reader"),
        plural(corpus.texts, "text"),
        plural(corpus.fixations, "fixation"),
    )?;
    if !corpus.dropped.is_empty() {
        let dropped = reasons(corpus.dropped.iter().map(|(reason, n)| (reason.as_str(), *n)));
        writeln!(text, "fixations dropped: {dropped}")?;
    }
    if !corpus.excluded_readers.is_empty() {
        let excluded = &corpus.excluded_readers;
        let named: Vec<String> = excluded.iter().take(NAMED).map(|name| visible(name)).collect();
        let more = match excluded.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        writeln!(
            text,
            "{} left out of some split, without training or test texts there: {}{more}",
            plural(excluded.len(), "reader"),
            named.join(", ")
        )?;
    }
    writeln!(
        text,
        "{}; {}, seed {}; {}\n",
        division(protocol),
        plural(protocol.splits, "split"),
        protocol.seed,
        chance(corpus.readers, protocol)
    )
}

/// What guessing would reach, with the number of readers to guess from where it is not that of the
/// corpus.
fn chance(readers: usize, protocol: &ProtocolReport) -> String {
    let by_split = protocol.readers_by_split.iter().copied();
    let fewest = by_split.clone().min().unwrap_or(readers);
    let most = by_split.max().unwrap_or(readers);
    let mean = protocol.chance();
    match () {
        () if fewest < most => {
            let (low, high) = (1.0 / most as f64, 1.0 / fewest as f64);
            format!("{fewest} to {most} readers a split, chance {low:.3} to {high:.3}")
        }
        () if most < readers => format!("{} a split, chance {mean:.3}", plural(most, "reader")),
        () => format!("chance {mean:.3}"),
    }
}

/// How the corpus was divided, in words.
fn division(protocol: &ProtocolReport) -> String {
    let part = protocol.train_fraction.map(|part| (1000.0 * part).round() / 10.0);
    match (protocol.split.as_str(), part) {
        ("random", Some(part)) => format!("{part} % of the texts train, the others test"),
        ("temporal", Some(part)) => {
            format!("the first {part} % of what each reader read trains, the rest tests")
        }
        ("session", _) => visible(&protocol.names.join("; ")),
        _ => "divided as the file of splits says".to_owned(),
    }
}

/// Excluded readers that the table names; study.json names them all.
const NAMED: usize = 8;
/// Widths of the table's columns.
const NAME: usize = 18;
const SIZE: usize = 6;

fn heading(text: &mut String, report: &Report) -> std::fmt::Result {
    let sizes: Vec<usize> = report.protocol.probe_sentences.clone();
    let by_size = if sizes.is_empty() { "" } else { "  accuracy by texts a probe" };
    let width = (SIZE * sizes.len()).max(by_size.len());
    writeln!(text, "{:NAME$}{by_size:<width$}   all test texts", "")?;
    write!(text, "{:<NAME$}", "method")?;
    for size in &sizes {
        write!(text, "{size:>SIZE$}")?;
    }
    let gap = width - SIZE * sizes.len();
    writeln!(text, "{:gap$}   {:<14}{:>8}{:>7}{:>8}", "", "accuracy", "area", "EER", "seconds")
}

fn line(text: &mut String, method: &MethodReport) -> std::fmt::Result {
    write!(text, "{:<NAME$}", method.method)?;
    for size in &method.by_sentences {
        if size.shorter_probes == size.probes {
            write!(text, "{:>SIZE$}", "-")?;
        } else {
            write!(text, "{:>SIZE$.3}", size.accuracy.mean)?;
        }
    }
    let by_size = SIZE * method.by_sentences.len();
    let gap = if by_size == 0 { 0 } else { by_size.max(27) - by_size };
    let area = match method.area.mean {
        0.0 => "0".to_owned(),
        area => format!("{area:.1e}"),
    };
    writeln!(
        text,
        "{:gap$}   {:<14}{area:>8}{:>7.4}{:>8.1}",
        "",
        estimate(&method.accuracy),
        method.verification.eer.mean,
        method.tune_seconds + method.fit_seconds + method.score_seconds
    )
}

fn estimate(value: &Estimate) -> String {
    match value.se {
        Some(se) => format!("{:.3} ± {se:.3}", value.mean),
        None => format!("{:.3}", value.mean),
    }
}

/// What comes of attacks on a method, at one size of probes and with all test texts.
fn attacks(text: &mut String, attacked: &MethodAttacks, size: Option<usize>) -> std::fmt::Result {
    const ATTACK: usize = 28;
    const PART: usize = 8;
    writeln!(
        text,
        "\nattacks on {}: part accepted at a false match rate, and with countermeasures",
        attacked.method
    )?;
    let rates = attacked.by_sentences.iter().flat_map(|s| &s.attacks).map(|a| &a.accepted_at);
    write!(text, "{:<ATTACK$}{:>6}", "attack", "texts")?;
    for at in rates.clone().next().into_iter().flatten() {
        write!(text, "{:>PART$}{:>PART$}", at.fmr, "guarded")?;
    }
    writeln!(text, "{:>PART$}{:>PART$}", "replay", "no life")?;
    let part = |text: &mut String, part: Option<&Estimate>| match part {
        Some(part) if part.mean > 0.0 && part.mean < 1e-3 => {
            write!(text, "{:>PART$.0e}", part.mean)
        }
        Some(part) => write!(text, "{:>PART$.3}", part.mean),
        None => write!(text, "{:>PART$}", "-"),
    };
    let shown = |s: &&AttacksReport| s.sentences.is_none() || s.sentences == size;
    for size in attacked.by_sentences.iter().filter(shown) {
        let texts = size.sentences.map_or("all".to_owned(), |m| m.to_string());
        for attack in &size.attacks {
            write!(text, "{:<ATTACK$}{texts:>6}", attack_words(attack.attack))?;
            for at in &attack.accepted_at {
                part(text, Some(&at.accepted))?;
                part(text, Some(&at.guarded))?;
            }
            part(text, attack.replayed.as_ref())?;
            part(text, attack.lifeless.as_ref())?;
            text.push('\n');
        }
    }
    if !attacked.forgeable {
        writeln!(text, "note: templates of {} are not forged here", attacked.method)?;
    }
    for size in &attacked.by_sentences {
        if let Some(told) = &size.liveness {
            let texts = size.sentences.map_or("all texts".to_owned(), |m| plural(m, "text"));
            writeln!(
                text,
                "liveness, probes of {texts}: area {:.3}, EER {:.3}",
                told.area.mean, told.eer.mean
            )?;
        }
    }
    Ok(())
}

/// How long watches take to decide, and to notice a swap.
fn watch(text: &mut String, watched: &WatchReport) -> std::fmt::Result {
    writeln!(
        text,
        "\nwatching with {}: wanted rates of false accepts {} and false rejects {}; seconds of reading\n\
         {:<26}{:>8}{:>10}{:>10}{:>11}{:>8}{:>9}",
        watched.method,
        watched.fmr,
        watched.fnmr,
        "who reads",
        "watches",
        "accepted",
        "rejected",
        "undecided",
        "mean",
        "median"
    )?;
    let seconds = |text: &mut String, taken: Option<SecondsTaken>| {
        let mut cell = |value: Option<f64>, width: usize| match value {
            Some(value) => write!(text, "{value:>width$.1}"),
            None => write!(text, "{:>width$}", "-"),
        };
        cell(taken.map(|t| t.mean), 8)?;
        cell(taken.and_then(|t| t.median), 9)?;
        writeln!(text)
    };
    for (who, vigils) in
        [("the reader", &watched.genuine), ("somebody not enrolled", &watched.impostor)]
    {
        write!(
            text,
            "{who:<26}{:>8}{:>10.3}{:>10.3}{:>11.3}",
            grouped(vigils.watches),
            vigils.accepted.mean,
            vigils.rejected.mean,
            vigils.undecided.mean
        )?;
        seconds(text, vigils.seconds)?;
    }
    let swaps = &watched.swaps;
    if let Some(noticed) = &swaps.noticed {
        write!(
            text,
            "{:<26}{:>8}{:>10}{:>10.3}{:>11.3}",
            "the reader, then another",
            grouped(swaps.swaps),
            "",
            noticed.mean,
            1.0 - noticed.mean
        )?;
        seconds(text, swaps.seconds)?;
    }
    for (what, rate) in [
        ("false accepts", Some(&watched.impostor.accepted)),
        ("false rejects", Some(&watched.genuine.rejected)),
        ("swaps noticed", swaps.noticed.as_ref()),
    ] {
        if let Some((mean, [low, high])) = rate.and_then(|rate| Some((rate.mean, rate.ci95?))) {
            writeln!(text, "{what}: {mean:.3}, 95 % interval over readers {low:.3} to {high:.3}")?;
        }
    }
    writeln!(text, "seconds: mean of those decided; median of all, the undecided among them")?;
    if let Some(alarms) = watched.false_alarms_per_hour {
        writeln!(text, "false alarms without a swap: {alarms:.2} in an hour of reading")?;
    }
    Ok(())
}

/// Accuracy on worse recordings at one size of probes.
fn robustness(text: &mut String, report: &Report, worse: &Robustness) -> std::fmt::Result {
    let size = Robustness::telling_size(&report.protocol.probe_sentences);
    let probes = size.map_or("all test texts".to_owned(), |m| plural(m, "text") + " a probe");
    writeln!(
        text,
        "\naccuracy with {probes} on worse recordings, {}",
        plural(worse.splits, "split")
    )?;
    let noise = worse.position_noise.iter().map(|l| (l.sd_chars, &l.outcome)).collect();
    levels(text, "noise, characters", noise, size)?;
    let shortest = worse.min_duration.iter().map(|l| (l.min_duration_ms, &l.outcome)).collect();
    levels(text, "shortest, ms", shortest, size)
}

/// A line for each method, a column for each level.
fn levels(
    text: &mut String,
    name: &str,
    levels: Vec<(f64, &Outcome)>,
    size: Option<usize>,
) -> std::fmt::Result {
    write!(text, "{name:<NAME$}")?;
    for (level, _) in &levels {
        write!(text, "{level:>SIZE$}")?;
    }
    text.push('\n');
    let methods = levels.iter().map(|(_, outcome)| outcome.methods.len()).max().unwrap_or(0);
    let studied = levels.iter().find(|(_, outcome)| outcome.methods.len() == methods);
    for (place, method) in studied.iter().flat_map(|(_, o)| &o.methods).enumerate() {
        write!(text, "{:<NAME$}", method.method)?;
        for (_, outcome) in &levels {
            let accuracy = outcome.methods.get(place).map(|m| &m.accuracy);
            match accuracy.and_then(|a| a.iter().find(|a| a.sentences == size)) {
                Some(accuracy) => write!(text, "{:>SIZE$.3}", accuracy.mean)?,
                None => write!(text, "{:>SIZE$}", "-")?,
            }
        }
        text.push('\n');
    }
    for (level, outcome) in &levels {
        if let Some(why) = &outcome.missing {
            writeln!(text, "note: {name} {level}: {why}")?;
        }
    }
    Ok(())
}

/// What the reader of the table should know before trusting it.
fn notes(text: &mut String, report: &Report) -> std::fmt::Result {
    for method in &report.methods {
        let densities = method.diagnostics.densities.values();
        let sum = |value: fn(&DensityDiagnostics) -> usize| -> usize {
            densities.clone().map(value).sum()
        };
        let (fits, failed, doubtful) = (sum(|d| d.fits), sum(|d| d.failed), sum(|d| d.doubtful));
        if failed > 0 {
            writeln!(
                text,
                "note: {}: {} of {} fits failed; those readers got the density of all readers",
                method.method,
                grouped(failed),
                grouped(fits)
            )?;
        }
        let fell = method.diagnostics.fell;
        if fell > 0 {
            writeln!(
                text,
                "note: {}: the evidence of {} fell while the population was learned; an earlier \
                 state was kept",
                method.method,
                plural(fell, "part")
            )?;
        }
        if doubtful > 0 {
            let why = match method.engine.as_deref() {
                Some("laplace") => "unreliable importance weights (k-hat above 0.7)",
                Some("metropolis") => "chains that have not mixed (under 100 effective draws)",
                _ => "divergent transitions or under 100 effective draws",
            };
            writeln!(
                text,
                "note: {}: {} of {} posteriors have {why}; see diagnostics in study.json",
                method.method,
                grouped(doubtful),
                grouped(fits)
            )?;
        }
    }
    Ok(())
}
