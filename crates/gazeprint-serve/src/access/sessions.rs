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
/// Pages that are logged in at once, in all and with one token. Of those of a token the oldest gives way; nobody's page
/// gives way to others'.
const MOST: usize = 4000;
const MOST_OF_ONE: usize = 16;

struct Session {
    caller: Caller,
    /// The token that it was got for, which may be revoked; none for the link.
    token: Option<String>,
    ends: Instant,
}

/// Why a page is not logged in.
#[derive(Debug)]
pub(crate) enum Unopened {
    /// There are too many.
    Full,
    /// The operating system has no randomness.
    Random(getrandom::Error),
}

impl From<getrandom::Error> for Unopened {
    fn from(error: getrandom::Error) -> Self {
        Self::Random(error)
    }
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
    pub(crate) fn open_by_link(&self, secret: &str) -> Result<Option<NewSession>, Unopened> {
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        if link.take_if(|known| is_same(known, &hash(secret))).is_none() {
            return Ok(None);
        }
        drop(link);
        let caller = Caller { id: "page".to_owned(), scopes: Scopes::all(), session: None };
        self.open(caller, None).map(Some)
    }

    /// Logs a page in that has a token.
    pub(crate) fn open_by_token(&self, caller: Caller) -> Result<NewSession, Unopened> {
        let token = caller.id.clone();
        self.open(caller, Some(token))
    }

    fn open(&self, caller: Caller, token: Option<String>) -> Result<NewSession, Unopened> {
        let secret = random_hex::<32>()?;
        let key = hash(&secret);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        open.retain(|_, session| session.ends > now);
        let own = || open.iter().filter(|(_, session)| session.caller.id == caller.id);
        if own().count() >= MOST_OF_ONE
            && let Some(oldest) = own().min_by_key(|(_, s)| s.ends).map(|(key, _)| key.clone())
        {
            open.remove(&oldest);
        }
        if open.len() >= MOST {
            return Err(Unopened::Full);
        }
        let caller = Caller { session: Some(key.clone()), ..caller };
        open.insert(key, Session { caller, token, ends: now + LASTS });
        Ok(NewSession { secret, lasts: LASTS })
    }

    /// Who a page is, and the token that it was logged in with.
    pub(crate) fn caller(&self, secret: &str) -> Option<(Caller, Option<String>)> {
        self.by_hash(&hash(secret))
    }

    /// The same, by the hash of its secret.
    pub(crate) fn by_hash(&self, key: &str) -> Option<(Caller, Option<String>)> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let session = open.get(key).filter(|session| session.ends > Instant::now())?;
        Some((session.caller.clone(), session.token.clone()))
    }

    /// Logs a page out, given by the hash of its secret.
    pub(crate) fn close(&self, key: &str) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
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
        sessions.close(&hash(&page.secret));
        assert!(sessions.caller(&page.secret).is_none());
    }

    #[test]
    fn nobody_is_logged_out_by_others() {
        let sessions = Sessions::default();
        let caller = |id: &str| Caller { id: id.to_owned(), scopes: Scopes::all(), session: None };
        let link = sessions.new_link().unwrap();
        let page = sessions.open_by_link(&link).unwrap().unwrap();
        let other = sessions.open_by_token(caller("other")).unwrap();
        let open = || sessions.open_by_token(caller("shop")).unwrap();
        let own: Vec<NewSession> = (0..=MOST_OF_ONE).map(|_| open()).collect();
        assert!(sessions.caller(&own[0].secret).is_none());
        for stays in own[1..].iter().chain([&page, &other]) {
            assert!(sessions.caller(&stays.secret).is_some());
        }
        for i in MOST_OF_ONE + 2..MOST {
            sessions.open_by_token(caller(&i.to_string())).unwrap();
        }
        assert!(matches!(sessions.open_by_token(caller("more")), Err(Unopened::Full)));
        assert!(sessions.caller(&page.secret).is_some());
    }
}
