//! The tables of attacks.

use gazeprint_eval::attacks::{
    Alteration, Attack, BPCERS, JUDGED, LOSS, NOISE_SD, REFUSED, SHIFT, SHUFFLED, STRETCH,
    judged_rates,
};
use gazeprint_eval::report::{AttackOutcome, AttackedProbes, Estimate, MethodAttacks, Report};
use gazeprint_eval::robustness::Robustness;

use super::{Cell, Table, note_on_errors};
use crate::number::{plural, proportion, rate_plus_minus, target};

/// Heads over what is accepted at [`judged_rates`].
const GROUPS: [&str; JUDGED] = ["Accepted at FMR 10⁻²", "Accepted at FMR 10⁻³"];

/// Heads over what countermeasures take for genuine, at [`BPCERS`].
const MISSED: [&str; BPCERS.len()] = ["1\u{a0}%", "5\u{a0}%"];

/// An attack in words.
pub fn attack_words(attack: Attack) -> &'static str {
    match attack {
        Attack::Genuine => "none: genuine",
        Attack::Insider => "impostor, enrolled",
        Attack::Stranger => "impostor, not enrolled",
        Attack::Replay => "replay",
        Attack::Altered(Alteration::Noise) => "replay, altered",
        Attack::Altered(Alteration::Stretch) => "replay, stretched",
        Attack::Altered(Alteration::Shift) => "replay, shifted",
        Attack::Altered(Alteration::Shuffle) => "replay, shuffled",
        Attack::Altered(Alteration::Disguise) => "replay, disguised",
        Attack::Forgery => "forgery, target’s template",
        Attack::OutsiderForgery => "forgery, other recordings",
        Attack::PopulationForgery => "forgery, population",
    }
}

/// What comes of attacks, by method, at one size of probes and with all sentences.
pub(super) fn acceptance(report: &Report) -> Table {
    let size = Robustness::telling_size(&report.protocol.probe_sentences);
    let shown = |s: Option<usize>| s.is_none() || s == size;
    table(report, "", shown)
}

/// The same at the other sizes.
pub(super) fn by_sentences(report: &Report) -> Table {
    let size = Robustness::telling_size(&report.protocol.probe_sentences);
    let shown = |s: Option<usize>| s.is_some() && s != size;
    table(report, ", by sentences a probe", shown)
}

fn table(report: &Report, which: &str, shown: impl Fn(Option<usize>) -> bool) -> Table {
    let mut table = Table::new(format!(
        "Part of the claims accepted, by attack{which}, at the thresholds that a gallery would use \
             for a false match rate (FMR): without countermeasures, and with replay detection and \
             liveness."
    ));
    let Some(attacked) = &report.attacks else { return table };
    table.words("Method");
    table.numbers("Sentences");
    table.words("Attack");
    table.numbers("Claims");
    for group in GROUPS {
        table.grouped(group, "unguarded");
        table.grouped(group, "95\u{a0}% interval");
        table.grouped(group, "guarded");
    }
    table.grouped("Objected to by", "replay detection");
    table.grouped("Objected to by", "liveness");
    for group in MISSED {
        table.grouped("APCER at BPCER", group);
    }
    for method in attacked {
        for size in method.by_sentences.iter().filter(|s| shown(s.sentences)) {
            for attack in &size.attacks {
                table.rows.push(row(method, size, attack));
            }
        }
    }
    table.note(note_on_errors(report));
    table.note(format!(
        "Replays are training readings of the target; altered, with noise of {} characters and \
         {}\u{a0}ms and {}\u{a0}% of the fixations left out; stretched, with durations {:.0}\u{a0}% longer; \
         shifted, {SHIFT} characters further right; shuffled, pieces of {SHUFFLED} fixations of all of \
         them in any order; disguised, all that at once. Forgeries are drawn from templates on the \
         texts of the genuine probes; from other recordings, with a template learned from every second of \
         these texts and a population of other people, on the rest. In the words of ISO/IEC 30107-3, what is \
         accepted of attacks is IAPAR, without and with countermeasures; APCER is the part of attacks that \
         countermeasures take for genuine where they refuse a fixed part of the genuine test probes, BPCER. Replay detection knows the training readings of all readers.",
        NOISE_SD[0],
        NOISE_SD[1],
        100.0 * LOSS,
        100.0 * (STRETCH - 1.0)
    ));
    let without: Vec<&str> =
        attacked.iter().filter(|m| !m.forgeable).map(|m| m.method.as_str()).collect();
    if !without.is_empty() {
        table.note(format!(
            "Templates of {} do not say how to go through a text: they are not forged here, and have \
             no liveness.",
            without.join(", ")
        ));
    }
    table
}

fn row(method: &MethodAttacks, size: &AttackedProbes, attack: &AttackOutcome) -> Vec<Cell> {
    let mut row = vec![
        Cell::method(&method.method),
        sentences(size),
        Cell::word(attack_words(attack.attack)),
        Cell::count(attack.claims),
    ];
    for fmr in judged_rates() {
        match attack.accepted_at.iter().find(|at| at.fmr == fmr) {
            Some(at) => row.extend([
                rate_cell(&at.accepted),
                Cell::interval(at.accepted.ci95, proportion),
                rate_cell(&at.guarded),
            ]),
            None => row.extend([Cell::missing(), Cell::missing(), Cell::missing()]),
        }
    }
    row.push(attack.replayed.as_ref().map_or_else(Cell::missing, rate_cell));
    row.push(attack.lifeless.as_ref().map_or_else(Cell::missing, rate_cell));
    for bpcer in BPCERS {
        let missed = attack.missed_at.iter().flatten().find(|at| at.bpcer == bpcer);
        row.push(missed.map_or_else(Cell::missing, |at| rate_cell(&at.apcer)));
    }
    row
}

fn sentences(size: &AttackedProbes) -> Cell {
    match size.sentences {
        Some(n) => Cell::count(n),
        // Behind every number where the column is sorted.
        None => Cell { key: Some(f64::MAX), ..Cell::word("all") },
    }
}

fn rate_cell(estimate: &Estimate) -> Cell {
    Cell::number(rate_plus_minus(estimate), estimate.mean)
}

/// How well liveness alone tells people from forgeries.
pub(super) fn liveness(report: &Report) -> Table {
    let mut table = Table::new(format!(
        "Liveness: genuine probes against forgeries from the target’s template. Area is the \
             probability that a forgery seems more alive; refused are those under the threshold \
             that refuses {} of the genuine probes among training texts.",
        target(REFUSED)
    ));
    table.words("Method");
    table.numbers("Sentences");
    table.numbers("Area");
    table.numbers("EER");
    table.grouped("Refused", "genuine");
    table.grouped("Refused", "forgeries");
    for method in report.attacks.iter().flatten() {
        for size in &method.by_sentences {
            let Some(told) = &size.liveness else { continue };
            let refused = |attack: Attack| {
                let attack = size.attacks.iter().find(|a| a.attack == attack);
                let refused = attack.and_then(|a| a.lifeless.as_ref());
                refused.map_or_else(Cell::missing, rate_cell)
            };
            table.rows.push(vec![
                Cell::method(&method.method),
                sentences(size),
                Cell::estimate(&told.area, proportion),
                Cell::estimate(&told.eer, proportion),
                refused(Attack::Genuine),
                refused(Attack::Forgery),
            ]);
        }
    }
    table.note(format!(
        "A forger who knows of the score can imitate what it looks at. Learned from training texts \
         over {}.",
        plural(report.protocol.splits, "split")
    ));
    table
}
