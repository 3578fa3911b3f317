//! Work that would keep others waiting: computing, and writing to the disk. It runs on threads of its own, as much
//! at once as there are cores, and no more is taken on than can be done soon.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::problem::Problem;

/// Questions that wait for a core, at most.
const MOST_WAITING: usize = 512;
/// Changes of the gallery that wait, at most.
const MOST_CHANGES: usize = 64;

type Job = Box<dyn FnOnce() + Send>;

/// Threads that compute, and one that changes the gallery.
pub(crate) struct Workshop {
    /// Questions are computed one a core.
    questions: Arc<Semaphore>,
    waiting: AtomicUsize,
    /// Fixations of watches, which must not wait for questions.
    steps: Arc<Semaphore>,
    /// None once the server ends.
    changes: Mutex<Option<mpsc::Sender<Job>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

/// One more that waits, until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Workshop {
    /// With so many cores.
    pub(crate) fn new(cores: usize) -> std::io::Result<Self> {
        let (sender, mut jobs) = mpsc::channel::<Job>(MOST_CHANGES);
        let writer = std::thread::Builder::new().name("writer".to_owned()).spawn(move || {
            while let Some(job) = jobs.blocking_recv() {
                // Whoever waits for it is told: what it would have answered by is gone.
                _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
            }
        })?;
        Ok(Self {
            questions: Arc::new(Semaphore::new(cores)),
            waiting: AtomicUsize::new(0),
            steps: Arc::new(Semaphore::new(cores)),
            changes: Mutex::new(Some(sender)),
            writer: Mutex::new(Some(writer)),
        })
    }

    /// Questions that wait for a core.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// What comes of a question.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let waiting = Waiting(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= MOST_WAITING {
            return Err(Problem::busy());
        }
        let permit = Arc::clone(&self.questions).acquire_owned().await;
        drop(waiting);
        run(permit.map_err(|_| Problem::stopping())?, question).await
    }

    /// What comes of a step of a watch.
    pub(crate) async fn step<T: Send + 'static>(
        &self,
        step: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = Arc::clone(&self.steps).acquire_owned().await;
        run(permit.map_err(|_| Problem::stopping())?, step).await
    }

    /// What comes of a change, which is made after those that were asked for before.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move || _ = answer.send(change()));
        let sender = self.changes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let sender = sender.ok_or_else(Problem::stopping)?;
        sender.try_send(job).map_err(|_| Problem::busy())?;
        answered.await.map_err(|_| Problem::bug("a change panicked"))
    }

    /// Takes no more changes, and waits until those that wait are made.
    pub(crate) fn finish(&self) {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner).take();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        _ = writer.map(JoinHandle::join);
    }
}

/// Runs work on a thread that may block; the permit is given back when the work is done, whoever waits for it.
async fn run<T: Send + 'static>(
    permit: tokio::sync::OwnedSemaphorePermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let work = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(permit);
        done
    });
    work.await.map_err(|error| Problem::bug(format!("work panicked: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workshop() -> Workshop {
        Workshop::new(1).unwrap()
    }

    #[tokio::test]
    async fn panics_are_answered_and_work_goes_on() {
        let workshop = workshop();
        let bugs = [
            workshop.ask(|| panic!("meant")).await,
            workshop.step(|| panic!("meant")).await,
            workshop.change(|| panic!("meant")).await,
        ];
        assert!(
            bugs.iter().all(|bug: &Result<(), Problem>| bug.as_ref().unwrap_err().kind == "bug")
        );
        assert_eq!(workshop.ask(|| 1).await.unwrap(), 1);
        assert_eq!(workshop.step(|| 2).await.unwrap(), 2);
        assert_eq!(workshop.change(|| 3).await.unwrap(), 3);
        assert_eq!(workshop.waiting(), 0);
    }

    #[tokio::test]
    async fn more_changes_than_are_kept_are_refused_and_none_is_lost_at_the_end() {
        let workshop = Arc::new(workshop());
        let (go, held) = std::sync::mpsc::channel::<()>();
        let done = Arc::new(AtomicUsize::new(0));
        let first = tokio::spawn({
            let workshop = Arc::clone(&workshop);
            async move { workshop.change(move || held.recv()).await }
        });
        while workshop.changes.lock().unwrap().as_ref().unwrap().capacity() < MOST_CHANGES
            || Arc::strong_count(&workshop) < 2
        {
            tokio::task::yield_now().await;
        }
        let mut asked = Vec::new();
        for _ in 0..2 * MOST_CHANGES {
            let (workshop, done) = (Arc::clone(&workshop), Arc::clone(&done));
            asked.push(tokio::spawn(async move {
                workshop.change(move || done.fetch_add(1, Ordering::Relaxed)).await.is_ok()
            }));
            tokio::task::yield_now().await;
        }
        go.send(()).unwrap();
        _ = first.await.unwrap();
        let mut made = 0;
        for answer in asked {
            made += usize::from(answer.await.unwrap());
        }
        assert!((1..2 * MOST_CHANGES).contains(&made), "{made}");
        workshop.finish();
        assert_eq!(done.load(Ordering::Relaxed), made);
        assert_eq!(workshop.change(|| ()).await.unwrap_err().kind, "busy");
    }
}
