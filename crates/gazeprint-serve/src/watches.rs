//! How many watches there are, and of whom: one caller leaves room for others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;

/// Watches that are open, by caller.
type Open = Arc<Mutex<HashMap<String, usize>>>;

/// Places for watches.
pub(crate) struct Places {
    all: Arc<Semaphore>,
    most: usize,
    most_of_one: usize,
    open: Open,
}

/// The place of a watch, until it is dropped.
pub(crate) struct Place {
    caller: String,
    open: Open,
    _place: OwnedSemaphorePermit,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.caller) {
            *count -= 1;
        }
        open.retain(|_, count| *count > 0);
    }
}

impl Places {
    /// So many in all, and of one caller.
    pub(crate) fn new(most: usize, most_of_one: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(most)), most, most_of_one, open: Open::default() }
    }

    /// A place for a watch of a caller.
    pub(crate) fn take(&self, caller: &str) -> Result<Place, Problem> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.get(caller).copied().unwrap_or(0);
        if count >= self.most_of_one {
            return Err(Problem::too_many("too many watches of one token; end some", 1));
        }
        let place = Arc::clone(&self.all).try_acquire_owned().map_err(|_| Problem::busy())?;
        open.insert(caller.to_owned(), count + 1);
        Ok(Place { caller: caller.to_owned(), open: Arc::clone(&self.open), _place: place })
    }

    /// Waits until nobody is watched.
    pub(crate) async fn all_free(&self) {
        let all = u32::try_from(self.most).unwrap_or(u32::MAX);
        _ = self.all.acquire_many(all).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_caller_leaves_room_for_others() {
        let places = Places::new(3, 2);
        let first = [places.take("a").unwrap(), places.take("a").unwrap()];
        assert_eq!(places.take("a").err().unwrap().kind, "rate");
        let second = places.take("b").unwrap();
        assert_eq!(places.take("b").err().unwrap().kind, "busy");
        drop(first);
        let again = places.take("a").unwrap();
        drop((second, again));
        places.all_free().await;
        assert!(places.open.lock().unwrap().is_empty());
    }
}
