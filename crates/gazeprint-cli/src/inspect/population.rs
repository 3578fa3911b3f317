//! A learned population, for people.

use std::fmt::Write;

use gazeprint::method::{DensityTraits, RegressionTraits, Trait, Traits};
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

/// A population as JSON.
pub(crate) fn json(stored: &PopulationFile) -> anyhow::Result<String> {
    let traits = stored.population.traits();
    let report = PopulationInspection {
        kind: "population",
        provenance: &stored.provenance,
        traits: &traits,
    };
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

/// A population as tables.
pub(super) fn table(name: &str, stored: &PopulationFile) -> Result<String, std::fmt::Error> {
    let (p, traits) = (&stored.provenance, stored.population.traits());
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
    densities(&mut out, &traits)?;
    moves(&mut out, &traits)?;
    durations(&mut out, &traits)?;
    landings(&mut out, &traits)?;
    sessions(&mut out, &traits)?;
    if traits.fell > 0 {
        let count = plural(traits.fell, "Gaussian");
        out.push('\n');
        out.push_str(&wrapped(&format!(
            "note: learning {count} ran away or lost evidence, and an earlier state was kept"
        )));
    }
    Ok(out)
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
            out.push('\n');
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
            write!(out, "{:>7}{:>5}", "mean", "sd")?;
        }
        out.push('\n');
        let features = regressions.first().map_or(&[][..], |r| &r.coefficients);
        for (i, feature) in features.iter().enumerate() {
            write!(out, "  {:<FEATURE$}", feature.feature)?;
            let columns = regressions.iter().map(|r| r.coefficients[i]);
            for Trait { mean, between_readers, .. } in columns {
                write!(out, "{mean:>7.2}{between_readers:>5.2}")?;
            }
            out.push('\n');
        }
    }
    Ok(())
}

fn moves(out: &mut String, traits: &Traits) -> std::fmt::Result {
    regressions(out, "what the eye does next, log odds", &traits.moves, |name| match name {
        "forward_skip" => "skip",
        "refixation" => "refix right",
        "refixation_left" => "refix left",
        name => name,
    })?;
    out.push_str(&wrapped(
        "Against a move to the next word, a unit of the feature. leave: for another line, or for \
         good. furthest: no word so far on has been seen before. x: a product. sd: over \
         readers. What never occurs keeps the numbers that learning started from.",
    ));
    out.push('\n');
    Ok(())
}

fn landings(out: &mut String, traits: &Traits) -> std::fmt::Result {
    regressions(out, "where the eye lands, log density", &traits.landings, |name| match name {
        "alpha1" => "refix right",
        "alpha1bar" => "refix left",
        "alpha2" => "next word",
        "alpha3" => "skip",
        _ => "regression",
    })?;
    out.push_str(&wrapped(
        "Added to the log density of the amplitude, a unit of the feature. level: of a whole word, \
         against the others that may be landed on. slope, bend: times v and 4 v^2, with v from -1/2 \
         at the word's left end to 1/2 at its right. sd: over readers.",
    ));
    out.push('\n');
    Ok(())
}

fn sessions(out: &mut String, traits: &Traits) -> std::fmt::Result {
    writeln!(out, "part of the differences between readers that lies between a reader's sessions")?;
    for share in &traits.session_shares {
        let name = match share.part.split_once(' ') {
            Some(("landings", density)) => format!("landings, {}", label(density)),
            _ if label(share.part).is_empty() => share.part.to_owned(),
            _ => format!("{} ({})", label(share.part), share.part),
        };
        writeln!(out, "  {name:<LABEL$}{:>8.3}", share.share)?;
    }
    Ok(())
}

fn durations(out: &mut String, traits: &Traits) -> std::fmt::Result {
    let heading = "duration, change of its logarithm";
    writeln!(out, "{heading:<width$}{:>8}{:>8}", "mean", "sd", width = FEATURE + 2)?;
    for t in &traits.durations {
        writeln!(out, "  {:<FEATURE$}{:>8.3}{:>8.3}", t.feature, t.mean, t.between_readers)?;
    }
    out.push_str(&wrapped(&format!(
        "By a unit of the feature. sd: over readers. Around a reader's own regression and the level of \
         the kind of fixation, log durations have a standard deviation of {:.3}.",
        traits.log_duration_sd
    )));
    out.push('\n');
    Ok(())
}
