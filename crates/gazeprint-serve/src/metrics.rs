//! Numbers for those who watch over the server, as Prometheus reads them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper ends of the classes of times, in seconds.
const CLASSES: [f64; 12] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

#[derive(Default)]
struct Times {
    classes: [u64; CLASSES.len()],
    count: u64,
    seconds: f64,
}

#[derive(Default)]
struct Counted {
    /// By method, path and status.
    requests: BTreeMap<(&'static str, String, u16), u64>,
    /// By path.
    times: BTreeMap<String, Times>,
    /// By what was asked and what was decided.
    decisions: BTreeMap<(&'static str, String), u64>,
    fixations: u64,
}

/// What was counted since the server began.
#[derive(Default)]
pub(crate) struct Metrics {
    counted: Mutex<Counted>,
    watches: AtomicUsize,
}

/// A watch that is open, until it is dropped.
pub(crate) struct OpenWatch<'a>(&'a Metrics);

impl Drop for OpenWatch<'_> {
    fn drop(&mut self) {
        self.0.watches.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Counts a request. Methods and paths are those of the server, of which there are few.
    pub(crate) fn request(&self, method: &'static str, path: &str, status: u16, took: Duration) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (method, path.to_owned(), status);
        *counted.requests.entry(key).or_default() += 1;
        let times = counted.times.entry(path.to_owned()).or_default();
        let seconds = took.as_secs_f64();
        times.count += 1;
        times.seconds += seconds;
        for (class, end) in times.classes.iter_mut().zip(CLASSES) {
            *class += u64::from(seconds <= end);
        }
    }

    pub(crate) fn decision(&self, question: &'static str, decision: &str) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        *counted.decisions.entry((question, decision.to_owned())).or_default() += 1;
    }

    pub(crate) fn fixation(&self) {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner).fixations += 1;
    }

    pub(crate) fn open_watch(&self) -> OpenWatch<'_> {
        self.watches.fetch_add(1, Ordering::Relaxed);
        OpenWatch(self)
    }

    /// Everything, with how many questions wait.
    pub(crate) fn text(&self, waiting: usize) -> String {
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        family(&mut text, "gazeprint_requests_total", "counter", "Requests that were answered.");
        for ((method, path, status), count) in &counted.requests {
            _ = writeln!(
                text,
                "gazeprint_requests_total{{method=\"{method}\",path=\"{path}\",status=\"{status}\"}} {count}"
            );
        }
        family(&mut text, "gazeprint_request_seconds", "histogram", "How long answers took.");
        for (path, times) in &counted.times {
            let name = "gazeprint_request_seconds";
            for (end, count) in CLASSES.iter().zip(times.classes) {
                _ = writeln!(text, "{name}_bucket{{path=\"{path}\",le=\"{end}\"}} {count}");
            }
            let Times { count, seconds, .. } = times;
            _ = writeln!(text, "{name}_bucket{{path=\"{path}\",le=\"+Inf\"}} {count}");
            _ = writeln!(text, "{name}_sum{{path=\"{path}\"}} {seconds}");
            _ = writeln!(text, "{name}_count{{path=\"{path}\"}} {count}");
        }
        family(&mut text, "gazeprint_decisions_total", "counter", "Answers by what was decided.");
        for ((question, decision), count) in &counted.decisions {
            _ = writeln!(
                text,
                "gazeprint_decisions_total{{question=\"{question}\",decision=\"{decision}\"}} {count}"
            );
        }
        family(&mut text, "gazeprint_fixations_total", "counter", "Fixations of watches.");
        _ = writeln!(text, "gazeprint_fixations_total {}", counted.fixations);
        family(&mut text, "gazeprint_watches", "gauge", "Watches that are open.");
        _ = writeln!(text, "gazeprint_watches {}", self.watches.load(Ordering::Relaxed));
        family(&mut text, "gazeprint_waiting", "gauge", "Questions that wait for a core.");
        _ = writeln!(text, "gazeprint_waiting {waiting}");
        text
    }
}

fn family(text: &mut String, name: &str, kind: &str, help: &str) {
    _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}
