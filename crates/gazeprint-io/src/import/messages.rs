//! What messages of a recording were of use for, and whether they name texts at all.
//!
//! Names that are no more than numbers of trials put different texts under one name, and what names some
//! trials only puts the others there. Both look well, so that they are looked for. Which message could
//! name texts is decided by all recordings of an import: what names a text is another in each trial, and
//! readers share it, in orders of their own.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::error::{At, ImportError};
use super::recording::Sink;
use super::setting::{Phrase, Setting, phrase, quoted};
use super::trials::{LONGEST, Source, TrialMessage, TrialNames, TrialPatterns};

/// Messages that are remembered.
const SHOWN: usize = 6;

/// Variables that are remembered, and values of each.
const MOST_VARIABLES: usize = 64;
const MOST_VALUES: usize = 1024;

/// Variables that a message names.
const NAMED: usize = 3;

/// What messages of a recording were of use for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct MessageLog {
    /// How many named something, by pattern.
    known: Vec<u64>,
    /// Some that did not, each the first of its kind.
    others: Vec<String>,
    variables: Vec<Variable>,
    /// Trials with fixations that messages name.
    trials: Vec<Named>,
    /// How many are without a name.
    unnamed: usize,
}

/// A variable of an experiment, and what it holds, trial by trial.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Variable {
    name: String,
    /// Values, as hashes.
    values: Vec<u64>,
    /// Whether all are numbers.
    is_number: bool,
}

/// What a trial with fixations is called.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    name: Arc<str>,
    /// What named its text; nothing where it has the name of the trial.
    source: Option<Source>,
    replaced: Option<Source>,
}

impl MessageLog {
    pub(super) fn see(&mut self, said: &str, found: Option<&TrialMessage>) {
        match found {
            Some(TrialMessage { source, .. }) => {
                let known = self.known.len().max(source.pattern + 1);
                self.known.resize(known, 0);
                self.known[source.pattern] += 1;
            }
            None => self.see_other(said),
        }
        let Some((_, variable)) = said.split_once("TRIAL_VAR ") else { return };
        let (name, value) = variable.split_once([' ', '=']).unwrap_or((variable, ""));
        if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            self.see_variable(name, value.trim());
        }
    }

    fn see_variable(&mut self, name: &str, value: &str) {
        let at = self.variables.iter().position(|known| known.name == name);
        let at = at.unwrap_or_else(|| {
            let name = name.to_owned();
            self.variables.push(Variable { name, values: Vec::new(), is_number: true });
            self.variables.len() - 1
        });
        let Variable { values, is_number, .. } = &mut self.variables[at];
        *is_number &= value.parse::<f64>().is_ok();
        if values.len() < MOST_VALUES {
            let mut hasher = DefaultHasher::new();
            value.hash(&mut hasher);
            values.push(hasher.finish());
        }
        self.variables.truncate(MOST_VARIABLES);
    }

    fn see_other(&mut self, said: &str) {
        let kind = |said: &str| said.split([' ', '\t', '_']).next().map(str::to_owned);
        let is_shown = !said.starts_with('!') && said.len() <= LONGEST;
        let is_new = || self.others.iter().all(|known| kind(known) != kind(said));
        if is_shown && self.others.len() < SHOWN && is_new() {
            self.others.push(said.to_owned());
        }
    }

    /// Takes the names of a trial with fixations.
    pub(super) fn named(&mut self, names: &TrialNames) {
        let Some(name) = names.name() else {
            self.unnamed += 1;
            return;
        };
        let name = Arc::clone(name);
        let (source, replaced) = (names.source.clone(), names.replaced.clone());
        self.trials.push(Named { name, source, replaced });
    }

    /// Whether messages name any trial with fixations.
    pub(super) fn names_trials(&self) -> bool {
        !self.trials.is_empty()
    }

    /// Says which patterns know no message, and which trials lack the name that others have.
    ///
    /// # Errors
    /// If there are patterns that somebody asked for, and none of them knows any message.
    pub(super) fn check(
        &self,
        patterns: &TrialPatterns,
        row: u64,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        self.warn_of_lacking(patterns, sink);
        if !patterns.are_given() {
            return Ok(());
        }
        let is_known = |at: usize| self.known.get(at).is_some_and(|count| *count > 0);
        let unknown: Vec<&str> = patterns
            .written()
            .enumerate()
            .filter(|&(at, _)| !is_known(at))
            .map(|(_, pattern)| pattern)
            .collect();
        let shown: Vec<String> = self.others.iter().map(|said| format!("{said:?}")).collect();
        let shown = if shown.is_empty() { "none".to_owned() } else { shown.join(", ") };
        if unknown.len() == patterns.written().count() {
            return Err(ImportError::value(
                At::row(row),
                format!("no message that the pattern {} matches", unknown.join(" or ")),
                format!("messages such as those of the file: {shown}"),
                phrase![
                    "correct ",
                    Setting::Patterns,
                    ", leave it out, or leave out the files that have no such messages"
                ],
            ));
        }
        for pattern in unknown {
            sink.warn(phrase![
                Setting::Patterns,
                format!(
                    " {pattern} takes nothing from any message; messages that no pattern matches are \
                     {shown}"
                )
            ]);
        }
        Ok(())
    }

    /// Warns of trials that have the name of their trial, or of what begins them, where others have that
    /// of a text in its place: they would share a text with what is called so by chance.
    fn warn_of_lacking(&self, patterns: &TrialPatterns, sink: &mut dyn Sink) {
        // Who asks for two patterns has said that both name texts.
        let replaced = self.trials.iter().filter(|_| !patterns.are_given());
        let replaced: HashMap<usize, &Named> =
            replaced.filter_map(|trial| Some((trial.replaced.as_ref()?.pattern, trial))).collect();
        let with_text = self.trials.iter().find(|trial| trial.source.is_some());
        let instead = |trial: &Named| match &trial.source {
            Some(source) => replaced.get(&source.pattern).copied(),
            None => with_text,
        };
        let mut lacking = self.trials.iter().filter_map(|trial| Some((trial, instead(trial)?)));
        let Some((first, other)) = lacking.next() else { return };
        let count = 1 + lacking.count();
        let says = |named: &Named| named.source.as_ref().map(|source| Arc::clone(&source.says));
        let (own, others) = (says(first), says(other).unwrap_or_default());
        let own_says = own.as_deref().map_or("their trial", str::trim).to_owned();
        let remedy = match own.filter(|_| !patterns.are_given()) {
            Some(own) => phrase![
                "leave them out, or say that both name texts with ",
                pattern(&own, r"(?P<text>\S.*)"),
                " ",
                pattern(&others, r"(?P<text>\S.*)")
            ],
            None => phrase!["leave them out, or name their texts with ", Setting::Patterns],
        };
        sink.warn(
            phrase![format!(
                "{count} of {} trials that messages name have no {}, and are called {} by {own_says}, where \
                 others are called {} and the like: ",
                self.trials.len(),
                others.trim(),
                first.name,
                other.name
            )]
            .and(remedy),
        );
    }

    /// The names of trials, if they count up, and nobody has said that texts are meant by them.
    fn counting(&self) -> Option<[&Named; 2]> {
        let is_meant = |trial: &Named| trial.source.as_ref().is_some_and(|source| source.is_meant);
        let names: Vec<&str> = self.trials.iter().map(|trial| &*trial.name).collect();
        let counts = count_up(&names) && !self.trials.iter().all(is_meant);
        counts.then(|| Some([self.trials.first()?, self.trials.last()?]))?
    }
}

/// A pattern as a setting, after what messages say before a name.
fn pattern(says: &str, group: &str) -> Phrase {
    phrase![Setting::Patterns, format!(" {}", quoted(&(regex::escape(says) + group)))]
}

/// Digits of a name that are looked at, in rows.
const MOST_NUMBERS: usize = 8;

/// Whether names count up, as numbers of trials do: by one of the numbers in them, as `trial 3 of 4` or
/// `3 4 12`. Some count from the start again in each block, and trials for practice have names.
pub(super) fn count_up(names: &[&str]) -> bool {
    let numbers_of = |name: &str| -> Vec<u64> {
        let digits = name.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
        digits.take(MOST_NUMBERS).map(|digits| digits.parse().unwrap_or(u64::MAX)).collect()
    };
    let numbers: Vec<Vec<u64>> = names.iter().map(|name| numbers_of(name)).collect();
    (0..MOST_NUMBERS).any(|place| {
        let there: Vec<u64> = numbers.iter().filter_map(|of| of.get(place).copied()).collect();
        4 * there.len() >= 3 * names.len() && numbers_count_up(&there)
    })
}

fn numbers_count_up(numbers: &[u64]) -> bool {
    let [first, _, ..] = *numbers else { return false };
    let counts =
        |run: &[u64]| run[0] == first && (run[run.len() - 1] - first) < 2 * run.len() as u64;
    let blocks = numbers.chunk_by(|a, b| a < b).count();
    // Two may rise by chance, if they are not the first ones.
    (numbers.len() > 2 || first <= 1)
        && 2 * blocks <= numbers.len()
        && numbers.chunk_by(|a, b| a < b).all(counts)
}

/// Warns of texts that are called as trials are counted, in all recordings of an import.
pub(super) fn warn_of_counters(logs: &[MessageLog], sink: &mut dyn Sink) {
    let counting: Vec<[&Named; 2]> = logs.iter().filter_map(MessageLog::counting).collect();
    let could_name = variables_that_could_name(logs);
    if let Some([first, last]) = counting.first() {
        let by = first.source.as_ref().map(|source| Arc::clone(&source.says));
        let group = match counting.iter().flatten().any(|trial| trial.name.contains(' ')) {
            true => r"\S.*",
            false => r"\S+",
        };
        // What begins a trial is no text unless somebody says so; of all else, it takes more to say.
        let meant = match &by {
            Some(says) if says.starts_with("TRIALID") => {
                pattern(says, &format!("(?P<text>{group})"))
            }
            Some(says) => pattern(says, &format!("(?P<text>(?P<trial>{group}))")),
            None => phrase![Setting::Patterns, r" and the groups (?P<text>(?P<trial>\S+))"],
        };
        sink.warn(
            phrase![
                format!(
                    "texts are called {} to {} in {} of {} recordings, which count up as trials do: \
                     where readers saw texts in different orders, one number is several texts; name texts \
                     with ",
                    first.name,
                    last.name,
                    counting.len(),
                    logs.len()
                ),
                advice(&could_name),
                ", or say that these are texts with "
            ]
            .and(meant),
        );
    }
    let by_place = logs.iter().filter(|log| log.trials.is_empty() && log.unnamed > 1).count();
    if by_place > 0 && !could_name.is_empty() {
        sink.warn(phrase![
            format!(
                "no message that is known names the trials of {by_place} recordings, and texts are called \
                 after their blocks: where readers saw texts in different orders, one block is several \
                 texts; name texts with "
            ),
            advice(&could_name)
        ]);
    }
}

/// How texts are named by the first of some variables.
fn advice(variables: &[&str]) -> Phrase {
    let [first, others @ ..] = variables else {
        return phrase![Setting::Patterns, " and a group text"];
    };
    let advice = pattern(&format!("TRIAL_VAR {first} "), r"(?P<text>\S.*)");
    match others.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => advice,
        others => advice.and(format!(" (other variables that may name them are {others})")),
    }
}

/// Variables that are another in each trial and that readers share; those first that readers have in
/// different orders. Numbers may measure or count something, unless their order differs.
fn variables_that_could_name(logs: &[MessageLog]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for variable in logs.iter().flat_map(|log| &log.variables) {
        if !names.contains(&variable.name.as_str()) {
            names.push(&variable.name);
        }
    }
    let mut found: Vec<(bool, &str)> = Vec::new();
    for name in names {
        let of_name = |variable: &&Variable| variable.name == name;
        let held: Vec<&Variable> =
            logs.iter().filter_map(|log| log.variables.iter().find(of_name)).collect();
        let differs = has_other_order(&held);
        let is_number = held.iter().all(|variable| variable.is_number);
        let could = held.iter().all(|variable| variable.differs())
            && (logs.len() < 2 || are_shared(&held))
            && (differs || !is_number)
            && !TrialPatterns::counts(name);
        if could {
            found.push((differs, name));
        }
    }
    found.sort_by_key(|&(differs, _)| !differs);
    found.into_iter().map(|(_, name)| name).collect()
}

impl Variable {
    /// Whether it is another in most trials.
    fn differs(&self) -> bool {
        let distinct = self.values.iter().collect::<HashSet<_>>().len();
        self.values.len() > 1 && 4 * distinct >= 3 * self.values.len()
    }
}

/// Whether most values are in several recordings.
fn are_shared(held: &[&Variable]) -> bool {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for variable in held {
        for value in variable.values.iter().collect::<HashSet<_>>() {
            *counts.entry(*value).or_default() += 1;
        }
    }
    2 * counts.values().filter(|&&count| count > 1).count() >= counts.len()
}

/// Whether some recording has values in another order than the first.
fn has_other_order(held: &[&Variable]) -> bool {
    let [first, others @ ..] = held else { return false };
    let places: HashMap<u64, usize> =
        first.values.iter().enumerate().rev().map(|(at, value)| (*value, at)).collect();
    others.iter().any(|other| {
        let order: Vec<usize> =
            other.values.iter().filter_map(|value| places.get(value).copied()).collect();
        !order.is_sorted()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_count_trials_are_no_texts() {
        for counting in [
            &["1", "2", "3"][..],
            &["0", "1", "3"],
            &["1", "2"],
            &["1", "2", "3", "1", "2", "3"],
            &["P1", "1", "2", "3", "4"],
            &["Trial_1", "Trial_2", "Trial_3"],
            &["1 of 4", "2 of 4", "3 of 4"],
            &["trial01 block1", "trial02 block1", "trial03 block2"],
            &["1 4 12", "2 4 7", "3 1 12"],
        ] {
            assert!(count_up(counting), "{counting:?}");
        }
        for texts in [
            &["7"][..],
            &["3", "1", "2"],
            &["1", "2", "frog"],
            &["10", "200", "3000"],
            &["17", "3", "44", "8", "21"],
            &["E1I12D0", "E1I3D0", "E1I44D0"],
            &["story2", "story3"],
        ] {
            assert!(!count_up(texts), "{texts:?}");
        }
    }

    fn log(variables: &[(&str, &[&str])]) -> MessageLog {
        let mut log = MessageLog::default();
        for (name, values) in variables {
            values.iter().for_each(|value| log.see_variable(name, value));
        }
        log
    }

    #[test]
    fn what_counts_or_measures_or_sorts_trials_could_not_name_texts() {
        let one = log(&[
            ("Trial_Index_", &["1", "2", "3"]),
            ("RT", &["1037", "1074", "1111"]),
            ("cond", &["A", "B", "A"]),
            ("image", &["b", "a", "c"]),
        ]);
        assert_eq!(variables_that_could_name(std::slice::from_ref(&one)), ["image"]);
        let two = log(&[
            ("Trial_Index_", &["1", "2", "3"]),
            ("RT", &["911", "1074", "1300"]),
            ("answer", &["yes", "no", "perhaps"]),
            ("image", &["c", "a", "b"]),
            ("number", &["4", "2", "3"]),
        ]);
        let three = log(&[("number", &["2", "4", "3"]), ("image", &["a", "b", "c"])]);
        assert_eq!(variables_that_could_name(&[one, two, three]), ["image", "number"]);
    }
}
