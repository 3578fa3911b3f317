//! What the server says of itself: a JSON object a line. No names of readers, no scores, no recordings.

use std::fmt;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// Where lines go.
pub struct Journal {
    out: Mutex<Box<dyn Write + Send>>,
}

/// A line about a request that was answered.
#[derive(Debug, Serialize)]
pub(crate) struct RequestLine<'a> {
    pub(crate) event: &'static str,
    pub(crate) request: &'a str,
    /// The token or session; none where nobody was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) caller: Option<&'a str>,
    pub(crate) method: &'a str,
    /// The path as it is registered: names of readers stay out.
    pub(crate) path: &'a str,
    pub(crate) status: u16,
    pub(crate) ms: f64,
    /// What kind of problem it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<&'a str>,
}

/// A line about the server.
#[derive(Debug, Serialize)]
pub(crate) struct EventLine<'a> {
    pub(crate) event: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
}

#[derive(Serialize)]
struct Timed<'a, T> {
    time: f64,
    #[serde(flatten)]
    line: &'a T,
}

impl Journal {
    /// A journal that is written to `out`.
    pub fn new(out: impl Write + Send + 'static) -> Self {
        Self { out: Mutex::new(Box::new(out)) }
    }

    pub(crate) fn say(&self, line: &impl Serialize) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let time = since.as_millis() as f64 / 1000.0;
        let Ok(mut text) = serde_json::to_vec(&Timed { time, line }) else { return };
        text.push(b'\n');
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody may be listening any more: no reason to refuse requests.
        _ = out.write_all(&text).and_then(|()| out.flush());
    }

    pub(crate) fn event(&self, event: &str, detail: Option<String>) {
        self.say(&EventLine { event, detail });
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").finish_non_exhaustive()
    }
}
