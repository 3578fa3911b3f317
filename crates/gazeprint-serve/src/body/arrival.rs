//! Bodies as they come in. Their memory is bounded by what has come of all of them: who sends slowly holds little, and
//! keeps nobody waiting.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use hyper::body::Body as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;

/// Bodies of the largest size that are in memory at once.
const MOST_BODIES: usize = 64;
/// What memory is counted by, bytes: every body takes at least one.
const UNIT: usize = 64 << 10;
/// Largest body of a door that expects a few words.
const SHORT: usize = 4 << 10;

/// Memory for the bodies of all requests.
pub(crate) struct Memory {
    /// Largest body, bytes.
    most: usize,
    units: Arc<Semaphore>,
}

/// What a body takes of the memory, until it is dropped.
pub(crate) struct Held {
    _units: Option<OwnedSemaphorePermit>,
}

/// A body that has come to its end.
pub(crate) struct Arrived {
    pub(crate) bytes: Vec<u8>,
    pub(crate) held: Held,
}

impl Memory {
    /// For bodies that are no larger.
    pub(crate) fn new(most: usize) -> Self {
        let units = MOST_BODIES * most.div_ceil(UNIT);
        Self { most, units: Arc::new(Semaphore::new(units.min(Semaphore::MAX_PERMITS))) }
    }

    /// A body, when it has come to its end.
    pub(crate) async fn take(&self, body: Body) -> Result<Arrived, Problem> {
        let mut units: Option<OwnedSemaphorePermit> = None;
        let bytes = collect(body, self.most, |length| {
            let held = units.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
            let more =
                u32::try_from(length.div_ceil(UNIT).saturating_sub(held)).unwrap_or(u32::MAX);
            // To wait for others here could be to wait for one's own rest.
            let more = Arc::clone(&self.units).try_acquire_many_owned(more);
            let more = more.map_err(|_| Problem::busy())?;
            match &mut units {
                Some(units) => units.merge(more),
                None => units = Some(more),
            }
            Ok(())
        })
        .await?;
        Ok(Arrived { bytes, held: Held { _units: units } })
    }
}

/// A body of few bytes.
pub(crate) async fn short(request: Request) -> Result<Vec<u8>, Problem> {
    collect(request.into_body(), SHORT, |_| Ok(())).await
}

/// The bytes of a body, no more than may be; `grow` is told how many there will be before they are kept.
async fn collect(
    mut body: Body,
    most: usize,
    mut grow: impl FnMut(usize) -> Result<(), Problem>,
) -> Result<Vec<u8>, Problem> {
    if body.size_hint().lower() > most as u64 {
        return Err(Problem::too_large(most));
    }
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|_| Problem::usage("the body cannot be read to its end"))?;
        let Ok(part) = frame.into_data() else { continue };
        let length = bytes.len() + part.len();
        if length > most {
            return Err(Problem::too_large(most));
        }
        grow(length)?;
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn memory_is_taken_for_what_has_come_and_given_back() {
        let memory = Memory::new(2 * UNIT);
        let all = memory.units.available_permits();
        assert_eq!(all, 2 * MOST_BODIES);
        let first = memory.take(Body::from(vec![0; UNIT + 1])).await.unwrap();
        assert_eq!((first.bytes.len(), memory.units.available_permits()), (UNIT + 1, all - 2));
        assert_eq!(
            memory.take(Body::from(vec![0; 2 * UNIT + 1])).await.err().unwrap().kind,
            "input"
        );
        let many = Arc::clone(&memory.units).try_acquire_many_owned((all - 2) as u32).unwrap();
        assert_eq!(memory.take(Body::from("x")).await.err().unwrap().kind, "busy");
        drop((first, many));
        assert!(memory.take(Body::from("x")).await.is_ok());
        assert_eq!(memory.units.available_permits(), all);
    }
}
