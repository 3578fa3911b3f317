//! A learned population, for people.

use std::fmt::Write;

use gazeprint::method::{DensityTraits, People, Population, RegressionTraits, Trait, Traits};
use gazeprint_io::{PopulationFile, Provenance};

use super::{plural, visible, wrapped};

/// Width of the column of densities and durations.
const LABEL: usize = 34;
/// Width of the column of features.
const FEATURE: usize = 41;
/// Regressions that fit side by side.
const ABREAST: usize = 3;

/// What is printed as JSON.
#[derive(serde::Serialize)]
struct PopulationInspection<'a> {
    kind: &'static str,
    provenance: &'a Provenance,
    #[serde(flatten)]
    traits: &'a Traits,
}

/// A population of a file in numbers: such files do not say how readers differ from day to day.
fn traits_of(population: &Population) -> Traits {
    population.traits(People::shipped().day_shares())
}

/// A population as JSON.
pub(crate) fn json(stored: &PopulationFile) -> anyhow::Result<String> {
    let traits = traits_of(&stored.population);
    let report = PopulationInspection {
        kind: "population",
        provenance: &stored.provenance,
        traits: &traits,
    };
    Ok(crate::words::json(&report)?)
}

/// A population of a file as tables.
pub(super) fn table(name: &str, stored: &PopulationFile) -> Result<String, std::fmt::Error> {
    let p = &stored.provenance;
    let mut out = String::new();
    writeln!(
        out,
        "{}: a population of {}, learned from {}, {}",
        visible(name),
        plural(p.readers, "reader"),
        plural(p.texts, "text"),
        plural(p.fixations, "fixation"),
    )?;
    let ([shortest, longest], version) = (p.durations_ms, visible(&p.gazeprint));
    writeln!(out, "by gazeprint {version}, fixations of {shortest} to {longest} ms")?;
    writeln!(out, "corpus sha256 {}\n", p.corpus_sha256)?;
    out.push_str(&tables(&traits_of(&stored.population))?);
    Ok(out)
}

/// What a population is like, as tables.
pub(crate) fn tables(traits: &Traits) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    densities(&mut out, traits)?;
    moves(&mut out, traits)?;
    durations(&mut out, traits)?;
    landings(&mut out, traits)?;
    sessions(&mut out, traits)?;
    out.push('\n');
    out.push_str(&wrapped(
        "*: assumed. No reader showed it (or, of days, none came twice), and it is where learning \
         started.",
    ));
    if traits.fell > 0 {
        let count = plural(traits.fell, "Gaussian");
        out.push('\n');
        out.push_str(&wrapped(&format!(
            "note: learning {count} ran away or lost evidence, and an earlier state was kept"
        )));
    }
    Ok(out)
}

/// Marks what is assumed.
fn mark(assumed: bool) -> char {
    if assumed { '*' } else { ' ' }
}

/// A line without blanks at its end.
fn end_line(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}

/// How many times, where a logarithm is added.
fn times(log: f64) -> String {
    let factor = log.exp();
    match factor {
        f if f >= 99.95 => ">99".to_owned(),
        f if f >= 9.995 => format!("{f:.1}"),
        f if f < 0.005 => "<.01".to_owned(),
        f => format!("{f:.2}"),
    }
}

/// What a density is of.
fn label(density: &str) -> &'static str {
    match density {
        "alpha0" => "first place on the line",
        "alpha1" => "refixation, forward",
        "alpha1bar" => "refixation, backward",
        "alpha2" => "next word",
        "alpha3" => "forward skip",
        "alpha4" => "regression",
        "delta0" => "first of a pass",
        "delta1" => "after refixation",
        "delta2" => "after next word",
        "delta3" => "after forward skip",
        "delta4" => "after regression",
        _ => "",
    }
}

fn densities(out: &mut String, traits: &Traits) -> std::fmt::Result {
    for (heading, unit, digits) in
        [("amplitude, characters", "characters", 2), ("duration, ms", "ms", 0)]
    {
        write!(out, "{heading:<width$}", width = LABEL + 2)?;
        for column in ["from", "to", "mean", "sd", "differ"] {
            write!(out, "{column:>8}")?;
        }
        out.push('\n');
        for d in traits.densities.iter().filter(|d| d.unit == unit) {
            let DensityTraits { density, support: [lower, upper], .. } = *d;
            write!(out, "  {:<LABEL$}", format!("{} ({density})", label(density)))?;
            for value in [lower, upper, d.mean, d.sd, d.between_readers] {
                write!(out, "{value:>8.digits$}")?;
            }
            out.push(mark(d.assumed));
            end_line(out);
        }
    }
    out.push_str(&wrapped(
        "from, to: the support. mean, sd: of an average reader. differ: standard deviation over \
         readers of their means. Amplitudes before words confine them; durations in a situation \
         of average features.",
    ));
    out.push('\n');
    Ok(())
}

/// Coefficients of several regressions on the same features, side by side.
fn regressions(
    out: &mut String,
    heading: &str,
    regressions: &[RegressionTraits],
    short: fn(&'static str) -> &'static str,
) -> std::fmt::Result {
    for regressions in regressions.chunks(ABREAST) {
        write!(out, "{heading:<width$}", width = FEATURE + 2)?;
        for regression in regressions {
            write!(out, "{:>12}", short(regression.name))?;
        }
        write!(out, "\n{:<width$}", "", width = FEATURE + 2)?;
        for _ in regressions {
            write!(out, "{:>6}{:>5} ", "times", "vary")?;
        }
        end_line(out);
        let features = regressions.first().map_or(&[][..], |r| &r.coefficients);
        for (i, feature) in features.iter().enumerate() {
            write!(out, "  {:<FEATURE$}", feature.feature)?;
            let columns = regressions.iter().map(|r| r.coefficients[i]);
            for Trait { mean, between_readers, assumed, .. } in columns {
                let (factor, differ) = (times(mean), times(between_readers));
                write!(out, "{factor:>6}{differ:>5}{}", mark(assumed))?;
            }
            end_line(out);
        }
    }
    Ok(())
}

/// A fixation as most are: on a new word, in the middle of it and of a line, all words of five letters, after
/// a usual move and duration.
fn usual(feature: &str) -> f64 {
    match feature {
        "constant" | "furthest word so far" => 1.0,
        // Half of the word, with the blank before it.
        "characters left in the word / 5" => 0.6,
        _ => 0.0,
    }
}

/// What an average reader does next, in percent.
fn usual_moves(out: &mut String, traits: &Traits) -> std::fmt::Result {
    // The next word is what the others are held against.
    let next_word = traits.moves.len();
    let share = |place: usize, deviation: f64| {
        let weight = |(i, of): (usize, &RegressionTraits)| {
            let log: f64 = of.coefficients.iter().map(|c| c.mean * usual(c.feature)).sum();
            let away = of.coefficients.first().map_or(0.0, |c| deviation * c.between_readers);
            (log + if i == place { away } else { 0.0 }).exp()
        };
        let weights: Vec<f64> = traits.moves.iter().enumerate().map(weight).collect();
        let total = 1.0 + weights.iter().sum::<f64>();
        100.0 * weights.get(place).copied().unwrap_or(1.0) / total
    };
    let heading = "what the eye does next, %";
    writeln!(out, "{heading:<width$}{:>8}{:>8}{:>8}", "average", "from", "to", width = LABEL + 2)?;
    writeln!(out, "  {:<LABEL$}{:>8.1}", "next word", share(next_word, 0.0))?;
    for (place, of) in traits.moves.iter().enumerate() {
        let name = match of.name {
            "refixation" => "refixation, forward",
            "refixation_left" => "refixation, backward",
            "leave" => "leave the line",
            "forward_skip" => "forward skip",
            name => name,
        };
        let assumed = of.coefficients.first().is_some_and(|constant| constant.assumed);
        let [average, from, to] = [0.0, -1.0, 1.0].map(|deviation| share(place, deviation));
        write!(out, "  {name:<LABEL$}{average:>8.1}{from:>8.1}{to:>8.1}{}", mark(assumed))?;
        end_line(out);
    }
    out.push_str(&wrapped(
        "From the middle of a new word of five letters, before others like it, in the middle of a line, after \
         200 ms and a move of seven characters to the next word, at the beginning of a text. from, to: two \
         thirds of readers, by how often they make that move wherever they are.",
    ));
    out.push('\n');
    Ok(())
}

fn moves(out: &mut String, traits: &Traits) -> std::fmt::Result {
    usual_moves(out, traits)?;
    regressions(out, "what changes that, odds", &traits.moves, |name| match name {
        "forward_skip" => "skip",
        "refixation" => "refix right",
        "refixation_left" => "refix left",
        name => name,
    })?;
    out.push_str(&wrapped(
        "Odds against a move to the next word are so many times as high by a unit of the feature. vary: \
         and for two thirds of readers, up to so many times more or less. leave: for another line, or for \
         good. furthest: no word so far on has been seen before. x: a product.",
    ));
    out.push('\n');
    Ok(())
}

fn landings(out: &mut String, traits: &Traits) -> std::fmt::Result {
    regressions(out, "where the eye lands", &traits.landings, |name| match name {
        "alpha1" => "refix right",
        "alpha1bar" => "refix left",
        "alpha2" => "next word",
        "alpha3" => "skip",
        _ => "regression",
    })?;
    out.push_str(&wrapped(
        "So many times as likely by a unit of the feature, beside what the density of the amplitude says. \
         level: a whole word, against the others that may be landed on. slope: its right end against its \
         left. bend: its ends against its middle. vary: as above.",
    ));
    out.push('\n');
    Ok(())
}

fn sessions(out: &mut String, traits: &Traits) -> std::fmt::Result {
    writeln!(
        out,
        "part of the differences between readers that lies between a reader's sessions, %"
    )?;
    for share in &traits.session_shares {
        let name = match share.part.split_once(' ') {
            Some(("landings", density)) => format!("landings, {}", label(density)),
            _ if label(share.part).is_empty() => share.part.to_owned(),
            _ => format!("{} ({})", label(share.part), share.part),
        };
        write!(out, "  {name:<LABEL$}{:>7.1}{}", 100.0 * share.share, mark(share.assumed))?;
        end_line(out);
    }
    Ok(())
}

fn durations(out: &mut String, traits: &Traits) -> std::fmt::Result {
    let heading = "what changes durations, %";
    writeln!(
        out,
        "{heading:<width$}{:>8}{:>8}{:>8}",
        "average",
        "from",
        "to",
        width = FEATURE + 2
    )?;
    let percent = |log: f64| 100.0 * log.exp_m1();
    for t in &traits.durations {
        let [average, from, to] =
            [0.0, -1.0, 1.0].map(|deviation| percent(t.mean + deviation * t.between_readers));
        write!(out, "  {:<FEATURE$}{average:>8.1}{from:>8.1}{to:>8.1}", t.feature)?;
        out.push(mark(t.assumed));
        end_line(out);
    }
    out.push_str(&wrapped(&format!(
        "By a unit of the feature. from, to: two thirds of readers. ln(word / 5 letters): a unit is a word \
         2.7 times as long; twice as long is 0.7 of it. Around a reader's own regression and the level of \
         the kind of fixation, two thirds of durations lie between {:.0} and +{:.0} %.",
        percent(-traits.log_duration_sd),
        percent(traits.log_duration_sd)
    )));
    out.push('\n');
    Ok(())
}
