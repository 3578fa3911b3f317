//! The page and the tables of a report from the outside.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[allow(dead_code, reason = "figures of readers are on no page")]
mod common;
#[path = "common/report.rs"]
mod fixture;

use std::collections::{BTreeMap, BTreeSet};

use fixture::report;
use gazeprint_eval::attacks::Attack;
use gazeprint_eval::report::{
    AcceptedClaims, AttackOutcome, AttackedProbes, Estimate, LivenessErrors, MethodAttacks,
    MethodStrangers, MissedAttacks, Report, StrangersAtRate, StrangersAtSeconds, StrangersOfSize,
};
use gazeprint_eval::robustness::{
    DurationLevel, MethodAccuracy, NoiseLevel, Outcome, ProbeAccuracy, Robustness,
};
use gazeprint_report::FigureId;
use gazeprint_report::figure::{self, Drawing};
use gazeprint_report::page::html;
use gazeprint_report::tables::{latex, markdown};

/// The figures of a study that did not look at worse recordings.
fn figures() -> Vec<(FigureId, Drawing)> {
    let mut figures = common::all();
    figures.retain(|(id, _)| *id != FigureId::Robustness);
    figures
}

fn page(report: &Report) -> String {
    html(report, &figures(), None)
}

/// What a browser shows and follows: fonts, styles and script left out.
fn body(page: &str) -> &str {
    let (_, rest) = page.split_once("</style>").unwrap();
    rest.split_once("<script>").unwrap().0
}

/// The tags of a page in order, with their attributes.
fn tags(page: &str) -> Vec<&str> {
    body(page).split('<').skip(1).map(|tag| tag.split_once('>').unwrap().0).collect()
}

#[test]
fn the_page_needs_nothing_else() {
    let page = page(&report(4, 10));
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("//cdn"));
    for tag in tags(&page) {
        assert!(!tag.contains("src=") && !tag.starts_with("link"), "{tag}");
        if let Some((_, link)) = tag.split_once("href=\"") {
            let id = link.strip_prefix('#').unwrap().trim_end_matches('"');
            assert!(page.contains(&format!(" id=\"{id}\"")), "{link} leads nowhere");
        }
    }
    let urls = page.matches("url(").count();
    assert_eq!((urls, page.matches("url(data:font/").count()), (3, 3));
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn tags_are_balanced() {
    for report in [report(4, 10), report(1, 1), report(0, 0)] {
        let page = page(&report);
        let mut open: Vec<&str> = Vec::new();
        for tag in tags(&page) {
            let name = tag.split_whitespace().next().unwrap();
            match name.strip_prefix('/') {
                Some("head" | "body" | "html") => {}
                Some(name) => assert_eq!(open.pop(), Some(name)),
                None if tag.ends_with('/') || matches!(name, "meta" | "body") => {}
                None => open.push(name),
            }
        }
        assert_eq!(open, [""; 0]);
    }
}

#[test]
fn identifiers_are_unique() {
    let page = page(&report(4, 10));
    let ids: Vec<&str> = tags(&page)
        .into_iter()
        .filter_map(|tag| Some(tag.split_once(" id=\"")?.1.split_once('"')?.0))
        .collect();
    assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "{ids:?}");
}

#[test]
fn every_method_and_figure_is_there() {
    let report = report(4, 10);
    let (page, markdown, latex) = (page(&report), markdown(&report), latex(&report));
    for method in &report.methods {
        for text in [&page, &markdown, &latex] {
            assert!(text.contains(&method.method), "{}", method.method);
        }
    }
    for (id, drawing) in figures() {
        let name = id.name();
        assert!(page.contains(&format!("id=\"fig-{name}\"")), "{name}");
        assert!(page.contains(&id.caption(&drawing, &report)), "{name}");
    }
    // Figures, and the sample of each method's line.
    assert_eq!(page.matches("<svg ").count(), 10 + report.methods.len());
}

#[test]
fn methods_can_be_left_out_where_scripts_run() {
    let page = page(&report(4, 10));
    assert!(page.contains("<fieldset class=\"tool\" id=\"methods\" hidden>"));
    assert_eq!(page.matches("<input type=\"checkbox\"").count(), 4);
    // Rows name their method, and both where they compare two.
    assert!(page.contains("<tr data-method=\"landwehr\">"));
    assert!(page.contains(" data-method=\"semiparametric\" data-other=\"landwehr\">"));
    // There is nothing to leave out of one.
    assert!(!html(&report(1, 10), &figures(), None).contains("id=\"methods\""));
}

#[test]
fn similarities_have_no_unit() {
    let with = report(4, 10);
    assert!(markdown(&with).contains("those of holland-weighted are logarithms of ratios"));
    assert!(markdown(&report(3, 10)).contains("Thresholds are log-likelihood ratios, in nats."));
}

#[test]
fn captions_say_who_and_from_what() {
    let drawings = common::all();
    let caption = |id: FigureId, report: &Report| {
        id.caption(&drawings.iter().find(|d| d.0 == id).unwrap().1, report)
    };
    let (several, single) = (report(4, 10), report(4, 1));
    let of = |id| caption(id, &several);
    assert!(of(FigureId::Densities).starts_with("Reader r017, training texts of the first split:"));
    assert!(of(FigureId::Densities).contains("dashed orange line: gamma fit"));
    assert!(of(FigureId::Calibration).starts_with("Reader r017, test texts of the first split:"));
    assert!(of(FigureId::Scanpath).starts_with("Reader r017, text p3: "));
    assert!(of(FigureId::Robustness).contains("bars plus and minus a standard error"));
    assert!(!caption(FigureId::Robustness, &single).contains("bars"));
}

#[test]
fn readers_are_those_of_a_split() {
    let mut report = report(2, 2);
    report.protocol.readers_by_split = vec![200, 250];
    let page = page(&report).replace('\u{a0}', " ");
    assert!(page.contains("Among 200 to 250 readers, "));
    assert!(page.contains("Guessing would find 0.45 %."));
    assert!(markdown(&report).contains(" among 200 to 250\u{a0}readers. The best"));
}

#[test]
fn false_claims_of_a_closed_set_are_explained() {
    let report = report(2, 2);
    // Under every table with rates of them.
    assert_eq!(markdown(&report).matches("(closed set)").count(), 4);
    assert_eq!(page(&report).matches("(closed set)").count(), 4 + 2);
}

#[test]
fn only_what_compares_is_bold() {
    let markdown = markdown(&report(4, 10));
    let row = markdown.lines().find(|l| l.starts_with("| semiparametric | **(5.0")).unwrap();
    let bold: Vec<bool> = row.split(" | ").map(|cell| cell.contains("**")).collect();
    // Method, area, EER, its interval, three FNMR, Cllr, its interval, the least Cllr.
    let expected = [false, true, true, false, false, false, false, true, false, true];
    assert_eq!(bold, expected, "{row}");
    assert!(row.contains("**0.013 ± 0.000** | \\[0.011, 0.014\\] | "), "{row}");
}

#[test]
fn costs_without_intervals_have_no_column_for_them() {
    let mut report = report(2, 2);
    let with = markdown(&report).matches("Cllr: 95\u{a0}% interval").count();
    for method in &mut report.methods {
        method.verification.cllr.as_mut().unwrap().ci95 = None;
    }
    let without = markdown(&report).matches("Cllr: 95\u{a0}% interval").count();
    assert_eq!((with, without), (1, 0));
}

#[test]
fn equal_methods_are_said_to_be_equal() {
    let mut report = report(2, 2);
    report.paired[0].ci95 = [0.0; 2];
    report.paired[0].significant = false;
    let page = page(&report);
    assert!(page.contains("whichever readers are drawn, the two are right equally often."));
    assert!(!page.contains("0.0 to 0.0"));
}

#[test]
fn simulated_readers_are_no_people() {
    let mut report = report(1, 2);
    assert!(!page(&report).contains("say nothing about people"));
    report.corpus.name = "simulated".into();
    assert!(page(&report).contains("say nothing about people"));
}

#[test]
fn worse_recordings_have_a_table() {
    let accuracy = |method: &str| MethodAccuracy {
        method: method.into(),
        accuracy: vec![ProbeAccuracy { sentences: Some(5), mean: 0.75, se: Some(0.025) }],
    };
    let outcome = |methods| Outcome { dropped_share: 0.125, methods, missing: None };
    let mut report = report(2, 2);
    report.robustness = Some(Robustness {
        splits: 2,
        position_noise: vec![
            NoiseLevel { sd_chars: 0.5, outcome: outcome(vec![accuracy("landwehr")]) },
            NoiseLevel { sd_chars: 4.0, outcome: outcome(vec![]) },
        ],
        min_duration: vec![DurationLevel {
            min_duration_ms: 80.0,
            outcome: outcome(vec![accuracy("semiparametric")]),
        }],
    });
    let markdown = markdown(&report).replace('\u{a0}', " ");
    assert!(markdown.contains("with probes of 5 sentences"));
    assert!(markdown.contains("| noise, 0.5 characters | 12.5 % | – | 0.750 ± 0.025 |"));
    assert!(markdown.contains("| fixations from 80 ms on | 12.5 % | 0.750 ± 0.025 | – |"));
    assert!(!markdown.contains("noise, 4 characters"));
    let page = page(&report);
    assert!(page.contains("id=\"tab-robustness\""));
    // Columns of methods can be left out like rows.
    assert!(page.contains("<th scope=\"col\" class=\"n\" data-method=\"landwehr\""));
    assert!(page.contains("<td data-method=\"landwehr\" class=\"n\""));
}

#[test]
fn attacks_have_tables() {
    let estimate = |mean| Estimate { mean, se: Some(0.025), ci95: Some([mean / 2.0, mean]) };
    let attack = |attack, accepted, lifeless| AttackOutcome {
        attack,
        claims: 1200,
        accepted_at: [1e-2, 1e-3]
            .map(|fmr| AcceptedClaims {
                fmr,
                accepted: estimate(accepted),
                guarded: estimate(accepted / 2.0),
            })
            .to_vec(),
        replayed: Some(estimate(0.0)),
        lifeless,
        missed_at: Some(vec![MissedAttacks { bpcer: 0.05, apcer: estimate(0.625) }]),
    };
    let size = |sentences| AttackedProbes {
        sentences,
        liveness: Some(LivenessErrors { area: estimate(0.25), eer: estimate(0.375) }),
        attacks: vec![
            attack(Attack::Genuine, 0.75, Some(estimate(0.01))),
            attack(Attack::Forgery, 0.5, Some(estimate(0.125))),
        ],
    };
    let mut report = report(2, 2);
    let page_without = page(&report);
    assert!(!page_without.contains("id=\"attacks\""));
    let method = |method: &str, forgeable| MethodAttacks {
        method: method.into(),
        forgeable,
        liveness_weights: BTreeMap::new(),
        by_sentences: vec![size(Some(1)), size(Some(5)), size(None)],
    };
    report.attacks = Some(vec![method("population", true), method("landwehr", false)]);
    let markdown = markdown(&report).replace('\u{a0}', " ");
    let row = "| population | 5 | forgery, target’s template | 1,200 | 0.500 ± 0.025 \
               | \\[0.250, 0.500\\] | 0.250 ± 0.025 |";
    assert!(markdown.contains(row), "{markdown}");
    assert!(
        markdown.contains(
            "| population | 5 | 0.250 ± 0.025 | 0.375 ± 0.025 | 0.010 ± 0.025 | 0.125 ± 0.025 |"
        ),
        "{markdown}"
    );
    assert!(markdown.contains("Templates of landwehr do not say how to go through a text"));
    let page = page(&report);
    for id in ["attacks", "tab-attacks", "tab-attacks-by-sentences", "tab-liveness"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    assert!(latex(&report).contains("tab:gazeprint-attacks"));
}

#[test]
fn strangers_have_a_section() {
    let mut report = report(1, 2);
    report.protocol.probe_sentences = vec![5];
    assert!(!page(&report).contains("id=\"tab-strangers\""));
    let estimate = |mean| Estimate { mean, se: Some(0.025), ci95: Some([mean / 2.0, mean]) };
    let rates = || {
        let at = |rate| StrangersAtRate {
            rate,
            fmr: estimate(rate / 2.0),
            fpir: estimate(rate),
            fnmr: estimate(0.25),
            named: estimate(0.875),
            misnamed: estimate(0.0),
            likely: estimate(0.0625),
            likely_wrong: estimate(0.0),
            strangers_likely: estimate(0.0),
        };
        [0.05, 0.01, 0.001, 0.0001].map(at).to_vec()
    };
    let size = |sentences| StrangersOfSize {
        sentences,
        probes: 400,
        genuine_probes: 500,
        seconds: 12.25,
        rates: rates(),
    };
    let timed =
        |seconds| StrangersAtSeconds { seconds, probes: 400, genuine_probes: 500, rates: rates() };
    report.strangers = Some(vec![MethodStrangers {
        method: report.methods[0].method.clone(),
        enrolled: 83,
        strangers: 82,
        by_size: vec![size(Some(5)), size(None)],
        by_seconds: vec![timed(10.0), timed(30.0)],
    }]);
    let page = page(&report).replace('\u{a0}', " ");
    for id in ["strangers", "tab-strangers", "tab-strangers-by-seconds", "fig-strangers"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    assert!(page.contains("Who is named among 83 readers and 82 strangers"));
    let brief = "it names <b>87.5 %</b> of the probes of 5 sentences (95 % interval 43.8 % to 87.5 %) \
                 where half of the readers are strangers and 1 % of those may be named; 1 % were.";
    assert!(page.contains(brief), "{page}");
    let markdown = markdown(&report).replace('\u{a0}', " ");
    let row = "| semiparametric | 30 | 0.01 | 400 | 0.875 | \\[0.438, 0.875\\] | 0.010 | \\[0.005, 0.010\\] \
               | 0.250 | \\[0.125, 0.250\\] |";
    assert!(markdown.contains(row), "{markdown}");
}

#[test]
fn tables_longer_than_a_page_stay_out_of_latex() {
    let mut report = report(2, 2);
    let thresholds = report.methods[0].thresholds.clone();
    report.methods[0].thresholds = thresholds.iter().cycle().take(60).cloned().collect();
    let latex = latex(&report);
    assert!(latex.contains("\n% thresholds: 69 rows, longer than a page; see tables.md"));
    assert!(!latex.contains("tab:gazeprint-thresholds"));
}

#[test]
fn figures_stand_in_the_order_of_the_page() {
    let mut backwards = common::all();
    backwards.reverse();
    let page = html(&report(1, 1), &backwards, None);
    let places: Vec<usize> = FigureId::ALL
        .iter()
        .map(|id| page.find(&format!("id=\"fig-{}\"", id.name())).unwrap())
        .collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn captions_are_escaped() {
    let mut scanpath = common::path();
    scanpath.reader = "so\"me <i>".into();
    let drawing = figure::scanpath(&scanpath);
    let page = html(&report(1, 1), &[(FigureId::Scanpath, drawing)], None);
    assert!(page.contains("Reader so&quot;me &lt;i&gt;, text p3: "));
    assert!(!page.contains("<i>"));
}

#[test]
fn the_main_results_are_said_in_words() {
    let page = page(&report(4, 10)).replace('\u{a0}', " ");
    for words in [
        "Among 251 readers, <b>semiparametric</b> finds the right one for <b>95.3 %</b>",
        "(95 % interval 85.8 % to 100 %)",
        "Next is <b>landwehr</b> with 88.2 %",
        "of the difference, 5.1 to 9.1 percentage points, leaves out 0.",
        "90 % of the probes are recognised from 10 sentences (95.3 %) on, or after 60 s",
        "50 % of the texts, drawn at random",
        "repeated 10 times, with seed 7",
        "Of 292,686 fixations, 1,757 (0.6 %) were dropped: 1,025 off text, 732 too short.",
        "2 readers were left out of some split, without training or test texts there: anna, ben.",
        "no false match rate below 3/15,750 = 1.9·10⁻⁴ can be shown",
        "semiparametric: 9 of 7,530 posteriors in doubt (unreliable importance weights, k-hat",
        "gazeprint study &#39;my corpus&#39; --out results",
    ] {
        let words = words.replace("&#39;", "'");
        assert!(page.contains(&words), "{words}");
    }
}

#[test]
fn protocols_are_told_apart() {
    let mut report = report(1, 2);
    for (split, words) in [
        ("temporal", "those that a reader read first, train"),
        ("session", "Whole sessions train"),
        ("file", "A file says"),
        ("by moon", "of the kind by moon"),
    ] {
        report.protocol.split = split.into();
        assert!(page(&report).contains(words), "{split}");
    }
    report.protocol.names = vec!["session 1 trains, session 2 tests".into()];
    assert!(page(&report).contains("The splits: session 1 trains, session 2 tests."));
}

#[test]
fn names_cannot_become_tags() {
    let evil = "</title></style><script>alert(1)</script><img src=x onerror=\"a\">&'\n";
    let mut report = report(2, 2);
    report.corpus.name = evil.into();
    report.corpus.excluded_readers = vec![evil.into()];
    report.corpus.dropped = [(evil.into(), 3)].into();
    report.protocol.split = evil.into();
    report.protocol.names = vec![evil.into()];
    report.methods[0].method = evil.into();
    report.paired[0].a = evil.into();
    let densities = &mut report.methods[0].diagnostics.densities;
    let first = *densities.values().next().unwrap();
    densities.insert(evil.into(), first);
    report.methods[0].tuned.amplitudes.insert(evil.into(), vec![1.0]);
    report.manifest.version = evil.into();
    report.manifest.commit = Some(evil.into());
    report.manifest.corpus_sha256 = evil.into();
    report.manifest.arguments = vec![evil.into()];
    let page = page(&report);
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("</style>").count(), 1);
    assert_eq!(page.matches("</title>").count(), 1 + 10);
    assert!(!page.contains("<img") && page.contains("&lt;img"));
    assert!(!markdown(&report).contains('<'));
}

#[test]
fn names_mean_nothing_to_latex() {
    let mut report = report(2, 2);
    report.corpus.name = r"50%_a&b#{c}$d\input{x}~^".into();
    let latex = latex(&report);
    let escaped = r"50\%\_a\&b\#\{c\}\$d\textbackslash{}input\{x\}\textasciitilde{}";
    assert!(latex.contains(&format!("{escaped}\\textasciicircum{{}}")));
    assert!(!latex.contains("\\input"));
    // What is not escaped would be a comment, or end a cell.
    for (line, text) in latex.lines().enumerate().skip(1) {
        assert!(!text.replace("\\%", "").contains('%'), "{line}: {text}");
    }
    assert!(latex.is_ascii(), "{:?}", latex.chars().find(|c| !c.is_ascii()));
    let begins = latex.matches("\\begin{").count();
    assert_eq!(begins, latex.matches("\\end{").count());
}

#[test]
fn rows_of_latex_have_as_many_cells_as_columns() {
    let latex = latex(&report(4, 10));
    for table in latex.split("\\begin{tabular}{@{}").skip(1) {
        let columns = table.split_once('@').unwrap().0.len();
        let rows = table.split_once("\\midrule").unwrap().1.split_once("\\bottomrule").unwrap().0;
        for row in rows.lines().filter(|line| line.ends_with("\\\\")) {
            assert_eq!(row.matches(" & ").count() + 1, columns, "{row}");
        }
    }
    assert_eq!(latex.matches("\\label{tab:gazeprint-").count(), 11);
}

#[test]
fn numbers_are_set_for_their_format() {
    let report = report(4, 10);
    assert!(latex(&report).contains(r"$\mathbf{(5.0 \pm 0.1)\times10^{-5}}$"));
    assert!(markdown(&report).contains("**(5.0 ± 0.1)·10⁻⁵**"));
    assert!(page(&report).contains("data-key=\"5.04e-5\"><b>(5.0 ± 0.1)·10⁻⁵</b>"));
    assert!(latex(&report).contains("$0.025$\\rlap{$^\\dagger$}"));
    let unsupported = "with 15,750 false claims no rate below 3/15,750 = 1.9·10⁻⁴ can be shown";
    assert!(markdown(&report).contains(unsupported));
}

#[test]
fn what_is_not_known_is_a_dash() {
    let nothing = Estimate { mean: f64::NAN, se: Some(f64::NAN), ci95: None };
    let endless = Estimate { mean: f64::INFINITY, se: Some(f64::NAN), ci95: None };
    let mut report = report(2, 10);
    for method in &mut report.methods {
        method.accuracy = nothing;
        method.area = nothing;
        method.verification.eer = nothing;
        method.verification.cllr = Some(endless);
        method.thresholds[0].threshold = Estimate { mean: f64::NEG_INFINITY, ..endless };
        method.by_sentences[0].shorter_probes = method.by_sentences[0].probes;
        for point in &mut method.verification.fnmr_at {
            point.fnmr = nothing;
            point.fmr_observed = nothing;
        }
    }
    for text in [body(&page(&report)), &markdown(&report), &latex(&report)] {
        assert!(!text.contains("NaN") && !text.contains(">inf") && !text.contains(" inf "));
    }
    assert!(markdown(&report).contains("| semiparametric | – | – | – |"));
}

#[test]
fn small_reports_do_not_panic() {
    for (methods, splits) in [(0, 0), (0, 10), (1, 1), (1, 10), (4, 1)] {
        let mut report = report(methods, splits);
        for _ in 0..2 {
            for text in [body(&page(&report)), &markdown(&report), &latex(&report)] {
                assert!(!text.contains("NaN"));
            }
            assert!(html(&report, &[], None).ends_with("</html>\n"));
            // The second time with next to nothing.
            report.protocol.probe_sentences.clear();
            report.protocol.train_fraction = None;
            report.corpus.readers = 0;
            report.corpus.fixations = 0;
            report.corpus.dropped.clear();
            report.corpus.excluded_readers.clear();
            for method in &mut report.methods {
                method.by_sentences.clear();
                method.by_seconds.clear();
                method.cmc.clear();
                method.thresholds.clear();
                method.verification.fnmr_at.clear();
                method.diagnostics.densities.clear();
            }
        }
    }
}

#[test]
fn runs_differ_in_one_section_alone() {
    let report = report(4, 10);
    let mut other = report.clone();
    other.manifest.threads = 64;
    other.manifest.arguments = vec!["study".into()];
    for method in &mut other.methods {
        method.tune_seconds += 1.0;
        method.fit_seconds += 1.0;
        method.score_seconds += 1.0;
    }
    let without = |page: String| {
        let (before, rest) = page.split_once("<section id=\"reproduce\">").unwrap();
        let (_, after) = rest.split_once("</section>").unwrap();
        format!("{before}{after}")
    };
    assert_eq!(page(&report), page(&report));
    assert_ne!(page(&report), page(&other));
    assert_eq!(without(page(&report)), without(page(&other)));
}
