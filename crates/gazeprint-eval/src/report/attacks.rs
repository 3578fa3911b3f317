//! Attacks in a report.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::Estimate;
use super::readers::Readers;
use crate::attacks::{
    Attack, AttackTally, BPCERS, STATISTICS, SizeAttacks, SplitAttacks, judged_rates,
};
use crate::study::{MethodResult, SplitResult};

/// Attacks on one method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodAttacks {
    /// Its name.
    pub method: String,
    /// Whether its templates can be run forward, and so be forged.
    pub forgeable: bool,
    /// Weights by which liveness tells a person from a forgery, by standardised statistic of a
    /// reading; one value per split. Empty without forgeries.
    pub liveness_weights: BTreeMap<String, Vec<f64>>,
    /// By size of the probes, then with all sentences of a reader.
    pub by_sentences: Vec<AttackedProbes>,
}

/// Attacks with probes of one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttackedProbes {
    /// Sentences a probe; none for all of a reader.
    pub sentences: Option<usize>,
    /// How well liveness tells genuine probes from forgeries; none without forgeries.
    pub liveness: Option<LivenessErrors>,
    /// The attacks.
    pub attacks: Vec<AttackOutcome>,
}

/// How well liveness alone tells genuine probes from forgeries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LivenessErrors {
    /// The probability that a forgery seems more alive than a genuine probe.
    pub area: Estimate,
    /// Equal error rate.
    pub eer: Estimate,
}

/// What comes of one attack.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttackOutcome {
    /// Which; `genuine` for none.
    #[serde(serialize_with = "by_name")]
    pub attack: Attack,
    /// Claims, all splits together.
    pub claims: usize,
    /// Part of the claims accepted, by false match rate that thresholds were fixed for.
    pub accepted_at: Vec<AcceptedClaims>,
    /// Part of the probes taken for a replay; none for impostors.
    pub replayed: Option<Estimate>,
    /// Part of the probes that seem lifeless; none for impostors, and without liveness.
    pub lifeless: Option<Estimate>,
    /// Part of the attacks that countermeasures take for genuine (APCER), by the part of genuine probes that they
    /// refuse (BPCER); none for what is no attack on them.
    pub missed_at: Option<Vec<MissedAttacks>>,
}

/// Attack presentations that countermeasures take for genuine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MissedAttacks {
    /// Part of the genuine probes refused: bona fide presentation classification error rate.
    pub bpcer: f64,
    /// Part of the attacks taken for genuine: attack presentation classification error rate.
    pub apcer: Estimate,
}

/// Claims accepted at one threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AcceptedClaims {
    /// The false match rate asked for.
    pub fmr: f64,
    /// Part of the claims accepted: of attacks, IAPAR without countermeasures.
    pub accepted: Estimate,
    /// Part accepted that no countermeasure objects to: of attacks, IAPAR with them.
    pub guarded: Estimate,
}

fn by_name<S: Serializer>(attack: &Attack, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(attack.name())
}

impl MethodAttacks {
    /// None unless all splits were attacked.
    pub(super) fn of(result: &MethodResult, readers: &Readers) -> Option<Self> {
        let splits = &result.splits;
        let attacked: Option<Vec<&SplitAttacks>> =
            splits.iter().map(|s| s.attacks.as_ref()).collect();
        let attacked = attacked?;
        let first = attacked.first()?;
        let weights = |k: usize| {
            attacked.iter().filter_map(|a| a.weights.as_ref()?.get(k).copied()).collect()
        };
        let forgeable = attacked.iter().all(|a| a.weights.is_some());
        let names = STATISTICS.iter().enumerate().filter(|_| forgeable);
        Some(Self {
            method: result.method.clone(),
            forgeable,
            liveness_weights: names.map(|(k, name)| ((*name).to_owned(), weights(k))).collect(),
            by_sentences: (0..first.by_size.len())
                .map(|size| AttackedProbes::of(splits, size, readers))
                .collect(),
        })
    }
}

/// Attacks in a split, with probes of one size.
fn at(split: &SplitResult, size: usize) -> Option<&SizeAttacks> {
    split.attacks.as_ref()?.by_size.get(size)
}

/// The tallies of one attack, by reader.
fn tallies(split: &SplitResult, size: usize, attack: Attack) -> &[AttackTally] {
    let found = at(split, size).and_then(|a| a.tallies.iter().find(|(a, _)| *a == attack));
    found.map_or(&[], |(_, tallies)| tallies)
}

impl AttackedProbes {
    fn of(splits: &[SplitResult], size: usize, readers: &Readers) -> Self {
        let told = |i: usize| {
            let value = |s: &SplitResult| at(s, size)?.liveness.map(|liveness| liveness[i]);
            let known = splits.iter().all(|s| value(s).is_some());
            known.then(|| Estimate::over(splits, |s| value(s).unwrap_or(f64::NAN)))
        };
        let alive = told(0).zip(told(1)).map(|(area, eer)| LivenessErrors { area, eer });
        let attacks = Attack::ALL
            .into_iter()
            .filter_map(|attack| AttackOutcome::of(splits, size, attack, readers, alive.is_some()));
        Self {
            sentences: splits.first().and_then(|s| at(s, size)?.sentences),
            attacks: attacks.collect(),
            liveness: alive,
        }
    }
}

impl AttackOutcome {
    /// None where it could not be made.
    fn of(
        splits: &[SplitResult],
        size: usize,
        attack: Attack,
        readers: &Readers,
        alive: bool,
    ) -> Option<Self> {
        if splits.iter().any(|s| tallies(s, size, attack).is_empty()) {
            return None;
        }
        let rate = |events: &(dyn Fn(&AttackTally) -> usize + Sync)| {
            readers.rate_of(
                splits,
                |s| tallies(s, size, attack),
                |t| events(t) as f64,
                |t: &AttackTally| t.claims,
            )
        };
        let impostor = matches!(attack, Attack::Insider | Attack::Stranger);
        let rates = judged_rates().into_iter().enumerate();
        Some(Self {
            attack,
            claims: splits.iter().flat_map(|s| tallies(s, size, attack)).map(|t| t.claims).sum(),
            accepted_at: rates
                .map(|(i, fmr)| AcceptedClaims {
                    fmr,
                    accepted: rate(&|t| t.accepted[i]),
                    guarded: rate(&|t| t.guarded[i]),
                })
                .collect(),
            replayed: (!impostor).then(|| rate(&|t| t.replayed)),
            lifeless: (!impostor && alive).then(|| rate(&|t| t.lifeless)),
            missed_at: (!impostor && attack != Attack::Genuine).then(|| {
                let missed = BPCERS.into_iter().enumerate();
                missed
                    .map(|(i, bpcer)| MissedAttacks { bpcer, apcer: rate(&|t| t.missed[i]) })
                    .collect()
            }),
        })
    }
}
