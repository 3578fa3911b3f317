//! Which text and trial a part of a recording belongs to, as messages tell.

use std::collections::HashMap;
use std::sync::Arc;

use regex::{Captures, Regex, RegexBuilder};
use thiserror::Error;

use super::values::composed;

/// Messages that begin a trial, and those that add to one. In front there may be an offset in
/// milliseconds.
const DEFAULTS: [&str; 4] = [
    r"^(?:-?\d+\s+)?TRIALID[ \t:]+(?P<text>\S.*)$",
    r"^(?:-?\d+\s+)?(?:!V\s+)?TRIAL_VAR\s+(?i:text|text_id|textid|item|item_id|itemid|sentence|sentence_id|passage|passage_id)[ \t=]+(?P<text>\S.*)$",
    r"^(?:-?\d+\s+)?(?:!V\s+)?TRIAL_VAR\s+(?i:trial|trial_index_?|trial_id|trialid)[ \t=]+(?P<trial>\S.*)$",
    r"^(?:-?\d+\s+)?(?:!V\s+)?TRIAL_VAR\s+(?i:session|session_id|session_number)[ \t=]+(?P<session>\S.*)$",
];

/// What a variable holds that no one has set.
const UNSET: [&str; 4] = ["-1", ".", "UNDEFINED", "UNDEFINEDnull"];

/// The longest name that is taken from a message, in bytes.
pub(super) const LONGEST: usize = 200;

/// A pattern that cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PatternError {
    /// Not a regular expression.
    #[error("{pattern:?} is no regular expression: {problem}")]
    Syntax {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Nothing that is to be taken from a message.
    #[error(
        "{pattern:?} has none of the groups text, trial and session; name what to take from a \
         message, such as TRIALID (?P<text>\\S+)"
    )]
    NoGroup {
        /// The pattern.
        pattern: String,
    },
}

/// How messages name texts, trials and sessions.
#[derive(Debug, Clone)]
pub struct TrialPatterns {
    patterns: Vec<Regex>,
    /// Whether somebody asked for these.
    is_given: bool,
    /// Where messages stand, if a pattern says so.
    side: Option<Side>,
}

/// Where messages stand, seen from what they name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

impl Side {
    /// The group of a pattern that says so.
    pub(super) const fn group(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

impl Default for TrialPatterns {
    fn default() -> Self {
        let compiled = |pattern: &str| compile(pattern).expect("the default patterns are valid");
        let patterns = DEFAULTS.iter().map(|pattern| compiled(pattern)).collect();
        Self { patterns, is_given: false, side: None }
    }
}

impl TrialPatterns {
    /// Patterns in place of the default ones, with groups `text`, `trial` or `session`. A group `before`
    /// or `after` says that messages come before or after what they name.
    ///
    /// # Errors
    /// If one is no regular expression, or has none of the groups.
    pub fn new<P: AsRef<str>>(patterns: &[P]) -> Result<Self, PatternError> {
        let patterns: Result<Vec<Regex>, _> =
            patterns.iter().map(|pattern| checked(pattern.as_ref())).collect();
        let patterns = patterns?;
        let says = |side: &Side| {
            let mut groups = patterns.iter().flat_map(Regex::capture_names).flatten();
            groups.any(|group| group == side.group())
        };
        let side = [Side::Before, Side::After].into_iter().find(says);
        Ok(Self { patterns, is_given: true, side })
    }

    /// Whether somebody asked for these.
    pub(super) fn are_given(&self) -> bool {
        self.is_given
    }

    /// Where messages stand, if a pattern says so.
    pub(super) fn side(&self) -> Option<Side> {
        self.side
    }

    /// The patterns as they were written.
    pub(super) fn written(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(Regex::as_str)
    }

    /// Whether a variable of this name is known to name a trial or a session, which is no text.
    pub(super) fn counts(variable: &str) -> bool {
        let said = Self::default().read(&format!("TRIAL_VAR {variable} x"));
        said.is_some_and(|said| said.text.is_none())
    }

    /// What a message says about a trial, `None` where it says nothing.
    pub(super) fn read(&self, said: &str) -> Option<TrialMessage> {
        let captures = |pattern: &Regex| pattern.captures(said);
        let (pattern, found) =
            (0..).zip(&self.patterns).find_map(|(at, pattern)| Some((at, captures(pattern)?)))?;
        // Variables come before or after the block that they belong to, but not between two.
        let adds = said.contains("TRIAL_VAR");
        let name = |group: &str| {
            name(&found, group).filter(|name| !(adds && UNSET.contains(&name.as_ref())))
        };
        let (text, trial, session) = (name("text"), name("trial"), name("session"));
        if text.is_none() && trial.is_none() && session.is_none() {
            return None;
        }
        let is_trial_id = is_trial_id(said);
        let is_meant = self.is_given && (is_trial_id || text == trial);
        let named = found.name("text").or_else(|| found.name("trial"));
        let named = named.map_or(said, |name| &said[..name.start()]);
        let source = Source { pattern, says: before_name(named).into(), is_meant };
        Some(TrialMessage { text, trial, session, adds, is_trial_id, source })
    }
}

pub(super) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    // A megabyte is far more than any pattern needs.
    RegexBuilder::new(pattern).size_limit(1 << 20).dfa_size_limit(1 << 20).build()
}

fn checked(pattern: &str) -> Result<Regex, PatternError> {
    let regex = compile(pattern).map_err(|error| PatternError::Syntax {
        pattern: pattern.to_owned(),
        problem: error.to_string(),
    })?;
    let known = |name: &str| ["text", "trial", "session"].contains(&name);
    if !regex.capture_names().flatten().any(known) {
        return Err(PatternError::NoGroup { pattern: pattern.to_owned() });
    }
    Ok(regex)
}

fn name(found: &Captures<'_>, group: &str) -> Option<Arc<str>> {
    let name = found.name(group)?.as_str().trim().trim_matches('"');
    (!name.is_empty() && name.len() <= LONGEST).then(|| composed(name).into())
}

/// A message without the offset in front.
fn without_offset(said: &str) -> &str {
    said.trim_start_matches(|c: char| c == '-' || c.is_ascii_digit()).trim_start()
}

/// What a message says before a name, as far as it is the same in all of a kind.
fn before_name(said: &str) -> &str {
    let said = without_offset(said);
    said.strip_prefix("!V ").unwrap_or(said)
}

/// Whether a message is what experiments begin a trial with.
pub(super) fn is_trial_id(said: &str) -> bool {
    without_offset(said)
        .strip_prefix("TRIALID")
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// What a message says about a trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TrialMessage {
    pub(super) text: Option<Arc<str>>,
    pub(super) trial: Option<Arc<str>>,
    pub(super) session: Option<Arc<str>>,
    /// It adds to the trial at hand, and begins none.
    pub(super) adds: bool,
    /// It is what experiments begin a trial with.
    pub(super) is_trial_id: bool,
    /// What it is known by.
    pub(super) source: Source,
}

/// What a message that names something is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    /// The pattern that knows it.
    pub(super) pattern: usize,
    /// What it says before the name of a text, or else of a trial: `TRIALID `.
    pub(super) says: Arc<str>,
    /// Somebody asked for the text to be called so, whatever it looks like.
    pub(super) is_meant: bool,
}

/// The names of the trial at hand.
#[derive(Debug, Clone, Default)]
pub(super) struct TrialNames {
    text: Option<Arc<str>>,
    trial: Option<Arc<str>>,
    session: Option<Arc<str>>,
    /// What named the text.
    pub(super) source: Option<Source>,
    /// What had named it before.
    pub(super) replaced: Option<Source>,
    /// When the message came that began it.
    pub(super) since: Option<f64>,
}

impl TrialNames {
    /// Whether a message begins another trial: it names again what is named already, or
    /// there is something recorded that it does not belong to.
    pub(super) fn ends_with(&self, said: &TrialMessage, has_data: bool) -> bool {
        let again = (said.text.is_some() && self.text.is_some())
            || (said.trial.is_some() && self.trial.is_some());
        let names = said.text.is_some() || said.trial.is_some();
        !said.adds && names && (again || has_data)
    }

    /// The trial after this one. Its session is the same.
    pub(super) fn following(&self) -> Self {
        Self { session: self.session.clone(), ..Self::default() }
    }

    pub(super) fn take(&mut self, said: TrialMessage, time: f64) {
        if !said.adds {
            self.since.get_or_insert(time);
        }
        if said.text.is_some() {
            let before = self.source.replace(said.source.clone());
            self.replaced = before.filter(|before| before.pattern != said.source.pattern);
        }
        self.text = said.text.or(self.text.take());
        self.trial = said.trial.or(self.trial.take());
        self.session = said.session.or(self.session.take());
    }

    pub(super) fn is_named(&self) -> bool {
        self.text.is_some() || self.trial.is_some()
    }

    #[cfg(test)]
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// What its text is called by messages.
    pub(super) fn name(&self) -> Option<&Arc<str>> {
        self.text.as_ref().or(self.trial.as_ref())
    }

    pub(super) fn session(&self) -> Option<Arc<str>> {
        self.session.clone()
    }
}

/// Numbers the readings of each text, so that repeated ones are told apart.
#[derive(Debug, Default)]
pub(super) struct Counter(HashMap<(Option<Arc<str>>, Arc<str>), u64>);

impl Counter {
    /// Text and trial of the reading at hand; `unnamed` is the text where no message names it.
    pub(super) fn name(
        &mut self,
        names: &TrialNames,
        unnamed: impl FnOnce() -> Arc<str>,
    ) -> (Arc<str>, Arc<str>) {
        let text = names.text.clone().or_else(|| names.trial.clone()).unwrap_or_else(unnamed);
        let count = self.0.entry((names.session.clone(), text.clone())).or_insert(0);
        *count += 1;
        let trial = match (&names.trial, &names.text) {
            (Some(trial), Some(_)) => trial.clone(),
            _ => Arc::from(count.to_string()),
        };
        (text, trial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(said: &str) -> Option<String> {
        TrialPatterns::default().read(said)?.text.map(|text| text.to_string())
    }

    #[test]
    fn usual_messages_name_texts_and_trials() {
        assert_eq!(text("TRIALID 12").as_deref(), Some("12"));
        assert_eq!(text("-4 TRIALID  E1I12D0 ").as_deref(), Some("E1I12D0"));
        assert_eq!(text("!V TRIAL_VAR item_id \"frog\"").as_deref(), Some("frog"));
        assert_eq!(text("TRIAL_RESULT 0"), None);
        assert_eq!(text("TRIALID"), None);
        let said = TrialPatterns::default().read("!V TRIAL_VAR Trial_Index_ 13").unwrap();
        assert_eq!((said.trial.as_deref(), said.adds), (Some("13"), true));
        assert_eq!(TrialPatterns::default().read("!V TRIAL_VAR SESSION_ID -1"), None);
    }

    #[test]
    fn a_pattern_must_take_something() {
        let error = TrialPatterns::new(&["TRIALID (.*)"]).unwrap_err();
        assert!(matches!(error, PatternError::NoGroup { .. }));
        let error = TrialPatterns::new(&["(?P<text>"]).unwrap_err();
        assert!(matches!(error, PatternError::Syntax { .. }));
        let error = TrialPatterns::new(&["(?P<text>\\w{1000}{1000})"]).unwrap_err();
        assert!(error.to_string().contains("no regular expression"), "{error}");
    }

    #[test]
    fn readings_of_one_text_are_numbered() {
        let mut counter = Counter::default();
        let names =
            |text: &str| TrialNames { text: Some(Arc::from(text)), ..TrialNames::default() };
        let mut trial = |names: &TrialNames| counter.name(names, || "block-7".into()).1.to_string();
        assert_eq!(trial(&names("a")), "1");
        assert_eq!(trial(&names("b")), "1");
        assert_eq!(trial(&names("a")), "2");
        assert_eq!(counter.name(&TrialNames::default(), || "block-7".into()).0.as_ref(), "block-7");
    }
}
