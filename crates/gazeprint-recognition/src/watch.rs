//! Is it still this reader?

use std::collections::HashMap;
use std::sync::Arc;

use gazeprint::corpus::{Chars, Fixation, Millis, Text};
use gazeprint::decision::{Decision, Step, WatchParams, Watcher};
use gazeprint::kinematics::Kinematics;
use gazeprint::live::LiveReading;
use gazeprint::liveness::Statistics;
use gazeprint::method::LearnedReaders as _;
use gazeprint::replay::{KnownReadings, Sketch};
use gazeprint::score::Scorer as _;
use gazeprint_store::Event;
use serde::{Deserialize, Serialize};

use crate::identify::{AskedRate, USUAL_RATE};
use crate::liveness::{LearnedLiveness, LivenessFinding, look_as};
use crate::readers::EnrolledReaders;
use crate::settlement::{ReplayFinding, ReplayPolicy, Settlement};
use crate::warning::Comparisons;
use crate::{Error, RateName, Recognizer, Warning};

/// How somebody is watched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WatchOptions {
    /// Wanted rate of false accepts, between 0 and 0.5.
    pub fmr: f64,
    /// Wanted rate of false rejects, between 0 and 0.5.
    pub fnmr: f64,
    /// Fixations that decisions are tested on again.
    pub window: usize,
    /// Watch at a rate of false accepts that too few people stand behind.
    pub allow_unsupported: bool,
    /// What to do with replays.
    pub replays: ReplayPolicy,
    /// Refuse what no person seems to have read.
    pub liveness: bool,
}

impl Default for WatchOptions {
    fn default() -> Self {
        let replays = ReplayPolicy::default();
        Self {
            fmr: USUAL_RATE,
            fnmr: 0.01,
            window: 100,
            allow_unsupported: false,
            replays,
            liveness: false,
        }
    }
}

/// A fixation as a tracker tells it.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct WatchedFixation {
    /// The text that is read.
    pub text: String,
    /// The line; may be left out where the text has one.
    pub line: Option<i32>,
    /// Place on the line, in characters.
    pub x_char: Option<f64>,
    /// Duration, ms.
    pub duration_ms: Option<f64>,
    /// Whether signal was lost before.
    #[serde(default)]
    pub gap: bool,
    /// Place on the page, deg.
    pub x_deg: Option<f32>,
    /// The same downwards, deg.
    pub y_deg: Option<f32>,
    /// Horizontal part of the saccade that led here, deg.
    pub sac_dx_deg: Option<f32>,
    /// Vertical part of it, deg.
    pub sac_dy_deg: Option<f32>,
    /// Its duration, ms.
    pub sac_duration_ms: Option<f32>,
    /// Its highest velocity, deg/s.
    pub sac_peak_velocity: Option<f32>,
    /// Where in it that was, 0 to 1.
    pub sac_skew: Option<f32>,
    /// Standard deviation of the gaze here, horizontally, deg.
    pub fix_sd_x_deg: Option<f32>,
    /// The same vertically, deg.
    pub fix_sd_y_deg: Option<f32>,
    /// Drift of the gaze here, horizontally, deg/s.
    pub fix_drift_x: Option<f32>,
    /// The same vertically, deg/s.
    pub fix_drift_y: Option<f32>,
}

impl WatchedFixation {
    fn kinematics(&self) -> Kinematics {
        Kinematics {
            dx: self.sac_dx_deg,
            dy: self.sac_dy_deg,
            duration: self.sac_duration_ms,
            peak_velocity: self.sac_peak_velocity,
            skew: self.sac_skew,
            sd_x: self.fix_sd_x_deg,
            sd_y: self.fix_sd_y_deg,
            drift_x: self.fix_drift_x,
            drift_y: self.fix_drift_y,
        }
    }
}

/// What is known after a fixation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WatchState {
    /// What the evidence says.
    #[serde(flatten)]
    pub step: Step,
    /// Whether the fixation counts.
    #[serde(skip_serializing_if = "is_true")]
    pub counted: bool,
    /// Whether what was read was there before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replay: bool,
    /// Whether no person seems to have read it, where that was asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lifeless: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_true(counted: &bool) -> bool {
    *counted
}

/// What a fixation leads to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WatchStep {
    /// What was known when the text before it had ended, where it is the first of another text.
    pub ended: Option<WatchState>,
    /// What is known now.
    pub state: WatchState,
}

/// Whether texts that were read to their end were read by a person.
struct Life {
    learned: Arc<LearnedLiveness>,
    looks: Vec<Statistics>,
    found: Option<LivenessFinding>,
}

/// Somebody who is being watched. The work is the same for every fixation, however long they read.
pub struct Watch {
    desk: Recognizer,
    readers: Arc<EnrolledReaders>,
    /// Who is watched, by place.
    place: usize,
    id: String,
    policy: ReplayPolicy,
    watcher: Watcher,
    texts: HashMap<String, Arc<Text>>,
    /// The text being read.
    current: Option<LiveReading>,
    /// Whether something of the signal could not be read since the last fixation.
    lost: bool,
    /// What the reader was enrolled with, and earlier probes.
    known: [KnownReadings; 2],
    /// Texts that were read to their end.
    ended: Vec<Sketch>,
    /// The same, to be compared with.
    own: KnownReadings,
    /// What was remembered of this watch.
    remembered: Vec<Sketch>,
    replay: Option<ReplayFinding>,
    life: Option<Life>,
    /// What was logged last: a decision, and whether it was a replay.
    logged: (Decision, bool),
    /// The gallery when the reader was last known to be there.
    generation: u64,
    warnings: Vec<Warning>,
}

fn check_rate(rate: RateName, found: f64) -> Result<(), Error> {
    match found > 0.0 && found < 0.5 {
        true => Ok(()),
        false => Err(Error::WatchRate { rate, found }),
    }
}

impl Recognizer {
    /// Watches whether it is a reader, given by name or pseudonym, who reads these texts. More texts
    /// may be announced later. The cohort is that of the gallery as it is now.
    ///
    /// # Errors
    /// If there is no such reader, nothing can be decided, or the gallery cannot be read.
    pub fn watch(
        &self,
        reader: &str,
        texts: &[Text],
        options: &WatchOptions,
    ) -> Result<Watch, Error> {
        check_rate(RateName::Fmr, options.fmr)?;
        check_rate(RateName::Fnmr, options.fnmr)?;
        let (readers, place) = match self.alone(reader)? {
            Some(alone) => (Arc::new(alone), 0),
            None => {
                let readers = self.readers_in_full()?;
                let place = readers.place_of(self, reader)?;
                (readers, place)
            }
        };
        let id = readers.names[place].clone();
        let params = WatchParams {
            false_accepts: options.fmr,
            false_rejects: options.fnmr,
            window: options.window,
        };
        let watcher = Watcher::new(Arc::clone(&readers.rules), params);
        let mut warnings: Vec<Warning> = readers.warnings().collect();
        // Where the gallery decides for itself, it says itself what it cannot reach.
        if readers.rules.is_of_people() {
            let asked = AskedRate {
                name: RateName::Fmr,
                rate: Some(options.fmr),
                unsupported: options.allow_unsupported,
                of: Comparisons::Pairs,
            };
            let at_rate = |rate| readers.rules.for_claim(rate, options.window);
            warnings.extend(self.bar(asked, at_rate)?.warning);
        }
        warnings.extend(out_of_reach(&readers, &watcher, options));
        let earlier = KnownReadings::new(&self.gallery().earlier_probes(&id)?);
        let life = match options.liveness {
            true => Some(Life { learned: self.liveness()?, looks: Vec::new(), found: None }),
            false => None,
        };
        let texts = texts.iter().map(|text| (text.id().to_owned(), Arc::new(text.clone())));
        Ok(Watch {
            known: [self.enrolled_with(&id)?, earlier],
            desk: self.clone(),
            generation: readers.generation(),
            readers,
            place,
            id,
            policy: options.replays,
            watcher,
            texts: texts.collect(),
            current: None,
            lost: false,
            ended: Vec::new(),
            own: KnownReadings::default(),
            remembered: Vec::new(),
            replay: None,
            life,
            logged: (Decision::GoOn, false),
            warnings,
        })
    }
}

/// The sketch of what was read on words.
fn sketch(live: &LiveReading) -> Option<Sketch> {
    live.reading().map(Sketch::of).filter(|sketch| !sketch.is_empty())
}

/// What to say where the gallery is too small for decisions at the wanted rates.
fn out_of_reach(
    readers: &EnrolledReaders,
    watcher: &Watcher,
    &WatchOptions { fmr, fnmr, window, .. }: &WatchOptions,
) -> Vec<Warning> {
    let [lowest, _] = readers.rules.bounds(window);
    let [reject, accept] = watcher.thresholds();
    let mut warnings = Vec::new();
    // The first decision may rest on any number of fixations.
    if readers.rules.highest() < accept {
        warnings.push(Warning::NeverAccepts { fmr, window });
    }
    if lowest > reject {
        let rejects = watcher.rejects_at(window) > reject;
        let instead = rejects.then(|| watcher.false_rejects(window));
        warnings.push(Warning::NeverRejects { fnmr, window, instead });
    }
    warnings
}

impl Watch {
    /// Who is watched: name or pseudonym.
    pub fn reader(&self) -> &str {
        &self.id
    }

    /// What should be known beforehand.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The ratios at which the claim is rejected and accepted (Wald), nats.
    pub fn thresholds(&self) -> [f64; 2] {
        self.watcher.thresholds()
    }

    /// Where what was read was there before.
    pub fn replay(&self) -> Option<&ReplayFinding> {
        self.replay.as_ref()
    }

    /// Whether a person read the texts that have ended, where that was asked for.
    pub fn liveness(&self) -> Option<LivenessFinding> {
        self.life.as_ref().and_then(|life| life.found)
    }

    /// A text that may be read from now on. Another text of that name is replaced, for readings that
    /// begin later.
    pub fn announce(&mut self, text: Text) {
        self.texts.insert(text.id().to_owned(), Arc::new(text));
    }

    /// Something of the signal was lost: the next fixation begins a new pass.
    pub fn lose(&mut self) {
        self.lost = true;
    }

    /// Looks at the next fixation.
    ///
    /// # Errors
    /// If the text is not known, the reader was removed, or the gallery cannot be read or written.
    pub fn fixation(&mut self, fixation: &WatchedFixation) -> Result<WatchStep, Error> {
        self.check_reader()?;
        let is_other = |live: &LiveReading| live.text().id() != fixation.text;
        let mut ended = None;
        if self.current.as_ref().is_none_or(is_other) {
            let text = self.texts.get(&fixation.text).cloned();
            let text = text.ok_or_else(|| Error::UnknownText { text: fixation.text.clone() })?;
            ended = self.begin(text)?;
        }
        let counted = self.see(fixation);
        self.settle()?;
        Ok(WatchStep { ended, state: self.state(counted) })
    }

    /// Everything was read: looks at it as a whole, logs and remembers it, and gives the last verdict.
    ///
    /// # Errors
    /// If the reader was removed, or the gallery cannot be read or written.
    pub fn end(&mut self) -> Result<WatchState, Error> {
        self.check_reader()?;
        self.end_text();
        self.look_at(&self.ended.clone());
        let before = self.logged;
        self.settle()?;
        match self.logged {
            // What was accepted has gone on since, and is remembered as a whole.
            (Decision::Accept, _) if before == self.logged => self.note()?,
            // Other decisions were logged when they were made.
            (Decision::GoOn, false) => self.note()?,
            _ => {}
        }
        Ok(self.state(true))
    }

    /// What is known now.
    fn state(&self, counted: bool) -> WatchState {
        let step = Step { decision: self.decision(), ..self.watcher.last() };
        WatchState { step, counted, replay: self.replay.is_some(), lifeless: self.is_lifeless() }
    }

    /// Whether no person seems to have read the texts that have ended.
    fn is_lifeless(&self) -> bool {
        self.liveness().is_some_and(|found| !found.alive)
    }

    /// What is thought: of a replay, or of what no person read, no evidence counts.
    fn decision(&self) -> Decision {
        match self.replay {
            Some(_) if !self.policy.allow => Decision::Reject,
            _ if self.is_lifeless() => Decision::Reject,
            _ => self.watcher.last().decision,
        }
    }

    /// Refuses to go on with somebody who is no longer enrolled.
    fn check_reader(&mut self) -> Result<(), Error> {
        let mut gallery = self.desk.gallery();
        let generation = gallery.generation()?;
        if generation != self.generation {
            if !gallery.has_reader(&self.id)? {
                let (at, reader) = (self.desk.location().clone(), self.id.clone());
                return Err(Error::Removed { at, reader });
            }
            self.generation = generation;
        }
        Ok(())
    }

    /// Another text begins. That before it is looked at as a whole.
    fn begin(&mut self, text: Arc<Text>) -> Result<Option<WatchState>, Error> {
        let is_first = self.current.is_none();
        self.end_text();
        self.current = Some(LiveReading::new(text, self.desk.limits()));
        if is_first {
            return Ok(None);
        }
        self.settle()?;
        Ok(Some(self.state(true)))
    }

    /// The current text was read to its end: it is looked at as a whole.
    fn end_text(&mut self) {
        let live = self.current.take();
        if let Some((life, reading)) =
            self.life.as_mut().zip(live.as_ref().and_then(LiveReading::reading))
        {
            let forger = self.readers.scorer().forger();
            life.looks.extend(look_as(forger, self.place, reading));
            life.found = life.learned.judge(&life.looks);
        }
        let Some(ended) = live.as_ref().and_then(sketch) else { return };
        self.look_at(std::slice::from_ref(&ended));
        // Who takes over may play back what was read in this very session.
        let nothing = KnownReadings::default();
        let own = ReplayFinding::of(&nothing, &self.own, std::slice::from_ref(&ended));
        self.replay = self.replay.take().or(own);
        self.own.add(&ended);
        self.ended.push(ended);
    }

    /// Looks at a fixation of the current text; false where it does not count.
    fn see(&mut self, fixation: &WatchedFixation) -> bool {
        let Some(current) = self.current.as_mut() else { return false };
        let lines = current.text().lines();
        let only = (lines.len() == 1).then(|| lines[0].number());
        let lost = std::mem::take(&mut self.lost);
        let fixation = Fixation {
            line: fixation.line.or(only),
            x: fixation.x_char.filter(|x| x.is_finite()).map(Chars),
            duration: fixation.duration_ms.filter(|d| d.is_finite()).map(Millis),
            onset: None,
            gap: fixation.gap || lost,
            place: fixation.x_deg.zip(fixation.y_deg).map(|(x, y)| [x, y]),
            kinematics: fixation.kinematics(),
        };
        let Ok(step) = current.see(&fixation) else { return false };
        let (scorer, rules) = (self.readers.scorer(), &self.readers.rules);
        self.watcher.next(step.duration(), scorer.added(&step), |all| {
            rules.claim_llr(scorer, all, self.place, None)
        });
        true
    }

    /// Looks for what was there before.
    fn look_at(&mut self, read: &[Sketch]) {
        if self.replay.is_none() {
            let [enrolled, earlier] = &self.known;
            self.replay = ReplayFinding::of(enrolled, earlier, read);
        }
    }

    /// Everything that was read.
    fn read(&self) -> Vec<Sketch> {
        let current = self.current.as_ref().and_then(sketch);
        self.ended.iter().cloned().chain(current).collect()
    }

    /// Logs what is thought now, if that is not what was thought before. Before somebody is
    /// accepted, everything is looked at.
    fn settle(&mut self) -> Result<(), Error> {
        if (self.decision(), self.replay.is_some()) != self.logged {
            self.note()?;
            self.logged = (self.decision(), self.replay.is_some());
        }
        Ok(())
    }

    /// Logs what is thought now, and remembers what was read where it is accepted.
    fn note(&mut self) -> Result<(), Error> {
        let Step { fixations, llr, .. } = self.watcher.last();
        let (reader, decision) = (self.id.clone(), self.decision());
        let event = |decision: &str| Event::Watched {
            reader: reader.clone(),
            decision: decision.to_owned(),
            llr,
            fixations,
        };
        if decision != Decision::Accept {
            let told = if self.replay.is_some() { "replay" } else { decision.name() };
            return self.desk.note(event(told), None);
        }
        let sketches = self.read();
        let settlement = Settlement {
            id: &self.id,
            enrolled: &self.known[0],
            own: &self.remembered,
            is_enough: true,
            sketches: &sketches,
            policy: self.policy,
        };
        let (accepted, replay) = settlement.settle(&self.desk, |accepted, replay| {
            event(match (accepted, replay) {
                (true, false) => decision.name(),
                (true, true) => "accept a replay",
                (false, _) => "replay",
            })
        })?;
        if accepted {
            self.remembered.extend(sketches);
        }
        self.replay = self.replay.take().or(replay);
        Ok(())
    }
}
