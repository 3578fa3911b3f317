//! How sights of people move together over a sitting: they tire, or learn what comes.

use std::collections::BTreeMap;

use super::Sight;

/// A sight of somebody in a sitting, at a place in it.
#[derive(Debug, Clone)]
pub struct Timed<'a> {
    /// Person and session.
    pub sitting: (usize, usize),
    /// Place in the order of what was read.
    pub place: f64,
    /// What was seen.
    pub sight: &'a Sight,
}

/// A line that all people follow over a sitting.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    /// The first and the last place that were seen; a line is believed for as much again.
    span: [f64; 2],
    /// Where nothing is taken off.
    middle: f64,
    /// By number, a place.
    slope: Vec<f64>,
}

impl Trend {
    /// The line through sights, each less the mean of its sitting; held back by how much of it would be
    /// there by chance if readings were independent. None where places do not differ, where sittings lie
    /// further apart than what was read in one (places are then times, or go on from one to the next),
    /// or where there is no more than chance.
    pub fn learn(len: usize, timed: &[Timed<'_>]) -> Option<Self> {
        let mut sittings = BTreeMap::<(usize, usize), (Sight, f64)>::new();
        for Timed { sitting, place, sight } in timed {
            let (sum, places) = sittings.entry(*sitting).or_default();
            sum.add(1.0, sight);
            *places += sight.weight() * place;
        }
        let means: BTreeMap<_, (Vec<f64>, f64)> = sittings
            .iter()
            .filter_map(|(sitting, (sum, places))| {
                Some((*sitting, (sum.mean()?, places / sum.weight())))
            })
            .collect();
        let rows: Vec<(f64, f64, Vec<f64>)> = timed
            .iter()
            .filter_map(|Timed { sitting, place, sight }| {
                let (mean, middle) = means.get(sitting)?;
                let away: Vec<f64> = sight.mean()?.iter().zip(mean).map(|(a, b)| a - b).collect();
                Some((sight.weight(), place - middle, away))
            })
            .collect();
        let spread: f64 = rows.iter().map(|(weight, x, _)| weight * x * x).sum();
        let free = rows.len().checked_sub(means.len() + 1).filter(|free| *free > 0)? as f64;
        let weights: f64 = rows.iter().map(|(weight, ..)| weight).sum();
        let total = |sitting: &(usize, usize)| sittings[sitting].0.weight();
        let middle =
            means.iter().map(|(sitting, (_, at))| total(sitting) * at).sum::<f64>() / weights;
        let apart: f64 =
            means.iter().map(|(sitting, (_, at))| total(sitting) * (at - middle).powi(2)).sum();
        if !(spread > apart && spread.is_finite()) {
            return None;
        }
        let mut slope = vec![0.0; len];
        for (weight, x, away) in &rows {
            slope.iter_mut().zip(away).for_each(|(s, a)| *s += weight * x * a / spread);
        }
        let mut chance = 0.0;
        for (weight, x, away) in &rows {
            let left = away.iter().zip(&slope).map(|(a, s)| (a - s * x).powi(2)).sum::<f64>();
            chance += weight * left / (free * spread);
        }
        let size: f64 = slope.iter().map(|s| s * s).sum();
        let kept = 1.0 - chance / size;
        if kept.is_nan() || kept <= 0.0 {
            return None;
        }
        slope.iter_mut().for_each(|s| *s *= kept);
        let places = timed.iter().map(|t| t.place);
        let span = [places.clone().fold(middle, f64::min), places.fold(middle, f64::max)];
        Some(Self { span, middle, slope })
    }

    /// Makes of a sight what it would have been in the middle of the sittings that the line comes from,
    /// where its place is known.
    pub fn remove(&self, place: Option<f64>, sight: &mut Sight) {
        let Some(place) = place else { return };
        let [first, last] = self.span;
        let place = place.clamp(first - (last - first), last + (last - first));
        let weight = sight.weight;
        let line = sight.sum.iter_mut().zip(&self.slope);
        line.for_each(|(sum, slope)| *sum -= weight * slope * (place - self.middle));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// People with means of their own on one line, and noise that is none of it.
    fn sights(slope: f64) -> Vec<((usize, usize), f64, Sight)> {
        let mut sights = Vec::new();
        for person in 0..6 {
            for place in 0..20 {
                let noise = f64::from((person * 7 + place * 13) % 11) / 11.0 - 0.5;
                let line = slope * f64::from(place);
                let vector = [f64::from(person) + line + 0.1 * noise, 2.0 * line - 0.1 * noise];
                let weight = 1.0 + f64::from(place % 3);
                sights.push(((person as usize, 0), f64::from(place), Sight::new(weight, vector)));
            }
        }
        sights
    }

    fn learned(sights: &[((usize, usize), f64, Sight)]) -> Option<Trend> {
        let timed: Vec<Timed<'_>> = sights
            .iter()
            .map(|(sitting, place, sight)| Timed { sitting: *sitting, place: *place, sight })
            .collect();
        Trend::learn(2, &timed)
    }

    #[test]
    fn a_line_is_found_and_taken_off() {
        let sights = sights(0.05);
        let trend = learned(&sights).unwrap();
        assert!((trend.slope[0] - 0.05).abs() < 2e-3 && (trend.slope[1] - 0.1).abs() < 2e-3);
        let (_, place, sight) = &sights[19];
        let before = sight.mean().unwrap();
        let removed = |place: f64| {
            let mut sight = sight.clone();
            trend.remove(Some(place), &mut sight);
            sight
        };
        let after = removed(*place);
        assert_eq!(after.weight(), sight.weight());
        let moved = before[1] - after.mean().unwrap()[1];
        assert!((moved - 0.1 * (19.0 - trend.middle)).abs() < 0.03, "{moved}");
        // As far again as was seen, and no further.
        assert_eq!(removed(1e9), removed(38.0));
        let mut unplaced = sight.clone();
        trend.remove(None, &mut unplaced);
        assert_eq!(unplaced, *sight);
    }

    #[test]
    fn where_there_is_no_line_nothing_is_taken_off() {
        let flat = learned(&sights(0.0));
        assert!(flat.is_none_or(|trend| trend.slope.iter().all(|s| s.abs() < 1e-3)));
        let at_once: Vec<_> =
            sights(0.1).into_iter().map(|(s, _, sight)| (s, 3.0, sight)).collect();
        assert!(learned(&at_once).is_none());
        assert!(learned(&[]).is_none());
        // Times of day, and places that go on from one sitting to the next, are no places in a sitting.
        let mut times = sights(0.1);
        times.iter_mut().for_each(|((person, _), place, _)| *place += 1e9 * *person as f64);
        assert!(learned(&times).is_none());
    }
}
