//! What makes one reader differ from the next.
//!
//! Every trait of a [`Person`] is drawn from a normal distribution on the scale of its link, with
//! the mean and spread of the table below. Two common factors tie traits together:
//!
//! * *effort*: laboured reading. Slow deciders skip less, refixate more and make shorter moves;
//! * *unrest*: going back. Those who regress often also regress far, and from the end of a line.
//!
//! Mean durations differ by about 20 ms (sd) and rates of saccade types by 4 to 6 %: in durations
//! nearly as much as in recordings of real readers, in rates and amplitudes about half to two
//! thirds as much, so that telling 251 readers apart stays hard. Much of the difference is in
//! *shape*: weight and place of short latencies, weight and delay of restarts, the shift and the
//! tail of the main component, width and tails of the landing error. Two readers with the same
//! mean and variance can thus be told apart, but not by a two-parameter family.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// The scale on which a trait is normally distributed.
#[derive(Debug, Clone, Copy)]
enum Link {
    /// As it is: may have either sign, or is far from zero.
    Plain,
    /// Its logarithm: a positive size.
    Log,
    /// Its log odds: a probability.
    Logit,
}

/// How a trait is distributed over people.
#[derive(Debug)]
struct Trait {
    link: Link,
    /// Median over people, in the trait's own unit.
    centre: f64,
    /// Standard deviation over people, on the link's scale.
    sd: f64,
    /// Correlation with the factor *effort*.
    effort: f64,
    /// Correlation with the factor *unrest*.
    unrest: f64,
}

impl Trait {
    /// The trait of a person who stands `z` standard deviations above the median.
    fn at(&self, z: f64) -> f64 {
        match self.link {
            Link::Plain => self.centre + self.sd * z,
            Link::Log => self.centre * (self.sd * z).exp(),
            Link::Logit => {
                let odds = self.centre / (1.0 - self.centre) * (self.sd * z).exp();
                odds / (1.0 + odds)
            }
        }
    }
}

/// Declares [`Person`] and the table of its distribution together, so that a trait is described
/// in one place.
macro_rules! traits {
    ($($(#[$doc:meta])* $name:ident: $link:ident($centre:expr, $sd:expr), $effort:expr, $unrest:expr;)*) => {
        /// The parameters of one reader.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Person {
            $($(#[$doc])* pub $name: f64,)*
        }

        /// The population, in the order of the fields of [`Person`].
        const POPULATION: &[Trait] = &[$(Trait {
            link: Link::$link,
            centre: $centre,
            sd: $sd,
            effort: $effort,
            unrest: $unrest,
        },)*];

        impl Person {
            /// The person with the given standing in each trait.
            fn from_standing(z: &[f64]) -> Self {
                let mut values = POPULATION.iter().zip(z).map(|(t, &z)| t.at(z));
                let mut next = || values.next().expect("one standing for each trait");
                Self { $($name: next(),)* }
            }

            /// The traits in the order of the table.
            #[cfg(test)]
            fn values(&self) -> Vec<f64> {
                vec![$(self.$name,)*]
            }
        }
    };
}

//  name: link(centre, sd), effort, unrest
traits! {
    /// Shortest time a fixation needs when nothing is cut short, ms.
    shift: Plain(80.0, 12.0), 0.0, 0.0;
    /// Median of the log-normal time on top of the shift, ms.
    decision: Log(128.0, 0.10), 0.45, 0.0;
    /// Sd of the logarithm of that time: how heavy the right tail is.
    spread: Log(0.42, 0.12), 0.2, 0.0;
    /// Share of short latencies: moves that were under way before the eye landed.
    short_share: Logit(0.045, 0.65), 0.0, 0.25;
    /// Where short latencies peak, ms.
    short_place: Plain(99.0, 12.0), 0.0, 0.0;
    /// Sd of short latencies, ms.
    short_width: Log(12.0, 0.25), 0.0, 0.0;
    /// Share of fixations whose next move is cancelled and programmed anew.
    restart_share: Logit(0.085, 0.60), 0.25, 0.0;
    /// What a restart costs in the median, ms.
    restart_delay: Log(150.0, 0.20), 0.0, 0.0;
    /// Effect on log decision time of being the first fixation of a line.
    first_effect: Plain(-0.06, 0.14), 0.0, 0.0;
    /// The same, of having refixated.
    refixation_effect: Plain(-0.16, 0.10), 0.0, 0.0;
    /// The same, of having skipped.
    skip_effect: Plain(0.04, 0.06), 0.0, 0.0;
    /// The same, of having gone back.
    regression_effect: Plain(-0.15, 0.09), 0.0, 0.0;
    /// The same, of each letter beyond five.
    length_effect: Plain(0.012, 0.006), 0.3, 0.0;
    /// How much shorter log decision time is at a word's edge than at its centre.
    edge_effect: Plain(0.16, 0.06), 0.0, 0.0;
    /// How much of the deviation of the last log decision time carries over.
    carry: Plain(0.06, 0.03), 0.0, 0.0;

    /// Where the first fixation of a line is aimed, characters from its start.
    start: Log(5.0, 0.20), -0.2, 0.0;
    /// Sd of the logarithm of that place.
    start_spread: Log(0.38, 0.20), 0.0, 0.0;
    /// Preferred landing position, as a share of the word from its left.
    preferred: Plain(0.46, 0.07), 0.0, 0.0;
    /// Sd of the landing error of a move of no length, characters.
    scatter: Log(0.90, 0.20), 0.0, 0.0;
    /// How much that sd grows with each character of distance.
    scatter_growth: Log(0.085, 0.18), 0.0, 0.0;
    /// Share of moves with three times the landing error.
    wild_share: Logit(0.05, 0.65), 0.0, 0.2;
    /// The distance that is neither overshot nor undershot, characters.
    span: Log(7.4, 0.11), -0.4, 0.0;
    /// Range error: share of the deviation from that distance that the eye does not make.
    range_error: Plain(0.32, 0.08), 0.0, 0.0;

    /// Log odds of skipping a word of four letters seven characters away.
    skip_bias: Plain(-0.78, 0.57), -0.6, 0.15;
    /// Loss of those log odds with each further letter.
    skip_slope: Log(0.50, 0.15), 0.0, 0.0;
    /// Log odds of refixating a word of six letters that was hit in the centre.
    refixation_bias: Plain(-2.55, 0.52), 0.6, 0.0;
    /// Gain of those log odds from a word's centre to its edge.
    refixation_edge: Log(1.5, 0.25), 0.0, 0.0;
    /// Log odds of a refixation to the right from a word's centre.
    refixation_right: Plain(0.25, 1.0), 0.0, -0.2;
    /// Length of a refixation as a share of the word.
    refixation_stride: Log(0.48, 0.14), 0.0, 0.0;
    /// Log odds of going back from a word within the line.
    regression_bias: Plain(-2.45, 0.55), 0.0, 0.7;
    /// Probability that going back goes one word further back.
    regression_reach: Logit(0.33, 0.60), 0.0, 0.4;
    /// Log odds of going back from the end of a line or sentence.
    wrap_up: Plain(-1.20, 0.65), 0.0, 0.5;

    /// How far a return sweep falls short, as a share of its length.
    sweep_shortfall: Log(0.08, 0.25), 0.2, 0.0;
    /// Log odds of looking back at the line before.
    line_regression: Plain(-4.2, 0.40), 0.0, 0.5;
}

/// One standard normal number.
pub(super) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// Draws how far someone stands from the median in each trait, with the common factors in it.
fn standing(rng: &mut ChaCha8Rng) -> Vec<f64> {
    let (effort, unrest) = (normal(rng), normal(rng));
    POPULATION
        .iter()
        .map(|t| {
            let own = (1.0 - t.effort * t.effort - t.unrest * t.unrest).sqrt();
            t.effort * effort + t.unrest * unrest + own * normal(rng)
        })
        .collect()
}

impl Person {
    /// Draws a person and what becomes of the person from session to session.
    ///
    /// `individuality` scales every standing. From one session to the next each trait takes a
    /// step of `drift` between-person standard deviations, with the same common factors: a day on
    /// which reading is an effort is so in all that effort touches. Standings are then drawn in so
    /// that the population of a later session is spread like that of the first.
    pub(super) fn over_sessions(
        sessions: usize,
        individuality: f64,
        drift: f64,
        rng: &mut ChaCha8Rng,
    ) -> Vec<Self> {
        let mut z = standing(rng);
        let keep = 1.0 / drift.hypot(1.0);
        (0..sessions)
            .map(|session| {
                if session > 0 {
                    for (z, step) in z.iter_mut().zip(standing(rng)) {
                        *z = keep * (*z + drift * step);
                    }
                }
                Self::from_standing(&z.iter().map(|z| individuality * z).collect::<Vec<_>>())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn factors_leave_room_for_the_person() {
        for t in POPULATION {
            assert!(t.effort * t.effort + t.unrest * t.unrest < 1.0, "{t:?}");
        }
    }

    #[test]
    fn without_individuality_all_are_the_median() {
        let median = Person::from_standing(&vec![0.0; POPULATION.len()]);
        for seed in 0..5 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            assert_eq!(Person::over_sessions(1, 0.0, 0.0, &mut rng)[0], median);
        }
    }

    #[test]
    fn drift_moves_every_trait() {
        let sessions = |drift| {
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            Person::over_sessions(2, 1.0, drift, &mut rng)
        };
        let still = sessions(0.0);
        assert_eq!(still[0], still[1]);
        let moved = sessions(0.5);
        assert_eq!(moved[0], still[0], "the first session does not know of the drift");
        for (t, (a, b)) in POPULATION.iter().zip(moved[0].values().iter().zip(moved[1].values())) {
            assert!(*a != b, "{t:?} stayed at {a}");
        }
    }

    #[test]
    fn effort_slows_and_unrest_stays_out_of_it() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let people: Vec<Person> =
            (0..2000).flat_map(|_| Person::over_sessions(1, 1.0, 0.0, &mut rng)).collect();
        let correlation = |f: fn(&Person) -> f64, g: fn(&Person) -> f64| {
            let n = people.len() as f64;
            let (mf, mg) =
                (people.iter().map(f).sum::<f64>() / n, people.iter().map(g).sum::<f64>() / n);
            let sum = |h: &dyn Fn(&Person) -> f64| people.iter().map(h).sum::<f64>();
            let cov = sum(&|p| (f(p) - mf) * (g(p) - mg));
            cov / (sum(&|p| (f(p) - mf).powi(2)) * sum(&|p| (g(p) - mg).powi(2))).sqrt()
        };
        assert!(correlation(|p| p.decision, |p| p.refixation_bias) > 0.15);
        assert!(correlation(|p| p.decision, |p| p.skip_bias) < -0.15);
        assert!(correlation(|p| p.decision, |p| p.regression_bias).abs() < 0.08);
    }
}
