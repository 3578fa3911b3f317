//! How often somebody may ask, and how often may be asked about a reader.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Those that are remembered at once: whoever may ask as much as ever need not be.
const MOST: usize = 10_000;

/// What is left of an allowance.
struct Allowance {
    left: f64,
    at: Instant,
}

/// So many a second on average, and for a while as many at once as come in a burst.
pub(crate) struct Rates {
    per_second: f64,
    burst: f64,
    known: Mutex<HashMap<String, Allowance>>,
}

impl Rates {
    /// With a rate of 0 there is no limit.
    pub(crate) fn new(per_second: f64, burst: f64) -> Self {
        Self { per_second, burst: burst.max(1.0), known: Mutex::new(HashMap::new()) }
    }

    /// Takes one; else says in how many seconds there is one.
    pub(crate) fn take(&self, who: &str) -> Result<(), u64> {
        self.take_at(who, Instant::now())
    }

    fn take_at(&self, who: &str, now: Instant) -> Result<(), u64> {
        if self.per_second <= 0.0 {
            return Ok(());
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST && !known.contains_key(who) {
            known.retain(|_, allowance| self.left(allowance, now) < self.burst);
            if known.len() >= MOST {
                // Somebody asks about more than can be remembered: nobody new, then.
                return Err(1);
            }
        }
        let full = Allowance { left: self.burst, at: now };
        let allowance = known.entry(who.to_owned()).or_insert(full);
        let left = self.left(allowance, now);
        *allowance = Allowance { left: if left < 1.0 { left } else { left - 1.0 }, at: now };
        match left < 1.0 {
            true => Err(((1.0 - left) / self.per_second).ceil() as u64),
            false => Ok(()),
        }
    }

    fn left(&self, allowance: &Allowance, now: Instant) -> f64 {
        let since = now.saturating_duration_since(allowance.at).as_secs_f64();
        (allowance.left + since * self.per_second).min(self.burst)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn who_asked_too_often_waits() {
        let (rates, start) = (Rates::new(0.5, 2.0), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!([0, 0, 0].map(|s| rates.take_at("a", at(s))), [Ok(()), Ok(()), Err(2)]);
        assert_eq!(rates.take_at("b", at(0)), Ok(()));
        assert_eq!([2, 2].map(|s| rates.take_at("a", at(s))), [Ok(()), Err(2)]);
        assert_eq!([60, 60, 60].map(|s| rates.take_at("a", at(s)).is_ok()), [true, true, false]);
        let unlimited = Rates::new(0.0, 1.0);
        assert!((0..100).all(|_| unlimited.take("a").is_ok()));
    }

    #[test]
    fn names_that_nobody_remembers_do_not_pile_up() {
        let (rates, start) = (Rates::new(1.0, 1.0), Instant::now());
        for i in 0..MOST {
            assert_eq!(rates.take_at(&i.to_string(), start), Ok(()));
        }
        assert_eq!(rates.take_at("one more", start), Err(1));
        assert_eq!(rates.take_at("one more", start + Duration::from_secs(2)), Ok(()));
        assert_eq!(rates.known.lock().unwrap().len(), 1);
    }
}
