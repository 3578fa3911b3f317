//! Simulated people, some of them enrolled, and what the tests do with them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::common::{gazeprint, stderr, stdout, succeeded};

/// People who are enrolled in [`Shared::gallery`], from texts 1 to 30.
pub(crate) const ENROLLED: [&str; 6] = ["r001", "r002", "r004", "r009", "r011", "r012"];
/// Two of them who are easy to tell from others.
pub(crate) const ANNA: &str = "reader-r011";
pub(crate) const BERT: &str = "reader-r004";
/// People who are not.
pub(crate) const STRANGERS: [&str; 2] = ["r015", "r016"];
/// Texts that are enrolled. The others, up to 50, are for probes.
pub(crate) const TEXTS: u32 = 30;

/// What is made once for all tests.
pub(crate) struct Shared {
    folder: PathBuf,
}

pub(crate) static SHARED: LazyLock<Shared> = LazyLock::new(Shared::make);

/// The number of a text called `sentence-s017`.
fn number(text: &str) -> u32 {
    text.trim_start_matches("sentence-s").parse().unwrap()
}

impl Shared {
    fn make() -> Self {
        let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gallery");
        fs::create_dir_all(&all).unwrap();
        // Nothing is left to remove it with at the end; runs at the same time must not disturb
        // each other.
        for old in fs::read_dir(&all).unwrap().flatten() {
            let age = old.metadata().and_then(|m| m.modified()).map(|m| m.elapsed());
            if matches!(age, Ok(Ok(age)) if age > Duration::from_secs(3600)) {
                _ = fs::remove_dir_all(old.path());
            }
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let folder = all.join(format!("{}-{}", std::process::id(), now.as_millis()));
        fs::create_dir(&folder).unwrap();
        let shared = Self { folder };
        let at = |name: &str| shared.folder.join(name).to_str().unwrap().to_owned();
        let more = ["--texts", "50", "--individuality", "1.5"];
        simulate(&at("people"), "16", &more);
        simulate(&at("others"), "8", &["--texts", "30", "--seed", "2", "--individuality", "1.5"]);
        succeeded(&gazeprint(&["population", &at("others"), "--out", &at("population.json")]));
        for reader in ENROLLED.iter().chain(&STRANGERS) {
            let out = shared.folder.join(format!("probe-{reader}"));
            shared.write(&out, |r, text| r == *reader && text > TEXTS);
        }
        let corpus = shared.folder.join("corpus");
        shared.write(&corpus, |reader, text| ENROLLED.contains(&reader) && text <= TEXTS);
        let corpus = corpus.to_str().unwrap();
        let population = ["--population", &at("population.json")];
        succeeded(&run("enroll", &[corpus], &at("shared.gallery"), &population));
        shared
    }

    /// Writes a part of what people read: readers by their short names, texts by their numbers.
    pub(crate) fn write(&self, out: &Path, keep: impl Fn(&str, u32) -> bool) {
        fs::create_dir_all(out).unwrap();
        for table in ["fixations.csv", "trials.csv"] {
            let text = fs::read_to_string(self.folder.join("people").join(table)).unwrap();
            let kept = text.lines().enumerate().filter(|(row, line)| {
                let mut cells = line.split(',');
                let (reader, text) = (cells.next().unwrap(), cells.next().unwrap());
                *row == 0 || keep(reader.trim_start_matches("reader-"), number(text))
            });
            let kept: String = kept.map(|(_, line)| format!("{line}\n")).collect();
            fs::write(out.join(table), kept).unwrap();
        }
        fs::copy(self.words(), out.join("words.csv")).unwrap();
    }

    pub(crate) fn words(&self) -> PathBuf {
        self.folder.join("people").join("words.csv")
    }

    /// What those who are enrolled were enrolled with.
    pub(crate) fn corpus(&self) -> String {
        self.folder.join("corpus").to_str().unwrap().to_owned()
    }

    pub(crate) fn population(&self) -> String {
        self.folder.join("population.json").to_str().unwrap().to_owned()
    }

    /// What somebody read later.
    pub(crate) fn probe(&self, reader: &str) -> String {
        let name = format!("probe-{}", reader.trim_start_matches("reader-"));
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    /// The gallery with everybody in it. Not to be written to.
    pub(crate) fn gallery(&self) -> PathBuf {
        self.folder.join("shared.gallery")
    }
}

/// Simulates people. Names get long enough not to be found in random bytes.
pub(crate) fn simulate(out: &str, readers: &str, more: &[&str]) {
    let arguments = ["simulate", "--readers", readers, "--out", out];
    succeeded(&gazeprint(&[&arguments[..], more].concat()));
    for table in ["fixations.csv", "trials.csv", "words.csv"] {
        let file = Path::new(out).join(table);
        let text = fs::read_to_string(&file).unwrap();
        let renamed = text.lines().enumerate().map(|(row, line)| match line.split_once(',') {
            Some((reader, rest)) if row > 0 && table != "words.csv" => {
                format!("reader-{reader},sentence-{rest}\n")
            }
            Some((text, rest)) if row > 0 => format!("sentence-{text},{rest}\n"),
            _ => format!("{line}\n"),
        });
        fs::write(&file, renamed.collect::<String>()).unwrap();
    }
}

/// A command over a gallery.
pub(crate) fn run(command: &str, first: &[&str], gallery: &str, more: &[&str]) -> Output {
    let command: Vec<&str> = command.split(' ').collect();
    gazeprint(&[&command[..], first, &["--gallery", gallery], more].concat())
}

/// A folder of one's own with a copy of the gallery.
pub(crate) struct Own {
    folder: tempfile::TempDir,
    pub(crate) gallery: String,
}

impl Own {
    pub(crate) fn new() -> Self {
        let own = Self::empty();
        fs::copy(SHARED.gallery(), &own.gallery).unwrap();
        own
    }

    /// With no gallery yet.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let gallery = folder.path().join("own.gallery").to_str().unwrap().to_owned();
        Self { folder, gallery }
    }

    /// With a gallery elsewhere.
    pub(crate) fn at(gallery: String) -> Self {
        Self { gallery, ..Self::empty() }
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// A file that nobody else may read.
    pub(crate) fn private(&self, name: &str, content: &str) -> String {
        let file = self.path(name);
        fs::write(&file, content).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        }
        file
    }

    /// A part of what people read, as a corpus.
    pub(crate) fn corpus(&self, name: &str, keep: impl Fn(&str, u32) -> bool) -> String {
        let out = self.path(name);
        SHARED.write(Path::new(&out), keep);
        out
    }

    pub(crate) fn enroll(&self, corpus: &str, more: &[&str]) -> Output {
        run("enroll", &[corpus], &self.gallery, more)
    }

    pub(crate) fn identify(&self, probe: &str, more: &[&str]) -> Output {
        run("identify", &[probe], &self.gallery, more)
    }

    pub(crate) fn verify(&self, probe: &str, reader: &str, more: &[&str]) -> Output {
        run("verify", &[probe, "--reader", reader], &self.gallery, more)
    }

    /// A command of `gazeprint gallery`.
    pub(crate) fn manage(&self, action: &str, more: &[&str]) -> Output {
        run(&format!("gallery {action}"), &[], &self.gallery, more)
    }

    pub(crate) fn log(&self) -> Vec<Value> {
        let lines = succeeded(&self.manage("log", &["--json"]));
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn readers(&self) -> Vec<String> {
        let list = succeeded(&self.manage("list", &["--json"]));
        let list: Value = serde_json::from_str(&list).unwrap();
        list.as_array().unwrap().iter().map(|r| r["id"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        fs::read(&self.gallery).unwrap()
    }
}

/// An answer that was yes or no, or a replay.
pub(crate) fn answer(output: &Output) -> Value {
    assert!(matches!(output.status.code(), Some(0 | 3 | 4 | 5)), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {} {}", stdout(output), stderr(output));
    })
}

/// What a gallery answers to some probes, to the last digit.
pub(crate) fn answers(gallery: &str, more: &[&str]) -> Vec<Value> {
    let more = [&["--json", "--forget", "--top", "6", "--fpir", "0.2"], more].concat();
    let probes = [ANNA, BERT, STRANGERS[0]].map(|reader| SHARED.probe(reader));
    probes.iter().map(|probe| answer(&run("identify", &[probe], gallery, &more))).collect()
}

/// What the shared gallery answers.
pub(crate) static ANSWERS: LazyLock<Vec<Value>> =
    LazyLock::new(|| answers(&Own::new().gallery, &[]));

/// Whether bytes hold a text.
pub(crate) fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
