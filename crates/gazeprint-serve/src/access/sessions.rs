//! Pages that are logged in, by a cookie, and the link that logs the first one in.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::secrets::{hash, is_same, random_hex};
use super::{Caller, Scopes};

/// The name of the cookie.
pub(crate) const COOKIE: &str = "gazeprint";
/// How long a page stays logged in.
const LASTS: Duration = Duration::from_hours(12);
/// Pages that are logged in at once; the oldest gives way.
const MOST: usize = 1000;

struct Session {
    caller: Caller,
    /// The token that it was got for, which may be revoked; none for the link.
    token: Option<String>,
    ends: Instant,
}

/// Pages that are logged in. Secrets are kept as hashes, and in memory alone.
#[derive(Default)]
pub(crate) struct Sessions {
    open: Mutex<HashMap<String, Session>>,
    /// The hash of what the link has, until it is used.
    link: Mutex<Option<String>>,
}

/// A page that has just been logged in.
pub(crate) struct NewSession {
    /// The secret of its cookie.
    pub(crate) secret: String,
    pub(crate) lasts: Duration,
}

impl Sessions {
    /// The secret of a new link, which logs one page in. An earlier link is void.
    pub(crate) fn new_link(&self) -> Result<String, getrandom::Error> {
        let secret = random_hex::<32>()?;
        *self.link.lock().unwrap_or_else(PoisonError::into_inner) = Some(hash(&secret));
        Ok(secret)
    }

    /// Logs a page in by the link; only the first time.
    pub(crate) fn open_by_link(
        &self,
        secret: &str,
    ) -> Result<Option<NewSession>, getrandom::Error> {
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        if link.take_if(|known| is_same(known, &hash(secret))).is_none() {
            return Ok(None);
        }
        drop(link);
        let caller = Caller { id: "page".to_owned(), scopes: Scopes::all() };
        self.open(caller, None).map(Some)
    }

    /// Logs a page in that has a token.
    pub(crate) fn open_by_token(&self, caller: Caller) -> Result<NewSession, getrandom::Error> {
        let token = caller.id.clone();
        self.open(caller, Some(token))
    }

    fn open(&self, caller: Caller, token: Option<String>) -> Result<NewSession, getrandom::Error> {
        let secret = random_hex::<32>()?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        open.retain(|_, session| session.ends > now);
        if open.len() >= MOST {
            let oldest = open.iter().min_by_key(|(_, session)| session.ends);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                open.remove(&oldest);
            }
        }
        open.insert(hash(&secret), Session { caller, token, ends: now + LASTS });
        Ok(NewSession { secret, lasts: LASTS })
    }

    /// Who a page is, and the token that it was logged in with.
    pub(crate) fn caller(&self, secret: &str) -> Option<(Caller, Option<String>)> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let session = open.get(&hash(secret)).filter(|session| session.ends > Instant::now())?;
        Some((session.caller.clone(), session.token.clone()))
    }

    /// Logs a page out.
    pub(crate) fn close(&self, secret: &str) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&hash(secret));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_logs_one_page_in() {
        let sessions = Sessions::default();
        assert!(sessions.open_by_link("").unwrap().is_none());
        let first = sessions.new_link().unwrap();
        let link = sessions.new_link().unwrap();
        assert!(sessions.open_by_link(&first).unwrap().is_none());
        let page = sessions.open_by_link(&link).unwrap().unwrap();
        assert!(sessions.open_by_link(&link).unwrap().is_none());
        assert!(sessions.caller(&page.secret).is_some() && sessions.caller(&link).is_none());
        sessions.close(&page.secret);
        assert!(sessions.caller(&page.secret).is_none());
    }
}
