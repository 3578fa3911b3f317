//! How far long work has come.

/// The most of a split, or of a stage, that is shown as done while it goes on: what follows the last work
/// that is told of takes time, too.
const NEARLY: f64 = 0.97;

/// How far the splits of a study, or a stage of other work, have come. The whole is reached by nothing
/// that still goes on, so that no bar stands full.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Course {
    /// Splits in all; none where the work has no splits.
    splits: usize,
    /// Splits that are done.
    done: usize,
    /// Work of the current split that was announced, and that was done.
    expected: u64,
    advanced: u64,
    /// What a whole split took, once one was done: methods announce their fit, but not what follows.
    whole: u64,
    /// The most that was shown.
    shown: f64,
    /// The method that every split begins with.
    first: String,
}

impl Course {
    /// A method begins with a split; whether a study does.
    pub fn begin(&mut self, method: &str, split: usize, splits: usize) -> bool {
        let is_new = split == 0 && (self.splits == 0 || self.first == method);
        if is_new {
            *self = Self { splits, first: method.to_owned(), ..Self::default() };
        } else if split > self.done {
            self.next_split(split);
        }
        is_new
    }

    /// Work of this cost is to come.
    pub fn expect(&mut self, cost: u64) {
        self.expected += cost;
    }

    /// Part of it is done.
    pub fn advance(&mut self, cost: u64) {
        self.advanced += cost;
    }

    /// The splits before this one are done.
    fn next_split(&mut self, split: usize) {
        // One that was taken up again took nothing.
        self.whole = self.whole.max(self.advanced);
        (self.done, self.expected, self.advanced) = (split, 0, 0);
    }

    /// The part that is done.
    pub fn share(&mut self) -> f64 {
        let of = |whole: u64| match whole {
            0 => 0.0,
            whole => self.advanced as f64 / whole as f64,
        };
        let current = match (self.splits, self.whole) {
            (0, _) => of(self.expected),
            // Of the first split more is to come than was announced, and nobody knows how much.
            (_, 0) => 1.0 - 0.5_f64.powf(of(self.expected)),
            (_, whole) => of(whole),
        };
        let share = (self.done as f64 + current.min(NEARLY)) / self.splits.max(1) as f64;
        // What is announced later does not take back what was shown.
        self.shown = self.shown.max(share);
        self.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bars stood at 100 % while thresholds and strangers were still to come.
    #[test]
    fn no_course_is_run_before_its_end() {
        let mut course = Course { splits: 2, expected: 10, ..Course::default() };
        let mut last = 0.0;
        for _ in 0..100 {
            course.advanced += 1;
            let share = course.share();
            assert!(last <= share && share < 0.5, "{share} after {last}");
            last = share;
        }
        course.next_split(1);
        assert_eq!(course.share(), 0.5);
        course.advanced = 50;
        assert_eq!(course.share(), 0.75, "the first split took 100");
        course.advanced = 200;
        assert!((0.98..1.0).contains(&course.share()), "{course:?}");
        // Announced late, as the readers are learned again with strangers.
        course.expected += 1000;
        assert!(course.share() > 0.98);
    }

    #[test]
    fn a_stage_goes_by_what_was_announced() {
        let mut course = Course { expected: 4, advanced: 1, ..Course::default() };
        assert_eq!(course.share(), 0.25);
        course.advanced = 4;
        assert_eq!(course.share(), NEARLY);
        assert_eq!(Course::default().share(), 0.0);
    }
}
