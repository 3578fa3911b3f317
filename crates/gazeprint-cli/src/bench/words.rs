//! What was measured, as tables of words.

use gazeprint_bench::{
    DrawWorth, EngineAgreement, GalleryIdentification, Growth, IdentificationTimes, ImportTimes,
    InstructionCounts, KernelTimes, Measured, Measurements, PeerTimes, ProbeAccuracy, Scaling,
    ScoringTimes, SearchTimes, Speed, Stage, TrainingTimes, VaultTime, VaultTimes,
};

/// What is being done.
pub(super) fn stage(stage: Stage<'_>) -> String {
    match stage {
        Stage::Part(part) => part.name().to_owned(),
        Stage::Simulation { readers } => format!("simulating {readers} readers"),
        Stage::Population => "learning the population".to_owned(),
        Stage::Drawing { readers } => format!("drawing {readers} readers"),
        Stage::Method { method, engine } => {
            format!("training: {method} ({})", engine.unwrap_or("-"))
        }
        Stage::Step { part, name } => format!("{}: {name}", part.name()),
    }
}

/// Part after part.
pub(super) fn measurements(all: &Measurements) -> String {
    let mut out = format!("gazeprint {}, {}\n", all.version, all.machine);
    for (_, measured) in &all.parts {
        out += "\n";
        out += &part(measured);
    }
    if let Some(peak) = all.peak_mib {
        out += &format!("\npeak memory {peak:.0} MiB\n");
    }
    out
}

fn part(measured: &Measured) -> String {
    match measured {
        Measured::Training(times) => training(times),
        Measured::Draws(worth) => draws(worth),
        Measured::Scoring(times) => scoring(times),
        Measured::Search(times) => search(times),
        Measured::Scaling(scaling) => of_scaling(scaling),
        Measured::Kernels(times) => kernels(times),
        Measured::Instructions(counts) => instructions(counts),
        Measured::Import(times) => import(times),
        Measured::Vault(times) => vaults(times),
        Measured::Identify(times) => identify(times),
        Measured::Engines(agreement) => engines(agreement),
        Measured::Peer(times) => peer(times),
    }
}

/// A number with so many digits after the point, or a dash.
fn known(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"))
}

/// Seconds, in the unit that suits them.
fn duration(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.2} ms", 1e3 * seconds) } else { format!("{seconds:.2} s") }
}

fn training(times: &TrainingTimes) -> String {
    let mut out = format!(
        "training: {} readers, {} fixations; ratios to metropolis with 10,000 iterations\n\
         effective draws: of a chain, the least of three (two coefficients, log posterior); of \
         weighted draws, independent ones with the same error of the mean density\n\
         {:<17} {:<11} {:>7} {:>8} {:>8} {:>10} {:>8} {:>9} {:>11} {:>9} {:>8}\n",
        times.readers,
        times.fixations,
        "method",
        "engine",
        "readers",
        "fit s",
        "tune s",
        "reader ms",
        "speed",
        "effective",
        "effective/s",
        "speed",
        "accuracy"
    );
    for method in &times.methods {
        out += &format!(
            "{:<17} {:<11} {:>7} {:>8.2} {:>8.2} {:>10.2} {:>8} {:>9} {:>11} {:>9} {:>8}\n",
            method.method,
            method.engine.as_deref().unwrap_or("-"),
            method.readers,
            method.fit_seconds,
            method.tune_seconds,
            1e3 * method.reader_seconds,
            known(method.speed, 1),
            known(method.effective, 0),
            known(method.effective_per_second, 0),
            known(method.effective_speed, 1),
            known(method.accuracy, 3)
        );
    }
    out
}

fn draws(worth: &DrawWorth) -> String {
    let mut out = format!(
        "draws: {} densities, each from {} seeds; effective draws are as many independent ones as \
         would make means differ as much\n{:<11} {:>10} {:>10} {:>13} {:>8}\n",
        worth.densities, worth.seeds, "engine", "density ms", "effective", "effective/s", "speed"
    );
    for engine in &worth.engines {
        out += &format!(
            "{:<11} {:>10.2} {:>10.0} {:>13.0} {:>8.1}\n",
            engine.engine,
            1e3 * engine.seconds,
            engine.effective,
            1.0 / engine.draw_seconds,
            engine.speed
        );
    }
    out
}

fn scoring(times: &ScoringTimes) -> String {
    let line = |name: &str, speed: &Speed| {
        format!(
            "{name:<26} {:>8.3} ms {:>12.0} readers a second\n",
            1e3 * speed.seconds,
            speed.readers_per_second
        )
    };
    format!(
        "comparing a probe of {} fixations with {} readers\n{}{}",
        times.fixations,
        times.readers,
        line("population, by situation", &times.by_situation),
        line("tables, an inner product", &times.tabulated)
    )
}

fn search(times: &SearchTimes) -> String {
    let accuracy = |probes: &ProbeAccuracy| {
        format!(
            "{:>5} probes of {:>4.0} fixations: {:.4} find who made them\n",
            probes.probes, probes.fixations, probes.accuracy
        )
    };
    let exact = times.exact.as_ref().map_or_else(String::new, |full| {
        format!(
            "{:>5} probes compared with all in full, {:.2} s each: {:.4} find the best of all by rows\n",
            full.probes, full.seconds, full.recall
        )
    });
    let SearchTimes { readers, candidates, .. } = times;
    format!(
        "searching {readers} readers for the best {candidates}\n\
         rows {:.0} MiB, drawn and made in {:.1} s\n\
         all rows      {:>9.2} ms\n\
         full scores   {:>9.2} ms for the {candidates} candidates\n{}{}{exact}",
        times.row_mib,
        times.rows_seconds,
        1e3 * times.search_seconds,
        1e3 * times.rescore_seconds,
        accuracy(&times.whole),
        accuracy(&times.parts)
    )
}

fn of_scaling(scaling: &Scaling) -> String {
    let line = |growth: &Growth| {
        let points: Vec<String> =
            growth.points.iter().map(|(n, s)| format!("{n}: {}", duration(*s))).collect();
        let exponent = known(growth.exponent, 2);
        format!("{:<22} {:<21} {exponent:>8}  {}\n", growth.what, growth.by, points.join(", "))
    };
    let lines: String = scaling.series.iter().map(line).collect();
    format!(
        "scaling: seconds grow with the power `exponent` of what varies\n\
         {:<22} {:<21} {:>8}\n{lines}",
        "what", "by", "exponent"
    )
}

fn kernels(times: &KernelTimes) -> String {
    let mut out = format!(
        "kernels: one thread; ratios to a plain sum of doubles, by element\n\
         {:<22} {:>9} {:>8}  an element is a\n",
        "kernel", "ns", "ratio"
    );
    for time in &times.kernels {
        out += &format!(
            "{:<22} {:>9.3} {:>8.2}  {}\n",
            time.kernel, time.nanoseconds, time.ratio, time.element
        );
    }
    out
}

fn instructions(counts: &InstructionCounts) -> String {
    let mut out = format!(
        "instructions of an element, counted by valgrind\n\
         {:<22} {:>12} {:>9} {:>7}  an element is a\n",
        "kernel", "instructions", "recorded", "ratio"
    );
    for count in &counts.kernels {
        out += &format!(
            "{:<22} {:>12.3} {:>9} {:>7}  {}{}\n",
            count.kernel,
            count.instructions,
            known(count.recorded, 3),
            known(count.ratio, 3),
            count.element,
            if count.has_risen() { ": MORE THAN BEFORE" } else { "" }
        );
    }
    out
}

fn import(times: &ImportTimes) -> String {
    let megabytes = times.bytes as f64 / 1e6;
    let mut out = format!(
        "importing a report of {megabytes:.0} MB, {} records: {} fixations, {} dropped\n\
         {:<8} {:>8} {:>8} {:>8}\n",
        times.records, times.fixations, times.dropped, "way", "ms", "MB/s", "of csv"
    );
    for way in &times.ways {
        out += &format!(
            "{:<8} {:>8.1} {:>8.0} {:>8.2}\n",
            way.way,
            1e3 * way.seconds,
            megabytes / way.seconds,
            way.speed
        );
    }
    out
}

fn vaults(times: &VaultTimes) -> String {
    let line = |time: &VaultTime| {
        format!(
            "{:<9} {:>8.0} {:>10.2} {:>9.2} {:>10.2} {:>9.2} {:>8.0} {:>8.0}\n",
            time.vault,
            1e3 * time.make_seconds,
            1e3 * time.open_seconds,
            1e3 * time.open_slowest,
            1e3 * time.log_seconds,
            1e3 * time.log_slowest,
            1e3 * time.erase_seconds,
            1e3 * time.check_seconds
        )
    };
    let lines: String = times.vaults.iter().map(line).collect();
    format!(
        "vault: {} readers, milliseconds; open reads all templates\n\
         {:<9} {:>8} {:>10} {:>9} {:>10} {:>9} {:>8} {:>8}\n{lines}",
        times.readers,
        "sealed by",
        "make",
        "open",
        "slowest",
        "log entry",
        "slowest",
        "erase",
        "check"
    )
}

fn identify(times: &IdentificationTimes) -> String {
    let line = |gallery: &GalleryIdentification| {
        format!(
            "{:<9} {:>8.2} {:>12.2} {:>12.2}  {} of {} right\n",
            gallery.gallery,
            1e3 * gallery.open_seconds,
            1e3 * gallery.first_seconds,
            1e3 * gallery.next_seconds,
            gallery.right,
            2 * times.probes
        )
    };
    let lines: String = times.galleries.iter().map(line).collect();
    format!(
        "identify: {} readers, enrolled in {:.1} s; milliseconds, medians over {} openings\n\
         {:<9} {:>8} {:>12} {:>12}\n{lines}",
        times.readers,
        times.enroll_seconds,
        times.probes,
        "sealed by",
        "open",
        "first answer",
        "next answer"
    )
}

fn engines(agreement: &EngineAgreement) -> String {
    let mut out = format!(
        "engines: total variation from four chains of nuts, mean and largest over readers\n\
         {:<10} {:>6} {:>4} {:>7}  {:>13}  {:>13}  {:>13}  {:>13}  {:>6} {:>6} {:>6}\n",
        "density",
        "A",
        "n",
        "readers",
        "laplace",
        "mode",
        "metropolis",
        "bound, spread",
        "k-hat",
        "ess",
        "m.ess"
    );
    for density in &agreement.densities {
        let [laplace, mode, metropolis] = [&density.laplace, &density.mode, &density.metropolis]
            .map(|distance| format!("{:>6.4} {:>6.4}", distance.mean, distance.largest));
        out += &format!(
            "{:<10} {:>6} {:>4} {:>7}  {laplace}  {mode}  {metropolis}  {:>6.4} {:>6.4}  {:>6} {:>6.0} \
             {:>6.0}\n",
            density.density,
            known(density.amplitude, 2),
            density.observations,
            density.readers,
            density.bound,
            density.spread,
            known(density.k_hat, 2),
            density.effective,
            density.metropolis_effective
        );
    }
    out
}

fn peer(times: &PeerTimes) -> String {
    let mut out = format!(
        "peer: densities that other software is compared on, milliseconds (see benches/peers)\n\
         {:<12} {:<10} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
        "reader", "density", "n", "laplace", "effective", "nuts", "effective", "gamma"
    );
    for density in &times.problems {
        let answer = &density.answer;
        out += &format!(
            "{:<12} {:<10} {:>5} {:>9.2} {:>9.0} {:>9.2} {:>9.0} {:>9.3}\n",
            density.reader,
            density.density,
            density.observations,
            1e3 * answer.laplace.spent.seconds,
            answer.laplace.effective,
            1e3 * answer.nuts.spent.seconds,
            answer.nuts.effective,
            1e3 * answer.gamma.spent.seconds
        );
    }
    out
}
