//! Figures of the readers of a corpus, by their traits.

use gazeprint_eval::traits::{ReaderTraits, Trait, TraitEstimate};

use crate::figure::data::{ReaderValue, TraitAxis, TraitPair, TraitReaders};
use crate::figure::{self, Drawing};

fn axis(what: Trait) -> TraitAxis {
    TraitAxis { name: what.name().to_owned(), unit: what.unit().to_owned() }
}

fn value(found: &TraitEstimate) -> ReaderValue {
    let [low, high] = found.ci95.unwrap_or([f64::NAN; 2]);
    let value = found.estimate.unwrap_or(f64::NAN);
    ReaderValue { reader: found.reader.clone(), value, low, high }
}

/// A trait of everybody who shows it, in order.
pub fn readers_by(found: &ReaderTraits, what: Trait) -> Drawing {
    let split_half = found.summary(what).and_then(|summary| summary.split_half);
    figure::readers_by_trait(&TraitReaders {
        of: axis(what),
        about: what.words().to_owned(),
        readers: found.estimates_of(what).map(|(estimate, _)| value(estimate)).collect(),
        reliability: split_half.map(|it| it.value),
        reliability_ci95: split_half.and_then(|it| it.ci95),
    })
}

/// Two traits of everybody who shows both, against each other.
pub fn readers_by_two(found: &ReaderTraits, [x, y]: [Trait; 2]) -> Drawing {
    let correlation = found.correlation([x, y]);
    figure::two_traits(&TraitPair {
        x: axis(x),
        y: axis(y),
        readers: found.pairs_of([x, y]).into_iter().map(|pair| pair.map(value)).collect(),
        correlation: correlation.map(|it| it.value),
        ci95: correlation.and_then(|it| it.ci95),
    })
}
