//! Long work: other threads of Python run on meanwhile, Ctrl-C stops it, and whoever wants to is told how far it is.
//!
//! | | for | after Ctrl-C |
//! |---|---|---|
//! | `watched` | what can be told to stop, and what writes | Python goes on once the work has stopped |
//! | `left` | what only reads or answers, and cannot be told | Python goes on at once, the work to its end |
//! | `aside` | what takes next to no time | |

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use gazeprint::method::Monitor;
use gazeprint_eval::course::Course;
use gazeprint_eval::study::StudyMonitor;
use gazeprint_recognition::{Entry, ErrorKind, RecognitionMonitor, Stage};
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;

use crate::failure::{Failure, Outcome};

/// How often signals are looked for, and progress is told.
const PERIOD: Duration = Duration::from_millis(50);

/// Work that goes on.
#[derive(Default)]
pub(crate) struct Work {
    stopped: Arc<AtomicBool>,
    course: Mutex<Course>,
    news: Mutex<News>,
}

/// What is to be told.
#[derive(Default)]
struct News {
    /// What is being done.
    message: String,
    /// The part that is done.
    share: f64,
    /// Who was enrolled since something was told last.
    enrolled: Vec<String>,
    is_new: bool,
}

impl Work {
    /// Is set when the work is to stop.
    pub(crate) fn stopped(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stopped)
    }

    fn follow(&self, happened: impl FnOnce(&mut Course)) {
        let mut course = self.course.lock().unwrap_or_else(PoisonError::into_inner);
        happened(&mut course);
        let share = course.share();
        let mut news = self.news();
        news.share = share;
        news.is_new = true;
    }

    fn news(&self) -> std::sync::MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, message: String) {
        let mut news = self.news();
        news.message = message;
        news.is_new = true;
    }

    /// Tells Python what is new.
    fn tell(&self, py: Python<'_>, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        py.check_signals()?;
        let Some(progress) = progress else { return Ok(()) };
        let (message, share, enrolled) = {
            let mut news = self.news();
            if !std::mem::take(&mut news.is_new) {
                return Ok(());
            }
            (news.message.clone(), news.share, std::mem::take(&mut news.enrolled))
        };
        progress.call1(py, (share, message, enrolled)).map(drop)
    }
}

impl Monitor for Work {
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

impl StudyMonitor for Work {
    fn begin(&self, method: &str, split: usize, splits: usize) {
        self.follow(|course| _ = course.begin(method, split, splits));
        self.say(format!("split {} of {splits}, {method}", split + 1));
    }
}

impl RecognitionMonitor for Work {
    fn begin(&self, stage: Stage) {
        self.follow(|course| *course = Course::default());
        self.say(
            match stage {
                Stage::Population => "learning the population",
                Stage::Readers => "learning readers",
                Stage::Rules => "learning what scores are worth",
                Stage::Rows => "making rows to search by",
            }
            .to_owned(),
        );
    }

    fn enrolled(&self, entry: &Entry) {
        let mut news = self.news();
        news.enrolled.push(entry.id.clone());
        news.is_new = true;
    }
}

/// Does long work in a thread of its own. `progress` is called with the part that is done, what is being done, and
/// who was enrolled.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Work) -> Outcome<T> + Send,
) -> PyResult<T> {
    let state = Work::default();
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, done) = channel();
            let watched = &state;
            scope.spawn(move || _ = sender.send(contained(|| work(watched))));
            let mut refused: PyResult<()> = Ok(());
            loop {
                match done.recv_timeout(PERIOD) {
                    // What Python refused is what it is to hear of.
                    Ok(outcome) => {
                        refused?;
                        Python::attach(|py| state.tell(py, progress))?;
                        return Ok(outcome?);
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        refused?;
                        return Err(broken().into());
                    }
                    Err(RecvTimeoutError::Timeout) if refused.is_err() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        refused = Python::attach(|py| state.tell(py, progress));
                        state.stopped.store(refused.is_err(), Ordering::Relaxed);
                    }
                }
            }
        })
    })
}

/// Does work that cannot be told to stop, in a thread of its own. After Ctrl-C nobody waits for it: it goes on to its
/// end, and nobody hears what it found.
pub(crate) fn left<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Outcome<T> + Send + 'static,
) -> PyResult<T> {
    py.detach(|| {
        let (sender, done) = channel();
        thread::spawn(move || _ = sender.send(contained(work)));
        loop {
            match done.recv_timeout(PERIOD) {
                Ok(outcome) => return Ok(outcome?),
                Err(RecvTimeoutError::Disconnected) => return Err(broken().into()),
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
            }
        }
    })
}

/// Does work with so many threads; with as many as there are cores, where nobody says.
pub(crate) fn limited<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Outcome<T> + Send,
) -> Outcome<T> {
    let Some(threads) = threads else { return work() };
    if threads == 0 {
        return Err(Failure::usage("threads: found 0, expected 1 or more"));
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::new(ErrorKind::Io, error.to_string()))?;
    pool.install(work)
}

/// Does work of which there is little, such as the next step of a watch, while other threads of Python run on.
pub(crate) fn aside<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Outcome<T> + Send,
) -> PyResult<T> {
    Ok(py.detach(|| contained(work))?)
}

/// What comes of work; also where it panics, which Python is to hear of as an error like others.
fn contained<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(broken()))
}

/// What should never be.
fn broken() -> Failure {
    Failure::new(
        ErrorKind::Unsupported,
        "gazeprint has met something that it takes for impossible, which is its mistake; what it says of \
         it stands above; please report it",
    )
}
