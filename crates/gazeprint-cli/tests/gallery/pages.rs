//! Galleries of pages whose words are unknown decide by their own readers.

use std::fmt::Write as _;
use std::fs;

use crate::common::{stderr, succeeded};
use crate::people::{Own, answer};

const READERS: usize = 20;
const PAGES: usize = 6;

/// Numbers that look random, the same at every run.
struct Numbers(u64);

impl Numbers {
    /// Between -1 and 1.
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// What some people read of some pages: each has a pace, a reach and a speed.
fn corpus(
    own: &Own,
    name: &str,
    readers: std::ops::Range<usize>,
    pages: std::ops::Range<usize>,
) -> String {
    let mut table = String::from(
        "reader,text,x_deg,y_deg,duration_ms,sac_dx_deg,sac_dy_deg,sac_duration_ms,sac_peak_velocity\n",
    );
    for reader in readers {
        let mut of_reader = Numbers(reader as u64);
        let [pace, reach, speed] = [0; 3].map(|_| of_reader.next());
        for page in pages.clone() {
            let mut numbers = Numbers((reader * 1000 + page) as u64);
            let mut x = 0.0;
            for _ in 0..60 {
                let step = (2.0 + reach + 0.6 * numbers.next()).max(0.3);
                x = if x > 20.0 { 0.0 } else { x + step };
                let duration = 220.0 + 60.0 * pace + 40.0 * numbers.next();
                let fast = 60.0 * step * (1.0 + 0.3 * speed) * (1.0 + 0.05 * numbers.next());
                let lasts =
                    (20.0 + 2.5 * step) * (1.0 - 0.2 * speed) * (1.0 + 0.05 * numbers.next());
                writeln!(table, "p{reader:02},page{page},{x:.3},1,{duration:.0},{step:.3},0,{lasts:.1},{fast:.1}").unwrap();
            }
        }
    }
    let folder = own.path(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(format!("{folder}/fixations.csv"), table).unwrap();
    folder
}

#[test]
fn default_rates_are_those_that_so_many_readers_show() {
    let own = Own::empty();
    succeeded(&own.enroll(&corpus(&own, "known", 0..READERS, 0..4), &[]));
    let probe = corpus(&own, "probe", 3..4, 4..PAGES);

    // Nobody asked for a rate: three in twenty people, three in 190 pairs of them.
    let output = own.identify(&probe, &["--json", "--forget"]);
    let told = answer(&output);
    assert_eq!((&told["fpir"], &told["supported"]), (&0.15.into(), &true.into()), "{told}");
    assert_eq!(told["warnings"][0]["warning"], "higher_rate", "{told}");
    assert_eq!(told["ranking"][0]["reader"], "p03", "{told}");
    assert!(
        stderr(&output)
            .contains("the rate is 0.15: too few people stand behind 0.01 (20 strangers")
    );
    let told = answer(&own.verify(&probe, "p03", &["--json", "--forget"]));
    assert_eq!((&told["fmr"], &told["supported"]), (&0.016.into(), &true.into()), "{told}");
    assert_eq!(told["comparisons"], READERS * (READERS - 1) / 2, "{told}");

    // One that is asked for is refused, or given and said.
    let refused = own.identify(&probe, &["--fpir", "0.01"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stderr(&refused).contains("20 strangers show rates down to 0.15 at best"),
        "{}",
        stderr(&refused)
    );
    let told = answer(
        &own.identify(&probe, &["--fpir", "0.01", "--allow-unsupported", "--json", "--forget"]),
    );
    assert_eq!((&told["fpir"], &told["supported"]), (&0.01.into(), &false.into()), "{told}");

    // Whether a person read it cannot be told: it is not said that nothing speaks against it.
    let refused = own.verify(&probe, "p03", &["--liveness"]);
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
}
