//! Attacks, for people.

use std::fmt::Write;

use gazeprint_eval::report::{AttackedProbes, Estimate, MethodAttacks};
use gazeprint_report::tables::attack_words;

use crate::inspect::plural;

/// What comes of attacks on a method, at one size of probes and with all test texts.
pub(super) fn attacks(
    text: &mut String,
    attacked: &MethodAttacks,
    size: Option<usize>,
) -> std::fmt::Result {
    const ATTACK: usize = 28;
    const PART: usize = 8;
    writeln!(
        text,
        "\nattacks on {}: part accepted (IAPAR) at a false match rate, and with\n\
         countermeasures; part that countermeasures miss (APCER) where they refuse 1 and\n\
         5 % of genuine probes (BPCER)",
        attacked.method
    )?;
    let rates = attacked.by_sentences.iter().flat_map(|s| &s.attacks).map(|a| &a.accepted_at);
    write!(text, "{:<ATTACK$}{:>6}", "attack", "texts")?;
    for at in rates.clone().next().into_iter().flatten() {
        write!(text, "{:>PART$}{:>PART$}", at.fmr, "guarded")?;
    }
    writeln!(
        text,
        "{:>PART$}{:>PART$}{:>PART$}{:>PART$}",
        "replay", "no life", "APCER1", "APCER5"
    )?;
    let part = |text: &mut String, part: Option<&Estimate>| match part {
        Some(part) if part.mean > 0.0 && part.mean < 1e-3 => {
            write!(text, "{:>PART$.0e}", part.mean)
        }
        Some(part) => write!(text, "{:>PART$.3}", part.mean),
        None => write!(text, "{:>PART$}", "-"),
    };
    let shown = |s: &&AttackedProbes| s.sentences.is_none() || s.sentences == size;
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
            for missed in attack.missed_at.iter().flatten() {
                part(text, Some(&missed.apcer))?;
            }
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
