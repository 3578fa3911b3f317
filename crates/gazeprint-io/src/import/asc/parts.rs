//! Which fixations belong to which trial, going by the messages of the whole recording.
//!
//! A recording is a row of [`Part`]s. Messages may come before what they name or after it, and a
//! message of its own may say where trials begin (`TRIALID`), whichever patterns are asked for:
//! [`Decided::of`] decides for a file, by where messages stand, and [`trials`] goes that way.

use std::collections::HashMap;

use super::super::recording::Eye;
use super::super::trials::{Side, TrialMessage, TrialNames};
use super::{EYES, EventFixation, index};

/// A part of a recording, in the order of the file.
#[derive(Debug)]
pub(super) enum Part {
    /// Fixations of one block.
    Data(Data),
    /// A message that a pattern knows.
    Named(Said),
    /// `TRIALID`, where no pattern knows it.
    Begin,
}

/// A message that names something.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) message: TrialMessage,
    pub(super) time: f64,
    /// The block that it stands in, where it is not between two.
    pub(super) block: Option<u64>,
}

impl Part {
    /// Whether a trial begins here, whatever else names it.
    fn begins(&self) -> bool {
        match self {
            Self::Begin => true,
            Self::Named(said) => said.message.is_trial_id,
            Self::Data(_) => false,
        }
    }

    /// What a message says, to be changed.
    pub(super) fn said_mut(&mut self) -> Option<&mut Said> {
        match self {
            Self::Named(said) => Some(said),
            _ => None,
        }
    }

    /// A message that does no more than name a text or a trial.
    pub(super) fn names(&self) -> Option<&Said> {
        match self {
            Self::Named(said) if said.message.is_trial_id => None,
            Self::Named(said) if said.message.text.is_none() && said.message.trial.is_none() => {
                None
            }
            Self::Named(said) => Some(said),
            _ => None,
        }
    }
}

/// Fixations of the left and of the right eye.
#[derive(Debug, Default)]
pub(super) struct Data {
    pub(super) held: [Vec<EventFixation>; 2],
    /// The number of their block, from 1.
    pub(super) block: u64,
    /// Whether they are the first of it.
    pub(super) starts_block: bool,
}

impl Data {
    fn is_empty(&self) -> bool {
        self.held.iter().all(Vec::is_empty)
    }

    /// Adds what was recorded next. The eye moved on unseen between blocks.
    fn add(&mut self, next: Self) {
        for (mine, mut other) in self.held.iter_mut().zip(next.held) {
            if let (Some(_), Some(first), true) =
                (mine.last(), other.first_mut(), next.starts_block)
            {
                first.gap = true;
            }
            mine.append(&mut other);
        }
    }

    /// Whether anything begins at a time or later.
    fn begins_from(&self, time: f64) -> bool {
        self.held.iter().flatten().any(|held| held.onset_ms >= time)
    }

    /// Takes out what began before a time.
    fn begun_before(&mut self, time: f64) -> Self {
        let mut before = Self { block: self.block, ..Self::default() };
        for eye in EYES.map(index) {
            let is_before = |held: &EventFixation| held.onset_ms < time;
            (before.held[eye], self.held[eye]) =
                std::mem::take(&mut self.held[eye]).into_iter().partition(is_before);
        }
        before
    }
}

/// Fixations that have one name.
#[derive(Debug, Default)]
pub(super) struct Trial {
    pub(super) names: TrialNames,
    pub(super) data: Data,
}

impl Trial {
    /// How many fixations each eye has.
    pub(super) fn counts(&self) -> [usize; 2] {
        [Eye::Left, Eye::Right].map(|eye| self.data.held[index(eye)].len())
    }
}

/// What messages name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// What comes after them. Variables add to the trial at hand.
    Begin,
    /// What comes after them, variables as well.
    Lead,
    /// What came before them.
    Trail,
    /// All from one `TRIALID` to the next.
    Within,
}

/// What messages of a recording name, and how that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decided {
    pub(super) way: Way,
    pub(super) why: Why,
}

/// How it is known what messages name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Somebody said so.
    Told,
    /// `TRIALID` begins trials.
    Marked,
    /// Of what was fixated, nothing is beyond the messages on one side.
    Ends,
    /// They stand at one end of their blocks.
    Blocks,
}

impl Decided {
    /// The way of a whole recording: nothing where messages may as well name what comes before them as
    /// what comes after.
    pub(super) fn of(parts: &[Part], told: Option<Side>) -> Option<Self> {
        let all_add = parts.iter().filter_map(Part::names).all(|said| said.message.adds);
        let lead = if all_add { Way::Lead } else { Way::Begin };
        let way = |side| match side {
            Side::Before => lead,
            Side::After => Way::Trail,
        };
        if let Some(side) = told {
            return Some(Self { way: way(side), why: Why::Told });
        }
        if is_within(parts, all_add) {
            return Some(Self { way: Way::Within, why: Why::Marked });
        }
        if parts.iter().any(|part| part.begins() && matches!(part, Part::Named(_))) {
            return Some(Self { way: Way::Begin, why: Why::Marked });
        }
        match beyond(parts) {
            [true, true] => side_in_blocks(parts).map(|side| (way(side), Why::Blocks)),
            [true, false] => Some((Way::Trail, Why::Ends)),
            [false, _] => Some((lead, Why::Ends)),
        }
        .map(|(way, why)| Self { way, why })
    }
}

/// Whether each `TRIALID` has messages of its own: none come before the first, and, unless they are
/// variables, all of one trial come together.
fn is_within(parts: &[Part], all_add: bool) -> bool {
    let has_names = parts.iter().any(|part| part.names().is_some());
    if !has_names || !parts.iter().any(Part::begins) {
        return false;
    }
    let mut trials = parts.split(Part::begins);
    let groups = |trial: &[Part]| {
        let is_named = |part: &Part| part.names().is_some();
        trial.chunk_by(|a, b| is_named(a) == is_named(b)).filter(|run| is_named(&run[0])).count()
    };
    let none_before = trials.next().is_none_or(|before| groups(before) == 0);
    none_before && (all_add || trials.all(|trial| groups(trial) <= 1))
}

/// Whether there are fixations before the first message, and whether any begin after the last.
fn beyond(parts: &[Part]) -> [bool; 2] {
    let first = parts.iter().position(|part| part.names().is_some());
    let last = parts.iter().enumerate().rev().find_map(|(at, part)| Some((at, part.names()?)));
    let (Some(first), Some((last, said))) = (first, last) else { return [false, false] };
    let has_data = |part: &Part| matches!(part, Part::Data(data) if !data.is_empty());
    let begins_after =
        |part: &Part| matches!(part, Part::Data(data) if data.begins_from(said.time));
    [parts[..first].iter().any(has_data), parts[last..].iter().any(begins_after)]
}

/// On which side of what is in their blocks all messages stand.
fn side_in_blocks(parts: &[Part]) -> Option<Side> {
    let mut of_block: HashMap<u64, Vec<(usize, &Data)>> = HashMap::new();
    for (at, part) in parts.iter().enumerate() {
        if let Part::Data(data) = part
            && !data.is_empty()
        {
            of_block.entry(data.block).or_default().push((at, data));
        }
    }
    let side = |(at, said): (usize, &Said)| {
        let data = of_block.get(&said.block?)?;
        let is_before = data.iter().any(|(place, _)| *place < at);
        let is_after = data.iter().any(|(place, data)| *place > at && data.begins_from(said.time));
        match (is_before, is_after) {
            (true, false) => Some(Side::After),
            (false, true) => Some(Side::Before),
            _ => None,
        }
    };
    let said = parts.iter().enumerate().filter_map(|(at, part)| Some((at, part.names()?)));
    let mut sides = said.map(side);
    let first = sides.next()??;
    sides.all(|side| side == Some(first)).then_some(first)
}

/// The trials of a recording, and how many of its blocks went on with the trial before.
pub(super) fn trials(parts: Vec<Part>, way: Way) -> (Vec<Trial>, u64) {
    let mut cut =
        Cut { way, done: Vec::new(), at_hand: Trial::default(), continued: 0, said: None };
    for part in parts {
        match part {
            Part::Data(data) => cut.data(data),
            Part::Named(Said { message, time, .. }) => cut.named(message, time),
            Part::Begin if way == Way::Within => cut.end(),
            Part::Begin => {}
        }
    }
    cut.end();
    (cut.done, cut.continued)
}

/// A recording in the middle of being cut into trials.
struct Cut {
    way: Way,
    done: Vec<Trial>,
    at_hand: Trial,
    continued: u64,
    /// When the trial at hand was named, where names come last.
    said: Option<f64>,
}

impl Cut {
    fn end(&mut self) {
        let following = self.at_hand.names.following();
        let ended = std::mem::take(&mut self.at_hand);
        self.at_hand.names = following;
        self.said = None;
        self.done.push(ended);
    }

    fn data(&mut self, mut data: Data) {
        if let Some(said) = self.said {
            self.at_hand.data.add(data.begun_before(said));
            if !data.is_empty() {
                self.end();
            }
        }
        let has_data = !self.at_hand.data.is_empty();
        if data.starts_block && has_data {
            // Names that come last are those of the block right before them.
            let goes_on = match self.way {
                Way::Begin | Way::Lead => self.at_hand.names.is_named(),
                Way::Trail => false,
                Way::Within => true,
            };
            if goes_on {
                self.continued += 1;
            } else {
                self.end();
            }
        }
        if self.at_hand.data.is_empty() {
            self.at_hand.data.block = data.block;
        }
        self.at_hand.data.add(data);
    }

    fn named(&mut self, mut said: TrialMessage, time: f64) {
        let has_data = !self.at_hand.data.is_empty();
        match self.way {
            Way::Trail => {
                said.adds = true;
                self.said = Some(time);
            }
            Way::Within if said.is_trial_id => self.end(),
            Way::Within => said.adds = true,
            Way::Lead if has_data => self.end(),
            Way::Lead => {}
            Way::Begin if self.at_hand.names.ends_with(&said, has_data) => self.end(),
            Way::Begin => {}
        }
        self.at_hand.names.take(said, time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::trials::TrialPatterns;

    /// `d` is a block with a fixation, `T` is TRIALID, other letters are texts that are named, by a
    /// variable where they are capitals.
    fn parts(recording: &str) -> Vec<Part> {
        let patterns = TrialPatterns::new(&["(?P<text>[a-zA-Z])$"]).unwrap();
        let mut block = 0;
        let part = |(at, letter): (usize, char)| {
            let time = 10.0 * at as f64;
            match letter {
                'd' => {
                    block += 1;
                    let held = EventFixation {
                        onset_ms: time,
                        row: at as u64,
                        ..EventFixation::default()
                    };
                    Part::Data(Data { held: [vec![held], Vec::new()], block, starts_block: true })
                }
                'T' => Part::Begin,
                letter => {
                    let is_variable = letter.is_uppercase();
                    let kind = if is_variable { "!V TRIAL_VAR x" } else { "x" };
                    let message = patterns.read(&format!("{kind} {letter}")).unwrap();
                    Part::Named(Said { message, time, block: None })
                }
            }
        };
        recording.chars().enumerate().map(part).collect()
    }

    fn cut(recording: &str) -> (Way, Vec<String>) {
        let parts = parts(recording);
        let way = Decided::of(&parts, None).unwrap().way;
        let trials = trials(parts, way).0;
        let trials = trials.iter().filter(|trial| trial.counts() != [0, 0]);
        let shown = trials.map(|trial| {
            let rows = trial.data.held[0].iter().map(|held| held.row.to_string());
            let rows = rows.collect::<Vec<_>>().join("+");
            format!("{}{rows}", trial.names.text().unwrap_or("-"))
        });
        (way, shown.collect())
    }

    fn cuts(recording: &str, way: Way, trials: &[&str]) {
        let found = cut(recording);
        let trials = trials.iter().map(|&trial| trial.to_owned()).collect();
        assert_eq!(found, (way, trials), "{recording}");
    }

    #[test]
    fn messages_name_what_comes_after_or_before_them() {
        cuts("adbd", Way::Begin, &["a1", "b3"]);
        cuts("addbd", Way::Begin, &["a1+2", "b4"]);
        cuts("dadb", Way::Trail, &["a0", "b2"]);
        cuts("AdBd", Way::Lead, &["A1", "B3"]);
        cuts("dAdB", Way::Trail, &["A0", "B2"]);
        // A block without a name does not get that of the next one.
        cuts("ddAdB", Way::Trail, &["-0", "A1", "B3"]);
    }

    #[test]
    fn messages_with_fixations_on_both_sides_decide_nothing_but_by_their_blocks() {
        let way = |parts: &[Part], told| Decided::of(parts, told).map(|decided| decided.way);
        for recording in ["dadbd", "dAdBd", "ddAdBdd", "dATdBTd"] {
            let parts = parts(recording);
            assert_eq!(way(&parts, None), None, "{recording}");
            assert_eq!(way(&parts, Some(Side::After)), Some(Way::Trail));
            assert_ne!(way(&parts, Some(Side::Before)), Some(Way::Trail));
        }
        // The blocks of "dadbd" are 1 to 3: messages stand at the ends of the first two, or at the
        // beginnings of the last two, or in one block that goes on.
        for (blocks, wanted) in
            [([1, 2], Some(Way::Trail)), ([2, 3], Some(Way::Begin)), ([1, 3], None)]
        {
            let mut parts = parts("dadbd");
            let mut blocks = blocks.into_iter();
            for part in &mut parts {
                if let Part::Named(said) = part {
                    said.block = blocks.next();
                }
            }
            assert_eq!(way(&parts, None), wanted);
        }
    }

    #[test]
    fn trials_that_are_marked_have_the_messages_within_them() {
        cuts("TdATdB", Way::Within, &["A1", "B4"]);
        cuts("TAdTBd", Way::Within, &["A2", "B5"]);
        cuts("TdATdTdB", Way::Within, &["A1", "-4", "B6"]);
        cuts("TdaTdb", Way::Within, &["a1", "b4"]);
        cuts("TdaTdbTd", Way::Within, &["a1", "b4", "-7"]);
        cuts("ATdBTd", Way::Lead, &["A2", "B5"]);
        cuts("TadbdTcd", Way::Begin, &["a2", "b4", "c7"]);
    }
}
