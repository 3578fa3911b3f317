//! A learned population, for people.

use std::fmt::Write;

use gazeprint::method::{DensityTraits, Trait, Traits};
use gazeprint_io::{PopulationFile, Provenance};

use super::{plural, visible, wrapped};

/// Width of the column of densities and durations.
const LABEL: usize = 34;
/// Width of the column of features.
const FEATURE: usize = 33;

/// What is printed as JSON.
#[derive(serde::Serialize)]
struct Report<'a> {
    kind: &'static str,
    provenance: &'a Provenance,
    #[serde(flatten)]
    traits: &'a Traits,
}

/// A population as JSON.
pub(crate) fn json(stored: &PopulationFile) -> anyhow::Result<String> {
    let traits = stored.population.traits();
    let report = Report { kind: "population", provenance: &stored.provenance, traits: &traits };
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
    let [shortest, longest] = p.durations_ms;
    writeln!(
        out,
        "by gazeprint {}, fixations of {shortest} to {longest} ms",
        visible(&p.gazeprint)
    )?;
    writeln!(out, "corpus sha256 {}\n", p.corpus_sha256)?;
    densities(&mut out, &traits)?;
    moves(&mut out, &traits)?;
    durations(&mut out, &traits)?;
    let d = traits.forward_refixations;
    writeln!(out, "refixations that go forward, part")?;
    writeln!(
        out,
        "  mean {:.3}, readers differ by {:.3}, concentration {:.1}",
        d.mean, d.between_readers, d.concentration
    )?;
    if traits.fell > 0 {
        let count = plural(traits.fell, "Gaussian");
        out.push('\n');
        out.push_str(&wrapped(&format!(
            "note: the evidence fell while {count} was learned, and the best state was kept"
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

fn moves(out: &mut String, traits: &Traits) -> std::fmt::Result {
    write!(out, "{:<width$}", "what the eye does next, log odds", width = FEATURE + 2)?;
    for m in &traits.moves {
        let name = if m.name == "forward_skip" { "skip" } else { m.name };
        write!(out, "{name:>11}")?;
    }
    write!(out, "\n{:<width$}", "", width = FEATURE + 2)?;
    for _ in &traits.moves {
        write!(out, "{:>6}{:>5}", "mean", "sd")?;
    }
    out.push('\n');
    let features = traits.moves.first().map_or(&[][..], |m| &m.coefficients);
    for (i, feature) in features.iter().enumerate() {
        write!(out, "  {:<FEATURE$}", feature.feature)?;
        for Trait { mean, between_readers, .. } in traits.moves.iter().map(|m| m.coefficients[i]) {
            write!(out, "{mean:>6.2}{between_readers:>5.2}")?;
        }
        out.push('\n');
    }
    out.push_str(&wrapped(
        "Against a move to the next word, a unit of the feature. leave: for another line, or for \
         good. furthest: no word so far on has been seen before. x: a product. sd: over \
         readers. What never occurs keeps the numbers that learning started from.",
    ));
    out.push('\n');
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
