//! Data walks one way: no module names one to its right, and no crate depends on one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the library, in the order in which data walks through them.
const MODULES: [&str; 24] = [
    "kinds",
    "random",
    "kernels",
    "assignment",
    "kinematics",
    "corpus",
    "situation",
    "saccade",
    "glance",
    "live",
    "network",
    "moments",
    "sight",
    "density",
    "inference",
    "template",
    "admission",
    "score",
    "search",
    "method",
    "decision",
    "replay",
    "liveness",
    "simulate",
];

/// The crates, each with those that it may depend on. Not all of them need be there.
const CRATES: [(&str, &[&str]); 10] = [
    ("gazeprint", &[]),
    ("gazeprint-io", &["gazeprint"]),
    ("gazeprint-store", &["gazeprint"]),
    ("gazeprint-eval", &["gazeprint"]),
    ("gazeprint-report", &["gazeprint", "gazeprint-io", "gazeprint-eval"]),
    ("gazeprint-recognition", &["gazeprint", "gazeprint-store"]),
    (
        "gazeprint-bench",
        &[
            "gazeprint",
            "gazeprint-io",
            "gazeprint-store",
            "gazeprint-eval",
            "gazeprint-recognition",
        ],
    ),
    ("gazeprint-cli", ALL),
    ("gazeprint-serve", &["gazeprint", "gazeprint-io", "gazeprint-store", "gazeprint-recognition"]),
    ("gazeprint-py", ALL),
];
const ALL: &[&str] = &[
    "gazeprint",
    "gazeprint-io",
    "gazeprint-store",
    "gazeprint-eval",
    "gazeprint-report",
    "gazeprint-recognition",
    "gazeprint-bench",
    "gazeprint-serve",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The lines of code of a file, numbered, without comments and without tests: these may use whatever
/// is at hand.
fn code(text: &str) -> Vec<(usize, &str)> {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
    let is_test = |i: usize| {
        lines[i].1 == "#[cfg(test)]"
            && lines.get(i + 1).is_some_and(|(_, next)| next.contains("mod "))
    };
    let end = (0..lines.len()).find(|i| is_test(*i)).unwrap_or(lines.len());
    lines[..end].iter().filter(|(_, line)| !line.trim_start().starts_with("//")).copied().collect()
}

/// The first segments of the paths in a line that begin with a prefix: one, or several in braces.
fn named<'a>(line: &'a str, prefix: &str) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (at, _) in line.match_indices(prefix) {
        let is_start = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        let rest = &line[at + prefix.len()..];
        let list = rest.strip_prefix('{').map_or(rest, |list| list.split('}').next().unwrap_or(""));
        let items = if rest.starts_with('{') { list.split(',').collect() } else { vec![list] };
        for item in items.into_iter().filter(|_| is_start) {
            let end = item.trim_start();
            let length = end.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(end.len());
            names.push(&end[..length]);
        }
    }
    names
}

#[test]
fn no_module_names_one_to_its_right() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let place = |name: &str| MODULES.iter().position(|module| *module == name);
    let mut wrong = Vec::new();
    for path in &files {
        let within = path.strip_prefix(&root).unwrap();
        let first = within.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        if module == "lib" || within.file_stem().is_some_and(|stem| stem == "tests") {
            continue;
        }
        let own = place(module).unwrap_or_else(|| panic!("{module} has no place in the order"));
        for (number, line) in code(&fs::read_to_string(path).unwrap()) {
            let right = named(line, "crate::").into_iter().filter(|name| place(name) > Some(own));
            wrong.extend(right.map(|name| format!("{}:{number} names {name}", within.display())));
        }
    }
    assert!(files.len() > 40, "{} files", files.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// By file of a folder: the files of the same folder that it names.
fn neighbours(folder: &Path) -> Vec<(String, Vec<String>)> {
    let mut files = Vec::new();
    sources(folder, &mut files);
    let stem = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let names: Vec<String> = files.iter().map(|path| stem(path)).collect();
    let of = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let lines = code(&text).into_iter();
        let found = lines.flat_map(|(_, line)| named(line, "super::")).map(str::to_owned);
        (stem(path), found.filter(|name| names.contains(name)).collect())
    };
    files.iter().filter(|path| stem(path) != "mod").map(of).collect()
}

#[test]
fn files_of_the_population_name_each_other_one_way() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/method/population");
    let mut left = neighbours(&folder);
    assert!(left.len() > 10);
    // Whoever names nobody that is left stands before all others.
    while !left.is_empty() {
        let names: Vec<String> = left.iter().map(|(name, _)| name.clone()).collect();
        let before = left.len();
        left.retain(|(_, named)| named.iter().any(|name| names.contains(name)));
        assert!(left.len() < before, "these name each other in a circle: {left:#?}");
    }
}

#[test]
fn no_crate_depends_on_one_to_its_right() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = 0;
    for entry in fs::read_dir(crates).unwrap() {
        let Ok(manifest) = fs::read_to_string(entry.unwrap().path().join("Cargo.toml")) else {
            continue;
        };
        let name = |line: &str| {
            let value = line.strip_prefix("name = \"")?;
            Some(value.trim_end_matches('"').to_owned())
        };
        let own = manifest.lines().find_map(name).unwrap();
        let (_, allowed) = CRATES
            .iter()
            .find(|(known, _)| *known == own)
            .unwrap_or_else(|| panic!("{own} has no place in the order"));
        let mut section = "";
        for line in manifest.lines() {
            if line.starts_with('[') {
                section = line;
            }
            let depended =
                line.split(['.', ' ', '=']).next().filter(|d| d.starts_with("gazeprint"));
            // Tests may use whatever is at hand.
            if let Some(depended) = depended.filter(|_| section == "[dependencies]") {
                assert!(allowed.contains(&depended), "{own} depends on {depended}");
            }
        }
        found += 1;
    }
    assert!(found >= 5, "{found} crates");
}

/// What a crate depends on in the end, by the lock file.
fn all_dependencies(lock: &str, of: &str) -> Vec<String> {
    let mut found = vec![of.to_owned()];
    let mut place = 0;
    while let Some(name) = found.get(place).cloned() {
        place += 1;
        let packages = lock.split("[[package]]").skip(1);
        let own = packages.filter(|package| package.contains(&format!("\nname = \"{name}\"\n")));
        for package in own {
            let list = package.split_once("dependencies = [").map_or("", |(_, list)| list);
            for line in list.lines().skip(1).take_while(|line| !line.starts_with(']')) {
                let depended = line.trim().trim_matches(['"', ',']).split(' ').next().unwrap();
                if !found.iter().any(|known| known == depended) {
                    found.push(depended.to_owned());
                }
            }
        }
    }
    found
}

#[test]
fn recognition_links_no_figures_fonts_or_pictures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lock = fs::read_to_string(root.join("Cargo.lock")).unwrap();
    let drawn = ["gazeprint-report", "gazeprint-eval", "png", "tiny-skia", "ttf-parser"];
    for of in ["gazeprint-recognition", "gazeprint-store", "gazeprint-eval"] {
        let all = all_dependencies(&lock, of);
        assert!(all.len() > 20, "{of}: {all:?}");
        let found: Vec<_> =
            all.iter().filter(|d| *d != of && drawn.contains(&d.as_str())).collect();
        assert!(found.is_empty(), "{of} depends on {found:?}");
    }
}
