//! Everything under new seals: another data key, or none.

use std::ops::ControlFlow;

use zeroize::Zeroizing;

use crate::backend::{Depth, Row};
use crate::error::Part;
use crate::header::{State, link};
use crate::seal::{Digests, Place, Sealer};
use crate::snapshot::{Snapshot, body, opened, opened_entry};
use crate::{Kind, Location, StoreError};

/// Puts every record and every entry of the log under new seals, and gives the state that belongs to
/// them.
pub(crate) fn reseal(snapshot: &mut Snapshot<'_>, new: &Sealer) -> Result<State, StoreError> {
    let mut state = snapshot.state.clone();
    state.digests = Digests::Keyed;
    let old = snapshot.sealer;
    for kind in Kind::ALL {
        snapshot.count(kind)?;
        let mut rows = Vec::new();
        snapshot.backend.scan(kind, Depth::Seals, &mut |row, _, _| {
            rows.push(Row::try_from(row));
            ControlFlow::Continue(())
        })?;
        *state.tally(kind) = Default::default();
        for row in rows {
            let Ok(row) = row else {
                return Err(snapshot.damaged_row(kind, &[]));
            };
            let stored = snapshot.backend.get(kind, &row)?;
            let record = stored.and_then(|it| opened(old, kind, row, &it.seal, it.value));
            let Some((name, value)) = record else {
                return Err(snapshot.damaged_row(kind, &row));
            };
            let new_row = new.row(&name);
            let mut value = body(&name, &value);
            let seal = new.seal(Place::Record(kind, new_row), &mut value)?;
            snapshot.backend.delete(kind, &row)?;
            snapshot.backend.put(kind, &new_row, &seal, &value)?;
            let digest = new.digest(state.digests, &new_row, &seal);
            state.tally(kind).add(digest);
        }
    }
    reseal_log(snapshot, new)?;
    Ok(state)
}

/// The chain of links stays as it is: it is one of contents.
fn reseal_log(snapshot: &mut Snapshot<'_>, new: &Sealer) -> Result<(), StoreError> {
    snapshot.log(|_, _| Ok::<_, StoreError>(()))?;
    let old = snapshot.sealer;
    snapshot.backend.guard_log(false)?;
    let mut last = [0; 32];
    for sequence in 1..=snapshot.state.entries {
        let damaged = |at: &Location, why: &str| StoreError::Damaged {
            at: at.clone(),
            part: Part::Log(Some(sequence)),
            why: why.to_owned(),
        };
        let stored = snapshot.backend.entry(sequence.cast_signed())?;
        let stored = stored.ok_or_else(|| damaged(snapshot.at, "it is missing"))?;
        let entry = opened_entry(old, sequence, &last, &stored.seal, &stored.value)
            .map_err(|why| damaged(snapshot.at, why))?;
        let mut value = Zeroizing::new([last.as_slice(), &entry].concat());
        let seal = new.seal(Place::Log(sequence), &mut value)?;
        snapshot.backend.replace_entry(sequence.cast_signed(), &seal, &value)?;
        last = link(&last, sequence, &entry);
    }
    snapshot.backend.guard_log(true)
}
