//! A bar for long work, and a clean way to stop it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use gazeprint::method::Monitor;
use gazeprint_eval::course::Course;
use gazeprint_eval::study::{SplitResult, StudyMonitor};
use gazeprint_recognition::{Entry, RecognitionMonitor, Stage};
use indicatif::{ProgressBar, ProgressStyle};

use crate::print;
use crate::signals::interrupt_flag;
use crate::study::Filling;
use crate::words::answers;

/// Steps of a bar.
const STEPS: u64 = 1000;
/// Shows a study's progress on a terminal, and stops it on Ctrl-C.
pub(crate) struct Progress {
    bar: ProgressBar,
    course: Mutex<Course>,
    stopped: Arc<AtomicBool>,
    /// Whether readers are told as they are enrolled.
    tells: AtomicBool,
    /// What a study has found so far, shown above the bar.
    filling: Mutex<Option<Filling>>,
}

impl Progress {
    /// A bar that shows nothing yet.
    pub(crate) fn new() -> anyhow::Result<Self> {
        let stopped = interrupt_flag()?;
        let bar = ProgressBar::new(STEPS);
        bar.set_style(
            ProgressStyle::with_template("{prefix}{msg:<38} [{bar:16}] {percent:>3} % {eta} left")
                .context("the template of the progress bar")?
                .progress_chars("=> "),
        );
        let (course, tells) = (Mutex::default(), AtomicBool::new(false));
        Ok(Self { bar, course, stopped, tells, filling: Mutex::default() })
    }

    /// From now on, what a study finds is shown in this table; without one, it is not.
    pub(crate) fn fill(&self, table: Option<Filling>) {
        if table.is_none() {
            self.bar.set_prefix("");
        }
        *self.filling.lock().unwrap_or_else(PoisonError::into_inner) = table;
    }

    /// Readers are told on standard output as they are enrolled.
    pub(crate) fn tell_readers(&self) {
        self.tells.store(true, Ordering::Relaxed);
    }

    /// Says what is being done, from its beginning.
    pub(crate) fn show(&self, message: &'static str) {
        self.follow(|course| *course = Course::default());
        self.bar.reset();
        self.bar.set_message(message);
    }

    /// Takes note of what happened, and moves the bar.
    fn follow(&self, happened: impl FnOnce(&mut Course)) {
        let mut course = self.course.lock().unwrap_or_else(PoisonError::into_inner);
        happened(&mut course);
        self.bar.set_position((STEPS as f64 * course.share()) as u64);
    }

    /// Does something without the bar, such as printing.
    pub(crate) fn suspended<T>(&self, work: impl FnOnce() -> T) -> T {
        self.bar.suspend(work)
    }

    /// Takes the bar off the screen.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Monitor for Progress {
    fn expect(&self, cost: u64) {
        self.follow(|course| course.expect(cost));
    }

    fn advance(&self, cost: u64) {
        self.follow(|course| course.advance(cost));
    }

    fn stop(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl RecognitionMonitor for Progress {
    fn begin(&self, stage: Stage) {
        self.show(match stage {
            Stage::Population => "learning the population",
            Stage::Readers => "learning readers",
            Stage::Rules => "learning what scores are worth",
            Stage::Rows => "making rows to search by",
        });
    }

    fn enrolled(&self, entry: &Entry) {
        if self.tells.load(Ordering::Relaxed) {
            // A pipe that is closed says so at the end, when all is enrolled.
            _ = self.suspended(|| print(&answers::enrolled(entry)));
        }
    }
}

impl StudyMonitor for Progress {
    fn begin(&self, method: &str, split: usize, splits: usize) {
        let mut is_new = false;
        self.follow(|course| is_new = course.begin(method, split, splits));
        if is_new {
            self.bar.reset();
        }
        self.bar.set_message(format!("split {} of {splits}, {method}", split + 1));
    }

    fn found(&self, method: &str, _: usize, result: &SplitResult) {
        let mut filling = self.filling.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = filling.as_mut().filter(|_| !self.bar.is_hidden()) {
            table.add(method, result);
            self.bar.set_prefix(table.text());
        }
    }
}
