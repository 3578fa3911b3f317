//! A bar for long work, and a clean way to stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::Context;
use gazeprint::method::Monitor;
use gazeprint_eval::study::StudyMonitor;
use gazeprint_recognition::{Entry, RecognitionMonitor, Stage};
use indicatif::{ProgressBar, ProgressStyle};

use crate::print;
use crate::signals::interrupt_flag;
use crate::words::answers;

/// Shows a study's progress on a terminal, and stops it on Ctrl-C.
pub(crate) struct Progress {
    bar: ProgressBar,
    methods: usize,
    begun: AtomicU64,
    /// Splits that the method has before it, the current one among them.
    left: AtomicU64,
    stopped: Arc<AtomicBool>,
    /// Whether readers are told as they are enrolled.
    tells: AtomicBool,
}

impl Progress {
    /// For `methods` methods, a method counting once for each study.
    pub(crate) fn new(methods: usize) -> anyhow::Result<Self> {
        let stopped = interrupt_flag()?;
        let bar = ProgressBar::no_length();
        bar.set_style(
            ProgressStyle::with_template("{msg:<38} [{bar:16}] {percent:>3} % {eta} left")
                .context("the template of the progress bar")?
                .progress_chars("=> "),
        );
        let (begun, left) = (AtomicU64::new(0), AtomicU64::new(0));
        Ok(Self { bar, methods, begun, left, stopped, tells: AtomicBool::new(false) })
    }

    /// Readers are told on standard output as they are enrolled.
    pub(crate) fn tell_readers(&self) {
        self.tells.store(true, Ordering::Relaxed);
    }

    /// Says what is being done, from its beginning.
    pub(crate) fn show(&self, message: &'static str) {
        self.bar.unset_length();
        self.bar.reset();
        self.bar.set_message(message);
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
    /// The first split tells what all splits of a method will cost; those before were done earlier.
    fn expect(&self, cost: u64) {
        if self.bar.length().is_none() {
            self.bar.set_length(cost * self.left.load(Ordering::Relaxed).max(1));
        }
    }

    fn advance(&self, cost: u64) {
        self.bar.inc(cost);
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
        if split == 0 {
            self.bar.unset_length();
            self.bar.reset();
            self.begun.fetch_add(1, Ordering::Relaxed);
        }
        self.left.store((splits - split) as u64, Ordering::Relaxed);
        let number = self.begun.load(Ordering::Relaxed);
        self.bar.set_message(format!(
            "{number}/{} {method}, split {} of {splits}",
            self.methods,
            split + 1
        ));
    }
}
