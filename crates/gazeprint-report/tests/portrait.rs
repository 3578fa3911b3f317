//! Portraits of readers, drawn and written.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;

use gazeprint::corpus::Limits;
use gazeprint::inference::Engine;
use gazeprint::saccade::readings;
use gazeprint::simulate::SimulationParams;
use gazeprint_eval::portrait::Portrait;
use gazeprint_eval::protocol::Protocol;
use gazeprint_report::{draws, figure};

const DRAWS: usize = 100;

/// Of all readers of a simulated corpus, with the place of a typical one.
fn portraits(readers: usize, texts: usize) -> (usize, Vec<Portrait>) {
    let params = SimulationParams { readers, texts, coverage: 1.0, ..Default::default() };
    let corpus = params.build().unwrap().run();
    let readings = readings(&corpus, Limits::default()).0;
    let split = Protocol::default().splits(&corpus, &readings).unwrap().swap_remove(0);
    let engine = Engine::by_name("laplace").unwrap();
    let all = (0..readers)
        .map(|reader| Portrait::of(&corpus, &readings, &split, reader, &engine, 1).unwrap())
        .collect();
    (Portrait::typical_reader(&split, &readings), all)
}

/// By the trapezoid rule.
fn integral(x: &[f64], y: &[f64]) -> f64 {
    let cells = x.windows(2).zip(y.windows(2));
    cells.map(|(x, y)| (x[1] - x[0]) * (y[0] + y[1]) / 2.0).sum()
}

/// The rows of a table without its head, by density and draw.
fn by_draw(table: &str, columns: &str) -> BTreeMap<(String, usize), Vec<[String; 3]>> {
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some(columns));
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let key = (cells[1].to_owned(), cells[2].parse().unwrap());
        let rest = cells[3..].iter().map(|c| (*c).to_owned()).chain([String::new()]);
        let rest: Vec<String> = rest.take(3).collect();
        groups.entry(key).or_default().push(rest.try_into().unwrap());
    }
    groups
}

#[test]
fn tables_hold_every_draw() {
    let (typical, mut portraits) = portraits(4, 20);
    let portrait = portraits.swap_remove(typical);
    let shown = portrait.densities.densities.len();
    let theta = by_draw(&draws::coefficients(&portrait), "reader,density,draw,coefficient,value");
    assert_eq!(theta.len(), shown * DRAWS);
    for rows in theta.values() {
        assert!(rows.len() > 2);
        for (a, [coefficient, value, _]) in rows.iter().enumerate() {
            let name = if a < 2 { format!("eta{}", a + 1) } else { format!("w{}", a - 1) };
            assert_eq!(coefficient, &name);
            assert!(value.parse::<f64>().unwrap().is_finite());
        }
    }
    let densities = by_draw(&draws::densities(&portrait), "reader,density,draw,x,unit,value");
    assert_eq!(densities.len(), shown * DRAWS);
    for ((density, draw), rows) in &densities {
        let number = |i: usize| rows.iter().map(|r| r[i].parse().unwrap()).collect::<Vec<f64>>();
        let mass = integral(&number(0), &number(2));
        assert!((mass - 1.0).abs() < 1e-3, "{density}, draw {draw}: {mass}");
        let unit = if density.starts_with("delta") { "ms" } else { "characters" };
        assert!(rows.iter().all(|r| r[1] == unit));
    }
}

#[test]
fn a_reader_of_little_is_drawn() {
    for portrait in portraits(2, 2).1 {
        figure::reader_densities(&portrait.densities);
        figure::reader_calibration(&portrait.calibration);
        figure::scanpath(&portrait.scanpath);
    }
}
