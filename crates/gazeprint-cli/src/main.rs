//! The `gazeprint` command.

mod bench;
mod enroll;
mod exit;
mod export;
mod gallery;
mod identify;
mod import;
mod inspect;
mod opening;
mod population;
mod probe;
mod progress;
mod signals;
mod simulate;
mod study;
mod verify;
mod watch;
mod words;

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use gazeprint::corpus::Corpus;
use gazeprint::simulate::Simulation;
use gazeprint_io::import::WithoutWords;
use gazeprint_io::{Notes, WriteError};
use gazeprint_recognition::ErrorKind;

use self::exit::Exit;

/// Who is reading? Recognises people by how their eyes move over text.
#[derive(Debug, Parser)]
#[command(
    name = "gazeprint",
    version,
    after_help = "\
Examples:
  gazeprint study                            compare all methods on the built-in simulated corpus
  gazeprint study my-corpus --out results
  gazeprint inspect my-corpus
  gazeprint simulate --readers 20 --out demo
  gazeprint inspect demo
  gazeprint population demo --out people.json   what readers have in common
  gazeprint inspect people.json
  gazeprint import fixations.csv --words words.csv --out my-corpus   what other tools write
  gazeprint enroll my-corpus --gallery staff.gallery
  gazeprint identify unknown --gallery staff.gallery
  gazeprint verify claim --reader anna --gallery staff.gallery

Exit codes: 0 done, accepted or named; 1 failed; 2 wrong usage; 3 rejected or unknown; 4 undecided;
5 replay; 6 locked (no or wrong key); 7 damaged; 130 interrupted. With --json, errors are JSON too, on
standard error: {\"error\": {\"kind\", \"message\"}}."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Study(Box<study::Args>),
    Simulate(simulate::Args),
    Inspect(inspect::Args),
    Population(population::Args),
    Import(Box<import::Args>),
    Export(export::Args),
    Enroll(enroll::Args),
    Identify(identify::Args),
    Verify(verify::Args),
    Watch(watch::Args),
    Gallery(gallery::Args),
    Bench(bench::Args),
}

/// Arguments that do not fit together or are out of range: exit code 2.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Work stopped by Ctrl-C, with what to say of it.
#[derive(Debug)]
pub(crate) struct Interrupted(pub(crate) &'static str);

impl Interrupted {
    /// Nothing is there that was not there before.
    pub(crate) const NOTHING: Self = Self("interrupted; nothing was written");
    /// Of a study that keeps what it has.
    pub(crate) const RESUMABLE: Self =
        Self("interrupted; the same command with --resume goes on from here");
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Interrupted {}

/// The corpus in a folder, or the built-in simulated one; what looked odd on reading it is said.
pub(crate) fn corpus_with_notes(folder: Option<&Path>) -> anyhow::Result<Corpus> {
    let (corpus, notes) = corpus_or_default(folder)?;
    notes.messages().iter().for_each(|message| words::note(message));
    Ok(corpus)
}

/// The corpus in a folder, or the built-in simulated one, with what looked odd on reading it.
pub(crate) fn corpus_or_default(folder: Option<&Path>) -> anyhow::Result<(Corpus, Notes)> {
    Ok(match folder {
        Some(folder) => {
            refuse_without_words(folder)?;
            gazeprint_io::read_corpus_with_notes(folder)?
        }
        None => (Simulation::default().run(), Notes::default()),
    })
}

/// A recording that was imported without words can be looked at, but nothing else.
pub(crate) fn refuse_without_words(folder: &Path) -> anyhow::Result<()> {
    // Whatever is wrong with a corpus, reading it as one says so.
    if let Ok(Some(WithoutWords { in_pixels: true, .. })) = WithoutWords::read(folder) {
        anyhow::bail!(
            "{} has fixations in pixels and no words.csv; scoring needs the words and their \
             places; import the recording again with --words FILE; `gazeprint inspect` shows what \
             is there",
            folder.display()
        );
    }
    Ok(())
}

/// Writes to standard output. A reader that has seen enough, like `head`, is no failure.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Writes an answer as JSON.
pub(crate) fn print_json(answer: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(answer)?))
}

/// What to do where something cannot be written.
pub(crate) fn explain(error: WriteError) -> anyhow::Error {
    match error {
        WriteError::Exists { file } => anyhow::anyhow!(
            "{} exists already; write elsewhere, or add --overwrite to replace it",
            file.display()
        ),
        error => error.into(),
    }
}

fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Study(args) => study::run(*args),
        Command::Simulate(args) => simulate::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Population(args) => population::run(args),
        Command::Import(args) => import::run(&args),
        Command::Export(args) => export::run(args),
        Command::Enroll(args) => enroll::run(&args),
        Command::Identify(args) => return identify::run(&args),
        Command::Verify(args) => return verify::run(&args),
        Command::Watch(args) => return watch::run(&args),
        Command::Gallery(args) => gallery::run(args),
        Command::Bench(args) => bench::run(&args),
    }
    .map(|()| Exit::Done)
}

/// Says what went wrong, as words or as JSON.
fn complain(kind: ErrorKind, message: &str, json: bool) {
    match json {
        true => {
            eprintln!(
                "{}",
                serde_json::json!({"error": {"kind": kind.name(), "message": message}})
            );
        }
        false => eprintln!("error: {message}"),
    }
}

fn main() -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json");
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        // What was asked for, like --help, is no error.
        Err(error) if json && error.use_stderr() => {
            complain(ErrorKind::Usage, error.to_string().trim_end(), json);
            return ExitCode::from(Exit::Usage as u8);
        }
        Err(error) => error.exit(),
    };
    let exit = run(command).unwrap_or_else(|error| {
        let kind = words::errors::kind(&error);
        complain(kind, &words::errors::told(&error), json);
        kind.into()
    });
    ExitCode::from(exit as u8)
}
