use super::*;
use crate::corpus::{DropReason, Limits};
use crate::saccade::readings;

fn params(readers: usize, texts: usize) -> SimulationParams {
    SimulationParams { readers, texts, ..Default::default() }
}

fn run(params: SimulationParams) -> Corpus {
    params.build().unwrap().run()
}

/// Shares of the saccade types, in the order of `SaccadeType::ALL`.
fn shares(corpus: &Corpus) -> [f64; 4] {
    let mut counts = [0.0; 4];
    for reading in readings(corpus, Limits::default()).0 {
        for kind in reading.events.iter().filter_map(|e| e.kind) {
            counts[kind as usize] += 1.0;
        }
    }
    let total: f64 = counts.iter().sum();
    counts.map(|c| c / total)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(s, n), v| (s + v, n + 1.0));
    sum / n
}

#[test]
fn moments_are_those_of_reading() {
    // Readers differ more than readings of one reader do: many readers of a few texts give more
    // stable means than the reverse.
    for seed in [1, 2] {
        let corpus = run(SimulationParams { seed, ..params(120, 30) });
        let (readings, _) = readings(&corpus, Limits::default());
        let events = || readings.iter().flat_map(|r| &r.events);
        let duration = mean(events().map(|e| e.duration));
        assert!((200.0..=250.0).contains(&duration), "mean duration {duration} ms");
        let forward = mean(events().filter_map(|e| e.step()).filter(|&a| a > 0.0));
        assert!((7.0..=10.0).contains(&forward), "mean forward amplitude {forward} characters");
        let [refixation, _, skip, regression] = shares(&corpus);
        assert!((0.10..=0.20).contains(&refixation), "refixations {refixation}");
        assert!((0.20..=0.35).contains(&skip), "skips {skip}");
        assert!((0.08..=0.20).contains(&regression), "regressions {regression}");
    }
}

#[test]
fn readers_differ_as_much_as_people_do() {
    let corpus = Simulation::default().run();
    let (readings, _) = readings(&corpus, Limits::default());
    let mut durations = vec![Vec::new(); corpus.readers().len()];
    for reading in &readings {
        durations[reading.reader].extend(reading.events.iter().map(|e| e.duration));
    }
    let means: Vec<f64> = durations.iter().map(|d| mean(d.iter().copied())).collect();
    let centre = mean(means.iter().copied());
    let sd = mean(means.iter().map(|m| (m - centre).powi(2))).sqrt();
    assert!((12.0..=25.0).contains(&sd), "mean durations differ by {sd} ms");
}

#[test]
fn a_little_dirt_exercises_the_account_of_drops() {
    let corpus = run(params(40, 144));
    let (_, drops) = readings(&corpus, Limits::default());
    let share = |reason| drops.of(reason) as f64 / corpus.fixation_count() as f64;
    for reason in [DropReason::OffText, DropReason::TooShort] {
        assert!((0.001..0.02).contains(&share(reason)), "{} {}", reason.name(), share(reason));
    }
    assert_eq!(drops.of(DropReason::OffLine), 0);
}

#[test]
fn recordings_are_rounded_and_in_time() {
    let corpus = run(params(5, 20));
    for path in corpus.scanpaths() {
        assert!(!path.fixations.is_empty());
        let mut end = -1.0;
        for fixation in &path.fixations {
            let (x, duration) = (fixation.x.unwrap().0, fixation.duration.unwrap().0);
            assert_eq!((x * 1000.0).round() / 1000.0, x);
            assert_eq!(duration.round(), duration);
            let onset = fixation.onset.unwrap().0;
            assert!(onset > end, "fixations overlap: {onset} ms, {end} ms");
            end = onset + duration;
        }
    }
}

#[test]
fn one_seed_one_corpus() {
    assert_eq!(run(params(4, 12)), run(params(4, 12)));
    let other = run(SimulationParams { seed: 2, ..params(4, 12) });
    assert_ne!(run(params(4, 12)).scanpaths(), other.scanpaths());
}

#[test]
fn readers_do_not_depend_on_how_many_there_are() {
    let (few, many) = (run(params(3, 20)), run(params(9, 20)));
    assert_eq!(few.texts(), many.texts());
    assert_eq!(few.scanpaths(), &many.scanpaths()[..few.scanpaths().len()]);
}

#[test]
fn readers_read_between_the_smallest_share_and_all() {
    let corpus = run(params(200, 144));
    let mut counts = vec![0; 200];
    for path in corpus.scanpaths() {
        counts[path.reader] += 1;
    }
    assert!(counts.iter().all(|n| (100..=144).contains(n)), "{counts:?}");
    assert!(counts.iter().any(|&n| n < 105) && counts.iter().any(|&n| n > 139));
}

#[test]
fn sessions_share_no_text_and_drift_moves_people() {
    let params = SimulationParams { sessions: 3, drift: 0.5, ..params(5, 20) };
    let simulation = params.build().unwrap();
    let corpus = simulation.run();
    for path in corpus.scanpaths() {
        assert_eq!(path.session, (path.text % 3 + 1).to_string());
    }
    for reader in 0..5 {
        let sessions = simulation.person(reader);
        assert_eq!(sessions.len(), 3);
        assert_ne!(sessions[0], sessions[1]);
        assert_ne!(sessions[1], sessions[2]);
        let orders: Vec<_> =
            corpus.scanpaths().iter().filter(|s| s.reader == reader).map(|s| s.order).collect();
        assert!(orders.windows(2).all(|w| w[0] < w[1]));
    }
}

#[test]
fn without_individuality_nobody_differs() {
    let same = SimulationParams { individuality: 0.0, ..params(3, 5) }.build().unwrap();
    assert_eq!(same.person(0), same.person(2));
    let differ = params(3, 5).build().unwrap();
    assert_ne!(differ.person(0), differ.person(2));
}

#[test]
fn lines_are_read_in_passes() {
    let corpus = run(SimulationParams { lines: 4, ..params(20, 10) });
    let limits = Limits::default();
    let (mut back, mut passes) = (0, 0);
    for path in corpus.scanpaths() {
        let lines: Vec<usize> = corpus.texts()[path.text]
            .passes(&path.fixations, limits)
            .0
            .iter()
            .map(|p| p.line)
            .collect();
        assert!(lines.len() >= 4, "{lines:?}");
        assert_eq!((lines[0], lines[lines.len() - 1]), (0, 3));
        passes += lines.len();
        back += lines.windows(2).filter(|w| w[1] < w[0]).count();
    }
    let share = back as f64 / passes as f64;
    assert!((0.02..0.4).contains(&share), "share of passes back to the line before {share}");
}

#[test]
fn some_sweeps_fall_short_and_are_corrected() {
    let corpus = run(SimulationParams { lines: 3, ..params(20, 10) });
    let (mut corrected, mut sweeps) = (0, 0);
    for path in corpus.scanpaths() {
        for w in path.fixations.windows(3).filter(|w| w[0].line < w[1].line) {
            sweeps += 1;
            let x = |i: usize| w[i].x.unwrap().0;
            corrected += usize::from(w[1].line == w[2].line && x(2) < x(1) - 1.0);
        }
    }
    let share = f64::from(corrected as u32) / f64::from(sweeps as u32);
    assert!((0.2..0.8).contains(&share), "share of corrected sweeps {share}");
}

#[test]
fn the_extremes_still_read() {
    let extreme = SimulationParams {
        individuality: SimulationParams::MOST_FACTOR,
        drift: SimulationParams::MOST_FACTOR,
        sessions: 4,
        lines: 5,
        ..params(60, 8)
    };
    for corpus in [run(extreme), run(params(1, 1))] {
        let (readings, drops) = readings(&corpus, Limits::default());
        assert_eq!(readings.len(), corpus.scanpaths().len());
        assert!(drops.total() * 20 < corpus.fixation_count());
        let finite =
            |f: &crate::corpus::Fixation| f.x.unwrap().0.is_finite() && f.duration.unwrap().0 > 0.0;
        assert!(corpus.scanpaths().iter().flat_map(|s| &s.fixations).all(finite));
    }
}

#[test]
fn bad_parameters_are_named() {
    let error = |p: SimulationParams| p.build().unwrap_err();
    assert_eq!(error(params(0, 5)), SimulationError::Count { what: "readers", value: 0 });
    assert_eq!(error(params(5, 0)), SimulationError::Count { what: "texts", value: 0 });
    assert_eq!(
        error(SimulationParams { lines: 10_000, ..params(2, 2) }),
        SimulationError::Count { what: "lines", value: 10_000 }
    );
    assert_eq!(
        error(SimulationParams { sessions: 6, ..params(2, 5) }),
        SimulationError::TooFewTexts { sessions: 6, texts: 5 }
    );
    assert_eq!(
        error(SimulationParams { coverage: 0.0, ..params(2, 5) }),
        SimulationError::Coverage(0.0)
    );
    assert_eq!(
        error(SimulationParams { drift: -0.5, ..params(2, 5) }),
        SimulationError::Factor { what: "drift", most: 2.0, value: -0.5 }
    );
    let nan = error(SimulationParams { individuality: f64::NAN, ..params(2, 5) });
    assert!(nan.to_string().contains("individuality must be from 0 to 2, but is NaN"));
}
