//! Calibration and thresholds that depend on how much reading was observed.
//!
//! Scores are sums over fixations. What a score is worth, and which score few impostors reach,
//! therefore depends on the number of fixations of the probe. Both are learned at a few lengths
//! (probes of 1, 3, 5, 10 and all sentences) and interpolated linearly in the logarithm of the
//! number of fixations, which spaces these lengths evenly.

use std::f64::consts::LN_2;

use serde::{Deserialize, Serialize};

use super::affine::Affine;
use super::threshold::{accepted_at, cleaned, threshold_above, threshold_at};

/// Values at several lengths, by rising mean log number of fixations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(f64, Vec<f64>)>", into = "Vec<(f64, Vec<f64>)>")]
struct Table<const K: usize> {
    nodes: Vec<(f64, [f64; K])>,
}

impl<const K: usize> From<Table<K>> for Vec<(f64, Vec<f64>)> {
    fn from(table: Table<K>) -> Self {
        table.nodes.into_iter().map(|(length, values)| (length, values.to_vec())).collect()
    }
}

impl<const K: usize> TryFrom<Vec<(f64, Vec<f64>)>> for Table<K> {
    type Error = &'static str;

    fn try_from(stored: Vec<(f64, Vec<f64>)>) -> Result<Self, Self::Error> {
        let node = |(length, values): (f64, Vec<f64>)| Some((length, values.try_into().ok()?));
        let nodes: Option<Vec<(f64, [f64; K])>> = stored.into_iter().map(node).collect();
        nodes.and_then(Self::new).ok_or("a table by length needs nodes, each with all its values")
    }
}

/// Where a length lies in a table.
enum Place {
    /// Shorter than the first node.
    Before,
    /// Between a node and the next, at this part of the way.
    Between(usize, f64),
    /// At the last node or longer.
    After,
}

impl<const K: usize> Table<K> {
    /// Nodes in any order; those of equal length are averaged. `None` without nodes, or if a
    /// length is not finite.
    fn new(mut nodes: Vec<(f64, [f64; K])>) -> Option<Self> {
        if nodes.is_empty() || nodes.iter().any(|(length, _)| !length.is_finite()) {
            return None;
        }
        nodes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let nodes = nodes
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| {
                let mean = |k: usize| same.iter().map(|n| n.1[k]).sum::<f64>() / same.len() as f64;
                (same[0].0, std::array::from_fn(mean))
            })
            .collect();
        Some(Self { nodes })
    }

    /// A length that is NaN is nothing observed, and comes before all.
    fn place(&self, length: f64) -> Place {
        let next = self.nodes.partition_point(|(node, _)| *node <= length);
        if next == 0 {
            return Place::Before;
        }
        if next == self.nodes.len() {
            return Place::After;
        }
        let (low, high) = (self.nodes[next - 1].0, self.nodes[next].0);
        Place::Between(next - 1, (length - low) / (high - low))
    }

    fn between(&self, node: usize, part: f64) -> [f64; K] {
        let (low, high) = (&self.nodes[node].1, &self.nodes[node + 1].1);
        std::array::from_fn(|k| low[k] + part * (high[k] - low[k]))
    }

    /// The last node that differs from the end by a factor of two: nodes close by differ by chance,
    /// which would be continued with the rest.
    fn apart(&self) -> Option<&(f64, [f64; K])> {
        let end = self.nodes[self.nodes.len() - 1].0;
        self.nodes.iter().rfind(|node| node.0 <= end - LN_2 + 1e-9)
    }

    fn first(&self) -> [f64; K] {
        self.nodes[0].1
    }

    fn last(&self) -> [f64; K] {
        self.nodes[self.nodes.len() - 1].1
    }
}

/// Calibration by length of the probe.
///
/// A calibration says how much of a score to believe. With more reading, less of each fixation is
/// news, all the more where readers are not quite those who were enrolled, and the scale falls. So
/// beyond the longest length that it was learned at, a falling scale goes on falling as a power of
/// the number of fixations (from the nearest length that differs by a factor of two), though never
/// so fast that more reading would be worth less. A rising one stays, as does the offset: nothing
/// was learned from which more could be believed. Below the shortest length the nearest is used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ByLength(Table<2>);

impl ByLength {
    /// From calibrations at given mean log numbers of fixations, in any order. `None` without
    /// any, or if a length is not finite.
    pub fn new(nodes: impl IntoIterator<Item = (f64, Affine)>) -> Option<Self> {
        let nodes = nodes.into_iter().map(|(length, fit)| (length, [fit.scale, fit.offset]));
        Table::new(nodes.collect()).map(Self)
    }

    /// Fits a calibration to the scores of true and of false claims with probes of each length, given
    /// by the mean log number of their fixations. Lengths at which there is none ([`Affine::fit`])
    /// are left out.
    pub fn fit<'a>(lengths: impl IntoIterator<Item = (f64, [&'a [f64]; 2])>) -> Option<Self> {
        Self::new(lengths.into_iter().filter_map(|(length, [genuine, impostor])| {
            Some((length, Affine::fit(genuine, impostor)?))
        }))
    }

    /// The calibration for a probe of so many fixations.
    pub fn at(&self, fixations: f64) -> Affine {
        let [scale, offset] = match self.0.place(fixations.ln()) {
            Place::Before => self.0.first(),
            Place::Between(node, part) => self.0.between(node, part),
            Place::After => {
                let [scale, offset] = self.0.last();
                let end = self.0.nodes[self.0.nodes.len() - 1].0;
                let power = self.0.apart().map_or(0.0, |(length, before)| {
                    ((scale / before[0]).ln() / (end - length)).clamp(-1.0, 0.0)
                });
                // A scale of nothing has no power; nor has 0 times infinitely many fixations.
                let fall = power * (fixations.ln() - end);
                [scale * if fall < 0.0 { fall.exp() } else { 1.0 }, offset]
            }
        };
        Affine { scale, offset }
    }
}

/// Thresholds for a wanted rate of false accepts, by length of the probe.
///
/// Beyond the lengths it was learned at, a threshold is continued from the nearest and one before
/// it (for longer probes, one that differs by a factor of two), but never downwards:
///
/// - *Longer.* The scores of impostors drift with the number of fixations, each claim at its own
///   pace. Mostly they fall, and the threshold with them; where readers resemble each other, or a
///   model trusts itself too much, those that decide the threshold rise. Drift is linear in the
///   number of fixations, and chance grows slower, as its square root. So a rising threshold is
///   continued linearly in the number of fixations, which is at least enough. A falling one stays
///   where it is: to lower it on the strength of two extreme quantiles would risk more false
///   accepts than wanted, whereas to keep it costs little, since the scores of genuine readers
///   rise linearly, too.
/// - *Shorter.* With less observed all scores draw together, and a low threshold would accept
///   everybody. A threshold that rises towards short probes goes on rising, linearly in log
///   fixations; one that falls stays where it is.
///
/// Where all impostors drift alike, by `-k` a fixation, the true threshold is `c sqrt(n) - k n`,
/// and this one is nowhere below it outside the lengths it was learned at: what is not known is
/// paid for in false rejects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThresholdByLength(Table<1>);

impl ThresholdByLength {
    /// From thresholds at given mean log numbers of fixations, in any order. `None` without any,
    /// or if a length is not finite.
    pub fn new(nodes: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        Table::new(nodes.into_iter().map(|(length, t)| (length, [t])).collect()).map(Self)
    }

    /// The thresholds at which a part `rate` of the impostors of each length is accepted, lengths
    /// given by the mean log number of fixations. Lengths without a finite threshold are left out.
    ///
    /// Probes of one length differ in their fixations, and each is judged by the threshold for its
    /// own number. So it is not the quantile of each length that is wanted, but those nodes between
    /// which every length has its rate; they are found by moving each node by most of what its length
    /// is off, over and over. That need not settle, where few claims of short probes decide: the
    /// nodes that were least off are taken.
    pub fn fit<'a>(
        lengths: impl IntoIterator<Item = (f64, &'a [ImpostorClaim])>,
        rate: f64,
    ) -> Option<Self> {
        let mut tails = Vec::new();
        let mut nodes = Vec::new();
        for (length, claims) in lengths {
            let scores: Vec<f64> = claims.iter().map(|claim| claim.score).collect();
            let Some(node) = threshold_at(&scores, rate).filter(|t| t.is_finite()) else {
                continue;
            };
            nodes.push((length, node));
            tails.push((claims, accepted_at(claims.len(), rate)?));
        }
        let mut best: Option<(f64, Self)> = None;
        for _ in 0..=SETTLING {
            let thresholds = Self::new(nodes.iter().copied())?;
            let off = |tail: &(&[ImpostorClaim], usize)| thresholds.shift(*tail).abs();
            let off = tails.iter().map(off).fold(0.0, f64::max);
            if best.as_ref().is_none_or(|(least, _)| off < *least) {
                best = Some((off, thresholds));
            }
            if off < SETTLED {
                break;
            }
            for (i, tail) in tails.iter().enumerate() {
                nodes[i].1 += STEP * Self::new(nodes.iter().copied())?.shift(*tail);
            }
        }
        best.map(|(_, thresholds)| thresholds)
    }

    /// By how much thresholds are too low for claims of which so many may be accepted; 0 where that
    /// cannot be told.
    fn shift(&self, (claims, accepted): (&[ImpostorClaim], usize)) -> f64 {
        // Claims of one probe come one after the other, and have one threshold.
        let (mut fixations, mut threshold) = (f64::NAN, f64::INFINITY);
        let above = claims.iter().map(move |claim| {
            if claim.fixations != fixations {
                (fixations, threshold) = (claim.fixations, self.at(claim.fixations));
            }
            cleaned(cleaned(claim.score) - threshold)
        });
        // Thresholds are about right from the start: those far below them need not be looked through,
        // unless too few are left.
        let near: Vec<f64> = above.clone().filter(|above| *above >= -NEAR).collect();
        let above = if near.len() > accepted { near } else { above.collect() };
        threshold_above(above, accepted).filter(|shift| shift.is_finite()).unwrap_or(0.0)
    }

    /// The threshold for a probe of so many fixations. Infinity for one of none.
    pub fn at(&self, fixations: f64) -> f64 {
        // Without a fixation nothing was observed, and nobody is to be accepted.
        if fixations.is_nan() || fixations <= 0.0 {
            return f64::INFINITY;
        }
        let length = fixations.ln();
        let nodes = &self.0.nodes;
        match self.0.place(length) {
            Place::Between(node, part) => self.0.between(node, part)[0],
            Place::Before => {
                let [first] = self.0.first();
                let rise = nodes
                    .get(1)
                    .map_or(0.0, |second| (first - second.1[0]) / (second.0 - nodes[0].0));
                first + rise.max(0.0) * (nodes[0].0 - length)
            }
            Place::After => {
                let [last] = self.0.last();
                let end = nodes[nodes.len() - 1].0;
                let rise = self
                    .0
                    .apart()
                    .map_or(0.0, |before| (last - before.1[0]) / (end.exp() - before.0.exp()));
                last + rise.max(0.0) * (fixations - end.exp()).max(0.0)
            }
        }
    }
}

/// A false claim: the score that it got, and the number of fixations that it is based on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpostorClaim {
    /// Fixations of the probe.
    pub fixations: f64,
    /// Its score.
    pub score: f64,
}

/// How often thresholds are moved at most, and by which part of what they are off.
const SETTLING: usize = 12;
const STEP: f64 = 0.9;
/// Scores that are this far below a threshold, in nats, decide nothing about it where enough are above.
const NEAR: f64 = 1.0;
/// Thresholds this close, in nats, are settled: rates are then right to less than a hundredth.
const SETTLED: f64 = 0.003;

#[cfg(test)]
mod tests {
    use super::*;

    fn affine(scale: f64, offset: f64) -> Affine {
        Affine { scale, offset }
    }

    #[test]
    fn calibration_is_interpolated_in_log_fixations_and_continued() {
        let nodes = [(40.0_f64.ln(), affine(0.5, -2.0)), (10.0_f64.ln(), affine(1.0, 0.0))];
        let table = ByLength::new(nodes).unwrap();
        let close = |a: Affine, b: Affine| {
            assert!((a.scale - b.scale).abs() < 1e-12 && (a.offset - b.offset).abs() < 1e-12);
        };
        close(table.at(10.0), affine(1.0, 0.0));
        close(table.at(20.0), affine(0.75, -1.0));
        // From 10 to 40 fixations the scale falls by their square root.
        close(table.at(40.0), affine(0.5, -2.0));
        close(table.at(160.0), affine(0.25, -2.0));
        close(table.at(f64::INFINITY), affine(0.0, -2.0));
        let rising = ByLength::new([(1.0, affine(0.5, 0.0)), (3.0, affine(0.8, 1.0))]).unwrap();
        close(rising.at(1e6), affine(0.8, 1.0));
        close(rising.at(f64::INFINITY), affine(0.8, 1.0));
        // Never so fast that more reading would be worth less.
        let falling = ByLength::new([(1.0, affine(1.0, 0.0)), (2.0, affine(1e-3, 0.0))]).unwrap();
        close(falling.at(3.0_f64.exp()), affine(1e-3 / 1.0_f64.exp(), 0.0));
        let nothing = ByLength::new([(1.0, affine(0.0, 0.0)), (2.0, affine(0.0, 0.0))]).unwrap();
        close(nothing.at(1e6), affine(0.0, 0.0));
        for shorter in [5.0, 1.0, 0.0, -1.0, f64::NAN] {
            close(table.at(shorter), affine(1.0, 0.0));
        }
    }

    #[test]
    fn equal_lengths_are_averaged_and_bad_ones_refused() {
        let table = ByLength::new([(1.0, affine(1.0, 0.0)), (1.0, affine(3.0, 1.0))]).unwrap();
        assert_eq!(table.at(7.0), affine(2.0, 0.5));
        assert_eq!(ByLength::new([]), None);
        assert_eq!(ByLength::new([(f64::NAN, affine(1.0, 0.0))]), None);
        assert_eq!(ByLength::fit([(1.0, [&[][..], &[]])]), None);
    }

    #[test]
    fn fits_at_each_length_where_there_is_one() {
        let (genuine, impostor) = ([1.0, 3.0, 2.0], [0.0, -1.0, 1.5]);
        let table = ByLength::fit([(1.0, [&genuine[..], &impostor]), (2.0, [&[], &[]])]).unwrap();
        assert_eq!(Some(table.at(100.0)), Affine::fit(&genuine, &impostor));
    }

    #[test]
    fn rising_thresholds_go_on_linearly_in_fixations() {
        let table = ThresholdByLength::new([(10.0_f64.ln(), 1.0), (20.0_f64.ln(), 2.0)]).unwrap();
        assert!((table.at(20.0) - 2.0).abs() < 1e-12);
        assert!((table.at(40.0) - 4.0).abs() < 1e-12);
        assert!((table.at(200.0_f64.sqrt()) - 1.5).abs() < 1e-12);
        // Towards short probes this one would fall: it stays.
        assert_eq!(table.at(1.0), 1.0);
    }

    #[test]
    fn falling_thresholds_stay_for_longer_probes_and_rise_for_shorter() {
        let table = ThresholdByLength::new([(10.0_f64.ln(), -1.0), (20.0_f64.ln(), -2.0)]).unwrap();
        assert_eq!(table.at(1e6), -2.0);
        assert!(table.at(5.0).abs() < 1e-12);
        assert!((table.at(2.5) - 1.0).abs() < 1e-12);
        assert_eq!(table.at(0.0), f64::INFINITY);
        assert_eq!(table.at(f64::NAN), f64::INFINITY);
    }

    #[test]
    fn outside_of_the_table_a_threshold_is_never_too_low() {
        for drift in [-0.2, 0.0, 0.01, 0.05, 0.1, 0.3, 1.0, 3.0] {
            let truth = |n: f64| 2.0 * n.sqrt() - drift * n;
            let nodes = [8.0_f64, 24.0, 40.0, 80.0, 400.0];
            let table = ThresholdByLength::new(nodes.map(|n| (n.ln(), truth(n)))).unwrap();
            for n in (1..8).chain(400..2000).map(f64::from) {
                assert!(table.at(n) >= truth(n) - 1e-9, "{drift}, {n}");
            }
        }
    }

    #[test]
    fn every_length_has_its_rate_though_its_probes_differ() {
        // Scores whose threshold is far from straight in log fixations, or falls with them, and
        // lengths that are wide.
        for (chance, drift) in [(3.0, 0.4), (1.0, 1.0), (0.3, 1.0)] {
            check_rates(chance, drift);
        }
    }

    fn check_rates(spread_by: f64, drift: f64) {
        let claims = |centre: f64| -> Vec<ImpostorClaim> {
            let part = |i: usize, step: f64| (i as f64 * step).fract();
            let spread = |i: usize| centre * (0.8 * (part(i, 0.618_033_988) - 0.5)).exp();
            (0..60_000)
                .map(|i| {
                    let fixations = spread(i).round();
                    let chance = part(i, 0.754_877_666).max(1e-9);
                    let score = spread_by * fixations.sqrt() * -chance.ln() - drift * fixations;
                    ImpostorClaim { fixations, score }
                })
                .collect()
        };
        let lengths: Vec<(f64, Vec<ImpostorClaim>)> =
            [8.0_f64, 24.0, 40.0, 80.0, 300.0].map(|n| (n.ln(), claims(n))).into();
        for rate in [1e-2, 1e-3] {
            let of = lengths.iter().map(|(length, claims)| (*length, claims.as_slice()));
            let table = ThresholdByLength::fit(of, rate).unwrap();
            for (length, claims) in &lengths {
                let accepted = claims.iter().filter(|c| c.score >= table.at(c.fixations)).count();
                let observed = accepted as f64 / claims.len() as f64;
                // Where lengths overlap much, thresholds are not quite settled.
                assert!(
                    (0.85..1.12).contains(&(observed / rate)),
                    "{spread_by} {drift} {length}: {observed} of {rate}"
                );
            }
        }
    }

    #[test]
    fn a_single_length_serves_all() {
        let claims = [1.0, 2.0].map(|score| ImpostorClaim { fixations: 7.0, score });
        let table = ThresholdByLength::fit([(2.0, &claims[..]), (3.0, &[])], 0.5).unwrap();
        for fixations in [1.0, 7.0, 100.0] {
            assert_eq!(table.at(fixations), 1.0_f64.next_up());
        }
        assert_eq!(ThresholdByLength::fit([(2.0, &[][..])], 0.5), None);
    }
}
